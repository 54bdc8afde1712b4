//! Parts of a path that are refused for anything but reading: what stands there is obeyed by other programs.

use std::ffi::OsStr;
use std::path::{Component, Path};

use super::{Naming, visible};
use crate::Code;
use crate::outcome::Failure;
use crate::table::Text;

/// A sensitive component and why.
struct Row {
    /// Lower case; with `*` at its end it is a beginning.
    name: &'static str,
    why: &'static str,
}

/// LANGUAGE section 4, `sensitive`.
const TABLE: &[Row] = &[
    Row { name: ".git", why: "git runs hooks and filters that stand there" },
    Row { name: ".pi", why: "the agent host loads its settings and extensions from there" },
    Row { name: ".ssh", why: "keys and login rights stand there" },
    Row { name: ".vscode", why: "the editor runs tasks that stand there" },
    Row { name: ".envrc", why: "direnv runs it" },
    Row { name: ".env*", why: "programs take their environment and secrets from it" },
    Row { name: "node_modules", why: "programs load code from there" },
    Row { name: ".venv", why: "programs load code from there" },
    Row { name: "tools.yaml", why: "it is the table of what may be run" },
];

/// Refuses a path with a sensitive component that the manifest does not name for this argument. Upper and lower case
/// count as equal, as they do on some file systems.
pub(super) fn refuse(name: &Naming<'_>, allowed: &[Text], path: &Path) -> Result<(), Failure> {
    for component in path.components() {
        let Component::Normal(part) = component else { continue };
        let part = fold(part);
        let Some(row) = TABLE.iter().find(|row| row.covers(&part)) else { continue };
        if !allowed.iter().any(|allowed| fold(OsStr::new(&**allowed)) == part || allowed == row.name) {
            let what = format!("has the part `{}`, where nothing is written: {}", visible(&part), row.why);
            return Err(name.failure(Code::NotAllowed, &what, "choose another place"));
        }
    }
    Ok(())
}

impl Row {
    fn covers(&self, part: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(beginning) => part.starts_with(beginning),
            None => part == self.name,
        }
    }
}

/// Upper case first: it also folds letters such as the long s, which file systems fold.
fn fold(part: &OsStr) -> String {
    part.to_string_lossy().to_uppercase().to_lowercase()
}
