//! What holds for every manifest that compiles.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a test that fails, fails

use std::path::{Path, PathBuf};

use serde_json::Value;
use verbgate_codegen::{Compiled, Options, compile, compile_sources, emit, model};

fn corpus() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found: Vec<PathBuf> = ["tests/ok", "../examples"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(here.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .chain([here.join("../tools.yaml")])
        .collect();
    found.sort();
    assert!(found.len() > 10, "{found:?}");
    found
}

fn compiled(path: &Path) -> Compiled {
    compile(path, &Options::default()).unwrap_or_else(|report| panic!("{}", report.render(false)))
}

#[test]
fn compiling_twice_gives_the_same_bytes() {
    for path in corpus() {
        assert_eq!(emit::all(&compiled(&path).catalogue), emit::all(&compiled(&path).catalogue), "{}", path.display());
    }
}

#[test]
fn every_tool_of_the_corpus_has_a_portable_schema() {
    fn walk(schema: &Value, name: &str) {
        const KEYWORDS: &str = "type properties required description enum items minimum maximum minLength maxLength \
                                pattern minItems maxItems default additionalProperties";
        for (key, value) in schema.as_object().unwrap() {
            assert!(KEYWORDS.split(' ').any(|known| known == key), "{name}: {key}");
            if key == "pattern" {
                let pattern = value.as_str().unwrap();
                assert!(pattern.starts_with("^(?:") && pattern.ends_with(")$"), "{name}: {pattern}");
            }
        }
        assert!(schema["type"].is_string(), "{name}: {schema}");
        if schema["type"] == "string" {
            assert!(schema.get("maxLength").is_some() || schema.get("enum").is_some(), "{name}: {schema}");
        }
        for inner in schema["properties"].as_object().into_iter().flat_map(serde_json::Map::values) {
            walk(inner, name);
        }
        if let Some(items) = schema.get("items") {
            walk(items, name);
        }
    }
    for path in corpus() {
        for tool in compiled(&path).catalogue.files.iter().flat_map(|file| file.tools.iter()) {
            let schema: Value = serde_json::from_str(&tool.input_schema).unwrap();
            assert_eq!(schema["type"], "object");
            assert_eq!(schema["additionalProperties"], false);
            walk(&schema, &tool.name);
        }
    }
}

#[test]
fn the_schema_of_the_language_takes_the_whole_corpus() {
    let schema = jsonschema::validator_for(&model::schema()).unwrap();
    for path in corpus() {
        let manifest: Value = serde_yaml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let errors: Vec<String> = schema.iter_errors(&manifest).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    }
}

/// Tools, actions, arguments, choices and fields in an order that no sorting gives.
#[test]
fn the_order_of_keys_is_kept_to_the_last_artefact() {
    let words = ["m", "z", "a", "q"];
    let each = |line: &dyn Fn(&str) -> String| words.iter().map(|word| line(word)).collect::<String>();
    let tools = each(&|tool| {
        let actions = each(&|action| {
            let args = each(&|arg| {
                format!(
                    "          {arg}x: {{ type: choice, choices: [mm, zz, aa], optional: true, description: X. }}\n"
                )
            });
            let options = each(&|arg| format!(", {arg}x: --{arg}x=<{arg}x>"));
            let fields = each(&|field| format!("          {field}f: {{ match: '^(x)' }}\n"));
            format!(
                "      {action}:\n        description: A.\n        consent: read\n        args:\n{args}        argv: [{tool}, {action}{options}]\n        fields:\n{fields}"
            )
        });
        format!("  {tool}tool:\n    description: T.\n    actions:\n{actions}")
    });
    let text = format!("manifest: 1\nprogram: {{ executable: app, install: x }}\ntools:\n{tools}");
    let files = [("m.yaml".to_owned(), text.into_bytes())].into();
    let compiled = compile_sources("m.yaml", &files, &Options::default())
        .unwrap_or_else(|report| panic!("{}", report.render(false)));
    let named = |suffix: &str| words.map(|word| format!("{word}{suffix}"));
    let tools = &compiled.catalogue.files[0].tools;
    assert_eq!(tools.iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>(), named("tool"));
    for tool in tools.iter() {
        let actions: Vec<&str> = tool.verbs.iter().filter_map(|verb| verb.action.as_deref()).collect();
        assert_eq!(actions, words);
        for verb in tool.verbs.iter() {
            assert_eq!(verb.args.iter().map(|arg| arg.name.to_string()).collect::<Vec<_>>(), named("x"));
            assert_eq!(verb.fields.iter().map(|field| field.name.to_string()).collect::<Vec<_>>(), named("f"));
        }
        let schema: Value = serde_json::from_str(&tool.input_schema).unwrap();
        let properties: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(properties, ["action", "mx", "zx", "ax", "qx"]);
        assert_eq!(schema["properties"]["mx"]["enum"], serde_json::json!(["mm", "zz", "aa"]));
        assert_eq!(schema["properties"]["action"]["enum"], serde_json::json!(words));
    }
    for (path, text) in emit::all(&compiled.catalogue) {
        if !matches!(path.as_str(), "TOOLS.md" | "tools.d.ts" | "tools.rs") {
            continue;
        }
        let places: Vec<usize> = named("tool")
            .iter()
            .map(|name| text.find(name.as_str()).unwrap_or_else(|| panic!("{path}: {name}")))
            .collect();
        assert!(places.is_sorted(), "{path}: {places:?}");
    }
}
