//! How the runtime words what it ended, or could not start.

use std::time::Duration;

use crate::Code;
use crate::outcome::Failure;
use crate::process::{End, SpawnFault};
use crate::table::ProgramSpec;
use crate::table::capture::Exit;

/// The host aborted before anything was started.
pub(crate) fn cancelled_before_start() -> Failure {
    Failure::new(Code::Cancelled, "cancelled before anything was started", "call again if it is still wanted")
}

/// Where the call came from stopped standing before anything was started. What the agent gets says ORPHANED.
pub(crate) fn origin_gone() -> Failure {
    Failure::new(Code::Cancelled, "the origin of the call went away before anything was started", "call again")
}

/// A run that did not end by itself.
pub(crate) fn ended(end: &End, program: &ProgramSpec, after: Duration) -> Failure {
    let name = &program.executable.default;
    match end {
        End::TimedOut => Failure::new(
            Code::Timeout,
            format!("`{name}` was ended after {}, its time budget", seconds(after)),
            "something may have been changed all the same; look before trying again",
        ),
        End::Cancelled => Failure::new(
            Code::Cancelled,
            format!("cancelled; `{name}` was ended"),
            "something may have been changed all the same; look before trying again",
        ),
        End::NotStarted(fault) => not_started(fault, program),
        End::RunnerLost(what) => Failure::new(
            Code::Unavailable,
            format!("the process that runs `{name}` was lost: {what}"),
            "start a new session; something may have been changed, so look before trying again",
        ),
        End::Exited(exit) => unexplained(*exit, program),
    }
}

/// A run that no row explains.
pub(crate) fn unexplained(exit: Exit, program: &ProgramSpec) -> Failure {
    let message = match exit {
        Exit::Status(0) => String::from("ended with exit status 0, but without the sign of success"),
        Exit::Status(status) => format!("ended with exit status {status}, which no row explains"),
        Exit::Signal(signal) => format!("was ended by signal {signal} from outside, which no row explains"),
    };
    let name = &program.executable.default;
    let hint = match &program.version {
        Some(version) => format!("read the output; the table is for `{name}` {}", version.supported),
        None => format!("read the output of `{name}`"),
    };
    Failure::new(Code::CommandFailed, message, hint)
}

fn not_started(fault: &SpawnFault, program: &ProgramSpec) -> Failure {
    let name = &program.executable.default;
    let install = program.install.as_ref();
    let (message, hint) = match fault {
        SpawnFault::NotFound => (format!("`{name}` is not there any more"), install.to_owned()),
        SpawnFault::NotExecutable => (format!("the file of `{name}` is not executable"), install.to_owned()),
        SpawnFault::NotAProgram => {
            (format!("the file of `{name}` is no program: neither a binary nor a script with `#!`"), install.to_owned())
        }
        SpawnFault::BrokenInterpreter(interpreter) => {
            (format!("the interpreter of `{name}`, `{interpreter}`, is missing or can't be run"), install.to_owned())
        }
        SpawnFault::NoWorkingDirectory => (
            String::from("the working directory is gone or can't be entered"),
            String::from("start the session in a folder that exists"),
        ),
        SpawnFault::TooLong => (
            String::from("the argument list or the environment is too long for the system"),
            String::from("give shorter arguments"),
        ),
        SpawnFault::NoMoreProcesses => (
            String::from("the system has no room for another process"),
            String::from("end other programs, then try again"),
        ),
        SpawnFault::NoMoreDescriptors => (
            String::from("the system has no descriptors left"),
            String::from("close files or end other programs, then try again"),
        ),
        SpawnFault::NoGuardian(why) => (
            format!("the process that would run `{name}` can't be started: {why}"),
            String::from("install this tool again; nothing was run"),
        ),
        SpawnFault::Other(errno) => {
            (format!("`{name}` could not be started (system error {errno})"), String::from("look at the system's log"))
        }
    };
    Failure::new(Code::Unavailable, message, hint)
}

/// A duration in words: `10 min`, `15 s`, `250 ms`.
fn seconds(duration: Duration) -> String {
    let ms = duration.as_millis();
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..120_000 => format!("{} s", ms / 1_000),
        _ => format!("{} min", ms / 60_000),
    }
}
