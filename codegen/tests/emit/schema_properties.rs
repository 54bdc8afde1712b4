//! What the run-time check accepts the emitted schema accepts, and the other way but for the listed exceptions.

use std::borrow::Cow;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use verbgate_codegen::emit::json_schema::input_schema;
use verbgate_table::pattern::ValuePattern;
use verbgate_table::{Access, ArgKind, ArgSpec, Choice, Presence, Scalar, ToolSpec, args};

use crate::sample;

const EXACT: i64 = 1 << 53;

/// Patterns that mean the same in all engines.
const PATTERNS: [&str; 4] = ["[a-z]+", "a|bc", r".*\.cgc", "[^x]*"];

const TEXTS: [&str; 18] = [
    "",
    "a",
    "bc",
    "abc",
    "x",
    "A",
    "é",
    "日本語日本語",
    "a.cgc",
    ".cgc",
    "a b",
    " a",
    "-a",
    "a,b",
    "a\nb",
    "a\tb",
    "a\u{0}",
    "a\u{202e}b",
];

fn text() -> impl Strategy<Value = Value> {
    let given = proptest::sample::select(&TEXTS[..]).prop_map(Value::from);
    prop_oneof![6 => given, 1 => (0..40_usize).prop_map(|n| Value::from("é".repeat(n))), 1 => "\\PC{0,12}".prop_map(Value::from)]
}

fn number() -> impl Strategy<Value = Value> {
    let texts = [
        "0",
        "-0",
        "1",
        "5.0",
        "1e3",
        "1.5",
        "-3",
        "9007199254740992",
        "9007199254740993",
        "-9007199254740993",
        "1e300",
        "2e-1",
    ];
    prop_oneof![
        proptest::sample::select(texts.to_vec()).prop_map(|it| serde_json::from_str(it).unwrap()),
        (-20..20_i64).prop_map(Value::from),
        (-20.0..20.0_f64).prop_map(Value::from),
    ]
}

fn one() -> impl Strategy<Value = Value> {
    prop_oneof![5 => text(), 3 => number(), 1 => any::<bool>().prop_map(Value::from), 1 => Just(json!({})), 1 => Just(json!(null))]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![3 => one(), 1 => proptest::collection::vec(one(), 0..4).prop_map(Value::from)]
}

fn scalar() -> impl Strategy<Value = Scalar> {
    let pattern = || {
        proptest::option::of(proptest::sample::select(&PATTERNS[..]))
            .prop_map(|it| it.map(|it| ValuePattern::new(Cow::Borrowed(it))))
    };
    let lengths = || (0..4_u32, 0..20_u32).prop_map(|(min, more)| (min, min + more));
    prop_oneof![
        (pattern(), lengths(), any::<bool>()).prop_map(|(pattern, (min, max), multiline)| Scalar::String {
            pattern,
            min,
            max,
            multiline
        }),
        (pattern(), lengths()).prop_map(|(pattern, (min, max))| Scalar::Secret { pattern, min, max }),
        (pattern(), 1..30_u32).prop_map(|(pattern, max)| Scalar::Path {
            access: Access::Read,
            must_be: None,
            pattern,
            max,
            sensitive: Cow::Borrowed(&[]),
        }),
        (-10..10_i64, 0..20_i64).prop_map(|(min, more)| Scalar::Integer { min, max: min + more }),
        Just(Scalar::Integer { min: -EXACT, max: EXACT }),
        (proptest::option::of(-10.0..0.0_f64), proptest::option::of(0.0..10.0_f64))
            .prop_map(|(min, max)| Scalar::Number { min, max }),
        Just(Scalar::Boolean),
        Just(Scalar::Choice(
            ["a", "bc", "-a"]
                .map(|word| Choice { word: Cow::Borrowed(word), program: Cow::Borrowed("p") })
                .to_vec()
                .into()
        )),
    ]
}

fn arg(name: &'static str) -> impl Strategy<Value = ArgSpec> {
    let kind = prop_oneof![
        3 => scalar().prop_map(ArgKind::One),
        1 => (scalar(), 0..2_u32, 0..3_u32, any::<bool>())
            .prop_filter("no list of truth values", |(of, ..)| !matches!(of, Scalar::Boolean))
            .prop_map(|(of, min, more, join)| {
                ArgKind::Many { of, min, max: min + more, join: join.then_some(Cow::Borrowed(",")) }
            }),
    ];
    (kind, any::<bool>()).prop_map(move |(kind, optional)| ArgSpec {
        name: Cow::Borrowed(name),
        description: Cow::Borrowed("What it is."),
        presence: if optional || matches!(kind, ArgKind::One(Scalar::Boolean)) {
            Presence::Optional
        } else {
            Presence::Required
        },
        kind,
        requires: Cow::Borrowed(&[]),
        conflicts: Cow::Borrowed(&[]),
    })
}

/// A tool with one verb, or one with two actions of which each takes its own argument and a shared one.
fn tool() -> impl Strategy<Value = ToolSpec> {
    (arg("first"), arg("second"), arg("third"), any::<bool>()).prop_map(|(first, second, third, actions)| {
        let catalogue = sample::catalogue(&sample::plain);
        let mut tool = catalogue.files[0].tools[2].clone();
        let verbs = tool.verbs.to_mut();
        if actions {
            let mut other = verbs[0].clone();
            verbs[0].action = Some(Cow::Borrowed("list"));
            verbs[0].args = vec![first.clone(), second].into();
            other.action = Some(Cow::Borrowed("create"));
            other.args = vec![first, third].into();
            verbs.push(other);
        } else {
            verbs[0].args = vec![first, second, third].into();
        }
        tool
    })
}

fn arguments() -> impl Strategy<Value = Value> {
    let action = prop_oneof![4 => Just(None), 3 => Just(Some("list")), 3 => Just(Some("create")), 1 => Just(Some("x"))];
    let names = proptest::sample::subsequence(vec!["first", "second", "third"], 0..=3);
    (action, names, proptest::collection::vec(value(), 3)).prop_map(|(action, names, values)| {
        let mut map = Map::new();
        if let Some(action) = action {
            map.insert("action".to_owned(), action.into());
        }
        map.extend(names.into_iter().map(str::to_owned).zip(values));
        Value::Object(map)
    })
}

/// Null counts as not given for an optional argument; the portable subset has no words for that.
fn without_nulls(arguments: &Value) -> Value {
    arguments
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect::<Map<_, _>>()
        .into()
}

/// What the portable subset can't say, and the check refuses all the same.
fn is_exception(tool: &ToolSpec, arguments: &Value) -> bool {
    let given = arguments.as_object().unwrap();
    let action = given.get("action").and_then(Value::as_str);
    let Some(verb) = tool.verbs.iter().find(|verb| verb.action.as_deref() == action) else { return false };
    // An argument of another action, and one that only this action requires.
    let foreign = given.keys().any(|name| name != "action" && !verb.args.iter().any(|arg| arg.name == *name));
    let missing = verb
        .args
        .iter()
        .any(|arg| matches!(arg.presence, Presence::Required) && !given.contains_key(arg.name.as_ref()));
    foreign
        || missing && tool.verbs.len() > 1
        || verb
            .args
            .iter()
            .any(|arg| given.get(arg.name.as_ref()).is_some_and(|value| value_is_exception(&arg.kind, value)))
}

fn value_is_exception(kind: &ArgKind, value: &Value) -> bool {
    match (kind, value) {
        (ArgKind::One(of), Value::String(text)) => text_is_exception(of, text),
        (ArgKind::Many { of, join, .. }, Value::Array(items)) => items
            .iter()
            .filter_map(Value::as_str)
            .any(|text| text_is_exception(of, text) || join.as_ref().is_some_and(|join| text.contains(join.as_ref()))),
        _ => false,
    }
}

fn text_is_exception(of: &Scalar, text: &str) -> bool {
    match of {
        // NUL, other control characters and characters that show nothing.
        Scalar::String { .. } | Scalar::Secret { .. } if text.chars().any(is_never_allowed) => true,
        Scalar::String { multiline: false, .. } | Scalar::Secret { .. } => text.contains(['\n', '\t']),
        // The limit of a path is in bytes.
        Scalar::Path { max, .. } => {
            text.len() > *max as usize || text.contains(['\n', '\t']) || text.chars().any(is_never_allowed)
        }
        _ => false,
    }
}

fn is_never_allowed(c: char) -> bool {
    !matches!(c, '\n' | '\t') && escape_is_needed(c)
}

/// Control and format characters, line and paragraph separators: what the check refuses in texts.
fn escape_is_needed(c: char) -> bool {
    verbgate_codegen::emit::escape::visible(&c.to_string()) != c.to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_the_check_accepts_the_schema_accepts(tool in tool(), arguments in arguments()) {
        if args::check(&tool, &arguments).is_ok() {
            let arguments = without_nulls(&arguments);
            let schema = input_schema(&tool);
            prop_assert!(jsonschema::is_valid(&schema, &arguments), "{schema:#} {arguments}");
        }
    }

    #[test]
    fn what_the_schema_accepts_the_check_accepts_but_for_the_exceptions(tool in tool(), arguments in arguments()) {
        let schema = input_schema(&tool);
        if jsonschema::is_valid(&schema, &arguments) && !is_exception(&tool, &arguments) {
            let checked = args::check(&tool, &arguments);
            prop_assert!(checked.is_ok(), "{schema:#} {arguments} {:?}", checked.err());
        }
    }
}
