//! `cargo xtask codegen [--check]`: the committed review artefacts, written or compared.

use verbgate_codegen::{Compiled, Options, compile, emit};

use crate::{Failure, run};

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
    if check {
        let stale = emit::compare(&folder, &artifacts);
        for line in &stale {
            eprintln!("generated/: {line}");
        }
        return if stale.is_empty() { Ok(()) } else { Err(format!("{} files are stale", stale.len())) };
    }
    for path in emit::write_artifacts(&folder, &artifacts).map_err(|error| error.to_string())? {
        println!("wrote generated/{path}");
    }
    Ok(())
}
