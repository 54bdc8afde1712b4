//! The program's file, its environment, and what must not stand in its folder (C1.9, C1.11, LANGUAGE section 3).

use std::ffi::OsString;
use std::path::PathBuf;

use crate::config::{Environment, FileSettings, Resolved};
use crate::outcome::Failure;
use crate::paths::{FileIdentity, Roots, Workspace};
use crate::table::ProgramSpec;

/// A program that may be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file that is spawned: absolute, links resolved.
    pub file: PathBuf,
    /// The path by which it was found, links as they are: what a program that looks at its own name expects as
    /// first element of its argv.
    pub found: PathBuf,
    /// Which file it is.
    pub identity: FileIdentity,
    /// The child's PATH, filtered; none if the manifest gives the child none.
    pub path: Option<OsString>,
}

/// Finds the program's file (C1.11). Starts nothing.
///
/// # Errors
/// `UNAVAILABLE` with file and reason, and the install line where that helps.
pub fn find(
    executable: &Resolved<String>,
    spec: &ProgramSpec,
    environment: &Environment,
    workspace: &Workspace,
    roots: &Roots,
) -> Result<Program, Failure> {
    let _ = (executable, spec, environment, workspace, roots);
    todo!()
}

/// The whole environment of the child (C1.9), ordered by name: passed, then set, then the verb's own (rendered; may
/// hold secrets), PATH as in [`Program::path`]. Nothing else.
///
/// # Errors
/// `NOT_ALLOWED`: a name of `never.env` would be in it.
pub fn environment(
    spec: &ProgramSpec,
    host: &Environment,
    verb: &[(String, String)],
    program: &Program,
) -> Result<Vec<(OsString, OsString)>, Failure> {
    let _ = (spec, host, verb, program);
    todo!()
}

/// Looks for names that the program would obey in the session's folder. To be called before each run.
///
/// # Errors
/// `NOT_ALLOWED` with the manifest's words; also when the folder can't be listed.
pub fn refuse_files(spec: &ProgramSpec, settings: &FileSettings, workspace: &Workspace) -> Result<(), Failure> {
    let _ = (spec, settings, workspace);
    todo!()
}
