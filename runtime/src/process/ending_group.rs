//! How a program is ended where processes can't be looked at (not Linux): its process group, as far as it goes.
//!
//! What changed its group or left the session is not found, and nothing is reported as escaped.

use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

/// Between TERM and KILL.
pub(super) const GRACE: Duration = Duration::from_millis(500);
/// Between two looks.
const TICK: Duration = Duration::from_millis(20);

/// An ending under way; see the one for Linux.
#[derive(Debug)]
pub(super) struct Ending {
    leader: i32,
    grace: Option<Instant>,
    killed: bool,
    pub(super) names: Vec<String>,
}

/// Where an ending stands.
#[derive(Debug)]
pub(super) enum Progress {
    /// No member is left.
    Gone,
    /// Look again then.
    Wait(Instant),
    /// These can't be ended.
    #[allow(dead_code, reason = "never known here")]
    GivenUp(Vec<String>),
}

impl Ending {
    /// Of a session, whose leader must not be reaped before the end: its number is the group's.
    pub(super) const fn of_session(leader: i32) -> Self {
        Self { leader, grace: None, killed: false, names: Vec::new() }
    }

    /// Does what is due.
    pub(super) fn step(&mut self, now: Instant) -> Progress {
        let send = |signal| Pid::from_raw(self.leader).map_or(Err(Errno::SRCH), |it| kill_process_group(it, signal));
        match self.grace {
            _ if self.killed => return Progress::Gone,
            None => {
                self.grace = Some(now + GRACE);
                // A group of which only the unreaped leader is left takes no signal.
                if send(Signal::TERM).is_err() {
                    return Progress::Gone;
                }
                let _ = send(Signal::CONT);
            }
            Some(until) if now >= until => {
                let _ = send(Signal::KILL);
                self.killed = true;
            }
            Some(_) => {}
        }
        Progress::Wait(now + TICK)
    }
}
