//! The one place of xtask that writes files.

use std::fs;
use std::path::Path;

use crate::Failure;

/// Writes a file, whole or not at all.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let part = file.with_extension("part");
    #[expect(clippy::disallowed_methods, reason = "xtask writes into target/ and the review artefacts only")]
    fs::write(&part, text)
        .and_then(|()| fs::rename(&part, file))
        .map_err(|error| format!("{}: {error}", file.display()))
}

/// Copies a folder with everything in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(failed)?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target).map_err(failed)?;
        }
    }
    Ok(())
}
