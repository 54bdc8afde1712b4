//! Builders for small tables.

use std::borrow::Cow;

use verbgate_table::pattern::{LinePattern, ValuePattern};
use verbgate_table::*;

pub(crate) fn text(text: &str) -> Text {
    Cow::Owned(text.to_owned())
}

pub(crate) fn texts(all: &[&str]) -> List<Text> {
    all.iter().map(|one| text(one)).collect()
}

pub(crate) fn arg(name: &str, kind: ArgKind, presence: Presence) -> ArgSpec {
    ArgSpec {
        name: text(name),
        description: text("x"),
        kind,
        presence,
        requires: List::default(),
        conflicts: List::default(),
    }
}

pub(crate) fn required(name: &str, scalar: Scalar) -> ArgSpec {
    arg(name, ArgKind::One(scalar), Presence::Required)
}

pub(crate) fn optional(name: &str, scalar: Scalar) -> ArgSpec {
    arg(name, ArgKind::One(scalar), Presence::Optional)
}

pub(crate) fn list(name: &str, of: Scalar, join: Option<&str>) -> ArgSpec {
    arg(name, ArgKind::Many { of, min: 0, max: 100, join: join.map(text) }, Presence::Optional)
}

pub(crate) fn string() -> Scalar {
    Scalar::String { pattern: None, min: 1, max: 4096, multiline: false }
}

/// A string that takes whatever a string can hold.
pub(crate) fn any_string() -> Scalar {
    Scalar::String { pattern: None, min: 0, max: 4096, multiline: true }
}

pub(crate) fn matching(pattern: &str) -> Scalar {
    Scalar::String { pattern: Some(ValuePattern::new(text(pattern))), min: 1, max: 64, multiline: false }
}

pub(crate) fn integer() -> Scalar {
    Scalar::Integer { min: -(1 << 53), max: 1 << 53 }
}

pub(crate) fn number() -> Scalar {
    Scalar::Number { min: None, max: None }
}

pub(crate) fn choice(words: &[(&str, &str)]) -> Scalar {
    let choices = words.iter().map(|(word, program)| Choice { word: text(word), program: text(program) });
    Scalar::Choice(choices.collect())
}

pub(crate) fn path() -> Scalar {
    Scalar::Path { access: Access::Read, must_be: None, pattern: None, max: 4096, sensitive: List::default() }
}

pub(crate) fn secret() -> Scalar {
    Scalar::Secret { pattern: None, min: 1, max: 64 }
}

/// `log --since=<since>` as pieces; `<<` is not read here.
pub(crate) fn pieces(template: &str) -> List<Piece> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((before, (name, after))) =
        rest.split_once('<').and_then(|(before, tail)| Some((before, tail.split_once('>')?)))
    {
        if !before.is_empty() {
            pieces.push(Piece::Literal(text(before)));
        }
        pieces.push(name.strip_prefix('?').map_or_else(|| Piece::Arg(text(name)), |group| Piece::Group(text(group))));
        rest = after;
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Literal(text(rest)));
    }
    pieces.into()
}

/// One element; `<xs...>` spreads.
pub(crate) fn element(template: &str) -> Element {
    match template.strip_prefix('<').and_then(|rest| rest.strip_suffix("...>")) {
        Some(name) => Element::Spread(text(name)),
        None => Element::One(pieces(template)),
    }
}

pub(crate) fn when(name: &str, body: &[Element]) -> Element {
    Element::When { arg: text(name), body: body.to_vec().into() }
}

pub(crate) fn verb(args: Vec<ArgSpec>, elements: Vec<Element>) -> VerbSpec {
    VerbSpec {
        action: None,
        description: text(""),
        class: Class::Read,
        ask: List::default(),
        args: args.into(),
        one_of: List::default(),
        argv: elements.into(),
        env: List::default(),
        stdin: None,
        before: None,
        lock: None,
        timeout: None,
        success: success(&[0], None),
        groups: List::default(),
        body: List::default(),
        fields: List::default(),
        notes: List::default(),
    }
}

pub(crate) fn action(name: &str, args: Vec<ArgSpec>) -> VerbSpec {
    VerbSpec { action: Some(text(name)), ..verb(args, vec![]) }
}

pub(crate) fn tool(verbs: Vec<VerbSpec>) -> ToolSpec {
    ToolSpec {
        name: text("t"),
        description: text("x"),
        enabled: Setting::fixed(true),
        verbs: verbs.into(),
        input_schema: text("{}"),
        output_schema: text("{}"),
        annotations: Annotations { read_only: true, destructive: false, idempotent: true, open_world: false },
        notes: List::default(),
    }
}

pub(crate) fn program(argv: &[&str], never: NeverSpec) -> ProgramSpec {
    ProgramSpec {
        executable: Setting::fixed(text("git")),
        argv: texts(argv),
        install: text("x"),
        version: None,
        timeout: Setting::fixed(Millis(1000)),
        refuse_files: List::default(),
        roots: List::default(),
        env: EnvSpec { pass: List::default(), set: List::default(), mask: List::default() },
        never,
        help: None,
        network: false,
        notes: List::default(),
    }
}

pub(crate) fn line_pattern(pattern: &str) -> LinePattern {
    LinePattern::new(text(pattern))
}

pub(crate) fn success(exit: &[u8], pattern: Option<&str>) -> SuccessSpec {
    SuccessSpec { exit: exit.to_vec().into(), pattern: pattern.map(line_pattern), streams: Streams::Both }
}

pub(crate) fn row(code: Code, exit: &[ExitIs], pattern: Option<&str>) -> RowSpec {
    RowSpec {
        code,
        exit: exit.to_vec().into(),
        pattern: pattern.map(line_pattern),
        streams: Streams::Both,
        veto: false,
        unless: None,
        say: pieces("said"),
        hint: pieces("hint"),
    }
}

pub(crate) fn group(name: &str, rows: Vec<RowSpec>) -> GroupSpec {
    GroupSpec { name: text(name), rows: rows.into() }
}
