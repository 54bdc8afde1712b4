use serde_json::json;
use verbgate_table::capture::{Captured, Exit};
use verbgate_table::classify::RunView;
use verbgate_table::fields::take;
use verbgate_table::{FieldSource, FieldSpec, FieldType, Streams, VerbSpec};

use crate::spec::*;

/// The field `f`, out of this standard output (as JSON: `null` if it is absent).
fn field(source: FieldSource, stdout: &str) -> String {
    let fields = vec![FieldSpec { name: text("f"), source }];
    let verb = VerbSpec { fields: fields.into(), ..verb(vec![], vec![]) };
    let view = RunView::new(Exit::Status(0), &Captured::whole(stdout.as_bytes().to_vec()), &Captured::default());
    let taken = take(&verb, &view, Some(stdout.as_bytes()));
    taken.get("f").map_or_else(|| "absent".to_owned(), ToString::to_string)
}

fn matched(pattern: &str, kind: FieldType) -> FieldSource {
    FieldSource::Match { pattern: line_pattern(pattern), streams: Streams::Both, kind }
}

fn each(pattern: &str, kind: FieldType) -> FieldSource {
    FieldSource::Each { pattern: line_pattern(pattern), streams: Streams::Both, kind }
}

fn named(pattern: &str, groups: &[(&str, FieldType)]) -> FieldSource {
    let groups: Vec<_> = groups.iter().map(|(name, kind)| (text(name), *kind)).collect();
    FieldSource::EachNamed { pattern: line_pattern(pattern), streams: Streams::Both, groups: groups.into() }
}

fn document(pointer: &str, kind: FieldType) -> FieldSource {
    FieldSource::Json { pointer: text(pointer), kind }
}

fn per_line(pointer: &str, kind: FieldType) -> FieldSource {
    FieldSource::JsonLines { pointer: text(pointer), kind }
}

#[test]
fn fields_are_taken_by_pattern() {
    use FieldType::{Boolean, Integer, Number, String};
    let marked = || each("^(\\w+)( \\*)?$", String);
    let cases = [
        (matched("^Mode: (\\S+)$", String), "Mode: global", "\"global\""),
        (matched("^a (.+)$|^(.+) b$", String), "x b", "\"x\""),
        (matched("^Mode: (\\S+)$", String), "none", "absent"),
        (matched("^n (.+)$", Integer), "n 13,780", "13780"),
        (matched("^n (.+)$", Integer), "n -0,1", "-1"),
        (matched("^n (.+)$", Integer), "n 9007199254740992", "9007199254740992"),
        (matched("^n (.+)$", Integer), "n 9007199254740993", "absent"),
        (matched("^n (.+)$", Integer), "n 99999999999999999999", "absent"),
        (matched("^n (.+)$", Integer), "n ,1", "absent"),
        (matched("^n (.+)$", Integer), "n 1,", "absent"),
        (matched("^n (.+)$", Integer), "n 1,,2", "absent"),
        (matched("^n (.+)$", Integer), "n 1.5", "absent"),
        (matched("^n (.+)$", Integer), "n +-1", "absent"),
        (matched("^n(.*)$", Integer), "n", "absent"),
        (matched("^n (.+)$", Number), "n 1.5", "1.5"),
        (matched("^n (.+)$", Number), "n 5", "5"),
        (matched("^n (.+)$", Number), "n +5.0", "5.0"),
        (matched("^n (.+)$", Number), "n 1e30", "1e+30"),
        (matched("^n (.+)$", Number), "n ++5", "absent"),
        (matched("^n (.+)$", Number), "n +-5", "absent"),
        (matched("^n (.+)$", Number), "n 99999999999999999999", "absent"),
        (matched("^n (.+)$", Number), "n 9007199254740993.0", "absent"),
        (matched("^n (.+)$", Number), "n inf", "absent"),
        (matched("^n (.+)$", Number), "n NaN", "absent"),
        (matched("^n (.+)$", Number), "n 1e999", "absent"),
        (matched("^yes", Boolean), "yes", "true"),
        (matched("^yes", Boolean), "no", "false"),
        (each("^✗ (.+)$", String), "✗ a\nok\n✗ b c", r#"["a","b c"]"#),
        (each("^✗ (.+)$", String), "fine", "[]"),
        (marked(), "a\nb *", r#"["a","b"]"#),
        (each("^(\\S+)$", Integer), "1\n2", "[1,2]"),
        (each("^(\\S+)$", Integer), "1\nx", "absent"),
        (
            named(
                "^(?<name>\\w+)(?<default> \\*)?(?: (?<n>\\d+))?$",
                &[("name", String), ("default", Boolean), ("n", Integer)],
            ),
            "a * 3\nb",
            r#"[{"name":"a","default":true,"n":3},{"name":"b","default":false}]"#,
        ),
        (named("^(?<n>\\S+)$", &[("n", Integer)]), "1\nx", "absent"),
        (FieldSource::Exit(vec![0].into()), "", "true"),
        (FieldSource::Exit(vec![1].into()), "", "false"),
    ];
    for (source, stdout, expected) in cases {
        let shown = format!("{source:?} of {stdout:?}");
        assert_eq!(field(source, stdout), expected, "{shown}");
    }
}

#[test]
fn fields_are_taken_from_json_of_the_declared_type_only() {
    use FieldType::{Boolean, Integer, Json, Number, String};
    let doc =
        r#"{"head": {"sha": "abc", "n": 5.0, "f": 1.5, "b": true, "big": 9007199254740993, "z": null}, "l": [1, "x"]}"#;
    let cases = [
        (document("/head/sha", String), doc, "\"abc\""),
        (document("/head/n", String), doc, "absent"),
        (document("/head/n", Integer), doc, "5"),
        (document("/head/f", Integer), doc, "absent"),
        (document("/head/big", Integer), doc, "absent"),
        (document("/head/f", Number), doc, "1.5"),
        (document("/head/sha", Number), doc, "absent"),
        (document("/head/b", Boolean), doc, "true"),
        (document("/head/z", String), doc, "absent"),
        (document("/head/z", Json), doc, "null"),
        (document("/l/1", String), doc, "\"x\""),
        (document("/l", Json), doc, "[1,\"x\"]"),
        (document("/no", Json), doc, "absent"),
        (document("", Json), "[]\n", "[]"),
        (document("", Json), "", "absent"),
        (document("", Json), "{\"a\": 1} trailing", "absent"),
        (document("/a", Json), "{\"a\": 1, \"a\": 2}", "absent"),
        (per_line("/id", String), "{\"id\": \"a\"}\r\n\n{\"x\": 1}\n{\"id\": \"b\"}\n", r#"["a","b"]"#),
        (per_line("", Json), "", "[]"),
        (per_line("/id", Integer), "{\"id\": 1}\n{\"id\": \"b\"}", "absent"),
        (per_line("/id", Integer), "{\"id\": 1}\nnot json", "absent"),
    ];
    for (source, stdout, expected) in cases {
        let shown = format!("{source:?} of {stdout:?}");
        assert_eq!(field(source, stdout), expected, "{shown}");
    }
}

#[test]
fn json_fields_are_absent_if_the_middle_was_not_kept_and_the_others_stay() {
    let fields = vec![
        FieldSpec { name: text("b"), source: document("", FieldType::Json) },
        FieldSpec { name: text("l"), source: per_line("", FieldType::Json) },
        FieldSpec { name: text("a"), source: matched("^(1)$", FieldType::Integer) },
    ];
    let verb = VerbSpec { fields: fields.into(), ..verb(vec![], vec![]) };
    let view = RunView { exit: Exit::Status(0), stdout: "1".to_owned(), stderr: String::new() };
    assert_eq!(json!(take(&verb, &view, None)), json!({"a": 1}));
    let order: Vec<_> = take(&verb, &view, Some(b"1")).keys().cloned().collect();
    assert_eq!(order, ["b", "l", "a"], "manifest order");
}

proptest::proptest! {
    #[test]
    fn no_output_makes_taking_fields_panic(stdout in "\\PC{0,40}|[0-9,.eE+-]{0,30}|[\\[\\]{}\",:0-9a\n]{0,30}") {
        for kind in [FieldType::String, FieldType::Integer, FieldType::Number, FieldType::Boolean, FieldType::Json] {
            for source in [matched("(.+)", kind), each("(\\S+)", kind), document("", kind), per_line("", kind)] {
                field(source, &stdout);
            }
        }
    }
}
