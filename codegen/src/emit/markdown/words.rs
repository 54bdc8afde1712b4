//! Parts of the table in words. `String`s hold texts of the manifest; what is `&'static str` is ours.

use std::fmt::Write as _;

use verbgate_table::pattern::LinePattern;
use verbgate_table::{
    Access, ArgKind, ArgSpec, Capture, Class, Element, EnvName, ExitIs, FieldSource, FieldType, Millis, MustBe, Piece,
    Presence, ProgramSpec, ProviderKind, Root, Scalar, StageKind, Stream, Streams, Text,
};

use super::code_span;
use crate::emit::json_schema::default_value;

/// What is done at paths, in the order of harm.
pub(super) const ACCESSES: [(Access, &str); 4] = [
    (Access::Read, "reads"),
    (Access::Create, "creates (leaves alone what is there)"),
    (Access::Write, "writes (staged, moved there only on success)"),
    (Access::Update, "changes in place (no protection)"),
];

/// What is done at the argument's path, if it is one.
pub(super) fn access(arg: &ArgSpec) -> Option<Access> {
    let (ArgKind::One(scalar) | ArgKind::Many { of: scalar, .. }) = &arg.kind;
    match scalar {
        Scalar::Path { access, .. } => Some(*access),
        _ => None,
    }
}

/// The whole argv as a template: program, its own argv, the verb's. One element a word; others in quotes.
pub(super) fn argv(program: &ProgramSpec, elements: &[Element]) -> String {
    let mut words = vec![quoted(&program.executable.default)];
    words.extend(program.argv.iter().map(|it| quoted(&escaped(it))));
    words.extend(elements.iter().map(element));
    words.join(" ")
}

/// Literal words of an argv.
pub(super) fn literal_argv(words: &[Text]) -> String {
    words.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(" ")
}

fn element(it: &Element) -> String {
    match it {
        Element::One(text) => quoted(&pieces(text)),
        Element::Spread(arg) => format!("<{arg}...>"),
        Element::When { arg, body } => {
            format!("({arg}: {})", body.iter().map(element).collect::<Vec<_>>().join(" "))
        }
    }
}

/// A text with placeholders, as the manifest writes it.
pub(super) fn pieces(it: &[Piece]) -> String {
    it.iter()
        .map(|piece| match piece {
            Piece::Literal(text) => escaped(text),
            Piece::Arg(name) | Piece::Group(name) => format!("<{name}>"),
        })
        .collect()
}

fn escaped(text: &str) -> String {
    text.replace('<', "<<")
}

/// As it stands if it is plainly one word, else in quotes, so that blanks and brackets are seen for what they are.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=<>,:+@%^~".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        serde_json::Value::from(text).to_string()
    }
}

pub(super) fn class(it: Class) -> &'static str {
    match it {
        Class::Read => "reports, changes nothing",
        Class::Additive => "adds or selects something, loses nothing",
        Class::FileWrite => "writes files that the question names",
        Class::RegistryMutation => "changes or removes what the program keeps",
        Class::Replace => "changes or removes much at once, or for good",
    }
}

pub(super) fn root(it: &Root) -> String {
    match it {
        Root::Workspace => "workspace".to_owned(),
        Root::Env(name) => format!("${name}"),
        Root::Absolute(path) => path.to_string(),
    }
}

pub(super) fn env_name(it: &EnvName) -> String {
    match it {
        EnvName::Exact(name) => name.to_string(),
        EnvName::Prefix(prefix) => format!("{prefix}*"),
    }
}

/// As the manifest writes it: the largest unit that is exact.
pub(super) fn duration(Millis(ms): Millis) -> String {
    for (unit, size) in [("h", 3_600_000), ("min", 60_000), ("s", 1000)] {
        if ms > 0 && ms % size == 0 {
            return format!("{} {unit}", ms / size);
        }
    }
    format!("{ms} ms")
}

pub(super) fn stream(it: Stream) -> &'static str {
    match it {
        Stream::Stdout => "standard output",
        Stream::Stderr => "standard error",
    }
}

pub(super) fn streams_in_order(it: &[Stream]) -> String {
    if it.is_empty() {
        return "nothing of the program's output".to_owned();
    }
    it.iter().map(|it| stream(*it)).collect::<Vec<_>>().join(", then ")
}

pub(super) fn place(it: Streams) -> &'static str {
    match it {
        Streams::Only(Stream::Stdout) => "on standard output",
        Streams::Only(Stream::Stderr) => "on standard error",
        Streams::Both => "on either stream",
    }
}

pub(super) fn numbers(it: &[u8]) -> String {
    it.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

pub(super) fn exits(it: &[ExitIs]) -> String {
    let said = |it: &ExitIs| match it {
        ExitIs::Status(status) => format!("status {status}"),
        ExitIs::Signal(signal) => format!("signal {signal}"),
    };
    it.iter().map(said).collect::<Vec<_>>().join(", ")
}

/// What an argument takes: our words, and limits with their values.
pub(super) fn kind(it: &ArgKind) -> (String, Vec<(&'static str, Vec<String>)>) {
    match it {
        ArgKind::One(scalar) => self::scalar(scalar),
        ArgKind::Many { of, min, max, join } => {
            let (word, mut facts) = self::scalar(of);
            facts.extend(join.as_ref().map(|it| ("joined by", vec![it.to_string()])));
            (format!("list of {word}, {min} to {max} items, each"), facts)
        }
    }
}

fn scalar(it: &Scalar) -> (String, Vec<(&'static str, Vec<String>)>) {
    let matching = |pattern: &Option<verbgate_table::pattern::ValuePattern>| {
        pattern.iter().map(|it| ("all of it matches", vec![it.source().to_owned()])).collect::<Vec<_>>()
    };
    match it {
        Scalar::String { pattern, min, max, multiline } => {
            let lines = if *multiline { ", line breaks allowed" } else { "" };
            (format!("text of {min} to {max} characters{lines}"), matching(pattern))
        }
        Scalar::Secret { pattern, min, max } => {
            (format!("secret of {min} to {max} characters, shown nowhere"), matching(pattern))
        }
        Scalar::Integer { min, max } => (format!("whole number from {min} to {max}"), Vec::new()),
        Scalar::Number { min, max } => {
            let mut word = "number".to_owned();
            if let Some(min) = min {
                let _ = write!(word, " from {min}");
            }
            if let Some(max) = max {
                let _ = write!(word, " to {max}");
            }
            (word, Vec::new())
        }
        Scalar::Boolean => ("true or false".to_owned(), Vec::new()),
        Scalar::Choice(choices) => {
            let shown = |word: &Text, program: &Text| {
                if word == program { word.to_string() } else { format!("{word} (given as {program})") }
            };
            let words = choices.iter().map(|it| shown(&it.word, &it.program)).collect();
            ("one word".to_owned(), vec![("of", words)])
        }
        Scalar::Path { access: _, must_be, pattern, max, sensitive } => {
            let there = match must_be {
                None => "",
                Some(MustBe::Present) => ", which must exist",
                Some(MustBe::File) => ", which must be a file",
                Some(MustBe::Directory) => ", which must be a folder",
                Some(MustBe::Absent) => ", where nothing may be",
            };
            let mut facts = matching(pattern);
            if !sensitive.is_empty() {
                facts.push(("sensitive components allowed", sensitive.iter().map(ToString::to_string).collect()));
            }
            (format!("path of at most {max} bytes{there}"), facts)
        }
    }
}

pub(super) fn presence(it: &Presence) -> (&'static str, Vec<String>) {
    match it {
        Presence::Required => ("required", Vec::new()),
        Presence::Optional => ("optional", Vec::new()),
        Presence::Default(value) => ("else", vec![default_value(value).to_string()]),
    }
}

/// A line pattern as manifests write it: there a space stands for a space or a line break.
pub(super) fn line_pattern(it: &LinePattern) -> String {
    it.source().replace("[ \\n]", " ")
}

/// Where a field comes from, and the rest in our words.
pub(super) fn source(it: &FieldSource) -> (Vec<String>, String) {
    match it {
        FieldSource::Match { pattern, streams, kind } => {
            (vec![line_pattern(pattern)], format!("first match {}, {}", place(*streams), field_type(*kind)))
        }
        FieldSource::Each { pattern, streams, kind } => {
            (vec![line_pattern(pattern)], format!("all matches {}, {}", place(*streams), field_type(*kind)))
        }
        FieldSource::EachNamed { pattern, streams, groups } => {
            let groups: Vec<String> =
                groups.iter().map(|(name, kind)| format!("{} {}", code_span(name), field_type(*kind))).collect();
            (vec![line_pattern(pattern)], format!("all matches {}: {}", place(*streams), groups.join(", ")))
        }
        FieldSource::Json { pointer, kind } => {
            (vec![pointer.to_string()], format!("of the JSON document, {}", field_type(*kind)))
        }
        FieldSource::JsonLines { pointer, kind } => {
            (vec![pointer.to_string()], format!("of each line's JSON document, {}", field_type(*kind)))
        }
        FieldSource::Exit(exit) => (Vec::new(), format!("true if the exit status is one of {}", numbers(exit))),
    }
}

fn field_type(it: FieldType) -> &'static str {
    match it {
        FieldType::String => "text",
        FieldType::Integer => "whole number",
        FieldType::Number => "number",
        FieldType::Boolean => "true or false",
        FieldType::Json => "any JSON",
    }
}

pub(super) fn stage(it: StageKind) -> &'static str {
    match it {
        StageKind::Enrich => "enrich (may append content)",
        StageKind::Observe => "observe (sees, changes nothing)",
        StageKind::Normalise => "normalise (may return details only)",
        StageKind::Downstream => "downstream (not ours, nothing is assumed of it)",
        StageKind::Sanitise => "sanitise (may rewrite)",
    }
}

pub(super) fn provider(it: ProviderKind) -> &'static str {
    match it {
        ProviderKind::Redact => "redact (masks credentials)",
        ProviderKind::Sanitise => "sanitise (the payload's last)",
    }
}

pub(super) fn capture(it: Capture) -> &'static str {
    match it {
        Capture::Exact => "exact",
        Capture::Limited => "limited",
        Capture::Unsupported => "unsupported",
    }
}
