//! The checked table to artefacts. No back end can fail: what could go wrong was refused before.
//!
//! | artefact | by | for |
//! | --- | --- | --- |
//! | `tools.rs` | [`rust`] | `include!` in a crate that depends on the runtime |
//! | `TOOLS.md` | [`markdown`] | whoever reviews what an agent can run |
//! | `schemas/NAME.json` | [`json_schema`] | clients and hosts |
//! | `manifest.schema.json` | [`crate::model::schema`] | editors of manifests |
//! | `tools.d.ts` | [`typescript`] | extensions written in TypeScript |
//!
//! Invariants: same table, same bytes; no text of the table becomes code or markup (Rust goes through tokens, JSON
//! through `serde_json`, Markdown and TypeScript through the escape functions of [`escape`]).

pub mod escape;
pub mod json_schema;
pub mod markdown;
pub mod rust;
pub mod typescript;

mod template;
mod write;

use std::collections::BTreeMap;

use verbgate_table::Catalogue;

pub use write::{compare, write_artifacts, write_if_changed};

/// Relative path (with `/`) to text.
pub type Artifacts = BTreeMap<String, String>;

/// Everything that is generated from a table.
pub fn all(catalogue: &Catalogue) -> Artifacts {
    let mut artifacts = Artifacts::new();
    artifacts.insert("tools.rs".to_owned(), rust::tools(catalogue));
    artifacts.insert("TOOLS.md".to_owned(), markdown::tools(catalogue));
    artifacts.insert("tools.d.ts".to_owned(), typescript::tools(catalogue));
    artifacts.insert("manifest.schema.json".to_owned(), format!("{:#}\n", crate::model::schema()));
    for tool in catalogue.files.iter().flat_map(|file| file.tools.iter()) {
        artifacts.insert(format!("schemas/{}.json", tool.name), json_schema::document(tool));
    }
    artifacts
}
