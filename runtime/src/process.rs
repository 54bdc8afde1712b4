//! Starts programs and ends them (contract C1). The only place that does.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::table::Stream;
use crate::table::capture::{Captured, Exit};

/// What is run.
pub struct Job<'a> {
    /// Absolute path of the program's file.
    pub file: &'a Path,
    /// The argv, its first element included.
    pub argv: Vec<OsString>,
    /// The whole environment of the child.
    pub env: Vec<(OsString, OsString)>,
    /// The child's working directory, absolute.
    pub cwd: &'a Path,
    /// Given on standard input, then ended; none: the null device. May hold a secret.
    pub stdin: Option<Vec<u8>>,
    /// From spawn to the end (C1.5).
    pub budget: Duration,
}

/// What came of it.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// From spawn to the end.
    pub duration: Duration,
    /// Names of processes that left the session and were ended (Linux).
    pub escaped: Vec<String>,
}

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Exited(Exit),
    /// Ended by the runner: the budget ran out.
    TimedOut,
    /// Ended by the runner: the host aborted.
    Cancelled,
    /// Never started.
    NotStarted(SpawnFault),
    /// The guardian died; what it had started was ended.
    RunnerLost(String),
}

/// Why a program could not be started; each has words of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpawnFault {
    /// The file is gone.
    NotFound,
    /// Not executable, or a folder.
    NotExecutable,
    /// No `#!` and no binary (C1.2: never a shell).
    NotAProgram,
    /// The interpreter that `#!` names is missing.
    BrokenInterpreter(String),
    /// The working directory is gone.
    NoWorkingDirectory,
    /// The argument list is too long for the system.
    TooLong,
    /// No more processes.
    NoMoreProcesses,
    /// No more descriptors.
    NoMoreDescriptors,
    /// The guardian can't be started.
    NoGuardian(String),
    /// Anything else, as the system's error number.
    Other(i32),
}

/// Sees what is captured while it comes: for progress and spill.
pub trait Sink {
    /// The next bytes of a stream, in order.
    fn chunk(&mut self, stream: Stream, bytes: &[u8]);
}
