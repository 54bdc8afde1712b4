use serde_json::{Value as Json, json};
use verbgate_table::args::{Values, check};
use verbgate_table::classify::GroupText;
use verbgate_table::template::{Shown, ask, env, line, stdin, stdin_shown};
use verbgate_table::{Scalar, ToolSpec, VerbSpec};

use crate::spec::*;

fn everything() -> VerbSpec {
    verb(
        vec![
            optional("x", any_string()),
            list("xs", any_string(), None),
            list("js", string(), Some(",")),
            optional("n", number()),
            optional("s", secret()),
            list("ss", secret(), Some(":")),
            optional("b", Scalar::Boolean),
        ],
        vec![],
    )
}

fn with<R>(verb: VerbSpec, json: &Json, test: impl Fn(&VerbSpec, &Values<'_>) -> R) -> R {
    let tool: ToolSpec = tool(vec![verb]);
    let values = check(&tool, json).unwrap();
    test(&tool.verbs[0], &values)
}

#[test]
fn say_and_hint_show_a_value_on_one_line_of_at_most_200_characters() {
    let say =
        |template: &str, json: Json| with(everything(), &json, |_, values| line(&pieces(template), Some(values), &[]));
    assert_eq!(say("no context <x>", json!({"x": "a b"})), "no context a b");
    assert_eq!(say("<x>", json!({"x": "a\nb\tc"})), "a\\u{a}b\\u{9}c");
    assert_eq!(say("<xs>; <js>; <n>", json!({"xs": ["a", "b"], "js": ["c", "d"], "n": 1e3})), "a, b; c, d; 1000");
    assert_eq!(say("<x>!", json!({"x": "é".repeat(200)})), format!("{}!", "é".repeat(200)));
    assert_eq!(say("<x>!", json!({"x": "é".repeat(201)})), format!("{}…!", "é".repeat(199)));
    // Never cut inside of what stands for one character.
    let escaped = say("<x>", json!({"x": format!("{}\n\n", "y".repeat(194))}));
    assert_eq!(escaped, format!("{}…", "y".repeat(194) + "\\u{a}"));
    assert_eq!(say("<xs>", json!({"xs": vec!["z".repeat(150); 2]})).chars().count(), 200);
    assert_eq!(say("<s>", json!({"s": "hunter2"})), "(secret)");
}

#[test]
fn placeholders_of_unknown_arguments_stay_as_written() {
    assert_eq!(line(&pieces("no <x> in <y>"), None, &[]), "no <x> in <y>");
    assert_eq!(with(everything(), &json!({}), |_, values| line(&pieces("no <x>"), Some(values), &[])), "no <x>");
}

#[test]
fn groups_of_the_pattern_are_shown_like_values() {
    let groups = [
        GroupText { name: "why".into(), text: "disk\nfull\u{1b}".into() },
        GroupText { name: "none".into(), text: String::new() },
    ];
    assert_eq!(line(&pieces("failed: <?why><?none>, <?other>"), None, &groups), "failed: disk full\\u{1b}, <other>");
}

#[test]
fn the_question_gives_values_whole_and_lets_the_consent_layer_quote_them() {
    let mut verb = everything();
    verb.ask = pieces("Write <x> and <xs>?");
    let long = "\n".repeat(3000);
    with(verb, &json!({"x": long, "xs": ["a", "b"]}), |verb, values| {
        let shown: Vec<_> = ask(verb, values)
            .iter()
            .map(|piece| match piece {
                Shown::Text(text) => (*text).to_owned(),
                Shown::Value { arg, value } => format!("{}={:?}", arg.name, value.texts()),
            })
            .collect();
        let long = format!("x={:?}", [&long]);
        assert_eq!(shown, ["Write ", &long, " and ", "xs=[\"a\", \"b\"]", "?"]);
    });
}

#[test]
fn secrets_reach_standard_input_and_environment_and_no_question() {
    let mut verb = everything();
    verb.stdin = Some(pieces("<s>\n"));
    verb.env = vec![
        (text("A"), pieces("<s>")),
        (text("B"), pieces("x=<x>")),
        (text("C"), pieces("<js>")),
        (text("D"), pieces("<ss>")),
        (text("E"), pieces("fixed")),
        (text("F"), pieces("<xs>")),
    ]
    .into();
    let json = json!({"s": "hunter2", "ss": ["p", "q"], "js": ["c", "d"], "xs": []});
    with(verb, &json, |verb, values| {
        assert!(stdin(verb, values).unwrap().unwrap().expose() == "hunter2\n");
        let variables = env(verb, values).unwrap();
        let shown: Vec<_> = variables.iter().map(|(name, value)| format!("{name}={}", value.expose())).collect();
        assert_eq!(shown, ["A=hunter2", "C=c,d", "D=p:q", "E=fixed"], "B and F are left out: not given");
        assert!(!format!("{:?}", stdin_shown(verb, values)).contains("hunter2"));
    });
}

#[test]
fn standard_input_without_a_declaration_is_none_and_without_its_value_an_error() {
    with(everything(), &json!({}), |verb, values| assert!(stdin(verb, values).unwrap().is_none()));
    for template in ["<x>", "<b>", "<xs>", "<?g>", "<nobody>"] {
        let verb = VerbSpec { stdin: Some(pieces(template)), ..everything() };
        with(verb, &json!({"b": true, "xs": ["a"]}), |verb, values| {
            assert!(stdin(verb, values).is_err(), "{template}");
        });
    }
}
