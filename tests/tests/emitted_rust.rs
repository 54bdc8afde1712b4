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

use serde_json::json;
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

#[test]
fn the_static_of_each_example_is_the_table_that_its_manifest_gives() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    assert!(examples::ALL.len() >= 10);
    for (name, table) in examples::ALL {
        let manifest = folder.join(format!("{name}.yaml"));
        let compiled = verbgate_codegen::compile(&manifest, &verbgate_codegen::Options::default()).unwrap();
        assert_eq!(format!("{table:#?}"), format!("{:#?}", compiled.catalogue), "{name}");
    }
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
