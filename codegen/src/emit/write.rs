//! Artefacts to files, and files compared with artefacts.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use super::Artifacts;

/// Writes the artefacts under `dir`, each only if it differs, and never half: into a file beside it, then renamed.
/// Files of tools that are gone are removed. Gives the paths that changed.
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
    for path in left_over(dir, artifacts) {
        fs::remove_file(dir.join(&path))
            .map_err(|fault| io::Error::new(fault.kind(), format!("can't remove `{path}`: {fault}")))?;
        changed.push(path);
    }
    Ok(changed)
}

/// Compares the artefacts with what stands under `dir`. Gives one line per difference: missing, different, or left over
/// in a folder that only holds artefacts. Empty: all is fresh.
pub fn compare(dir: &Path, artifacts: &Artifacts) -> Vec<String> {
    const MEND: &str = "run `cargo xtask codegen`";
    let mut stale = Vec::new();
    for (path, text) in artifacts {
        match fs::read(dir.join(path)) {
            Ok(found) if found == text.as_bytes() => {}
            Ok(_) => stale.push(format!("`{path}` is not what the manifest gives: {MEND}")),
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => {
                stale.push(format!("`{path}` is missing: {MEND}"));
            }
            Err(fault) => stale.push(format!("`{path}` can't be read ({fault})")),
        }
    }
    stale.extend(left_over(dir, artifacts).iter().map(|path| format!("`{path}` is of no tool any more: {MEND}")));
    stale
}

/// Files that are no artefacts in the folders that hold nothing else (`schemas/`), in order.
fn left_over(dir: &Path, artifacts: &Artifacts) -> BTreeSet<String> {
    let folders: BTreeSet<&str> = artifacts.keys().filter_map(|path| Some(path.rsplit_once('/')?.0)).collect();
    let mut found = BTreeSet::new();
    for folder in folders {
        let entries = fs::read_dir(dir.join(folder)).into_iter().flatten().flatten();
        found.extend(entries.map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy())));
    }
    found.retain(|path| !artifacts.contains_key(path));
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    fn artifacts(files: &[(&str, &str)]) -> Artifacts {
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn what_was_written_is_fresh_and_is_not_written_again() {
        let dir = tempfile::tempdir().unwrap();
        let all = artifacts(&[("TOOLS.md", "a"), ("schemas/x.json", "{}")]);
        assert_eq!(compare(dir.path(), &all).len(), 2);
        assert_eq!(write_artifacts(dir.path(), &all).unwrap(), ["TOOLS.md", "schemas/x.json"]);
        assert_eq!(compare(dir.path(), &all), Vec::<String>::new());
        assert_eq!(write_artifacts(dir.path(), &all).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_difference_names_the_command_that_mends_it() {
        let dir = tempfile::tempdir().unwrap();
        write_artifacts(dir.path(), &artifacts(&[("TOOLS.md", "a"), ("schemas/x.json", "{}")])).unwrap();
        let stale = compare(dir.path(), &artifacts(&[("TOOLS.md", "b"), ("schemas/y.json", "{}")]));
        assert_eq!(
            stale,
            [
                "`TOOLS.md` is not what the manifest gives: run `cargo xtask codegen`",
                "`schemas/y.json` is missing: run `cargo xtask codegen`",
                "`schemas/x.json` is of no tool any more: run `cargo xtask codegen`",
            ]
        );
    }

    #[test]
    fn the_schema_of_a_tool_that_is_gone_is_removed_and_what_is_not_ours_stays() {
        let dir = tempfile::tempdir().unwrap();
        write_artifacts(dir.path(), &artifacts(&[("TOOLS.md", "a"), ("schemas/x.json", "{}")])).unwrap();
        fs::File::create(dir.path().join("Cargo.toml")).unwrap();
        let now = artifacts(&[("TOOLS.md", "a"), ("schemas/y.json", "{}")]);
        assert_eq!(write_artifacts(dir.path(), &now).unwrap(), ["schemas/y.json", "schemas/x.json"]);
        assert!(dir.path().join("Cargo.toml").exists() && !dir.path().join("schemas/x.json").exists());
    }
}
