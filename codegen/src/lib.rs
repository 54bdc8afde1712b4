//! Compiles a manifest.
//!
//! ```text
//! text -> syntax::parse -> Node -> model::read -> Model -> check::run -> Catalogue (the Ir) -> emit::* -> Artifacts
//! ```
//!
//! A phase reports all its errors; the next starts only on a clean one. Pure but for [`load`] and [`cargo`].

mod allow;
pub mod cargo;
pub mod check;
pub mod codes;
pub mod diag;
pub mod emit;
pub mod load;
pub mod model;
pub mod pattern;
pub mod reference;
pub mod syntax;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use verbgate_table::Catalogue;

use check::CheckOptions;
use diag::{Diagnostic, Report, Sources};
use load::{Folder, Loaded};

/// What compiling depends on beside the files.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether warnings are errors.
    pub deny_warnings: bool,
    /// Today as `YYYY-MM-DD`, for the dates of catalogues; none: not compared.
    pub today: Option<String>,
    /// The manifest's name in reports; none: the path as it was given. Other files are shown beside it.
    pub shown: Option<PathBuf>,
}

/// A manifest without errors.
#[derive(Debug)]
pub struct Compiled {
    /// The checked table.
    pub catalogue: Catalogue,
    /// Warnings, in the order of [`diag::sort`].
    pub warnings: Vec<Diagnostic>,
    /// The texts, for showing the warnings.
    pub sources: Sources,
    /// The files that were read, for builds that wait for a change. The first is the manifest.
    pub inputs: Vec<PathBuf>,
}

/// Compiles a manifest and the files that it names, all in its folder or below.
///
/// # Errors
/// A report with every mistake of the first phase that found one.
pub fn compile(manifest: &Path, options: &Options) -> Result<Compiled, Report> {
    let shown = options.shown.as_deref().unwrap_or(manifest);
    let mut loaded = match Folder::of(manifest) {
        Ok((folder, name)) => load::read(&folder, &name, shown),
        Err(refusal) => load::refused(shown, &refusal),
    };
    // Where the path is a link, a change of the link counts, too.
    if !loaded.inputs.iter().any(|input| input == manifest) {
        loaded.inputs.push(manifest.to_path_buf());
    }
    finish(loaded, options)
}

/// Compiles texts in memory: names relative to the manifest's folder, and what they hold. Pure.
///
/// # Errors
/// As [`compile`].
pub fn compile_sources(
    manifest: &str,
    files: &BTreeMap<String, Vec<u8>>,
    options: &Options,
) -> Result<Compiled, Report> {
    let shown = options.shown.as_deref().unwrap_or(Path::new(manifest));
    finish(load::read(files, Path::new(manifest), shown), options)
}

fn finish(loaded: Loaded, options: &Options) -> Result<Compiled, Report> {
    let Loaded { sources, files, mut found, inputs } = loaded;
    let read = !found.iter().any(diag::is_error);
    let mut catalogue = None;
    if read {
        let (checked, more) = check::run(&files, &CheckOptions { today: options.today.clone() });
        catalogue = checked;
        found.extend(more);
        for file in &files {
            found.extend(sources.get(file.id).map(|source| check::lines(file.id, &source.text)).unwrap_or_default());
        }
    }
    let complete = read && !found.iter().any(diag::is_error);
    let mut found = allow::apply(&files, found, complete);
    diag::sort(&mut found);
    let refused = found.iter().any(|diagnostic| options.deny_warnings || diag::is_error(diagnostic));
    match catalogue {
        Some(catalogue) if !refused => Ok(Compiled { catalogue, warnings: found, sources, inputs }),
        _ => Err(Report { sources, diagnostics: found, deny_warnings: options.deny_warnings, inputs }),
    }
}
