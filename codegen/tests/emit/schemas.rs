//! Schemas are in the portable subset (DESIGN section 3).

use serde_json::{Value, json};
use verbgate_codegen::emit::json_schema::{DEFAULT, KEYWORDS, document, input_schema, output_schema};
use verbgate_table::{Catalogue, ToolSpec, args};

use crate::sample;

fn tools(catalogue: &Catalogue) -> Vec<ToolSpec> {
    catalogue.files.iter().flat_map(|file| file.tools.to_vec()).collect()
}

/// Calls `see` with each schema inside a schema, itself included.
fn walk(schema: &Value, see: &mut dyn FnMut(&Value)) {
    see(schema);
    let inner = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(serde_json::Map::values);
    for schema in inner.chain(schema.get("items")) {
        walk(schema, see);
    }
}

fn every_schema(see: &mut dyn FnMut(&Value)) {
    for words in [sample::plain as fn(&str) -> String, sample::hostile] {
        let tools = tools(&sample::catalogue(&words));
        for tool in &tools {
            walk(&input_schema(tool), see);
            walk(&output_schema(tool, &tools), see);
        }
    }
}

fn demo_write() -> ToolSpec {
    let mut tool = tools(&sample::catalogue(&sample::plain)).remove(1);
    // Its `one_of` is not what these tests are about.
    tool.verbs.to_mut()[0].one_of = Vec::new().into();
    tool
}

#[test]
fn only_portable_keywords_are_emitted() {
    every_schema(&mut |schema| {
        for key in schema.as_object().unwrap().keys() {
            assert!(KEYWORDS.contains(&key.as_str()) || key == DEFAULT, "{key}");
        }
        if schema["type"] == "object" {
            assert_eq!(schema["additionalProperties"], json!(false));
        }
        assert!(!schema["type"].is_array());
        assert_ne!(schema.get("enum"), Some(&json!([])));
        assert_ne!(schema.get("required"), Some(&json!([])));
    });
}

#[test]
fn every_string_has_a_longest_length_and_every_pattern_is_anchored() {
    for tool in tools(&sample::catalogue(&sample::plain)) {
        walk(&input_schema(&tool), &mut |schema| {
            if schema["type"] == "string" {
                assert!(schema.get("maxLength").is_some_and(Value::is_u64) || schema.get("enum").is_some(), "{schema}");
            }
            if let Some(pattern) = schema.get("pattern") {
                let pattern = pattern.as_str().unwrap();
                assert!(pattern.starts_with("^(?:") && pattern.ends_with(")$"), "{pattern}");
            }
        });
    }
}

/// Report 22: a root `oneOf` made hosts refuse the whole request.
#[test]
fn report_22_mutually_exclusive_arguments_emit_no_root_one_of() {
    let tool = tools(&sample::catalogue(&sample::plain)).remove(1);
    assert!(!tool.verbs[0].one_of.is_empty());
    let schema = input_schema(&tool);
    let keys: Vec<&String> = schema.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["type", "properties", "required", "additionalProperties"]);
    assert_eq!(schema["type"], "object");
}

/// Report 23: a list without `items` made hosts refuse the whole request.
#[test]
fn report_23_lists_have_items_and_a_longest_length() {
    let mut lists = 0;
    every_schema(&mut |schema| {
        if schema["type"] == "array" {
            lists += 1;
            assert!(schema["items"].is_object(), "{schema}");
        }
    });
    assert!(lists > 0);
    let schema = input_schema(&demo_write());
    assert_eq!(schema["properties"]["inputs"]["minItems"], json!(1));
    assert_eq!(schema["properties"]["inputs"]["maxItems"], json!(20));
}

/// Report 24: a draft-07 `$schema` was refused.
#[test]
fn report_24_no_dollar_schema_is_emitted() {
    every_schema(&mut |schema| assert!(schema.get("$schema").is_none()));
    for tool in tools(&sample::catalogue(&sample::plain)) {
        assert!(!document(&tool).contains("$schema"));
    }
}

/// Report 26: a list that arrives as a JSON string is refused by schema and check alike, never split.
#[test]
fn report_26_a_list_as_one_string_is_refused_by_both() {
    let tool = demo_write();
    for arrives in ["[\"a\"]", "a", "a b"] {
        let arguments = json!({ "output": "a.out", "inputs": arrives });
        assert!(!jsonschema::is_valid(&input_schema(&tool), &arguments));
        assert_eq!(args::check(&tool, &arguments).unwrap_err().argument.as_deref(), Some("inputs"));
    }
}

/// Report 27: integers above 2^53 were rounded on their way.
#[test]
fn report_27_integers_are_exact_or_refused() {
    let tool = demo_write();
    let schema = input_schema(&tool);
    assert_eq!(schema["properties"]["depth"]["maximum"], json!(9_007_199_254_740_992_i64));
    for (depth, good) in [
        ("9007199254740993", false),
        ("9007199254740992", true),
        ("1e3", true),
        ("5.0", true),
        ("-0", true),
        ("1.5", false),
    ] {
        let arguments: Value =
            serde_json::from_str(&format!(r#"{{"output":"a.out","inputs":["x"],"depth":{depth}}}"#)).unwrap();
        assert_eq!(jsonschema::is_valid(&schema, &arguments), good, "schema: {depth}");
        assert_eq!(args::check(&tool, &arguments).is_ok(), good, "check: {depth}");
    }
    every_schema(&mut |schema| {
        if schema["type"] == "integer" && schema.get("maximum").is_some() {
            assert!(schema["minimum"].as_i64().unwrap() >= -(1 << 53));
            assert!(schema["maximum"].as_i64().unwrap() <= 1 << 53);
        }
    });
    // Those of arguments always have both.
    assert!(schema["properties"]["depth"]["minimum"].is_i64());
}

/// Report 28: missing hints are read as destructive.
#[test]
fn report_28_all_four_annotations_are_explicit() {
    for tool in tools(&sample::catalogue(&sample::plain)) {
        let document: Value = serde_json::from_str(&document(&tool)).unwrap();
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(document["annotations"][hint].is_boolean(), "{hint}");
        }
    }
}

#[test]
fn a_shared_argument_says_which_actions_take_it_and_only_the_action_is_required() {
    let schema = input_schema(&tools(&sample::catalogue(&sample::plain))[0]);
    assert_eq!(schema["required"], json!(["action"]));
    assert_eq!(schema["properties"]["action"]["enum"], json!(["list", "create", "delete"]));
    assert_eq!(
        schema["properties"]["name"]["description"],
        "Name of the item. For create (required), delete (required)."
    );
    assert_eq!(schema["properties"]["kind"]["description"], "Which kind. For list (default \"newest\"), create.");
    assert!(schema["properties"]["kind"].get("default").is_none(), "a default of one action is none of the other's");
}

#[test]
fn hostile_text_arrives_in_the_schema_unchanged() {
    let tools = tools(&sample::catalogue(&sample::hostile));
    let document: Value = serde_json::from_str(&document(&tools[1])).unwrap();
    assert_eq!(document["description"], sample::hostile("Write a file."));
    assert_eq!(document["inputSchema"]["properties"]["output"]["description"], sample::hostile("The file."));
}

#[test]
fn the_fields_of_the_verb_before_stand_under_before() {
    let tools = tools(&sample::catalogue(&sample::plain));
    let schema = output_schema(&tools[0], &tools);
    assert_eq!(schema["properties"]["before"]["properties"]["total"], json!({ "type": "number" }));
    // Two actions give `total` in two types: any value.
    assert_eq!(schema["properties"]["total"], json!({}));
    assert!(schema.get("required").is_none());
}
