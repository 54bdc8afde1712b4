//! The one place of xtask that writes files.

use std::fs;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

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

/// Makes a folder the same as another, without the named entries at its top. Files that are equal are left alone, so
/// that a build beside it stays fresh.
pub(crate) fn mirror(from: &Path, to: &Path, except: &[&str]) -> Result<(), Failure> {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(to).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let source = path.file_name().map(|name| from.join(name)).unwrap_or_default();
        if fs::metadata(&source).is_ok_and(|it| it.is_dir() == path.is_dir()) {
            continue;
        }
        if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.map_err(failed)?;
    }
    for entry in fs::read_dir(from).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let (source, target) = (from.join(&name), to.join(&name));
        if except.iter().any(|except| *except == name) {
            continue;
        }
        // A link becomes what it leads to: the copy is for building only.
        if source.is_dir() {
            mirror(&source, &target, &[])?;
        } else if fs::read(&source).ok() != fs::read(&target).ok() {
            fs::copy(&source, &target).map_err(failed)?;
        }
    }
    Ok(())
}

/// Waits until no other xtask installs.
pub(crate) fn alone(lock: &Path) -> Result<fs::File, Failure> {
    let file = fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(lock)
        .map_err(|error| format!("{}: {error}", lock.display()))?;
    flock(&file, FlockOperation::LockExclusive).map_err(|error| format!("{}: {error}", lock.display()))?;
    Ok(file)
}
