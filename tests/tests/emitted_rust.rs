//! What the compiler emits as Rust compiles, and holds what the table says, whatever the table's texts are.

#[allow(dead_code, clippy::indexing_slicing, clippy::unwrap_used)] // shared with the tests of the compiler, which use all of it
#[path = "../../codegen/tests/emit/sample.rs"]
mod sample;

#[allow(unreachable_pub, dead_code, clippy::pedantic)] // a library's items, included by a test
mod plain {
    include!(concat!(env!("OUT_DIR"), "/plain.rs"));
}

#[allow(unreachable_pub, dead_code, clippy::pedantic)] // a library's items, included by a test
mod hostile {
    include!(concat!(env!("OUT_DIR"), "/hostile.rs"));
}

#[allow(unreachable_pub, dead_code, clippy::pedantic)] // a library's items, included by a test
mod examples {
    include!(concat!(env!("OUT_DIR"), "/examples.rs"));
}

#[allow(unreachable_pub, dead_code, clippy::pedantic)] // a library's items, included by a test
mod corpus {
    include!(concat!(env!("OUT_DIR"), "/corpus.rs"));
}

use std::path::Path;

use serde_json::json;
use verbgate::table::Catalogue;
use verbgate::table::secret::Secret;

#[test]
fn the_plain_static_is_the_table() {
    assert_eq!(format!("{:#?}", plain::CATALOGUE), format!("{:#?}", sample::catalogue(&sample::plain)));
}

/// Report 32: a generator pasted descriptions and patterns into source unescaped.
#[test]
fn report_32_hostile_text_in_every_string_arrives_unchanged() {
    let expected = sample::catalogue(&sample::hostile);
    assert_eq!(format!("{:#?}", hostile::CATALOGUE), format!("{expected:#?}"));
    assert_eq!(hostile::demo_item::Kind::Word_1.word(), sample::hostile("newest"));
}

/// Each static of the modules against the table that its manifest gives when it is compiled now.
fn are_their_manifests(folder: &str, all: &[(&str, &Catalogue)], least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    assert!(all.len() >= least, "{} manifests", all.len());
    for (name, table) in all {
        let manifest = folder.join(format!("{name}.yaml"));
        let compiled = verbgate_codegen::compile(&manifest, &verbgate_codegen::Options::default()).unwrap();
        assert_eq!(format!("{table:#?}"), format!("{:#?}", compiled.catalogue), "{name}");
    }
}

#[test]
fn the_static_of_each_example_is_the_table_that_its_manifest_gives() {
    are_their_manifests("../examples", examples::ALL, 10);
}

#[test]
fn the_static_of_each_manifest_of_the_corpus_is_its_table() {
    are_their_manifests("../codegen/tests/ok", corpus::ALL, 4);
}

#[test]
fn a_manifest_of_texts_that_end_strings_and_comments_compiles_and_keeps_them() {
    // Against the text of the manifest itself, since compiler and emitter could lose the same.
    let manifest = include_str!("../../codegen/tests/ok/hostile_texts.yaml");
    let tool = &corpus::hostile_texts::CATALOGUE.files[0].tools[0];
    let notes = &tool.verbs[0].notes;
    for text in [&tool.description, &notes[0], &notes[1], &notes[2], &notes[3]] {
        assert!(manifest.contains(&text.replace('\'', "''")), "{text}");
    }
    assert_eq!(notes[4], "\u{e9}\u{4e16}\u{1f600} \u{5d0}\u{644}");
    let word = corpus::hostile_texts::Quoted { word: corpus::hostile_texts::quoted::Word::Word_5, text: None };
    assert_eq!(word.arguments(), json!({ "word": "\"#" }));
}

#[test]
fn typed_arguments_are_what_an_agent_would_send() {
    let write = plain::DemoWrite {
        output: "a.out".to_owned(),
        inputs: vec!["x".to_owned(), "y".to_owned()],
        labels: None,
        all: false,
        told: Some(false),
        depth: Some(-2),
        rate: Some(0.5),
        password: Some(Secret::new("s".to_owned())),
        body: None,
    };
    let expected = json!({
        "output": "a.out", "inputs": ["x", "y"], "told": false, "depth": -2, "rate": 0.5, "password": "s",
    });
    assert_eq!(write.arguments(), expected);
    assert_eq!(plain::DemoReport.arguments(), json!({}));
    assert_eq!(plain::DemoReport::NAME, "demo_report");
}

#[test]
fn an_action_is_a_variant_with_its_own_arguments() {
    let create = plain::DemoItem::Create { name: "a".to_owned(), kind: Some(plain::demo_item::Kind::Size) };
    assert_eq!(create.arguments(), json!({ "action": "create", "name": "a", "kind": "-size" }));
    assert_eq!(plain::DemoItem::List { kind: None }.arguments(), json!({ "action": "list" }));
    assert_eq!(plain::demo_item::Kind::Word20_3.word(), "2.0");
    assert_eq!(plain::demo_item::Kind::Self_4.word(), "Self");
}
