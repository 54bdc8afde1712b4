use proptest::prelude::*;
use serde_json::{Value as Json, json};
use verbgate_table::args::{Refusal, check};
use verbgate_table::argv::{leading_words, render};
use verbgate_table::{ArgSpec, Element, NeverSpec, ProgramSpec, Scalar, VerbSpec};

use crate::spec::*;

fn run(program: &ProgramSpec, verb: &VerbSpec, json: &Json) -> Result<Vec<String>, Refusal> {
    let tool = tool(vec![verb.clone()]);
    let mut values = check(&tool, json)?;
    values.try_map_paths(|_, text| {
        Ok::<_, Refusal>(if text.starts_with('-') { text.into() } else { format!("/w/{text}") })
    })?;
    render(program, &tool.verbs[0], &values)
}

fn plain() -> ProgramSpec {
    program(&[], NeverSpec::default())
}

fn argv(args: Vec<ArgSpec>, elements: Vec<Element>, json: Json) -> Result<Vec<String>, String> {
    run(&plain(), &verb(args, elements), &json).map_err(|refusal| refusal.message)
}

#[test]
fn the_example_of_the_language() {
    let args = || {
        vec![
            optional("all", Scalar::Boolean),
            optional("since", string()),
            list("labels", string(), None),
            list("paths", path(), None),
        ]
    };
    let elements = || {
        vec![
            element("log"),
            when("all", &[element("--all")]),
            when("since", &[element("--since=<since>")]),
            when("labels", &[element("-l"), element("<labels>")]),
            element("--"),
            element("<paths...>"),
        ]
    };
    assert_eq!(
        argv(args(), elements(), json!({"all": true, "labels": ["a", "b"], "paths": ["x"]})).unwrap(),
        ["log", "--all", "-l", "a", "-l", "b", "--", "/w/x"]
    );
    assert_eq!(
        argv(args(), elements(), json!({"since": "2 weeks ago"})).unwrap(),
        ["log", "--since=2 weeks ago", "--"]
    );
}

#[test]
fn the_program_s_own_argv_comes_first() {
    let program = program(&["--no-pager"], NeverSpec::default());
    assert_eq!(run(&program, &verb(vec![], vec![element("tag")]), &json!({})).unwrap(), ["--no-pager", "tag"]);
}

#[test]
fn conditions_nest_and_lists_repeat_spread_or_join() {
    let args = || {
        vec![
            optional("a", Scalar::Boolean),
            optional("b", string()),
            list("xs", string(), None),
            list("js", string(), Some(",")),
            list("ns", number(), None),
        ]
    };
    let nested = || vec![element("p"), when("a", &[element("-a"), when("b", &[element("--b=<b>")])])];
    assert_eq!(argv(args(), nested(), json!({"b": "1"})).unwrap(), ["p"]);
    assert_eq!(argv(args(), nested(), json!({"a": true})).unwrap(), ["p", "-a"]);
    assert_eq!(argv(args(), nested(), json!({"a": true, "b": "1"})).unwrap(), ["p", "-a", "--b=1"]);

    let per_item = || vec![when("xs", &[element("-x"), element("<xs>"), when("b", &[element("--at=<b>:<xs>")])])];
    assert_eq!(
        argv(args(), per_item(), json!({"xs": ["1", "2"], "b": "q"})).unwrap(),
        ["-x", "1", "--at=q:1", "-x", "2", "--at=q:2"]
    );
    assert_eq!(argv(args(), per_item(), json!({"xs": []})).unwrap(), Vec::<String>::new());

    let joined = || vec![when("js", &[element("--j=<js>")])];
    assert_eq!(argv(args(), joined(), json!({"js": ["1", "2 3"]})).unwrap(), ["--j=1,2 3"]);
    assert_eq!(argv(args(), joined(), json!({"js": []})).unwrap(), Vec::<String>::new());

    let inside_itself = || vec![when("xs", &[when("xs", &[element("--x=<xs>")])])];
    assert_eq!(argv(args(), inside_itself(), json!({"xs": ["1", "2"]})).unwrap(), ["--x=1", "--x=2"]);
    assert_eq!(argv(args(), vec![element("<ns...>")], json!({"ns": [1, 0.5, 1e2]})).unwrap(), ["1", "0.5", "100"]);
}

#[test]
fn report_1_a_value_that_would_be_an_option_is_refused_in_every_positional() {
    let hostile = ["--output=F", "-o", "--", "-", "-1"];
    for value in hostile {
        let cases: Vec<(ArgSpec, Element, Json)> = vec![
            (required("x", string()), element("<x>"), json!(value)),
            (required("x", string()), element("<x>:tail"), json!(value)),
            (required("x", path()), element("<x>"), json!(value)),
            (list("x", string(), None), element("<x...>"), json!(["a", value])),
            (list("x", string(), None), when("x", &[element("-l"), element("<x>")]), json!(["a", value])),
            (list("x", string(), Some(",")), element("<x>"), json!([value, "a"])),
            (required("x", string()), when("x", &[element("<x>")]), json!(value)),
        ];
        for (arg, position, json) in cases {
            let before = vec![element("p"), position.clone(), element("--"), element("end")];
            let refused = run(&plain(), &verb(vec![arg.clone()], before), &json!({ "x": json })).unwrap_err();
            assert_eq!(refused.argument.as_deref(), Some("x"), "{value} in {position:?}");
            assert!(refused.message.starts_with("`x` begins with `-`"), "{}", refused.message);

            // A `--` that stands only under a condition protects nothing.
            let flag = optional("flag", Scalar::Boolean);
            let conditional = vec![element("p"), when("flag", &[element("--")]), position.clone()];
            let json_flag = json!({ "x": json, "flag": true });
            assert!(run(&plain(), &verb(vec![arg.clone(), flag], conditional), &json_flag).is_err());

            let behind = vec![element("p"), element("--"), position];
            assert!(run(&plain(), &verb(vec![arg], behind), &json!({ "x": json })).is_ok(), "{value} behind --");
        }
    }
}

#[test]
fn report_1_a_default_is_guarded_like_a_value() {
    let default = verbgate_table::Presence::Default(verbgate_table::DefaultValue::Text(text("--output=F")));
    let arg = arg("x", verbgate_table::ArgKind::One(string()), default);
    assert!(argv(vec![arg], vec![element("p"), element("<x>")], json!({})).is_err());
}

#[test]
fn a_negative_number_is_guarded_but_not_behind_an_option_s_equals_sign() {
    let args = || vec![required("x", integer()), required("y", number())];
    let given = || json!({"x": -5, "y": -0.5});
    assert!(argv(args(), vec![element("p"), element("<x>")], given()).is_err());
    assert_eq!(argv(args(), vec![element("--x=<x>"), element("--y=<y>")], given()).unwrap(), ["--x=-5", "--y=-0.5"]);
}

#[test]
fn words_of_a_choice_are_the_manifest_s_and_may_begin_with_a_dash() {
    let words = || choice(&[("new", "-date"), ("none", "")]);
    assert_eq!(argv(vec![required("x", words())], vec![element("<x>")], json!({"x": "new"})).unwrap(), ["-date"]);
    assert_eq!(
        argv(vec![list("x", words(), None)], vec![element("<x...>")], json!({"x": ["new"]})).unwrap(),
        ["-date"]
    );
    // Behind an empty word it is the next value that begins the element.
    let args = || vec![required("x", words()), required("y", string())];
    let given = |x: &str| json!({"x": x, "y": "-v"});
    assert!(argv(args(), vec![element("<x><y>")], given("none")).is_err());
    assert_eq!(argv(args(), vec![element("<x><y>")], given("new")).unwrap(), ["-date-v"]);
    // An empty value in front of a literal dash is still an element that starts with a value.
    assert!(argv(vec![required("x", any_string())], vec![element("<x>-y")], json!({"x": ""})).is_err());
}

#[test]
fn report_3_a_value_is_one_element_and_never_split() {
    for value in ["a --b \"c d\"", "$(touch P)", ";touch P", "a\nb\tc", "", " ", "*", "<x>", "%s{x}`"] {
        let args = || vec![required("x", any_string())];
        let rendered =
            argv(args(), vec![element("p"), element("--o=<x>"), element("--"), element("<x>")], json!({"x": value}));
        assert_eq!(rendered.unwrap(), ["p", &format!("--o={value}"), "--", value]);
    }
}

#[test]
fn never_is_held_on_every_argv() {
    let never = || NeverSpec {
        verbs: vec![texts(&["delete"]), texts(&["bundle", "import"])].into(),
        options: texts(&["--force", "-y"]),
        env: texts(&[]),
    };
    let words =
        || choice(&[("a", "delete"), ("b", "--force"), ("c", "--force=1"), ("d", "import"), ("e", "ok"), ("f", "--")]);
    let cases: Vec<(&[&str], Vec<Element>, &str, bool)> = vec![
        (&[], vec![element("<x>")], "a", false),
        (&[], vec![element("<x>")], "e", true),
        (&[], vec![element("context"), element("<x>")], "a", true),
        (&[], vec![element("bundle"), element("<x>")], "d", false),
        (&[], vec![element("bundle"), element("-v"), element("<x>")], "d", false),
        (&["--no-pager"], vec![element("delete")], "e", false),
        (&["-c", "core.pager=cat"], vec![element("delete")], "e", false),
        (&["context"], vec![element("delete")], "e", true),
        (&["--force"], vec![element("p")], "e", false),
        (&[], vec![element("p"), element("<x>")], "b", false),
        (&[], vec![element("p"), element("<x>")], "c", false),
        (&[], vec![element("p"), element("-y")], "e", false),
        (&[], vec![element("p"), element("--forced"), element("--y")], "e", true),
        (&[], vec![element("p"), element("--"), element("<x>")], "b", true),
        (&[], vec![element("p"), element("--"), element("delete")], "e", true),
        // A `--` that came out of a value ends nothing.
        (&[], vec![element("p"), element("<x>"), element("--force")], "f", false),
    ];
    for (prefix, elements, word, fine) in cases {
        let shown = format!("{prefix:?} {elements:?} {word}");
        let program = program(prefix, never());
        let result = run(&program, &verb(vec![required("x", words())], elements), &json!({ "x": word }));
        assert_eq!(result.is_ok(), fine, "{shown}: {result:?}");
        if let Err(refusal) = result {
            assert!(refusal.message.contains("which the manifest promises never to do"), "{}", refusal.message);
        }
    }
}

#[test]
fn a_value_that_no_argv_may_hold_is_refused_whatever_the_manifest_says() {
    let cases = [
        (required("x", secret()), element("--p=<x>"), json!("s3cret")),
        (list("x", secret(), None), element("<x...>"), json!(["s3cret"])),
        (list("x", secret(), Some(",")), element("--p=<x>"), json!(["s3cret"])),
        (optional("x", Scalar::Boolean), element("--p=<x>"), json!(true)),
        (optional("x", string()), element("--p=<x>"), json!(null)),
        (list("x", string(), None), element("--p=<x>"), json!(["a"])),
        (list("x", string(), Some(",")), element("--p=<x>"), json!([])),
        (optional("x", string()), element("--p=<y>"), json!("a")),
        (optional("x", string()), when("y", &[element("a")]), json!("a")),
        (optional("x", string()), element("<x...>"), json!("a")),
        (optional("x", string()), element("<?x>"), json!("a")),
    ];
    for (arg, position, json) in cases {
        let message = argv(vec![arg], vec![element("p"), position.clone()], json!({ "x": json })).unwrap_err();
        assert!(!message.contains("s3cret") && message.contains('`'), "{position:?}: {message}");
    }
}

#[test]
fn an_argv_that_no_system_takes_is_refused_before_it_is_built() {
    let args = || {
        vec![
            list("a", string(), None),
            list("b", string(), None),
            list("c", string(), None),
            list("j", string(), Some(",")),
        ]
    };
    let hundred: Vec<_> = (0..100).map(|n| "x".repeat(3000 + n)).collect();
    let cubed = when("a", &[when("b", &[when("c", &[element("<a><b><c>")])])]);
    let given = json!({"a": hundred, "b": hundred, "c": hundred});
    let message = argv(args(), vec![cubed], given).unwrap_err();
    assert_eq!(message, "these arguments make a command line that is longer than the system takes");
    assert_eq!(argv(args(), vec![element("<j>")], json!({ "j": hundred })).unwrap_err(), message);
}

#[test]
fn leading_words_end_at_the_first_option_placeholder_condition_or_end_of_options() {
    let of = |elements: Vec<Element>| leading_words(&verb(vec![], elements));
    assert_eq!(of(vec![element("bundle"), element("export"), element("--x"), element("y")]), ["bundle", "export"]);
    assert_eq!(of(vec![element("a"), element("--"), element("b")]), ["a"]);
    assert_eq!(of(vec![element("a"), element("x<y>"), element("b")]), ["a"]);
    assert_eq!(of(vec![element("a"), element("<y...>"), element("b")]), ["a"]);
    assert_eq!(of(vec![element("a"), when("y", &[element("b")]), element("c")]), ["a"]);
    assert_eq!(of(vec![]), Vec::<String>::new());
}

/// A value for each kind of slot, and the elements that it must come out as.
fn any_text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        "[a-zA-Z0-9 ]{0,6}",
        Just("--output=F".to_owned()),
        Just("-".to_owned()),
        Just("--".to_owned()),
        Just("$(touch P)".to_owned()),
        Just("\n".to_owned()),
        Just("'\"\\".to_owned()),
        Just("<x>".to_owned()),
        Just("é😀".to_owned()),
        "\\PC{0,4}",
    ];
    proptest::collection::vec(pieces, 0..4).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// Reports 2, 3 and 4: whatever a value holds, in every kind of slot it is exactly one element (or the call is
    /// refused by name), and no value becomes an option.
    #[test]
    fn report_2_every_value_of_every_slot_arrives_as_exactly_one_element(a in any_text(), b in any_text(), items in proptest::collection::vec(any_text(), 0..4)) {
        let args = vec![required("a", any_string()), optional("b", any_string()), list("xs", any_string(), None), list("js", any_string(), Some("\u{7c}"))];
        let elements = vec![
            element("p"), element("--a=<a>"), element("<a>"),
            when("b", &[element("-b"), element("<b>")]),
            when("xs", &[element("--x=<xs>"), element("<xs>")]),
            element("<xs...>"),
            when("js", &[element("--j=<js>")]),
            element("--"), element("<a>"), element("<xs...>"),
        ];
        let json = json!({"a": a, "b": b, "xs": items, "js": items});
        let mut expected = vec!["p".to_owned(), format!("--a={a}"), a.clone(), "-b".to_owned(), b.clone()];
        for item in &items {
            expected.extend([format!("--x={item}"), item.clone()]);
        }
        expected.extend(items.iter().cloned());
        if !items.is_empty() {
            expected.push(format!("--j={}", items.join("|")));
        }
        expected.extend(["--".to_owned(), a.clone()]);
        expected.extend(items.iter().cloned());
        let dash = a.starts_with('-') || b.starts_with('-') || items.iter().any(|item| item.starts_with('-'));
        let hidden = |text: &String| text.chars().any(|c| verbgate_table::show::is_hidden(c) && c != '\n');
        let bad = hidden(&a) || hidden(&b) || items.iter().any(|item| hidden(item) || item.contains('|'));
        match argv(args, elements, json) {
            Ok(rendered) => {
                prop_assert!(!dash && !bad);
                prop_assert_eq!(rendered, expected);
            }
            Err(message) => {
                prop_assert!(dash || bad, "{}", message);
                prop_assert!(message.contains('`'));
            }
        }
    }

    #[test]
    fn rendering_never_panics_and_no_value_opens_an_option(verb in any_verb(), json in any_json(), never in any_never()) {
        let program = program(&["--pre"], never.clone());
        let tool = tool(vec![verb]);
        let Ok(values) = check(&tool, &json) else { return Ok(()) };
        if let Ok(rendered) = render(&program, &tool.verbs[0], &values) {
            let literals = ["--pre", "--", "-l", "--o", "w", "-"];
            for word in rendered.iter().take_while(|word| *word != "--").filter(|word| word.starts_with('-')) {
                prop_assert!(literals.contains(&word.as_str()) || word.starts_with("--o=") || word == "-choice", "{}", word);
                for option in never.options.iter() {
                    prop_assert!(!verbgate_table::argv::is_option(word, option));
                }
            }
        }
    }
}

fn any_name() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("a"), Just("b"), Just("c"), Just("d")]
}

fn any_scalar() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        Just(string()),
        Just(any_string()),
        Just(integer()),
        Just(number()),
        Just(Scalar::Boolean),
        Just(choice(&[("w", "-choice"), ("", "")])),
        Just(path()),
        Just(secret()),
    ]
}

fn any_element() -> impl Strategy<Value = Element> {
    let leaf = prop_oneof![
        Just(element("--")),
        Just(element("w")),
        Just(element("-l")),
        any_name().prop_map(|name| element(&format!("<{name}...>"))),
        any_name().prop_map(|name| element(&format!("<{name}>"))),
        any_name().prop_map(|name| element(&format!("--o=<{name}>"))),
        (any_name(), any_name()).prop_map(|(one, two)| element(&format!("<{one}>-<{two}>"))),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        (any_name(), proptest::collection::vec(inner, 1..3)).prop_map(|(name, body)| when(name, &body))
    })
}

fn any_verb() -> impl Strategy<Value = VerbSpec> {
    let kinds = proptest::collection::vec((any_scalar(), 0..3_u8), 3);
    (kinds, proptest::collection::vec(any_element(), 0..6)).prop_map(|(kinds, elements)| {
        let args = ["a", "b", "c"].iter().zip(kinds).map(|(name, (scalar, shape))| match shape {
            0 => optional(name, scalar),
            1 => list(name, scalar, None),
            _ => list(name, scalar, Some(",")),
        });
        verb(args.collect(), elements)
    })
}

fn any_json() -> impl Strategy<Value = Json> {
    let scalar = || {
        prop_oneof![
            any_text().prop_map(Json::from),
            Just(json!("w")),
            any::<i64>().prop_map(Json::from),
            (-9_i64..9).prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            any::<bool>().prop_map(Json::from),
        ]
    };
    let value = || prop_oneof![scalar(), proptest::collection::vec(scalar(), 0..3).prop_map(Json::from)];
    proptest::collection::hash_map(any_name().prop_filter("an argument", |name| *name != "d"), value(), 0..4)
        .prop_map(|map| Json::Object(map.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()))
}

fn any_never() -> impl Strategy<Value = NeverSpec> {
    prop_oneof![
        Just(NeverSpec::default()),
        Just(NeverSpec { verbs: vec![texts(&["w"])].into(), options: texts(&["-l", "--o"]), env: texts(&[]) }),
    ]
}
