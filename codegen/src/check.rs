//! The third barrier: every mistake of meaning, sorted by position; then the checked table.

use std::path::PathBuf;

use serde_json::Value as Json;
use verbgate_table::Catalogue;

use crate::diag::{Diagnostic, FileId};
use crate::model::Model;
use crate::syntax::Node;

/// One manifest file, read.
#[derive(Debug)]
pub struct CheckInput {
    /// Its index in [`crate::diag::Sources`].
    pub id: FileId,
    /// Its name as it is shown and as `include` names it.
    pub path: PathBuf,
    /// The tree, for places.
    pub node: Node,
    /// What it says.
    pub model: Model,
    /// The catalogues that it names, in order.
    pub catalogs: Vec<CatalogInput>,
    /// Whether it is the manifest itself, not an included file.
    pub is_first: bool,
}

/// A catalogue file (LANGUAGE section 11), read.
#[derive(Debug)]
pub struct CatalogInput {
    /// Its index in [`crate::diag::Sources`].
    pub id: FileId,
    /// Its name as the manifest gives it.
    pub path: PathBuf,
    /// The tree, for places (JSON numbers, booleans and null are plain scalars).
    pub node: Node,
    /// The document.
    pub json: Json,
}

/// What the checks may know of the outside; part of the input, so that compiling stays pure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Today as `YYYY-MM-DD`, for the dates of catalogues; none: not compared.
    pub today: Option<String>,
}

/// Checks the files of a manifest, the first one first.
///
/// Gives the table, if there was no error, and all errors and warnings.
pub fn run(files: &[CheckInput], options: &CheckOptions) -> (Option<Catalogue>, Vec<Diagnostic>) {
    let _ = (files, options);
    (None, Vec::new())
}
