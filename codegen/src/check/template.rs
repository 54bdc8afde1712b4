//! Templates: `VG02xx` (LANGUAGE section 5), lowered to [`Piece`]s and [`Element`]s.

use std::collections::BTreeSet;

use verbgate_table::{ArgKind, ArgSpec, DefaultValue, Element, Piece, Presence, Scalar, Text};

use super::data;
use super::{Out, owned};
use crate::codes::args::{VG0201, VG0203, VG0204, VG0205, VG0206, VG0207, VG0208, VG0209, VG0211, VG0219};
use crate::diag::{Diagnostic, Span};
use crate::model::{At, Element as Written};

/// A text with its placeholders, and where they stand in it.
pub(super) struct Parsed {
    /// Literal text, or a name and whether `...` follows it; with the bytes of the text.
    pub parts: Vec<(Part, std::ops::Range<usize>)>,
}

pub(super) enum Part {
    Literal(String),
    Arg { name: String, spread: bool },
}

/// Reads `<x>`, `<x...>` and `<<`.
pub(super) fn parse(text: &str, at: At<'_>, out: &mut Out) -> Parsed {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut start = 0;
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        let here = text.len() - rest.len() + open;
        literal.push_str(rest.get(..open).unwrap_or_default());
        let behind = rest.get(open + 1..).unwrap_or_default();
        if let Some(more) = behind.strip_prefix('<') {
            literal.push('<');
            rest = more;
            continue;
        }
        let found = behind.split_once('>').and_then(|(inner, more)| {
            let (name, spread) = inner.strip_suffix("...").map_or((inner, false), |name| (name, true));
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
            is_name.then(|| (name.to_owned(), spread, more))
        });
        if let Some((name, spread, more)) = found {
            if !literal.is_empty() {
                parts.push((Part::Literal(std::mem::take(&mut literal)), start..here));
            }
            rest = more;
            start = text.len() - rest.len();
            parts.push((Part::Arg { name, spread }, here..start));
        } else {
            let bytes = here..here + 1;
            out.push(
                Diagnostic::new(&VG0207, super::patterns::within(at, &bytes), "`<` begins no placeholder here")
                    .mend(super::patterns::within(at, &bytes), "<<")
                    .help("a placeholder is `<name>`, and a literal `<` is written `<<`"),
            );
            literal.push('<');
            rest = behind;
        }
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        parts.push((Part::Literal(literal), start..text.len()));
    }
    Parsed { parts }
}

/// What the templates of a verb may use, and what they have used.
pub(super) struct Scope<'a> {
    args: &'a [ArgSpec],
    verb: &'a crate::model::Verb,
    pub used: BTreeSet<String>,
}

/// What a text is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// A question.
    Ask,
    /// Standard input.
    Stdin,
    /// A variable: left out if an argument is absent.
    Env,
}

impl<'a> Scope<'a> {
    pub(super) fn new(args: &'a [ArgSpec], verb: &'a crate::model::Verb) -> Self {
        Self { args, verb, used: BTreeSet::new() }
    }

    pub(super) fn find(&self, name: &str) -> Option<&'a ArgSpec> {
        self.args.iter().find(|arg| arg.name == name)
    }

    fn unknown(&self, name: &str, span: Span, what: &str, out: &mut Out) {
        if self.verb.args.get(name).is_some() {
            return; // it is there, and what is wrong with it has been said
        }
        let mut found = Diagnostic::new(&VG0201, span.clone(), format!("there is no argument `{name}` {what}"));
        match super::nearest(name, self.args.iter().map(|arg| arg.name.as_ref())) {
            Some(near) => {
                found = found.help(format!("did you mean `{near}`?"));
                if span.bytes.len() == name.len() + 2 {
                    found = found.mend(span, format!("<{near}>"));
                }
            }
            None if self.args.is_empty() => found = found.help("the verb has no arguments"),
            None => {
                let names: Vec<_> = self.args.iter().map(|arg| format!("`{}`", arg.name)).collect();
                found = found.help(format!("its arguments: {}", names.join(", ")));
            }
        }
        out.push(found);
    }

    /// Arguments that have a value at this place: those that always have one, and those that the conditions around it
    /// (and what these require) give.
    fn there(&self, conditions: &[&str]) -> BTreeSet<&'a str> {
        let mut there: BTreeSet<&str> =
            self.args.iter().filter(|arg| always(arg)).map(|arg| arg.name.as_ref()).collect();
        let mut open: Vec<&str> = conditions.to_vec();
        let mut followed = BTreeSet::new();
        // A required argument was given, too, so what it requires was.
        open.extend(
            self.args.iter().filter(|arg| matches!(arg.presence, Presence::Required)).map(|arg| arg.name.as_ref()),
        );
        while let Some(name) = open.pop() {
            if !followed.insert(name.to_owned()) {
                continue;
            }
            let Some(arg) = self.find(name) else { continue };
            there.insert(&arg.name);
            // What only a default gives requires nothing.
            if !matches!(arg.presence, Presence::Default(_)) {
                open.extend(arg.requires.iter().map(AsRef::as_ref));
            }
        }
        there
    }

    /// A text of the question, standard input or a variable.
    pub(super) fn text(&mut self, text: &str, purpose: Use, at: At<'_>, out: &mut Out) -> Vec<Piece> {
        let parsed = parse(text, at, out);
        let there = self.there(&[]);
        let mut pieces = Vec::new();
        for (part, bytes) in parsed.parts {
            let span = super::patterns::within(at, &bytes);
            match part {
                Part::Literal(literal) => pieces.push(Piece::Literal(literal.into())),
                Part::Arg { name, spread } => {
                    self.used.insert(name.clone());
                    let Some(arg) = self.find(&name) else {
                        self.unknown(&name, span, "here", out);
                        continue;
                    };
                    if spread {
                        out.push(
                            Diagnostic::new(&VG0207, span.clone(), format!("`<{name}...>` can stand in an argv only"))
                                .help(format!("write `<{name}>`")),
                        );
                    }
                    match &arg.kind {
                        ArgKind::One(Scalar::Boolean) => {
                            out.push(Diagnostic::new(
                                &VG0204,
                                span,
                                format!("`{name}` is a boolean, which has no text"),
                            ));
                        }
                        ArgKind::One(Scalar::Secret { .. }) if purpose == Use::Ask => {
                            out.push(Diagnostic::new(
                                &VG0205,
                                span,
                                format!("`{name}` is a secret, which is never shown"),
                            ));
                        }
                        ArgKind::Many { join: None, .. } if purpose != Use::Ask => {
                            out.push(
                                Diagnostic::new(&VG0207, span, format!("`{name}` is a list, which is no one text"))
                                    .help("add `join` to it"),
                            );
                        }
                        _ if purpose != Use::Env && !there.contains(arg.name.as_ref()) => {
                            out.push(
                                Diagnostic::new(&VG0203, span, format!("`{name}` may be absent here"))
                                    .help("make it required, give it a default, or leave it out of this text"),
                            );
                        }
                        _ => {}
                    }
                    pieces.push(Piece::Arg(name.into()));
                }
            }
        }
        pieces
    }

    /// The argv of a verb. `guarded` tells whether no literal `--` stands before it.
    pub(super) fn argv(&mut self, written: &[Written], at: At<'_>, guarded: bool, out: &mut Out) -> Vec<Element> {
        let mut guarded = guarded;
        let mut elements = Vec::new();
        for (index, element) in written.iter().enumerate() {
            elements.push(self.element(element, at.index(index), &[], &mut guarded, out));
            if matches!(element, Written::Text(text) if text == "--") {
                guarded = false;
            }
        }
        elements
    }

    fn element(
        &mut self,
        written: &Written,
        at: At<'_>,
        conditions: &[&str],
        guarded: &mut bool,
        out: &mut Out,
    ) -> Element {
        match written {
            Written::Text(text) => self.element_text(text, at, conditions, *guarded, out),
            Written::When(name, body) => {
                self.used.insert(name.clone());
                let inner = at.key(name);
                let span = inner.key_span();
                match self.find(name) {
                    None => {
                        let before = out.len();
                        self.unknown(name, span, "that this could depend on", out);
                        if let Some(found) = out.get_mut(before) {
                            found.help.push("text that holds `: ` must be quoted".into());
                        }
                    }
                    Some(arg) => {
                        let repeats = matches!(arg.kind, ArgKind::Many { join: None, .. });
                        if conditions.contains(&name.as_str()) {
                            out.push(Diagnostic::new(
                                &VG0206,
                                span,
                                format!("inside its own condition `{name}` is always given"),
                            ));
                        } else if always(arg) && !repeats {
                            out.push(
                                Diagnostic::new(
                                    &VG0206,
                                    span,
                                    format!("`{name}` is always given: this condition always holds"),
                                )
                                .help("write what is inside it, without the condition"),
                            );
                        } else if !repeats && self.there(conditions).contains(name.as_str()) && !conditions.is_empty() {
                            out.push(Diagnostic::new(
                                &VG0206,
                                span,
                                format!("the conditions around it give `{name}` already"),
                            ));
                        }
                    }
                }
                let mut all = conditions.to_vec();
                all.push(name);
                let lists = matches!(inner.node().map(|node| &node.kind), Some(crate::syntax::NodeKind::Sequence(_)));
                let mut elements = Vec::new();
                for (index, element) in body.iter().enumerate() {
                    let place = if lists { inner.index(index) } else { inner };
                    elements.push(self.element(element, place, &all, guarded, out));
                }
                Element::When { arg: owned(name), body: elements.into() }
            }
        }
    }

    fn element_text(&mut self, text: &str, at: At<'_>, conditions: &[&str], guarded: bool, out: &mut Out) -> Element {
        let parsed = parse(text, at, out);
        let there = self.there(conditions);
        let alone = parsed.parts.len() == 1;
        let mut pieces: Vec<Piece> = Vec::new();
        let mut before = String::new();
        for (index, (part, bytes)) in parsed.parts.into_iter().enumerate() {
            let span = super::patterns::within(at, &bytes);
            let (name, spread) = match part {
                Part::Literal(literal) => {
                    before.push_str(&literal);
                    pieces.push(Piece::Literal(literal.into()));
                    continue;
                }
                Part::Arg { name, spread } => (name, spread),
            };
            self.used.insert(name.clone());
            let Some(arg) = self.find(&name) else {
                self.unknown(&name, span, "here", out);
                continue;
            };
            let scalar = match &arg.kind {
                ArgKind::One(scalar) | ArgKind::Many { of: scalar, .. } => scalar,
            };
            match &arg.kind {
                ArgKind::One(Scalar::Boolean) => {
                    out.push(
                        Diagnostic::new(&VG0204, span.clone(), format!("`{name}` is a boolean, which has no text"))
                            .help(format!("a boolean is a condition, as in `{name}: --option`")),
                    );
                    continue;
                }
                ArgKind::One(Scalar::Secret { .. }) => {
                    out.push(
                        Diagnostic::new(
                            &VG0205,
                            span.clone(),
                            format!("`{name}` is a secret: every process can read an argv"),
                        )
                        .help("hand it over in `env` or `stdin`"),
                    );
                    continue;
                }
                ArgKind::Many { join: None, .. } if spread => {
                    if !alone {
                        out.push(
                            Diagnostic::new(
                                &VG0207,
                                span.clone(),
                                format!("`<{name}...>` must be alone in its element"),
                            )
                            .help(format!("for each item write `{name}: text with <{name}>`")),
                        );
                    }
                    if conditions.contains(&name.as_str()) {
                        out.push(
                            Diagnostic::new(
                                &VG0207,
                                span.clone(),
                                format!("inside its condition `{name}` stands for one item"),
                            )
                            .help(format!("write `<{name}>`")),
                        );
                    }
                }
                _ if spread => {
                    out.push(
                        Diagnostic::new(
                            &VG0207,
                            span.clone(),
                            format!("`{name}` is one value, there is nothing to spread"),
                        )
                        .help(format!("write `<{name}>`")),
                    );
                }
                ArgKind::Many { join: None, .. } if !conditions.contains(&name.as_str()) => {
                    out.push(
                        Diagnostic::new(&VG0207, span.clone(), format!("`{name}` is a list, which is no one element"))
                            .help(format!(
                                "write `<{name}...>` for one element per item, or `{name}: --option=<{name}>`"
                            )),
                    );
                }
                _ if !there.contains(name.as_str()) => {
                    out.push(
                        Diagnostic::new(&VG0203, span.clone(), format!("`{name}` may be absent here"))
                            .help(format!("put the element under its condition, as in `{name}: {text}`")),
                    );
                }
                _ => {}
            }
            let is_choice = matches!(scalar, Scalar::Choice(_));
            if !is_choice && completes_option(&before) && guarded {
                out.push(
                    Diagnostic::new(
                        &VG0208,
                        span.clone(),
                        format!("the value of `{name}` would complete the name of an option"),
                    )
                    .help("write options out, as words of a `choice` or behind a condition"),
                );
            }
            let refused = index == 0 && guarded && may_begin_with_dash(&arg.kind);
            if refused && default_begins_with_dash(&arg.presence) {
                out.push(
                    Diagnostic::new(
                        &VG0219,
                        span,
                        format!("the default of `{name}` begins with `-`, and would be refused here"),
                    )
                    .help("put `--` before it, write `--option=<x>`, or choose another default"),
                );
            } else if refused {
                out.push(
                    Diagnostic::new(
                        &VG0209,
                        span,
                        format!("a value of `{name}` that begins with `-` would be refused"),
                    )
                    .help(
                        "put `--` before it, write `--option=<x>`, or give it a pattern that does not begin with `-`",
                    ),
                );
            }
            before.push('x');
            if spread && alone {
                return Element::Spread(name.into());
            }
            pieces.push(Piece::Arg(name.into()));
        }
        if pieces.is_empty() {
            pieces.push(Piece::Literal(Text::default()));
        }
        Element::One(pieces.into())
    }
}

/// Whether an argument always has a value that can be rendered.
pub(super) fn always(arg: &ArgSpec) -> bool {
    let present = match &arg.presence {
        Presence::Default(DefaultValue::List(items)) => !items.is_empty(),
        Presence::Required | Presence::Default(_) => true,
        Presence::Optional => false,
    };
    match &arg.kind {
        ArgKind::One(Scalar::Boolean) => false,
        ArgKind::One(_) => present,
        // An empty list is not given.
        ArgKind::Many { min, .. } => present && *min > 0,
    }
}

/// Whether text before a value leaves the name of an option open: `-`, `--no-`, `-no-`; not `--x=`, not `-S`.
fn completes_option(before: &str) -> bool {
    let Some(name) = before.strip_prefix('-') else { return false };
    let in_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    in_name && name.chars().count() != 1 || before == "--"
}

/// Whether a value that comes first in its element may be refused for its dash. Words of a choice are exempt, paths
/// are absolute.
fn may_begin_with_dash(kind: &ArgKind) -> bool {
    let scalar = match kind {
        ArgKind::One(scalar) | ArgKind::Many { of: scalar, .. } => scalar,
    };
    match scalar {
        Scalar::String { pattern, .. } => {
            pattern.as_ref().is_none_or(|pattern| crate::pattern::may_begin_with(pattern.source(), '-'))
        }
        Scalar::Integer { min, .. } => *min < 0,
        Scalar::Number { min, .. } => min.is_none_or(|min| min < 0.0),
        Scalar::Boolean | Scalar::Choice(_) | Scalar::Path { .. } | Scalar::Secret { .. } => false,
    }
}

fn default_begins_with_dash(presence: &Presence) -> bool {
    fn dash(value: &DefaultValue) -> bool {
        match value {
            DefaultValue::Text(text) => text.starts_with('-'),
            DefaultValue::Integer(number) => *number < 0,
            DefaultValue::Number(number) => *number < 0.0,
            DefaultValue::Boolean(_) => false,
            DefaultValue::List(items) => items.iter().any(dash),
        }
    }
    matches!(presence, Presence::Default(value) if dash(value))
}

/// A placeholder in or after an element that an interpreter takes for code. Gives why standard input is code, if it is.
pub(super) fn code(
    executable: &str,
    prefix: &[String],
    written: &[Written],
    at: At<'_>,
    args: &[ArgSpec],
    out: &mut Out,
) -> Option<&'static str> {
    let mut state = State::default();
    state.literal(executable, true);
    for word in prefix {
        state.literal(word, false);
    }
    walk(written, at, args, &mut state, out);
    let reads = state.interpreter.filter(|found| found.stdin && !(state.script || found.operand && state.operand_seen));
    reads.map(|found| found.why)
}

#[derive(Default)]
struct State {
    interpreter: Option<&'static data::Interpreter>,
    /// Why everything from here on is code.
    code: Option<(&'static str, String)>,
    operand_seen: bool,
    /// Whether an option brought the code.
    script: bool,
}

impl State {
    /// A literal element, or the literal beginning of one.
    fn literal(&mut self, word: &str, is_program: bool) {
        if self.script {
            return;
        }
        if let Some(found) = data::interpreter(word)
            && (is_program || found.anywhere || self.interpreter.is_some_and(|outer| outer.all))
        {
            self.interpreter = Some(found);
            self.operand_seen = false;
            if found.all {
                self.code.get_or_insert_with(|| (found.why, word.to_owned()));
            }
            return;
        }
        let Some(interpreter) = self.interpreter else { return };
        let name = word.split('=').next().unwrap_or(word);
        let cluster = word.strip_prefix('-').is_some_and(|letters| {
            !letters.starts_with('-') && letters.chars().any(|c| interpreter.letters.contains(c))
        });
        let short = cluster && !interpreter.letters.is_empty() && !self.operand_seen;
        if short || interpreter.options.contains(&name) {
            self.code.get_or_insert_with(|| (interpreter.why, word.to_owned()));
            self.script = true;
        } else if !word.starts_with('-') {
            self.operand_seen = true;
        }
    }
}

fn walk(written: &[Written], at: At<'_>, args: &[ArgSpec], state: &mut State, out: &mut Out) {
    for (index, element) in written.iter().enumerate() {
        let at = if matches!(at.node().map(|node| &node.kind), Some(crate::syntax::NodeKind::Sequence(_))) {
            at.index(index)
        } else {
            at
        };
        match element {
            Written::When(name, body) => walk(body, at.key(name), args, state, out),
            Written::Text(text) => {
                let parsed = parse(text, at, &mut Vec::new());
                let mut first = true;
                for (part, bytes) in &parsed.parts {
                    match part {
                        Part::Literal(literal) if first => state.literal(literal, false),
                        Part::Literal(_) => {}
                        Part::Arg { name, .. } => {
                            let from_manifest = args.iter().find(|arg| arg.name == *name).is_none_or(|arg| {
                                matches!(
                                    &arg.kind,
                                    ArgKind::One(Scalar::Choice(_) | Scalar::Boolean)
                                        | ArgKind::Many { of: Scalar::Choice(_), .. }
                                )
                            });
                            let operand = state.code.is_none()
                                && first
                                && state.interpreter.is_some_and(|found| found.operand)
                                && !state.operand_seen;
                            if first {
                                state.operand_seen = true;
                            }
                            if from_manifest {
                                continue;
                            }
                            let span = super::patterns::within(at, bytes);
                            if let Some((why, word)) = &state.code {
                                out.push(
                                    Diagnostic::new(&VG0211, span, format!("the value of `{name}` would be run: it stands in or after `{word}`"))
                                        .label(*why)
                                        .help("what an agent sends is data, never code: write the code out, or wrap another program"),
                                );
                            } else if operand {
                                let why = state.interpreter.map_or("", |found| found.why);
                                out.push(
                                    Diagnostic::new(
                                        &VG0211,
                                        span,
                                        format!("the value of `{name}` would be run: it names the script"),
                                    )
                                    .label(why)
                                    .help("write the script's name out"),
                                );
                            }
                        }
                    }
                    first = false;
                }
            }
        }
    }
}
