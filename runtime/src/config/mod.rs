//! Configuration that a host has read, and how settings get their value from it (LANGUAGE section 1, contracts C4.2
//! and C4.5).

mod environment;

use serde_json::Value as Json;

use crate::outcome::Failure;
use crate::table::{Bytes, Catalogue, FileSpec, Millis, Setting};

pub use environment::Environment;

/// What a host has read. The project's part may only narrow (C4.5).
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// The user's own; an object, or null.
    pub user: Json,
    /// The project's; an object, or null.
    pub project: Json,
    /// The user's file is there but can't be read: the tools count as off, for this reason.
    pub broken: Option<String>,
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The manifest.
    Default,
    /// This key of the user's configuration.
    User(String),
    /// This key of the project's configuration, which narrowed.
    Project(String),
    /// This variable of the host's environment.
    Variable(String),
}

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved<T> {
    /// The value in force.
    pub value: T,
    /// Where it came from.
    pub source: Source,
}

/// A value from outside that can't be used. Names key or variable and what it takes, never the value itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Where the value stands.
    pub source: Source,
    /// What is wrong, without naming the place: `is no truth value`.
    pub what: String,
    /// What it takes: `true or false`.
    pub takes: String,
}

/// What a project may do to a truth value (C4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// Set it to false: `enabled`, `spill`, `unless`.
    ToFalse,
    /// Set it to true: `redact`, the `enabled` of a `sanitise` stage.
    ToTrue,
}

/// All that settings are read from, for one call.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The environment as the session fixed it.
    pub environment: &'a Environment,
    /// What the host has read.
    pub configuration: &'a Configuration,
}

/// The settings of one file, all read before anything is done.
#[derive(Clone, Debug)]
pub struct FileSettings {
    /// Name or absolute path of the program.
    pub executable: Resolved<String>,
    /// Budget of verbs without their own.
    pub timeout: Millis,
    /// Beside [`crate::table::ProgramSpec::refuse_files`]: the user allows this name.
    pub files_allowed: Vec<bool>,
    /// Beside the rows of [`FileSpec::groups`]: the user allows what this row refuses, so it is left out.
    pub rows_allowed: Vec<Vec<bool>>,
    /// Limits of what is delivered.
    pub output: OutputSettings,
}

/// [`crate::table::OutputSpec`], read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputSettings {
    /// Most bytes of delivered text.
    pub budget: Bytes,
    /// Most bytes of the error output's end; at most half of `budget`.
    pub error_tail: Bytes,
    /// Whether secrets are masked.
    pub redact: bool,
    /// Whether what does not fit is kept in a private file.
    pub spill: bool,
}

/// Whether a tool is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolState {
    /// Index into [`Catalogue::files`].
    pub file: usize,
    /// Index into [`FileSpec::tools`].
    pub tool: usize,
    /// The tool's name.
    pub name: String,
    /// Why it is off, in words for a person; none: it is on.
    pub off: Option<String>,
}

/// How an `observe` stage is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It does not run.
    Off,
    /// It runs.
    Observe,
}

impl<'a> Settings<'a> {
    /// A truth value.
    ///
    /// # Errors
    /// The value from outside is none.
    pub fn flag(&self, setting: &Setting<bool>, narrow: Narrow) -> Result<Resolved<bool>, Unreadable> {
        let _ = (setting, narrow);
        todo!()
    }

    /// Whether an `observe` stage runs: a truth value, or the words `off` and `observe`.
    ///
    /// # Errors
    /// The value from outside is none of these; for `enforce` with the record's reason (002).
    pub fn mode(&self, setting: &Setting<bool>) -> Result<Resolved<Mode>, Unreadable> {
        let _ = setting;
        todo!()
    }

    /// The state of every tool of the catalogue, in manifest order.
    pub fn tools(&self, catalogue: &'a Catalogue) -> Vec<ToolState> {
        let _ = catalogue;
        todo!()
    }

    /// Every setting of a file.
    ///
    /// # Errors
    /// `UNAVAILABLE`, naming the key or variable that can't be read.
    pub fn file(&self, catalogue: &Catalogue, file: &FileSpec) -> Result<FileSettings, Failure> {
        let _ = (catalogue, file);
        todo!()
    }

    /// What a person should hear of once: keys of the project that only the user's own file may set, values of the
    /// project that do not narrow, keys of the user's file that nothing reads, stages that count as off. `also`: keys
    /// that the host itself reads, with all below them.
    pub fn notes(&self, catalogue: &Catalogue, also: &[&str]) -> Vec<String> {
        let _ = (catalogue, also);
        todo!()
    }
}
