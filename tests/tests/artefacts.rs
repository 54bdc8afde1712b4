//! What is committed under `generated/` is what the manifest gives.

use std::path::Path;

use verbgate_codegen::{Options, compile, emit};

#[test]
fn the_committed_artefacts_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let options = Options { shown: Some("tools.yaml".into()), ..Options::default() };
    let compiled = compile(&root.join("tools.yaml"), &options).map_err(|report| report.render(false)).unwrap();
    let mut artifacts = emit::all(&compiled.catalogue);
    // Made by the crate's own build script, in cargo's folder.
    artifacts.remove("tools.rs");
    let stale = emit::compare(&root.join("generated"), &artifacts);
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}
