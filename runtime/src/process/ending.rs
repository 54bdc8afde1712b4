//! How a program and all that it started is ended: TERM, half a second of grace, KILL (C1.4).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::tree::{self, Family, Process};

/// Between TERM and KILL.
pub(super) const GRACE: Duration = Duration::from_millis(500);
/// How long is waited for what got a KILL. Only what the system holds or another user owns lives longer.
pub(super) const KILL_WAIT: Duration = Duration::from_millis(250);
/// Between two looks at what is left, where nothing else wakes the caller.
const TICK: Duration = Duration::from_millis(20);
/// Names that are reported at most.
const NAMES: usize = 32;

/// An ending under way. Never waits: the caller polls, and calls [`Ending::step`] again when told.
#[derive(Debug)]
pub(super) struct Ending {
    family: Family<'static>,
    /// The program: the leader of its session.
    leader: i32,
    stage: Stage,
    termed: BTreeSet<(i32, u64)>,
    escaped: BTreeSet<(i32, u64)>,
    /// Names of what had left the session.
    pub(super) names: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Begin,
    Grace { until: Instant },
    Kill { until: Instant },
}

/// Where an ending stands.
#[derive(Debug)]
pub(super) enum Progress {
    /// No member is left.
    Gone,
    /// Look again then, or when a member is known to have ended.
    Wait(Instant),
    /// These can't be ended.
    GivenUp(Vec<String>),
}

impl Ending {
    /// Of a session, whose leader must not be reaped before the end.
    pub(super) const fn of_session(leader: i32) -> Self {
        Self::new(Family::Session(leader), leader)
    }

    /// Of all that descends from this process, a subreaper.
    pub(super) const fn of_descendants(of: i32, leader: i32) -> Self {
        Self::new(Family::Descendants(of), leader)
    }

    const fn new(family: Family<'static>, leader: i32) -> Self {
        Self {
            family,
            leader,
            stage: Stage::Begin,
            termed: BTreeSet::new(),
            escaped: BTreeSet::new(),
            names: Vec::new(),
        }
    }

    /// Does what is due.
    pub(super) fn step(&mut self, now: Instant) -> Progress {
        // A program can start another between the look and the signal, so one look is never enough: it is looked again
        // until nothing is left.
        let members = tree::members(self.family);
        self.note(&members);
        if members.is_empty() {
            return Progress::Gone;
        }
        if let Stage::Begin = self.stage {
            self.stage = Stage::Grace { until: now + GRACE };
        }
        if let Stage::Grace { until } = self.stage {
            if now < until {
                self.ask(&members);
                return Progress::Wait((now + TICK).min(until));
            }
            self.stage = Stage::Kill { until: now + KILL_WAIT };
        }
        for member in &members {
            let _ = tree::signal(member.pid, self.family, Signal::KILL);
        }
        match self.stage {
            Stage::Kill { until } if now >= until => {
                Progress::GivenUp(members.into_iter().map(|it| it.name).take(NAMES).collect())
            }
            _ => Progress::Wait(now + TICK),
        }
    }

    /// TERM, once to each. A stopped process only sees it when it goes on.
    fn ask(&mut self, members: &[Process]) {
        for member in members {
            if self.termed.insert((member.pid, member.start)) {
                let _ = tree::signal(member.pid, self.family, Signal::TERM);
                let _ = tree::signal(member.pid, self.family, Signal::CONT);
            }
        }
    }

    fn note(&mut self, members: &[Process]) {
        for member in members {
            let outside = member.session != self.leader && member.pid != self.leader;
            if outside && self.names.len() < NAMES && self.escaped.insert((member.pid, member.start)) {
                self.names.push(member.name.clone());
            }
        }
    }
}
