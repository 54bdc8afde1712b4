//! The folders in which paths may lie.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{FolderIdentity, Naming, Workspace, visible};
use crate::Code;
use crate::config::Environment;
use crate::outcome::Failure;
use crate::table::Root;

/// Most roots that a message names.
const MOST_SHOWN: usize = 8;

/// Where paths may lie.
#[derive(Clone, Debug)]
pub struct Roots {
    folders: Vec<RootFolder>,
    variables: Vec<String>,
    fault: Option<Failure>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct RootFolder {
    path: PathBuf,
    identity: FolderIdentity,
}

impl Roots {
    /// Reads the roots. A bad one is kept as a fault, with which every path argument is refused; a call without paths
    /// does not fail of it.
    pub fn read(roots: &[Root], workspace: &Workspace, environment: &Environment) -> Self {
        let mut read = Self { folders: Vec::new(), variables: Vec::new(), fault: None };
        for root in roots {
            match root {
                Root::Workspace => read.add(&workspace.path, "the working directory"),
                Root::Absolute(path) => read.add(Path::new(&**path), "the manifest's root"),
                Root::Env(name) => {
                    read.variables.push(name.to_string());
                    let value = environment.get(&**name).unwrap_or_default();
                    if value.is_empty() {
                        continue;
                    }
                    for entry in value.as_bytes().split(|byte| *byte == b':') {
                        read.add(Path::new(OsStr::from_bytes(entry)), &format!("an entry of the variable `{name}`"));
                    }
                }
            }
        }
        read
    }

    /// The canonical folders.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(|root| root.path.as_path())
    }

    /// Whether a canonical path lies in a root, or is one.
    pub fn contain(&self, path: &Path) -> bool {
        self.below(path).is_some()
    }

    fn add(&mut self, path: &Path, whose: &str) {
        match look(path) {
            Ok(folder) if self.folders.contains(&folder) => {}
            Ok(folder) => self.folders.push(folder),
            Err(what) => {
                let message =
                    format!("{whose}, `{}`, {what}: no path can be allowed", visible(&path.to_string_lossy()));
                let hint = "ask the user to mend it: roots are absolute folders that exist, and never `/`";
                self.fault.get_or_insert_with(|| Failure::new(Code::NotAllowed, message, hint));
            }
        }
    }

    pub(super) fn usable(&self) -> Result<(), Failure> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    /// What of a canonical path lies below the outermost root that holds it; none: it lies outside. Compared by
    /// component, so that `/data` does not hold `/data-evil`, and by identity, so that it holds on file systems that
    /// fold names, too.
    pub(super) fn below<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let by_name = self.folders.iter().filter_map(|root| path.strip_prefix(&root.path).ok());
        let longest = by_name.max_by_key(|below| below.as_os_str().len());
        longest.or_else(|| {
            path.ancestors().find_map(|ancestor| {
                let identity = FolderIdentity::of(&std::fs::symlink_metadata(ancestor).ok()?);
                let known = self.folders.iter().any(|root| root.identity == identity);
                known.then(|| path.strip_prefix(ancestor).ok()).flatten()
            })
        })
    }

    /// The refusal of a path outside (names roots and variables, so that an agent or a person can act).
    pub(super) fn outside(&self, name: &Naming<'_>, path: &Path) -> Failure {
        let mut roots: Vec<String> = self
            .folders
            .iter()
            .take(MOST_SHOWN)
            .map(|root| format!("`{}`", visible(&root.path.to_string_lossy())))
            .collect();
        if self.folders.len() > MOST_SHOWN {
            roots.push(format!("{} more", self.folders.len() - MOST_SHOWN));
        }
        let led = if Path::new(name.given) == path {
            String::new()
        } else {
            format!("leads to `{}`, which ", visible(&path.to_string_lossy()))
        };
        let within = if roots.is_empty() { "there are none".to_owned() } else { roots.join(", ") };
        let variables: Vec<String> = self.variables.iter().map(|name| format!("`{name}`")).collect();
        let hint = if variables.is_empty() {
            "use a path within the allowed roots".to_owned()
        } else {
            let variables = variables.join(" or ");
            format!("use a path within the allowed roots, or ask the user to add its folder to {variables}")
        };
        name.failure(Code::NotAllowed, &format!("{led}lies outside the allowed roots: {within}"), hint)
    }
}

/// A root is absolute, exists, is a folder, and is not `/`.
fn look(path: &Path) -> Result<RootFolder, String> {
    if path.as_os_str().is_empty() {
        return Err("is empty".to_owned());
    }
    if !path.is_absolute() {
        return Err("is not absolute".to_owned());
    }
    let looked = std::fs::canonicalize(path).and_then(|path| Ok((std::fs::metadata(&path)?, path)));
    let (metadata, path) = looked.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "does not exist".to_owned(),
        std::io::ErrorKind::NotADirectory => "is not a folder".to_owned(),
        _ => format!("can't be looked at: {error}"),
    })?;
    if !metadata.is_dir() {
        return Err("is not a folder".to_owned());
    }
    if path.parent().is_none() {
        return Err("is `/`".to_owned());
    }
    Ok(RootFolder { identity: FolderIdentity::of(&metadata), path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_holds_what_is_in_it_by_identity_too() {
        let base = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(base.path()).unwrap();
        let identity = FolderIdentity::of(&std::fs::metadata(&folder).unwrap());
        let roots = |identity| Roots {
            // Another spelling of the same name, as a file system that folds names gives it.
            folders: vec![RootFolder { path: "/SPELT/OTHERWISE".into(), identity }],
            variables: Vec::new(),
            fault: None,
        };
        assert_eq!(roots(identity).below(&folder.join("new")), Some(Path::new("new")));
        let other = FolderIdentity { ino: identity.ino + 1, ..identity };
        assert_eq!(roots(other).below(&folder.join("new")), None);
    }
}
