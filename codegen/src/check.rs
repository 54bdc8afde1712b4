//! The third barrier: every mistake of meaning, sorted by position; then the checked table.

mod args;
mod catalogue;
pub mod data;
mod examples;
mod fields;
mod names;
mod never;
mod outcome;
mod patterns;
mod program;
mod stages;
mod success_examples;
mod template;
mod verbs;

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value as Json;
use verbgate_table::{Catalogue, FileSpec, Text};

use crate::diag::{Diagnostic, FileId, Level};
use crate::model::{At, Model};
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

/// What the checks find.
type Out = Vec<Diagnostic>;

/// A file as the checks see it.
#[derive(Clone, Copy)]
struct File<'a> {
    model: &'a Model,
    at: At<'a>,
    catalogs: &'a [CatalogInput],
    is_first: bool,
}

/// Checks the files of a manifest, the first one first.
///
/// Gives the table, if there was no error, and all errors and warnings, sorted by place.
pub fn run(files: &[CheckInput], options: &CheckOptions) -> (Option<Catalogue>, Vec<Diagnostic>) {
    let mut out = Vec::new();
    let files: Vec<File<'_>> = files
        .iter()
        .map(|input| File {
            model: &input.model,
            at: At::root(&input.node),
            catalogs: &input.catalogs,
            is_first: input.is_first,
        })
        .collect();
    let mut settings = program::Settings::default();
    let mut specs = Vec::new();
    for (index, file) in files.iter().enumerate() {
        names::file(file, &mut out);
        let enabled = file.model.enabled.as_ref().map_or(verbgate_table::Setting::fixed(true), |given| {
            settings.lower(given, file.at.key("enabled"), |value| *value, &mut out)
        });
        let Some(given) = &file.model.program else { continue };
        let program = program::program(file, given, &mut settings, &mut out);
        let (groups, infos) = outcome::groups(file, &mut settings, &mut out);
        let (tools, places) = verbs::tools(file, &program, &groups, &mut settings, &mut out);
        let mut spec = FileSpec { enabled, program, tools: tools.into(), groups: groups.into() };
        verbs::befores(file, &mut spec, &places, &mut out);
        let all = spec.tools.to_vec();
        for tool in spec.tools.to_mut() {
            tool.output_schema = crate::emit::json_schema::output_schema(tool, &all).to_string().into();
        }
        outcome::rows(file, &spec, &infos, &places, &mut out);
        for (verb, place) in spec.tools.iter().flat_map(|tool| tool.verbs.iter()).zip(&places) {
            success_examples::check(&spec, verb, place.verb.success.as_ref(), place.at, file, &mut out);
        }
        examples::run(&spec, &places, &mut out);
        specs.push((index, spec, places));
    }
    names::tools(&files, &mut out);
    catalogue::run(&files, &specs, options, &mut out);
    let first = files.first();
    let output = first.map(|file| program::output(file, &mut settings, &mut out));
    let result_stages = first.map(|file| stages::results(file, &mut settings, &mut out)).unwrap_or_default();
    let provider_stages = first.map(|file| stages::provider(file, &mut out)).unwrap_or_default();
    let capabilities = first.map(|file| stages::capabilities(file, &mut out)).unwrap_or_default();
    let out = sorted(out);
    if out.iter().any(|found| found.code.level == Level::Error) {
        return (None, out);
    }
    let kept: Vec<FileSpec> =
        specs.into_iter().map(|(_, spec, _)| spec).filter(|spec| !spec.tools.is_empty()).collect();
    let catalogue = output.map(|output| Catalogue {
        files: kept.into(),
        output,
        result_stages: result_stages.into(),
        provider_stages: provider_stages.into(),
        capabilities: capabilities.into(),
    });
    (catalogue, out)
}

/// Warns of lines that are too long to review (over 200 columns). Apart from [`run`], which does not see the text.
pub fn lines(file: FileId, text: &str) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    names::long_lines(file, text, &mut out);
    out
}

/// By place; one mistake that was met twice (a named type is met at each use) once.
fn sorted(mut out: Out) -> Out {
    let key = |found: &Diagnostic| {
        let span = &found.primary.span;
        (span.file, span.bytes.start, span.bytes.end, found.code.code, found.message.clone())
    };
    let mut seen = BTreeSet::new();
    out.retain(|found| seen.insert(key(found)));
    out.sort_by_cached_key(key);
    out
}

fn owned(text: &str) -> Text {
    Text::Owned(text.to_owned())
}

/// A name as clients see it that fold case, `-` and `_`.
fn fold(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

/// The known name that was probably meant.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|known| (strsim::damerau_levenshtein(name, known), known))
        .filter(|(distance, known)| *distance <= (name.chars().count().max(known.chars().count()) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}
