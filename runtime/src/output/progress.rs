//! Lines of a program's output while it runs, for a host that wants them.

use std::time::Duration;

use super::Cleaner;
use super::pipeline::Flow;
use crate::clock::Clock;
use crate::host::Host;
use crate::table::Stream;

/// Ten lines a second at most.
const PAUSE: Duration = Duration::from_millis(100);

/// Hands whole cleaned lines to the host as they come, ten a second at most; what comes faster is passed over.
pub struct Progress<'a> {
    clock: &'a Clock,
    host: &'a dyn Host,
    stdout: Option<Flow<'a>>,
    stderr: Option<Flow<'a>>,
    last: Option<Duration>,
}

impl<'a> Progress<'a> {
    /// For one run.
    pub fn new(cleaner: &'a Cleaner, clock: &'a Clock, host: &'a dyn Host) -> Self {
        Self { clock, host, stdout: Some(Flow::new(cleaner)), stderr: Some(Flow::new(cleaner)), last: None }
    }

    /// The next bytes of a stream. A line that a secret may still begin in is held back until it is known.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let flow = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let mut text = String::new();
        if !flow.as_mut().is_some_and(|flow| flow.push(bytes, &mut text)) {
            *flow = None;
            return;
        }
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let now = self.clock.now();
            if self.last.is_none_or(|last| now.saturating_sub(last) >= PAUSE) {
                self.last = Some(now);
                self.host.progress(line);
            }
        }
    }
}
