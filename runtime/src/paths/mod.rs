//! Paths, held to the roots (LANGUAGE section 7).

use std::path::{Path, PathBuf};

use crate::config::Environment;
use crate::outcome::Failure;
use crate::table::{Access, MustBe, Root, Text};

mod identity;

pub use identity::{FileIdentity, FolderIdentity};

/// The session's folder, looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// Canonical absolute path. The child's working directory.
    pub path: PathBuf,
    /// Which folder it is.
    pub identity: FolderIdentity,
}

impl Workspace {
    /// Looks at the folder that the host gave for this call (C1.3).
    ///
    /// # Errors
    /// `UNAVAILABLE`, told apart: not absolute, missing, not a folder, not to be entered, a name that is not UTF-8 or
    /// holds control characters.
    pub fn open(cwd: &Path) -> Result<Self, Failure> {
        let _ = cwd;
        todo!()
    }
}

/// Where paths may lie.
#[derive(Clone, Debug)]
pub struct Roots {
    folders: Vec<RootFolder>,
    variables: Vec<String>,
    fault: Option<Failure>,
}

#[derive(Clone, Debug)]
struct RootFolder {
    path: PathBuf,
    identity: FolderIdentity,
}

impl Roots {
    /// Reads the roots. A bad one is kept as a fault, with which every path argument is refused; a call without paths
    /// does not fail of it.
    pub fn read(roots: &[Root], workspace: &Workspace, environment: &Environment) -> Self {
        let _ = (roots, workspace, environment);
        todo!()
    }

    /// The canonical folders.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(|root| root.path.as_path())
    }
}

/// What the manifest says of one path argument.
#[derive(Clone, Copy, Debug)]
pub struct Rule<'a> {
    /// The argument, for messages.
    pub argument: &'a str,
    /// What the program does there.
    pub access: Access,
    /// Checked before anything runs.
    pub must_be: Option<MustBe>,
    /// Sensitive components that are allowed here.
    pub sensitive: &'a [Text],
}

/// A path that may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// What the program gets, and what is shown: absolute, links resolved (of a `write` path only the folder's).
    pub path: String,
    /// Of a `write` path: what is there now.
    pub destination: Option<Destination>,
}

/// The place of a `write` path, for the plan and for staging.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// Absolute path; its folder is canonical, its name literal.
    pub path: PathBuf,
    /// The folder.
    pub folder: FolderIdentity,
    /// What is there.
    pub state: State,
}

/// What is at a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    New,
    /// A regular file, which will be replaced.
    File(FileIdentity),
    /// A link, which will be replaced, not followed.
    Link(FileIdentity),
}

/// Holds one path to the roots.
///
/// # Errors
/// `NOT_ALLOWED` outside the roots (naming them and their variables), for a bad root, for a sensitive component;
/// `NOT_FOUND` and `INVALID_ARGUMENT` for `must_be` and the destination of a write, and for text that is no usable path.
pub fn locate(given: &str, rule: &Rule<'_>, workspace: &Workspace, roots: &Roots) -> Result<Located, Failure> {
    let _ = (given, rule, workspace, roots);
    todo!()
}
