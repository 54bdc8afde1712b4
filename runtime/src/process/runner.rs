//! The runner: what runs at once, how much is kept, and who starts the programs.

use std::fmt;

use crate::abort::Abort;

use super::queue::{Aborted, Place, Queue};

/// What a runner is made with.
#[derive(Clone, Debug)]
pub struct RunnerOptions {
    /// Programs that run at once, 1 to 256. Further ones wait, first come, first served.
    pub at_once: usize,
    /// Bytes of head that are kept of each stream, and as many of tail: 64 KiB (C5.4) to 16 MiB.
    pub keep: usize,
}

impl Default for RunnerOptions {
    fn default() -> Self {
        Self { at_once: 16, keep: 64 * 1024 }
    }
}

/// A limit that is zero or absurd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitFault(pub(super) String);

impl fmt::Display for LimitFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LimitFault {}

/// Starts the programs of one session.
#[derive(Debug)]
pub struct Runner {
    options: RunnerOptions,
    queue: Queue,
}

impl Runner {
    /// A runner. Nothing is started yet.
    ///
    /// # Errors
    /// A limit is zero or absurd.
    pub fn new(options: RunnerOptions) -> Result<Self, LimitFault> {
        if !(1..=256).contains(&options.at_once) {
            return Err(LimitFault(format!("{} programs at once is outside 1 to 256", options.at_once)));
        }
        let (min, max) = (64 * 1024, 16 * 1024 * 1024);
        if !(min..=max).contains(&options.keep) {
            return Err(LimitFault(format!("keeping {} bytes of a stream is outside {min} to {max}", options.keep)));
        }
        Ok(Self { queue: Queue::new(options.at_once), options })
    }

    pub(super) fn place(&self, abort: &Abort) -> Result<Place<'_>, Aborted> {
        self.queue.enter(abort)
    }

    pub(super) fn keep(&self) -> usize {
        self.options.keep
    }
}
