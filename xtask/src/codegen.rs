//! `cargo xtask codegen [--check]`: the committed review artefacts and the generated parts of the language's reference,
//! written or compared.

use verbgate_codegen::{Compiled, Options, compile, emit, reference};

use crate::{Failure, run};

const REFERENCE: &str = "docs/language.md";

/// Writes the artefacts of `tools.yaml` beside the crate that is generated from it, or compares them.
///
/// # Errors
/// The manifest has errors (its report was shown), a file can't be written, or, when comparing, one is stale.
pub(crate) fn run(check: bool) -> Result<(), Failure> {
    let manifest = run::root().join("tools.yaml");
    let options = Options { shown: Some("tools.yaml".into()), ..Options::default() };
    let Compiled { catalogue, .. } = compile(&manifest, &options).map_err(|report| {
        eprintln!("{}", report.render(false).trim_end());
        "tools.yaml has errors".to_owned()
    })?;
    let folder = run::root().join("generated");
    let mut artifacts = emit::all(&catalogue);
    // The Rust is made by the crate's own build script, in cargo's folder: a second copy could only be stale.
    artifacts.remove("tools.rs");
    let page_at = run::root().join(REFERENCE);
    let page = std::fs::read_to_string(&page_at).map_err(|error| format!("{REFERENCE}: {error}"))?;
    let filled = reference::fill(&page).map_err(|trouble| format!("{REFERENCE}: {trouble}"))?;
    if check {
        let mut stale = emit::compare(&folder, &artifacts);
        if page != filled {
            stale.push(format!("`../{REFERENCE}` is not what the definitions say: run `cargo xtask codegen`"));
        }
        for line in &stale {
            eprintln!("generated/: {line}");
        }
        return if stale.is_empty() { Ok(()) } else { Err(format!("{} files are stale", stale.len())) };
    }
    for path in emit::write_artifacts(&folder, &artifacts).map_err(|error| error.to_string())? {
        println!("wrote generated/{path}");
    }
    if emit::write_if_changed(&page_at, &filled).map_err(|error| error.to_string())? {
        println!("wrote {REFERENCE}");
    }
    Ok(())
}
