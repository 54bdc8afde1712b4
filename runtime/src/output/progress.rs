//! Lines of a program's output while it runs, for a host that wants them.

use std::time::Duration;

use super::{Cleaner, pipeline};
use crate::clock::Clock;
use crate::host::Host;
use crate::table::Stream;

/// Ten lines a second at most.
const PAUSE: Duration = Duration::from_millis(100);
/// Bytes before a line that are cleaned with it: what is masked may begin far above, as a key does.
const CONTEXT: usize = 32 * 1024;

/// Hands cleaned lines to the host as they come, ten a second at most; what comes faster is passed over.
pub struct Progress<'a> {
    cleaner: &'a Cleaner,
    clock: &'a Clock,
    host: &'a dyn Host,
    stdout: Recent,
    stderr: Recent,
    last: Option<Duration>,
}

/// The end of a stream, as far as it has come.
#[derive(Default)]
struct Recent {
    bytes: Vec<u8>,
    /// Something before it was dropped.
    cut: bool,
    /// A line has ended since one was last shown.
    fresh: bool,
    /// Could not be cleaned: nothing more is shown.
    broken: bool,
}

impl Recent {
    fn push(&mut self, bytes: &[u8]) {
        self.fresh |= bytes.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
        self.bytes.extend_from_slice(bytes.get(bytes.len().saturating_sub(CONTEXT)..).unwrap_or_default());
        // Not at each push: moving so much for every few bytes would be slow.
        if self.bytes.len() > 2 * CONTEXT {
            self.bytes.drain(..self.bytes.len() - CONTEXT);
            self.cut = true;
        }
        self.cut |= bytes.len() > CONTEXT;
    }
}

impl<'a> Progress<'a> {
    /// For one run.
    pub fn new(cleaner: &'a Cleaner, clock: &'a Clock, host: &'a dyn Host) -> Self {
        Self { cleaner, clock, host, stdout: Recent::default(), stderr: Recent::default(), last: None }
    }

    /// The next bytes of a stream. Shows the last line that has ended; a part of a secret at its end, whose rest is still
    /// to come, is masked.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let recent = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        if recent.broken {
            return;
        }
        recent.push(bytes);
        let now = self.clock.now();
        if !recent.fresh || self.last.is_some_and(|last| now.saturating_sub(last) < PAUSE) {
            return;
        }
        recent.fresh = false;
        let Some(text) = pipeline::so_far(self.cleaner, &recent.bytes, recent.cut) else {
            *recent = Recent { broken: true, ..Recent::default() };
            return;
        };
        if let Some(line) = text.lines().map(str::trim).rfind(|line| !line.is_empty()) {
            self.last = Some(now);
            self.host.progress(line);
        }
    }
}
