//! Artefacts to files, and files compared with artefacts.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use super::Artifacts;

/// Writes the artefacts under `dir`, each only if it differs, and never half: into a file beside it, then renamed.
/// Gives the paths that changed, in order.
///
/// # Errors
/// The first file that can't be written, its path in the message.
pub fn write_artifacts(dir: &Path, artifacts: &Artifacts) -> io::Result<Vec<String>> {
    let mut changed = Vec::new();
    for (path, text) in artifacts {
        if write_if_changed(&dir.join(path), text)? {
            changed.push(path.clone());
        }
    }
    Ok(changed)
}

/// Compares the artefacts with what stands under `dir`. Gives one line per difference: missing, different, or a schema
/// of a tool that is gone. Empty: all is fresh.
pub fn compare(dir: &Path, artifacts: &Artifacts) -> Vec<String> {
    let mut stale = Vec::new();
    for (path, text) in artifacts {
        match fs::read(dir.join(path)) {
            Ok(found) if found == text.as_bytes() => {}
            Ok(_) => stale.push(format!("`{path}` is not what the manifest gives: run `cargo xtask codegen`")),
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => {
                stale.push(format!("`{path}` is missing: run `cargo xtask codegen`"));
            }
            Err(fault) => stale.push(format!("`{path}` can't be read ({fault})")),
        }
    }
    stale
}

/// Writes one file unless it holds the text already. Gives whether it wrote.
///
/// # Errors
/// The folder can't be made or the file can't be written; then what was there is as it was.
pub fn write_if_changed(path: &Path, text: &str) -> io::Result<bool> {
    if fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(false);
    }
    let named = |fault: io::Error| io::Error::new(fault.kind(), format!("can't write `{}`: {fault}", path.display()));
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(named)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}.new", std::process::id()));
    let written = fs::File::create(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // Nothing more can be done about a file that can't be removed either.
        let _ = fs::remove_file(&beside);
    }
    written.map_err(named).map(|()| true)
}
