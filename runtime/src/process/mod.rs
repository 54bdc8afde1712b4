//! Starts programs and ends them (contract C1). The only place that does.
//!
//! [`run`] takes a [`Job`] to its end: it starts the program in a session of its own, reads both streams, feeds standard
//! input, ends the program when its time is up or the host aborts, and answers with a [`Run`]. No thread, descriptor or
//! program outlives it.

mod capture;
mod direct;
mod drive;
#[cfg_attr(not(target_os = "linux"), path = "ending_group.rs")]
mod ending;
mod fault;
#[cfg(target_os = "linux")]
mod guarded;
#[cfg(target_os = "linux")]
pub mod guardian;
mod pipes;
mod queue;
pub(crate) mod remove;
mod runner;
#[cfg(target_os = "linux")]
mod signals;
mod spawn;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod wire;
#[cfg(target_os = "linux")]
mod worker;

use std::ffi::OsString;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::Timespec;

use crate::abort::Abort;
use crate::consent::Permit;
use crate::table::Stream;
use crate::table::capture::{Captured, Exit};

pub(crate) use drive::{Advance, Running};
#[cfg(target_os = "linux")]
pub use guarded::Kept;
pub(crate) use pipes::{pair as pipe, wake as wake_pipe};
pub use runner::{LimitFault, Runner, RunnerOptions};

/// Nothing is kept clean where there is no guardian.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub enum Kept {}

/// What is run.
pub struct Job<'a> {
    /// Absolute path of the program's file. Nothing is searched for.
    pub file: &'a Path,
    /// The argv, its first element included; never empty.
    pub argv: Vec<OsString>,
    /// The whole environment of the child.
    pub env: Vec<(OsString, OsString)>,
    /// The child's working directory, absolute.
    pub cwd: &'a Path,
    /// Given on standard input, then ended; none: the null device. May hold a secret.
    pub stdin: Option<Vec<u8>>,
    /// From spawn to the end (C1.5).
    pub budget: Budget,
    /// A descriptor that stays open until all of the program is gone, even if the host dies before: the lock that the
    /// call holds (C1.13). The program does not get it.
    pub hold: Option<BorrowedFd<'a>>,
}

/// How long a program may run, from spawn to the end: 1 ms to 24 h.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget(Duration);

impl Budget {
    /// The shortest and the longest.
    pub const RANGE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_secs(24 * 60 * 60));

    /// A budget of this length.
    ///
    /// # Errors
    /// It is zero, or absurd.
    pub fn new(length: Duration) -> Result<Self, LimitFault> {
        let (min, max) = Self::RANGE;
        if (min..=max).contains(&length) {
            Ok(Self(length))
        } else {
            Err(LimitFault(format!("a time budget of {length:?} is outside {min:?} to {max:?}")))
        }
    }

    /// Its length.
    pub const fn length(self) -> Duration {
        self.0
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// From spawn until the program had ended; what it left running and the reading of its pipes don't count.
    pub duration: Duration,
    /// Names of processes that left the session and were ended (Linux, with a guardian). As the system names them:
    /// untrusted text, 16 bytes at most each, 32 names at most.
    pub escaped: Vec<String>,
    /// Names of processes that could not be ended: another user's, or stuck in the system. Bounded like `escaped`.
    pub left: Vec<String>,
}

impl Run {
    /// A run that never started.
    pub fn not_started(fault: SpawnFault) -> Self {
        Self::ended_early(End::NotStarted(fault), Duration::ZERO)
    }

    /// A run without output.
    pub(crate) fn ended_early(end: End, duration: Duration) -> Self {
        Self {
            end,
            stdout: Captured::default(),
            stderr: Captured::default(),
            duration,
            escaped: Vec::new(),
            left: Vec::new(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Exited(Exit),
    /// Ended by the runner: the budget ran out.
    TimedOut,
    /// Ended by the runner: the host aborted. Nothing was started if the host aborted before.
    Cancelled,
    /// Never started.
    NotStarted(SpawnFault),
    /// The guardian died; what it had started was ended. The text says what is known.
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
    /// The interpreter that `#!` names, or the loader that a binary names, is missing or can't be run.
    BrokenInterpreter(String),
    /// The working directory is gone, is no folder, or can't be entered.
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

/// Runs a job to its end.
///
/// Waits for a free place of the runner first; the budget starts at spawn (C1.5). The answer comes within 1 s of the
/// budget's end or of the abort, whatever the program does (C1.4).
pub fn run(job: &Job<'_>, permit: Permit, abort: &Abort, mut sink: Option<&mut dyn Sink>, runner: &Runner) -> Run {
    run_with(job, permit, abort, &mut sink, runner)
}

pub(crate) fn run_with(
    job: &Job<'_>,
    permit: Permit,
    abort: &Abort,
    sink: &mut Option<&mut dyn Sink>,
    runner: &Runner,
) -> Run {
    let mut running = match start(job, permit, abort, runner) {
        Ok(running) => running,
        Err(end) => return Run::ended_early(end, Duration::ZERO),
    };
    let until = running.started() + job.budget.length();
    let end = match running.advance(Some(abort), Some(until), sink) {
        Advance::Ended => None,
        Advance::Aborted => Some(End::Cancelled),
        Advance::TimeUp => Some(End::TimedOut),
    };
    running.finish(end, sink)
}

/// Starts a job: [`run`] in steps, so that one of several waiters can drive it.
///
/// # Errors
/// How it ended, if nothing was started.
pub(crate) fn start(job: &Job<'_>, permit: Permit, abort: &Abort, runner: &Runner) -> Result<Running, End> {
    // The permit is used up here: one yes, one start (C2.7).
    permit.spend();
    let place = runner.place(abort).map_err(|queue::Aborted| End::Cancelled)?;
    if abort.is_raised() {
        return Err(End::Cancelled);
    }
    Running::start(job, place, runner)
}

/// For `poll`, rounded up, so that a wait does not end just before what it waits for.
pub(crate) fn timespec(wait: Duration) -> Timespec {
    let wait = if wait.is_zero() { wait } else { wait + Duration::from_micros(1) };
    Timespec { tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX), tv_nsec: i64::from(wait.subsec_nanos()) }
}
