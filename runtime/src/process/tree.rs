//! Which processes there are, and signals that can't reach the wrong one (Linux).
//!
//! A number is not a process: it is used again once its process was reaped. So a process is signalled through a pidfd
//! only, and only after the number was seen to belong to the family *while the pidfd was held*. If the number changed
//! hands in between, the pidfd is of a process that is gone, and the signal goes nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// One living process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: i32,
    pub(super) parent: i32,
    pub(super) session: i32,
    /// When it started, in ticks: with the number, its identity.
    pub(super) start: u64,
    /// As the system names it.
    pub(super) name: String,
}

/// Whose processes are meant.
#[derive(Clone, Copy, Debug)]
pub(super) enum Family<'a> {
    /// The session of this leader, which must not have been reaped.
    Session(i32),
    /// All that descend from this process, without it. Whole only if it is a subreaper.
    Descendants(i32),
    /// All that descends from this process, but not its workers and what descends from those.
    Strays {
        /// The guardian.
        of: i32,
        /// Its workers.
        workers: &'a BTreeSet<i32>,
    },
}

/// Whether processes can be looked at here.
pub(super) fn works() -> bool {
    i32::try_from(std::process::id()).is_ok_and(|me| look(me).is_some())
}

/// The living members (no zombies) of a family.
pub(super) fn members(family: Family<'_>) -> Vec<Process> {
    let all = all();
    let parent = |pid: i32| all.get(&pid).map(|it| it.0.parent);
    let belongs = |process: &Process| match family {
        Family::Session(leader) => process.session == leader,
        Family::Descendants(ancestor) => descends(process.pid, ancestor, &BTreeSet::new(), parent),
        Family::Strays { of, workers } => descends(process.pid, of, workers, parent),
    };
    all.values().filter(|it| it.1 && belongs(&it.0)).map(|it| it.0.clone()).collect()
}

/// Sends a signal to a process, if it is a member now.
pub(super) fn signal(pid: i32, family: Family<'_>, signal: Signal) -> Result<(), Errno> {
    let handle = pidfd_open(Pid::from_raw(pid).ok_or(Errno::SRCH)?, PidfdFlags::empty())?;
    if is_member(pid, family) { pidfd_send_signal(handle, signal) } else { Err(Errno::SRCH) }
}

fn is_member(pid: i32, family: Family<'_>) -> bool {
    let parent = |pid: i32| look(pid).map(|it| it.0.parent);
    match family {
        Family::Session(leader) => look(pid).is_some_and(|(now, _)| now.session == leader),
        Family::Descendants(ancestor) => descends(pid, ancestor, &BTreeSet::new(), parent),
        Family::Strays { of, workers } => descends(pid, of, workers, parent),
    }
}

/// Whether a process descends from another one, and not by way of one of these.
fn descends(pid: i32, ancestor: i32, without: &BTreeSet<i32>, parent: impl Fn(i32) -> Option<i32>) -> bool {
    let mut pid = pid;
    // Chains that are longer only come about by processes that change while they are looked at.
    for _ in 0..100_000 {
        if without.contains(&pid) {
            return false;
        }
        match parent(pid) {
            Some(next) if next == ancestor => return true,
            Some(next) if next > 0 => pid = next,
            _ => return false,
        }
    }
    false
}

/// Every process, and whether it lives (is no zombie).
fn all() -> BTreeMap<i32, (Process, bool)> {
    let Ok(entries) = fs::read_dir("/proc") else { return BTreeMap::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(|pid| Some((pid, look(pid)?)))
        .collect()
}

/// One process, and whether it lives.
fn look(pid: i32) -> Option<(Process, bool)> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    // `pid (name) state ppid pgrp session ...`; the name may hold blanks and brackets.
    let (front, rest) = text.rsplit_once(')')?;
    let (_, name) = front.split_once('(')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    // Field 22; `session` is field 6.
    let start = fields.nth(15)?.parse().ok()?;
    Some((Process { pid, parent, session, start, name: name.to_owned() }, !matches!(state, "Z" | "X" | "x")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a process to look at is no call")]
    fn a_process_is_found_with_its_parent_and_session() {
        // One that leads a session of its own: that of the tests themselves may lie outside their PID namespace, and
        // is 0 then.
        let mut child = std::process::Command::new("/usr/bin/setsid").args(["sleep", "600"]).spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let found = loop {
            match look(pid) {
                Some((process, true)) if process.name == "sleep" => break process,
                Some((_, true)) => std::thread::sleep(std::time::Duration::from_millis(5)),
                ended => {
                    panic!("`setsid sleep 600` ended at once: {ended:?}; install util-linux and coreutils")
                }
            }
        };
        let family = members(Family::Session(pid));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found.parent, i32::try_from(std::process::id()).unwrap());
        assert_eq!(found.session, pid);
        assert!(found.start > 0);
        assert!(family.contains(&found));
    }

    #[test]
    fn a_stray_descends_but_not_by_way_of_a_worker_and_a_chain_that_closes_on_itself_ends() {
        let parents = BTreeMap::from([(2, 1), (3, 2), (4, 3), (5, 2), (6, 7), (7, 6)]);
        let parent = |pid: i32| parents.get(&pid).copied();
        let (none, workers) = (BTreeSet::new(), BTreeSet::from([3]));
        let found = |without| (1..9).filter(|pid| descends(*pid, 2, without, parent)).collect::<Vec<_>>();
        assert_eq!((found(&none), found(&workers)), (vec![3, 4, 5], vec![5]));
    }
}
