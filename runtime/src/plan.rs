//! Exactly what a yes is given for (C2.7).

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use crate::paths::{Destination, FileIdentity, FolderIdentity};

/// What will be run, whole. Built before the question and again after lock and precondition; both must be equal. The
/// staged name, which takes the destination's place in the argv when the program is started, stands in neither.
#[derive(Clone, PartialEq, Eq)]
pub struct Plan {
    /// The tool.
    pub tool: String,
    /// The action, if the tool has several.
    pub action: Option<String>,
    /// The program's file, links resolved.
    pub program: PathBuf,
    /// Which file that is; none in a plan that is only shown.
    pub program_identity: Option<FileIdentity>,
    /// The argv behind the program's name, with the destination.
    pub argv: Vec<OsString>,
    /// The working directory, canonical.
    pub directory: PathBuf,
    /// Which folder that is.
    pub directory_identity: FolderIdentity,
    /// The child's whole environment. May hold secrets.
    pub environment: Vec<(OsString, OsString)>,
    /// Given on standard input. May hold a secret.
    pub stdin: Option<Vec<u8>>,
    /// What is at each `write` path, in manifest order.
    pub destinations: Vec<Destination>,
    /// The session.
    pub session: String,
    /// The runtime's epoch.
    pub epoch: u64,
}

impl Plan {
    /// What differs from a later plan, in words for the agent; none if they are equal.
    pub fn difference(&self, later: &Plan) -> Option<&'static str> {
        let parts = [
            (self.tool != later.tool || self.action != later.action, "the tool"),
            (self.program != later.program || self.program_identity != later.program_identity, "the program's file"),
            (
                self.directory != later.directory || self.directory_identity != later.directory_identity,
                "the working directory",
            ),
            (self.destinations != later.destinations, "what is at the destination"),
            (self.argv != later.argv, "the argv"),
            (self.environment != later.environment, "the environment"),
            (self.stdin != later.stdin, "the standard input"),
            (self.session != later.session || self.epoch != later.epoch, "the session"),
        ];
        let found = parts.into_iter().find_map(|(differs, name)| differs.then_some(name));
        // A field that is added and forgotten above still counts.
        found.or_else(|| (self != later).then_some("the plan"))
    }
}

impl fmt::Debug for Plan {
    /// Tool and action only: environment and standard input may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").field("tool", &self.tool).field("action", &self.action).finish_non_exhaustive()
    }
}
