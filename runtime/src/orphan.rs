//! Results whose origin no longer stands (002, *Origin binding and reload*): kept in the spill of the session that made
//! the call while it lives, then dropped and counted. Never delivered.

use crate::host::Identity;
use crate::output::Spilled;

/// A result that was not delivered, since where its call came from no longer stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orphan {
    /// Where the call came from, as it was bound before its first wait.
    pub origin: Identity,
    /// How it ended: `OK` or a code.
    pub ended: &'static str,
    /// Its cleaned bytes, in the session's private folder.
    pub output: Spilled,
}

/// What of orphaned results is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// How many results.
    pub results: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What a session is to keep, if it may.
#[derive(Clone, Copy)]
pub(crate) struct Orphaned<'a> {
    pub(crate) origin: &'a Identity,
    pub(crate) ended: &'static str,
    pub(crate) text: &'a str,
    /// The file that holds the whole output, if the text does not.
    pub(crate) whole: Option<&'a Spilled>,
    /// Whether a program ran, and the settings let its bytes be kept.
    pub(crate) may_keep: bool,
}

/// A session's orphans.
#[derive(Debug, Default)]
pub(crate) struct Orphans {
    pub(crate) kept: Vec<Orphan>,
    pub(crate) dropped: Dropped,
    pub(crate) has_ended: bool,
}

impl Orphans {
    pub(crate) fn drop_one(&mut self, bytes: u64) {
        self.dropped.results = self.dropped.results.saturating_add(1);
        self.dropped.bytes = self.dropped.bytes.saturating_add(bytes);
    }
}
