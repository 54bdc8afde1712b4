//! The JSON Schema of the manifest language, and the tables of keys of its reference page.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};

use super::kind::{Field, Kind, Table};
use super::read::meaning;
use super::{Model, tables};

const NAME: &str = "^[a-z][a-z0-9]*(?:_[a-z0-9]+)*_?$";

/// The JSON Schema (2020-12) of a manifest, for editors.
///
/// It says what the walk over shapes says, from the same tables. What needs more than shapes is the compiler's.
pub fn schema() -> Json {
    let mut schema = object(Model::table());
    let mut definitions = Map::new();
    for (name, table) in tables() {
        definitions.insert(name.to_owned(), object(table));
    }
    definitions.insert("argv".to_owned(), argv());
    if let Some(keys) = schema.as_object_mut() {
        keys.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        keys.insert("title".to_owned(), json!("Verbgate manifest, version 1"));
        keys.insert("$defs".to_owned(), Json::Object(definitions));
    }
    if let Some(version) = schema.pointer_mut("/properties/manifest") {
        *version = json!({ "const": 1, "description": "Version of the language." });
    }
    schema
}

fn object(table: Table) -> Json {
    let mut properties = Map::new();
    for field in table.keys() {
        properties.insert(field.key().to_owned(), described(of(&field.kind), field));
    }
    let required: Vec<&str> = table.keys().filter(|field| field.default.is_none()).map(Field::key).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    })
}

fn described(schema: Json, field: &Field) -> Json {
    let mut schema = schema;
    let text = match field.default {
        None => format!("{} Required.", meaning(field)),
        Some("") => meaning(field),
        Some(default) => format!("{} Default: {default}.", meaning(field)),
    };
    if let Some(keys) = schema.as_object_mut() {
        keys.insert("description".to_owned(), json!(text));
    }
    schema
}

fn of(kind: &Kind) -> Json {
    match kind {
        Kind::Text | Kind::Word | Kind::Name | Kind::Pattern => json!({ "type": "string" }),
        Kind::Code => json!({
            "type": "string",
            "pattern": format!("^(?:{})$", verbgate_table::Code::ALL.map(|code| any_case(code.as_str())).join("|")),
        }),
        Kind::Words(words) => json!({ "enum": words }),
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Integer(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Number => json!({ "type": "number" }),
        Kind::Duration => json!({ "type": "string", "pattern": "^(?:0|[1-9][0-9]*) (?:ms|s|min|h)$" }),
        Kind::Size => json!({ "type": "string", "pattern": "^(?:0|[1-9][0-9]*) (?:B|KiB|MiB)$" }),
        Kind::Exit => json!({ "anyOf": [
            { "type": "integer", "minimum": 0, "maximum": 255 },
            { "type": "string", "pattern": "^SIG[A-Z0-9]+$" },
        ] }),
        Kind::Switch => json!({ "type": ["boolean", "string"] }),
        Kind::Any => json!({}),
        Kind::Setting(kind) => setting(kind),
        Kind::List(kind) => json!({ "type": "array", "items": of(kind) }),
        Kind::Names(kind) => {
            json!({ "type": "object", "propertyNames": { "pattern": NAME, "maxLength": 64 }, "additionalProperties": of(kind) })
        }
        Kind::Map(kind) => json!({ "type": "object", "additionalProperties": of(kind) }),
        Kind::Choices => json!({ "anyOf": [
            { "type": "array", "items": { "type": "string" }, "minItems": 1, "uniqueItems": true },
            { "type": "object", "additionalProperties": { "type": "string" }, "minProperties": 1 },
        ] }),
        Kind::Argv => json!({ "$ref": "#/$defs/argv" }),
        Kind::TextOr(table) => json!({ "anyOf": [{ "type": "string" }, reference(table())] }),
        Kind::Struct(table) => reference(table()),
    }
}

fn setting(kind: &Kind) -> Json {
    let mut properties = Map::new();
    properties.insert("default".to_owned(), of(kind));
    properties.insert("config".to_owned(), json!({ "type": "string" }));
    properties.insert("env".to_owned(), json!({ "type": "string" }));
    if matches!(kind, Kind::Duration | Kind::Size) {
        properties.insert("min".to_owned(), of(kind));
        properties.insert("max".to_owned(), of(kind));
    }
    json!({ "anyOf": [
        of(kind),
        { "type": "object", "additionalProperties": false, "required": ["default"], "properties": properties },
    ] })
}

fn argv() -> Json {
    json!({ "type": "array", "items": { "anyOf": [
        { "type": "string" },
        {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": { "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/argv" }] },
        },
    ] } })
}

fn reference(table: Table) -> Json {
    let name = tables().into_iter().find(|(_, other)| other.title == table.title).map_or("", |(name, _)| name);
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// A pattern that is a word in any case: schemas have no flag for that.
fn any_case(word: &str) -> String {
    word.chars()
        .map(|c| {
            if c.is_ascii_alphabetic() {
                format!("[{}{}]", c.to_ascii_uppercase(), c.to_ascii_lowercase())
            } else {
                c.to_string()
            }
        })
        .collect()
}

/// The keys of one mapping of the language as a Markdown table, for the reference page.
pub fn markdown(table: Table) -> String {
    let mut text = String::from("| key | type | default | meaning |\n| --- | --- | --- | --- |\n");
    for field in table.keys() {
        let default = match field.default {
            None => "required".to_owned(),
            Some(default) => cell(default),
        };
        let _ = writeln!(
            text,
            "| `{}` | {} | {default} | {} |",
            field.key(),
            cell(&words(&field.kind)),
            cell(&meaning(field))
        );
    }
    text
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

/// A kind in words.
fn words(kind: &Kind) -> String {
    match kind {
        Kind::Text | Kind::Word => "text".to_owned(),
        Kind::Name => "name".to_owned(),
        Kind::Pattern => "pattern".to_owned(),
        Kind::Code => "code".to_owned(),
        Kind::Words(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        Kind::Boolean => "boolean".to_owned(),
        Kind::Integer(0, 255) => "exit status".to_owned(),
        Kind::Integer(..) => "whole number".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::Duration => "duration".to_owned(),
        Kind::Size => "size".to_owned(),
        Kind::Exit => "exit status or signal".to_owned(),
        Kind::Switch => "boolean or word".to_owned(),
        Kind::Any => "any value".to_owned(),
        Kind::Setting(kind) => format!("setting, {}", words_of(kind)),
        Kind::List(kind) => format!("list of {}", words_of(kind)),
        Kind::Names(kind) => format!("mapping of names to {}", words_of(kind)),
        Kind::Map(kind) => format!("mapping to {}", words_of(kind)),
        Kind::Choices => "list of text, or mapping of text".to_owned(),
        Kind::Argv => "argv template".to_owned(),
        Kind::TextOr(table) => format!("text or {}", table().title),
        Kind::Struct(table) => table().title.to_owned(),
    }
}

fn words_of(kind: &Kind) -> String {
    words(kind)
}
