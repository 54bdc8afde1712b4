//! JSON Schemas of a tool's arguments and fields.
//!
//! The portable subset of DESIGN section 3 and no more: an object at the root, `additionalProperties: false`, and of
//! keywords only [`KEYWORDS`]. Hosts refuse whole requests over a root `oneOf`, a list without `items` or a draft-07
//! `$schema`; so what needs more (which action takes what, `requires`, `conflicts`, `one_of`) is said in words and
//! enforced at run time by [`verbgate_table::args::check`].

use serde_json::{Map, Value, json};
use verbgate_table::{
    ArgKind, ArgSpec, DefaultValue, FieldSource, FieldType, List, Presence, Scalar, Text, ToolSpec, VerbSpec,
};

/// The keywords that an emitted schema may hold (DESIGN section 3).
pub const KEYWORDS: [&str; 14] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "description",
    "enum",
    "items",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
];

/// `default`, which stands beside [`KEYWORDS`] on properties only.
pub const DEFAULT: &str = "default";

/// The name of the argument that chooses among a tool's actions.
pub const ACTION: &str = "action";

/// What the agent reads about [`ACTION`].
const ACTION_DESCRIPTION: &str = "What to do. Each action takes only the arguments that name it.";

/// The schema of a tool's arguments.
///
/// Takes the tool as it is, its own `input_schema` not looked at (the compiler fills that in from here). A tool with
/// actions is flat: `action`, then the arguments of all actions side by side; required is what every action requires.
pub fn input_schema(tool: &ToolSpec) -> Value {
    let mut properties = Map::new();
    let mut required: Vec<Value> = Vec::new();
    let actions: Vec<&str> = tool.verbs.iter().filter_map(|verb| verb.action.as_deref()).collect();
    if !actions.is_empty() {
        properties
            .insert(ACTION.to_owned(), json!({ "type": "string", "enum": actions, "description": ACTION_DESCRIPTION }));
        required.push(ACTION.into());
    }
    for arg in tool.verbs.iter().flat_map(|verb| verb.args.iter()) {
        if properties.contains_key(arg.name.as_ref()) {
            continue;
        }
        let takers = takers(tool, &arg.name);
        properties.insert(arg.name.clone().into_owned(), property(tool, arg, &takers));
        if takers.len() == tool.verbs.len() && takers.iter().all(|(_, arg)| is_required(arg)) {
            required.push(arg.name.as_ref().into());
        }
    }
    object(properties, required)
}

/// The schema of the fields of a tool's result (LANGUAGE section 10).
///
/// Takes the tool and the tools of its file, since a verb's `before` names one of them: its fields stand under
/// `before`. Every field is optional. Where two actions give one field different types, the schema names none.
pub fn output_schema(tool: &ToolSpec, tools: &[ToolSpec]) -> Value {
    let mut properties = Map::new();
    let mut before = Map::new();
    for verb in tool.verbs.iter() {
        add_fields(&mut properties, verb);
        let first = verb
            .before
            .as_ref()
            .and_then(|before| tools.get(usize::from(before.tool))?.verbs.get(usize::from(before.verb)));
        if let Some(first) = first {
            add_fields(&mut before, first);
        }
    }
    if !before.is_empty() {
        properties.insert("before".to_owned(), object(before, Vec::new()));
    }
    object(properties, Vec::new())
}

/// One tool as clients list it, as a JSON document that ends in a line feed.
///
/// The schemas are those that the table holds, which the compiler took from here; the file shows what is served.
pub fn document(tool: &ToolSpec) -> String {
    let document = json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": parsed(&tool.input_schema),
        "outputSchema": parsed(&tool.output_schema),
        "annotations": tool.annotations.json(),
    });
    format!("{document:#}\n")
}

/// A schema that stands in the table as text. One that is no JSON can't be there; it would show as its text.
fn parsed(schema: &str) -> Value {
    serde_json::from_str(schema).unwrap_or_else(|_| Value::from(schema))
}

fn object(properties: Map<String, Value>, required: Vec<Value>) -> Value {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    // Some clients refuse an empty list.
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    schema.into()
}

fn is_required(arg: &ArgSpec) -> bool {
    matches!(arg.presence, Presence::Required)
}

/// The verbs that take an argument, in manifest order, each with its own specification of it.
fn takers<'a>(tool: &'a ToolSpec, name: &str) -> Vec<(&'a VerbSpec, &'a ArgSpec)> {
    tool.verbs.iter().filter_map(|verb| Some((verb, verb.args.iter().find(|arg| arg.name == name)?))).collect()
}

fn property(tool: &ToolSpec, arg: &ArgSpec, takers: &[(&VerbSpec, &ArgSpec)]) -> Value {
    let mut schema = kind(&arg.kind);
    schema.insert("description".to_owned(), description(arg, takers).into());
    // A default that only some actions have would be filled in by clients for the others, which refuse it.
    if let Presence::Default(default) = &arg.presence {
        let same = |other: &ArgSpec| matches!(&other.presence, Presence::Default(value) if value == default);
        if takers.len() == tool.verbs.len() && takers.iter().all(|(_, other)| same(other)) {
            schema.insert(DEFAULT.to_owned(), default_value(default));
        }
    }
    schema.into()
}

/// The argument's own words, then which actions take it: `For create (required), list.`
fn description(arg: &ArgSpec, takers: &[(&VerbSpec, &ArgSpec)]) -> String {
    let actions: Vec<String> = takers
        .iter()
        .filter_map(|(verb, arg)| {
            let action = verb.action.as_deref()?;
            Some(match &arg.presence {
                Presence::Required => format!("{action} (required)"),
                Presence::Optional => action.to_owned(),
                Presence::Default(value) => format!("{action} (default {})", default_value(value)),
            })
        })
        .collect();
    if actions.is_empty() {
        arg.description.to_string()
    } else {
        format!("{} For {}.", arg.description, actions.join(", "))
    }
}

/// A default as JSON.
pub fn default_value(value: &DefaultValue) -> Value {
    match value {
        DefaultValue::Text(text) => text.as_ref().into(),
        DefaultValue::Integer(number) => (*number).into(),
        DefaultValue::Number(number) => (*number).into(),
        DefaultValue::Boolean(truth) => (*truth).into(),
        DefaultValue::List(items) => items.iter().map(default_value).collect(),
    }
}

fn kind(kind: &ArgKind) -> Map<String, Value> {
    match kind {
        ArgKind::One(scalar) => scalar_schema(scalar),
        ArgKind::Many { of, min, max, join: _ } => {
            let mut schema = typed("array");
            schema.insert("items".to_owned(), scalar_schema(of).into());
            if *min > 0 {
                schema.insert("minItems".to_owned(), (*min).into());
            }
            schema.insert("maxItems".to_owned(), (*max).into());
            schema
        }
    }
}

fn scalar_schema(scalar: &Scalar) -> Map<String, Value> {
    match scalar {
        Scalar::String { pattern, min, max, multiline: _ } | Scalar::Secret { pattern, min, max } => {
            text(*min, *max, pattern.as_ref().map(verbgate_table::pattern::ValuePattern::anchored))
        }
        // The limit is in bytes at run time; a text of so many characters is never shorter in bytes.
        Scalar::Path { pattern, max, access: _, must_be: _, sensitive: _ } => {
            text(1, *max, pattern.as_ref().map(verbgate_table::pattern::ValuePattern::anchored))
        }
        Scalar::Integer { min, max } => {
            let mut schema = typed("integer");
            schema.insert("minimum".to_owned(), (*min).max(-EXACT).into());
            schema.insert("maximum".to_owned(), (*max).min(EXACT).into());
            schema
        }
        Scalar::Number { min, max } => {
            let mut schema = typed("number");
            if let Some(min) = min {
                schema.insert("minimum".to_owned(), number(*min));
            }
            if let Some(max) = max {
                schema.insert("maximum".to_owned(), number(*max));
            }
            schema
        }
        Scalar::Boolean => typed("boolean"),
        Scalar::Choice(choices) => {
            let mut schema = typed("string");
            schema.insert("enum".to_owned(), choices.iter().map(|choice| Value::from(choice.word.as_ref())).collect());
            schema
        }
    }
}

/// Integers beyond this are not exact in JavaScript (LANGUAGE section 4).
const EXACT: i64 = 1 << 53;

/// A bound, without a decimal point where it is whole: `1`, not `1.0`.
fn number(bound: f64) -> Value {
    #[allow(clippy::cast_possible_truncation)] // whole and within ±2^53: exact
    if bound.fract() == 0.0 && bound.abs() <= 9_007_199_254_740_992.0 { (bound as i64).into() } else { bound.into() }
}

fn typed(name: &str) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), name.into());
    schema
}

fn text(min: u32, max: u32, pattern: Option<String>) -> Map<String, Value> {
    let mut schema = typed("string");
    if min > 0 {
        schema.insert("minLength".to_owned(), min.into());
    }
    schema.insert("maxLength".to_owned(), max.into());
    if let Some(pattern) = pattern {
        schema.insert("pattern".to_owned(), pattern.into());
    }
    schema
}

fn add_fields(properties: &mut Map<String, Value>, verb: &VerbSpec) {
    for field in verb.fields.iter() {
        let schema = source_schema(&field.source);
        match properties.get_mut(field.name.as_ref()) {
            None => {
                properties.insert(field.name.clone().into_owned(), schema);
            }
            Some(other) if *other == schema => {}
            // Two actions disagree: any value.
            Some(other) => *other = Value::Object(Map::new()),
        }
    }
}

fn source_schema(source: &FieldSource) -> Value {
    match source {
        FieldSource::Match { kind, .. } | FieldSource::Json { kind, .. } => field_type(*kind),
        FieldSource::Each { kind, .. } | FieldSource::JsonLines { kind, .. } => {
            json!({ "type": "array", "items": field_type(*kind) })
        }
        FieldSource::EachNamed { groups, .. } => json!({ "type": "array", "items": group_object(groups) }),
        FieldSource::Exit(_) => json!({ "type": "boolean" }),
    }
}

fn group_object(groups: &List<(Text, FieldType)>) -> Value {
    let properties = groups.iter().map(|(name, kind)| (name.clone().into_owned(), field_type(*kind))).collect();
    object(properties, Vec::new())
}

fn field_type(kind: FieldType) -> Value {
    match kind {
        FieldType::String => json!({ "type": "string" }),
        FieldType::Integer => json!({ "type": "integer" }),
        FieldType::Number => json!({ "type": "number" }),
        FieldType::Boolean => json!({ "type": "boolean" }),
        // Any JSON value: no keyword at all.
        FieldType::Json => json!({}),
    }
}
