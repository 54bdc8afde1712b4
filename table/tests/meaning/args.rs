use serde_json::{Value as Json, json};
use verbgate_table::args::{Value, check, check_before};
use verbgate_table::{ArgKind, ArgSpec, DefaultValue, Presence, Scalar, show};

use crate::spec::*;

/// What `x` comes out as, or the message and hint.
fn one(scalar: Scalar, json: Json) -> Result<String, String> {
    of(required("x", scalar), json)
}

fn of(arg: ArgSpec, json: Json) -> Result<String, String> {
    let tool = tool(vec![verb(vec![arg], vec![])]);
    match check(&tool, &json!({ "x": json })) {
        Ok(values) => Ok(values.get("x").map(|value| value.texts().join("|")).unwrap_or_default()),
        Err(refusal) => {
            assert_eq!(refusal.argument.as_deref(), Some("x"));
            Err(refusal.message)
        }
    }
}

fn refusal(tool: &verbgate_table::ToolSpec, json: &Json) -> (String, String) {
    let refusal = check(tool, json).unwrap_err();
    (refusal.message, refusal.hint)
}

#[test]
fn values_of_each_kind_come_out_as_the_program_takes_them() {
    let paint = || choice(&[("red", "--color-red"), ("blue", "b")]);
    let cases = [
        (string(), json!("a --b \"c d\" $(x)"), "a --b \"c d\" $(x)"),
        (any_string(), json!("a\n\tb"), "a\n\tb"),
        (any_string(), json!(""), ""),
        (matching("[a-z]+"), json!("abc"), "abc"),
        (integer(), json!(5.0), "5"),
        (integer(), json!(-0.0), "0"),
        (integer(), json!(1e3), "1000"),
        (integer(), json!(1_i64 << 53), "9007199254740992"),
        (integer(), json!(-(1_i64 << 53)), "-9007199254740992"),
        (number(), json!(5), "5"),
        (number(), json!(-0.0), "0"),
        (number(), json!(0.000_000_1), "0.0000001"),
        (number(), json!(1e21), "1000000000000000000000"),
        (Scalar::Boolean, json!(true), "true"),
        (paint(), json!("red"), "--color-red"),
        (path(), json!("~/$X/file://@y"), "~/$X/file://@y"),
        (secret(), json!("hunter2"), "(secret)"),
    ];
    for (scalar, json, expected) in cases {
        assert_eq!(one(scalar, json.clone()).as_deref(), Ok(expected), "{json}");
    }
}

#[test]
fn values_that_can_not_work_are_refused_by_name() {
    let bounded = || Scalar::Integer { min: 1, max: 10 };
    let half = || Scalar::Number { min: Some(0.5), max: Some(1.5) };
    let cases = [
        (string(), json!(1), "`x` is a number, not text of 1 to 4096 characters"),
        (string(), json!(["a"]), "`x` is a list, not text of 1 to 4096 characters"),
        (string(), json!(""), "`x` is empty"),
        (string(), json!("é".repeat(4097)), "`x` is longer than 4096 characters"),
        (string(), json!("a\nb"), "`x` holds the control or format character U+000A (character 2)"),
        (any_string(), json!("a\rb"), "`x` holds the control or format character U+000D (character 2)"),
        (string(), json!("a\0"), "`x` holds the control or format character U+0000 (character 2)"),
        (string(), json!("\u{202e}"), "`x` holds the control or format character U+202E (character 1)"),
        (any_string(), json!("\u{2028}"), "`x` holds the control or format character U+2028 (character 1)"),
        (string(), json!("\u{e0041}"), "`x` holds the control or format character U+E0041 (character 1)"),
        (matching("[a-z]+"), json!("abc\u{e9}"), "`x` does not match its pattern as a whole"),
        (matching("a|b"), json!("ab"), "`x` does not match its pattern as a whole"),
        (bounded(), json!(0), "`x` is less than 1"),
        (bounded(), json!(11), "`x` is more than 10"),
        (bounded(), json!(1.5), "`x` has a fraction"),
        (bounded(), json!("1"), "`x` is text, not a whole number from 1 to 10"),
        (half(), json!(0.4), "`x` is less than 0.5"),
        (half(), json!(2), "`x` is more than 1.5"),
        (number(), json!(9_007_199_254_740_993_i64), "`x` can't be held exactly"),
        (Scalar::Boolean, json!("true"), "`x` is text, not true or false"),
        (choice(&[("red", "r")]), json!("reed"), "`x` can't be `reed` (did you mean `red`?)"),
        (choice(&[("red", "r")]), json!("r"), "`x` can't be `r`"),
        (path(), json!(""), "`x` is empty"),
        (path(), json!("é".repeat(2049)), "`x` is longer than 4096 bytes"),
        (path(), json!("a\u{7f}"), "`x` holds the control or format character U+007F (character 2)"),
        (secret(), json!("s3cret\n"), "`x` holds a control or format character"),
    ];
    for (scalar, json, expected) in cases {
        assert_eq!(one(scalar, json.clone()), Err(expected.to_owned()), "{json}");
    }
}

#[test]
fn report_27_integers_above_2_to_the_53_are_exact_or_refused() {
    let beyond = "`x` is beyond ±2^53, where whole numbers are not exact";
    for literal in ["9007199254740993", "-9007199254740993", "18446744073709551615", "1e300"] {
        let json = verbgate_table::json::read(literal.as_bytes()).unwrap();
        assert_eq!(one(integer(), json), Err(beyond.to_owned()), "{literal}");
    }
    for (literal, value) in [("9007199254740992", "9007199254740992"), ("1e3", "1000"), ("5.0", "5"), ("-0", "0")] {
        let json = verbgate_table::json::read(literal.as_bytes()).unwrap();
        assert_eq!(one(integer(), json).as_deref(), Ok(value), "{literal}");
    }
}

#[test]
fn report_26_a_list_that_arrives_as_text_is_refused_and_never_split() {
    for json in [json!("[\"a\"]"), json!("a b"), json!("a,b"), json!("")] {
        let message = of(list("x", string(), Some(",")), json).unwrap_err();
        assert_eq!(message, "`x` is text, not a list; text is not split into items");
    }
}

#[test]
fn lists_hold_their_bounds_and_their_items() {
    let some = |min, max| arg("x", ArgKind::Many { of: string(), min, max, join: None }, Presence::Required);
    assert_eq!(of(some(0, 2), json!([])).as_deref(), Ok(""));
    assert_eq!(of(some(0, 2), json!(["a b", "-c"])).as_deref(), Ok("a b|-c"));
    assert_eq!(of(some(1, 2), json!([])), Err("`x` holds fewer than 1 items".to_owned()));
    assert_eq!(of(some(0, 2), json!(["a", "b", "c"])), Err("`x` holds more than 2 items".to_owned()));
    let null = "item 2 of `x` is null, not text of 1 to 4096 characters";
    assert_eq!(of(some(0, 2), json!(["a", null])), Err(null.to_owned()));
    assert_eq!(of(list("x", integer(), None), json!([5.0, -0.0])).as_deref(), Ok("5|0"));
}

#[test]
fn joined_items_come_apart_as_they_were() {
    let joined = |join: &str, items: Json| of(list("x", string(), Some(join)), items).is_ok();
    assert!(joined(",", json!(["a", "b c"])));
    assert!(joined(",", json!([])));
    assert!(!joined(",", json!(["a,b"])));
    assert!(!joined(", ", json!(["a,", " b", "c, d"])));
    assert!(!joined("--", json!(["a-", "-b"])), "the separator stands between the two");
    assert!(!joined("--", json!(["a-", "b"])), "comes apart as `a` and `-b`");
}

#[test]
fn only_an_object_with_known_arguments_is_taken() {
    let tool = tool(vec![verb(vec![required("name", string()), optional("limit", integer())], vec![])]);
    assert_eq!(
        refusal(&tool, &json!(["a"])),
        ("the arguments are a list, not an object".into(), "give an object with one key for each argument".into())
    );
    assert_eq!(
        refusal(&tool, &json!({"nmae": "a"})),
        ("there is no argument `nmae` (did you mean `name`?)".into(), "this takes `name`, `limit`".into())
    );
    assert_eq!(refusal(&tool, &json!({"name": "a", "zzzzz": null})).0, "there is no argument `zzzzz`");
    assert_eq!(
        refusal(&tool, &json!({"limit": 1})),
        ("`name` is missing".into(), "it takes text of 1 to 4096 characters".into())
    );
    assert_eq!(refusal(&tool, &json!({"name": null})).0, "`name` is missing");
    assert!(check(&tool, &json!({"name": "a", "limit": null})).unwrap().get("limit").is_none());

    let hostile = format!("a\u{1b}[31m{}", "x".repeat(1000));
    let (message, _) = refusal(&tool, &json!({ hostile: 1 }));
    assert!(message.starts_with("there is no argument `a\\u{1b}[31mx"), "{message}");
    assert!(message.chars().count() < 300 && !message.contains(show::is_hidden), "{message}");

    let none = self::tool(vec![verb(vec![], vec![])]);
    assert_eq!(refusal(&none, &json!({"a": 1})).1, "this takes no arguments");
}

#[test]
fn a_tool_with_actions_takes_what_its_action_takes() {
    let tool = tool(vec![
        action("list", vec![]),
        action("create", vec![required("name", string()), optional("database", string())]),
        action("delete", vec![required("name", string())]),
    ]);
    assert_eq!(
        refusal(&tool, &json!({"name": "a"})),
        ("`action` is missing".into(), "it takes one of `list`, `create`, `delete`".into())
    );
    assert_eq!(refusal(&tool, &json!({"action": null})).0, "`action` is missing");
    assert_eq!(refusal(&tool, &json!({"action": 1})).0, "`action` is a number, not text");
    assert_eq!(refusal(&tool, &json!({"action": "lst"})).0, "there is no action `lst` (did you mean `list`?)");
    assert_eq!(
        refusal(&tool, &json!({"action": "list", "name": "a"})),
        (
            "`name` does not go with the action `list`".into(),
            "leave it out: it is an argument of `create`, `delete`".into()
        )
    );
    assert_eq!(refusal(&tool, &json!({"action": "list", "nam": "a"})).0, "there is no argument `nam`");
    let values = check(&tool, &json!({"action": "list", "name": null, "database": null})).unwrap();
    assert_eq!(values.verb().action.as_deref(), Some("list"));
    assert_eq!(check(&tool, &json!({"action": "delete", "name": "a"})).unwrap().iter().count(), 1);
}

#[test]
fn a_before_verb_takes_its_arguments_out_of_those_of_the_call() {
    let list = action("list", vec![optional("database", string())]);
    let values = check_before(&list, &json!({"action": "create", "name": "a", "database": "d"})).unwrap();
    assert_eq!(values.get("database").unwrap().texts(), ["d"]);
}

#[test]
fn what_is_left_out_has_its_default_and_booleans_are_false() {
    let default = |value| Presence::Default(value);
    let tool = tool(vec![verb(
        vec![
            arg("limit", ArgKind::One(integer()), default(DefaultValue::Integer(30))),
            arg("sort", ArgKind::One(choice(&[("new", "-date")])), default(DefaultValue::Text(text("new")))),
            arg(
                "tags",
                ArgKind::Many { of: string(), min: 0, max: 3, join: None },
                default(DefaultValue::List(vec![DefaultValue::Text(text("a"))].into())),
            ),
            optional("all", Scalar::Boolean),
        ],
        vec![],
    )]);
    let values = check(&tool, &json!({"limit": null})).unwrap();
    let shown: Vec<_> = values.iter().map(|(arg, value)| format!("{}={}", arg.name, value.texts().join("|"))).collect();
    assert_eq!(shown, ["limit=30", "sort=-date", "tags=a", "all=false"]);
    assert!(matches!(values.get("all"), Some(Value::Boolean(false))) && !values.is_given("all"));
    let values = check(&tool, &json!({"tags": [], "all": true})).unwrap();
    assert!(!values.is_given("tags") && values.is_given("all"));
}

#[test]
fn requires_conflicts_and_one_of_are_held() {
    let mut verb = verb(
        vec![
            ArgSpec { requires: texts(&["last"]), ..optional("first", integer()) },
            ArgSpec { conflicts: texts(&["all"]), ..optional("last", integer()) },
            optional("all", Scalar::Boolean),
            optional("pod", string()),
            list("selectors", string(), None),
            ArgSpec {
                requires: texts(&["first"]),
                ..arg("limit", ArgKind::One(integer()), Presence::Default(DefaultValue::Integer(1)))
            },
        ],
        vec![],
    );
    verb.one_of = vec![texts(&["pod", "selectors"])].into();
    let tool = tool(vec![verb]);
    let cases = [
        (json!({"pod": "p"}), Ok(())),
        (json!({"pod": "p", "first": 1}), Err("`first` is given without `last`")),
        (json!({"pod": "p", "first": 1, "last": 2, "all": false}), Ok(())),
        (json!({"pod": "p", "last": 2, "all": true}), Err("`last` can't be given together with `all`")),
        (json!({"pod": "p", "limit": 2}), Err("`limit` is given without `first`")),
        (json!({"selectors": ["a"]}), Ok(())),
        (json!({"pod": "p", "selectors": []}), Ok(())),
        (json!({"pod": "p", "selectors": ["a"]}), Err("`pod` can't be given together with `selectors`")),
        (json!({"selectors": []}), Err("one of `pod`, `selectors` is missing")),
        (json!({}), Err("one of `pod`, `selectors` is missing")),
    ];
    for (json, expected) in cases {
        let found = check(&tool, &json).map(|_| ()).map_err(|refusal| refusal.message);
        assert_eq!(found, expected.map_err(str::to_owned), "{json}");
    }
}

#[test]
fn a_secret_stands_in_no_message_and_no_debug_output() {
    let patterned = || Scalar::Secret {
        pattern: Some(verbgate_table::pattern::ValuePattern::new(text("[0-9]+"))),
        min: 8,
        max: 12,
    };
    for value in ["hunt", "hunter2hunter2", "hunter2\n\n", "hunter22", "12345678"] {
        for arg in [required("x", patterned()), list("x", patterned(), None), list("x", patterned(), Some("e"))] {
            let json = if matches!(arg.kind, ArgKind::One(_)) { json!(value) } else { json!([value]) };
            let tool = tool(vec![verb(vec![arg], vec![])]);
            let shown = format!("{:?}", check(&tool, &json!({ "x": json })));
            assert!(!shown.contains("hunt") && !shown.contains("1234"), "{shown}");
        }
    }
}

#[test]
fn secrets_are_found_for_masking_wherever_they_stand() {
    let tool = tool(vec![verb(vec![required("x", secret()), list("y", secret(), None)], vec![])]);
    let values = check(&tool, &json!({"x": "s1", "y": ["s2", "s3"]})).unwrap();
    let found: Vec<_> = values.secrets().map(|(arg, secret)| format!("{}={}", arg.name, secret.expose())).collect();
    assert_eq!(found, ["x=s1", "y=s2", "y=s3"]);
}

#[test]
fn paths_are_replaced_items_of_lists_included_and_nothing_else() {
    let tool = tool(vec![verb(vec![required("a", path()), list("b", path(), None), required("c", string())], vec![])]);
    let mut values = check(&tool, &json!({"a": "x", "b": ["y", "z"], "c": "w"})).unwrap();
    values.try_map_paths(|path, text| Ok::<_, ()>(format!("/{}/{text}", path.name))).unwrap();
    let shown: Vec<_> = values.iter().flat_map(|(_, value)| value.texts()).collect();
    assert_eq!(shown, ["/a/x", "/b/y", "/b/z", "w"]);
    assert_eq!(values.try_map_paths(|_, text| Err::<String, _>(text.to_owned())), Err("/a/x".to_owned()));
}

#[test]
fn hidden_characters_are_those_of_unicode_and_the_two_line_breaks() {
    let class = regex::Regex::new(r"\A[\p{Cc}\p{Cf}\u{2028}\u{2029}]\z").unwrap();
    let differs = ('\0'..=char::MAX).find(|c| show::is_hidden(*c) != class.is_match(c.encode_utf8(&mut [0; 4])));
    assert_eq!(differs, None);
}
