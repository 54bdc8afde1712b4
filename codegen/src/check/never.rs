//! What a template can give, against the promises of `program.never`: VG0503, VG0515 (LANGUAGE section 3).

use std::collections::BTreeSet;

use verbgate_table::{ArgKind, ArgSpec, Element, NeverSpec, Piece, ProgramSpec, Scalar, Text, VerbSpec};

use super::Out;
use crate::codes::env::{VG0503, VG0515};
use crate::diag::Diagnostic;
use crate::model::{At, Element as Written};
use crate::syntax::NodeKind;

fn scalar(kind: &ArgKind) -> &Scalar {
    match kind {
        ArgKind::One(scalar) | ArgKind::Many { of: scalar, .. } => scalar,
    }
}

/// Whether a value can be exactly this text.
fn accepts(arg: &ArgSpec, text: &str) -> bool {
    let count = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    match scalar(&arg.kind) {
        Scalar::Choice(choices) => choices.iter().any(|choice| choice.program == text),
        Scalar::String { pattern, min, max, .. } => {
            (*min..=*max).contains(&count) && pattern.as_ref().is_none_or(|pattern| pattern.matches(text))
        }
        Scalar::Integer { min, max } => {
            text.parse::<i64>().is_ok_and(|value| (*min..=*max).contains(&value) && value.to_string() == text)
        }
        Scalar::Number { .. } => text.parse::<f64>().is_ok(),
        // Absolute by then.
        Scalar::Path { .. } => text.starts_with('/'),
        Scalar::Boolean | Scalar::Secret { .. } => false,
    }
}

/// Whether a value can begin with this text, which is not empty.
fn begins(arg: &ArgSpec, text: &str) -> bool {
    match scalar(&arg.kind) {
        Scalar::Choice(choices) => choices.iter().any(|choice| choice.program.starts_with(text)),
        Scalar::String { pattern, .. } => match (pattern, text.chars().next()) {
            (Some(pattern), Some(first)) => crate::pattern::may_begin_with(pattern.source(), first),
            _ => true,
        },
        Scalar::Integer { min, .. } => {
            text.chars().enumerate().all(|(at, c)| c.is_ascii_digit() || (at == 0 && c == '-' && *min < 0))
        }
        Scalar::Number { .. } => text.chars().all(|c| c.is_ascii_digit() || "-.".contains(c)),
        Scalar::Path { .. } => text.starts_with('/'),
        Scalar::Boolean | Scalar::Secret { .. } => false,
    }
}

/// Whether pieces can give a text: exactly, or something that begins with it.
fn can_be(pieces: &[Piece], text: &str, exactly: bool, verb: &VerbSpec) -> bool {
    if !exactly && text.is_empty() {
        return true;
    }
    match pieces {
        [] => text.is_empty(),
        [Piece::Literal(literal), rest @ ..] => {
            if let Some(left) = text.strip_prefix(literal.as_ref()) {
                can_be(rest, left, exactly, verb)
            } else {
                !exactly && literal.starts_with(text)
            }
        }
        [Piece::Arg(name) | Piece::Group(name), rest @ ..] => {
            let Some(arg) = verb.args.iter().find(|arg| arg.name == *name) else { return false };
            if !exactly && begins(arg, text) {
                return true;
            }
            text.char_indices().map(|(at, _)| at).chain([text.len()]).any(|at| {
                text.split_at_checked(at)
                    .is_some_and(|(own, left)| accepts(arg, own) && can_be(rest, left, exactly, verb))
            })
        }
    }
}

/// Whether the runtime refuses what begins with a dash here: a value that is no word of a choice comes first.
fn guarded(pieces: &[Piece], verb: &VerbSpec) -> bool {
    match pieces.first() {
        Some(Piece::Arg(name)) => verb
            .args
            .iter()
            .find(|arg| arg.name == *name)
            .is_none_or(|arg| !matches!(scalar(&arg.kind), Scalar::Choice(_))),
        _ => false,
    }
}

/// Checks one verb against the promises.
pub(super) fn verb(program: &ProgramSpec, verb: &VerbSpec, at: At<'_>, never_at: At<'_>, out: &mut Out) {
    let argv = at.key("argv");
    // As the runtime looks: with and without the prefix, options left out, up to the first `--` of the manifest's own.
    let prefix = program.argv.iter().map(|word| Element::One(vec![Piece::Literal(word.clone())].into()));
    let prefixed: Vec<Element> =
        prefix.chain(verb.argv.iter().cloned()).take_while(|element| !is_end(element)).collect();
    let own: Vec<Element> = verb.argv.iter().take_while(|element| !is_end(element)).cloned().collect();
    for (index, words) in program.never.verbs.iter().enumerate() {
        let broken = |elements: &[Element]| leads(elements, words, verb, &BTreeSet::from([0])).contains(&words.len());
        if !words.is_empty() && (broken(&own) || broken(&prefixed)) {
            out.push(
                Diagnostic::new(
                    &VG0503,
                    argv.span(),
                    format!("this argv can begin with `{}`, which `never` rules out", words.join(" ")),
                )
                .also(never_at.key("verbs").index(index).span(), "the promise")
                .help("take the verb out of `never`, or the word out of the argv and its choices"),
            );
        }
    }
    let mut open = !program.argv.iter().any(|word| word == "--");
    for (index, element) in verb.argv.iter().enumerate() {
        if !open {
            break;
        }
        options(element, argv.index(index), verb, &program.never, never_at, out);
        open = !is_end(element);
    }
    if !program.never.verbs.is_empty() {
        words_behind(verb, argv, out);
    }
}

fn is_end(element: &Element) -> bool {
    matches!(element, Element::One(pieces) if matches!(pieces.as_ref(), [Piece::Literal(text)] if text == "--"))
}

fn options(element: &Element, at: At<'_>, verb: &VerbSpec, never: &NeverSpec, never_at: At<'_>, out: &mut Out) {
    let mut report = |index: usize, option: &str| {
        out.push(
            Diagnostic::new(&VG0503, at.span(), format!("this element can be `{option}`, which `never` rules out"))
                .also(never_at.key("options").index(index).span(), "the promise")
                .help("take the option out of `never`, or out of the argv"),
        );
    };
    match element {
        Element::One(pieces) => {
            for (index, option) in never.options.iter().enumerate() {
                if option.starts_with('-') && guarded(pieces, verb) {
                    continue;
                }
                if can_be(pieces, option, true, verb) || can_be(pieces, &format!("{option}="), false, verb) {
                    report(index, option);
                }
            }
        }
        Element::Spread(name) => {
            let pieces = [Piece::Arg(name.clone())];
            for (index, option) in never.options.iter().enumerate() {
                if !(option.starts_with('-') && guarded(&pieces, verb)) && can_be(&pieces, option, true, verb) {
                    report(index, option);
                }
            }
        }
        Element::When { arg, body } => {
            let inner = at.key(arg);
            let is_list = matches!(inner.node().map(|node| &node.kind), Some(NodeKind::Sequence(_)));
            for (index, element) in body.iter().enumerate() {
                options(element, if is_list { inner.index(index) } else { inner }, verb, never, never_at, out);
            }
        }
    }
}

/// How many of the words can have been given after these elements, from each count before them. A count of all words
/// stays: what follows does not matter.
fn leads(elements: &[Element], words: &[Text], verb: &VerbSpec, from: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut counts = from.clone();
    for element in elements {
        let mut next: BTreeSet<usize> = counts.iter().copied().filter(|count| *count == words.len()).collect();
        match element {
            // An option may stand between the words.
            Element::One(pieces) if matches!(pieces.first(), Some(Piece::Literal(text)) if text.starts_with('-')) => {
                next.extend(&counts);
            }
            Element::One(pieces) => {
                for count in &counts {
                    if words.get(*count).is_some_and(|word| can_be(pieces, word, true, verb)) {
                        next.insert(count + 1);
                    }
                }
            }
            Element::Spread(name) => {
                let pieces = [Piece::Arg(name.clone())];
                for count in &counts {
                    let mut count = *count;
                    next.insert(count);
                    while words.get(count).is_some_and(|word| can_be(&pieces, word, true, verb)) {
                        count += 1;
                        next.insert(count);
                    }
                }
            }
            Element::When { body, .. } => {
                // Absent, once, or (a list) as often as there are words.
                next.extend(&counts);
                for _ in 0..words.len() {
                    let more = leads(body, words, verb, &next);
                    if more.is_subset(&next) {
                        break;
                    }
                    next.extend(more);
                }
            }
        }
        counts = next;
    }
    counts
}

/// With promises about leading words, a word must not stand where they are not looked for.
fn words_behind(verb: &VerbSpec, at: At<'_>, out: &mut Out) {
    let mut behind = None;
    for (index, element) in verb.argv.iter().enumerate() {
        if is_end(element) {
            return;
        }
        let is_word = matches!(element, Element::One(pieces)
            if matches!(pieces.as_ref(), [Piece::Literal(text)] if !text.starts_with('-')));
        match (is_word, behind) {
            (true, Some(first)) => {
                out.push(
                    Diagnostic::new(&VG0515, at.index(index).span(), "a word behind an option or placeholder")
                        .also(at.index(first).span(), "it stands behind this")
                        .help("`never.verbs` sees leading words only: put the words first, and write `--option=value` in one element"),
                );
                return;
            }
            (false, None) => behind = Some(index),
            _ => {}
        }
    }
}

/// The argument, other than a choice, that an argv can begin with, and the index of its element.
pub(super) fn begins_with_argument<'a>(written: &'a [Written], args: &[ArgSpec]) -> Option<(usize, &'a str)> {
    for (index, element) in written.iter().enumerate() {
        match element {
            Written::Text(text) => return placeholder(text, args).map(|name| (index, name)),
            // Absent, the next element comes first.
            Written::When(_, body) => {
                if let Some((_, name)) = begins_with_argument(body, args) {
                    return Some((index, name));
                }
            }
        }
    }
    None
}

fn placeholder<'a>(text: &'a str, args: &[ArgSpec]) -> Option<&'a str> {
    let (name, _) = text.strip_prefix('<')?.split_once('>')?;
    let name = name.strip_suffix("...").unwrap_or(name);
    let arg = args.iter().find(|arg| arg.name == name)?;
    (!matches!(scalar(&arg.kind), Scalar::Choice(_))).then_some(name)
}
