//! A program as a child of this process: without a guardian.
//!
//! Ends the program's whole session, also what changed its group. What left the session is not found, nothing is ended
//! when this process is killed, and the exit status is lost where this process has its children reaped (`SIGCHLD`
//! ignored).

use std::time::{Duration, Instant};

use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus, waitid};

use crate::table::capture::Exit;

use super::drive::{Ended, How};
use super::ending::{Ending, Progress};

/// Between two looks at a program where the system has no descriptor for it.
const TICK: Duration = Duration::from_millis(10);

/// A child, alive or not yet reaped.
#[derive(Debug)]
pub(super) struct Child {
    pid: Pid,
    started: Instant,
    pidfd: Option<std::os::fd::OwnedFd>,
    exit: Option<Leader>,
    asked: bool,
    ending: Ending,
    wake: Option<Instant>,
    reaped: bool,
}

/// How the leader ended.
#[derive(Clone, Copy, Debug)]
struct Leader {
    exit: Result<Exit, Errno>,
    by_itself: bool,
    elapsed: Duration,
}

impl Child {
    pub(super) fn new(pid: Pid, started: Instant) -> Self {
        #[cfg(target_os = "linux")]
        let pidfd = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok();
        #[cfg(not(target_os = "linux"))]
        let pidfd = None;
        let number = pid.as_raw_nonzero().get();
        Self {
            pid,
            started,
            pidfd,
            exit: None,
            asked: false,
            ending: Ending::of_session(number),
            wake: None,
            reaped: false,
        }
    }

    /// Becomes readable when the program ends, as far as there is such a thing.
    pub(super) fn fd(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        use std::os::fd::AsFd;
        // Once the leader has ended it stays readable: waiting for it would be no wait.
        if self.exit.is_some() { None } else { self.pidfd.as_ref().map(AsFd::as_fd) }
    }

    /// When [`Child::step`] has something to do, whatever happens.
    pub(super) fn wake(&self) -> Option<Instant> {
        self.wake
    }

    /// Asks that the program be ended.
    pub(super) fn end(&mut self) {
        self.asked = true;
        self.wake = Some(Instant::now());
    }

    /// Goes on; gives the end once nothing of the session is left, or what is left can't be ended.
    pub(super) fn step(&mut self, now: Instant) -> Option<Ended> {
        if self.exit.is_none() {
            self.look();
        }
        if self.exit.is_none() && !self.asked {
            self.wake = if self.pidfd.is_none() { Some(now + TICK) } else { None };
            return None;
        }
        let left = match self.ending.step(now) {
            Progress::Wait(until) => {
                self.wake = Some(until);
                return None;
            }
            // The leader itself may just have ended, unseen.
            Progress::Gone if self.exit.is_none() => {
                self.look();
                if self.exit.is_none() {
                    self.wake = Some(now + TICK);
                    return None;
                }
                Vec::new()
            }
            Progress::Gone => Vec::new(),
            Progress::GivenUp(left) => left,
        };
        self.reap();
        let leader = self.exit.unwrap_or(Leader {
            exit: Err(Errno::TIMEDOUT),
            by_itself: false,
            elapsed: now.saturating_duration_since(self.started),
        });
        Some(Ended {
            how: match leader.exit {
                Ok(exit) => How::Exit(exit),
                Err(Errno::CHILD) => {
                    How::Lost("this process has its children reaped, so the exit status is lost".to_owned())
                }
                Err(errno) => How::Lost(format!("the program could not be waited for: {errno}")),
            },
            by_itself: leader.by_itself,
            elapsed: leader.elapsed,
            escaped: std::mem::take(&mut self.ending.names),
            left,
        })
    }

    /// Looks whether the leader has ended, without reaping it: while it is not reaped its number stays its own, as
    /// process and as session.
    fn look(&mut self) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let exit = match retry_on_intr(|| waitid(WaitId::Pid(self.pid), options)) {
            Ok(None) => return,
            Ok(Some(status)) => Ok(exit_of(&status)),
            Err(errno) => {
                self.reaped = true;
                Err(errno)
            }
        };
        self.exit = Some(Leader { exit, by_itself: !self.asked, elapsed: self.started.elapsed() });
    }

    pub(super) fn started(&self) -> Instant {
        self.started
    }

    fn reap(&mut self) {
        if !self.reaped {
            self.reaped = true;
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            let _ = retry_on_intr(|| waitid(WaitId::Pid(self.pid), options));
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Only after a panic of the caller's: what runs is ended all the same.
        let until = Instant::now() + Duration::from_secs(1);
        while !self.reaped && Instant::now() < until {
            self.asked = true;
            if self.step(Instant::now()).is_none() {
                std::thread::sleep(TICK);
            }
        }
    }
}

/// An exit status, or the signal.
fn exit_of(status: &WaitIdStatus) -> Exit {
    // Both are eight bits in what the system reports.
    match status.exit_status() {
        Some(code) => Exit::Status(u8::try_from(code & 0xff).unwrap_or(u8::MAX)),
        None => Exit::Signal(status.terminating_signal().and_then(|it| u8::try_from(it).ok()).unwrap_or(u8::MAX)),
    }
}
