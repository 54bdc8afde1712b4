//! Which processes there are, and signals that can't reach the wrong one (Linux).
//!
//! A number is not a process: it is used again once its process was reaped. So a process is signalled through a pidfd
//! only, and only after the number was seen to belong to the family *while the pidfd was held*. If the number changed
//! hands in between, the pidfd is of a process that is gone, and the signal goes nowhere.

use std::collections::BTreeMap;
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
pub(super) enum Family {
    /// The session of this leader, which must not have been reaped.
    Session(i32),
    /// All that descend from this process, without it. Whole only if it is a subreaper.
    #[allow(dead_code, reason = "the guardian's")]
    Descendants(i32),
}

/// The living members (no zombies) of a family.
pub(super) fn members(family: Family) -> Vec<Process> {
    let all = all();
    let belongs = |process: &Process| match family {
        Family::Session(leader) => process.session == leader,
        Family::Descendants(ancestor) => descends(&all, process, ancestor),
    };
    all.values().filter(|it| it.1 && belongs(&it.0)).map(|it| it.0.clone()).collect()
}

/// Sends a signal to a process, if it is a member now.
pub(super) fn signal(pid: i32, family: Family, signal: Signal) -> Result<(), Errno> {
    let handle = pidfd_open(Pid::from_raw(pid).ok_or(Errno::SRCH)?, PidfdFlags::empty())?;
    if is_member(pid, family) { pidfd_send_signal(handle, signal) } else { Err(Errno::SRCH) }
}

fn is_member(pid: i32, family: Family) -> bool {
    match family {
        Family::Session(leader) => look(pid).is_some_and(|(now, _)| now.session == leader),
        Family::Descendants(ancestor) => {
            let mut pid = pid;
            // Deeper than this only by a chain that changes while it is walked.
            for _ in 0..4096 {
                match look(pid) {
                    Some((now, _)) if now.parent == ancestor => return true,
                    Some((now, _)) => pid = now.parent,
                    None => return false,
                }
            }
            false
        }
    }
}

fn descends(all: &BTreeMap<i32, (Process, bool)>, process: &Process, ancestor: i32) -> bool {
    let mut parent = process.parent;
    // The table is no snapshot, so a chain could close on itself: it is never longer than the table.
    for _ in 0..=all.len() {
        if parent == ancestor {
            return true;
        }
        match all.get(&parent) {
            Some((next, _)) => parent = next.parent,
            None => return false,
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
    fn this_process_is_found_with_its_parent_and_session() {
        let me = look(i32::try_from(std::process::id()).unwrap()).unwrap();
        assert!(me.1);
        assert_eq!(me.0.parent, rustix::process::getppid().unwrap().as_raw_nonzero().get());
        assert_eq!(me.0.session, rustix::process::getsid(None).unwrap().as_raw_nonzero().get());
        assert!(me.0.start > 0);
        assert!(members(Family::Session(me.0.session)).contains(&me.0));
    }

    #[test]
    fn a_chain_of_parents_that_closes_on_itself_ends() {
        let process = |pid, parent| Process { pid, parent, session: 1, start: 1, name: String::new() };
        let all = BTreeMap::from([(5, (process(5, 6), true)), (6, (process(6, 5), true))]);
        assert!(!descends(&all, &all[&5].0, 1));
    }
}
