//! Time, as the session owns it: tests give their own and need no sleeping.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A clock that never goes back. Clones read the same time.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl Clock {
    /// The machine's own, since some fixed moment. On Linux it also counts while the machine sleeps, so that a yes
    /// from before the lid was closed is old afterwards (C2.7).
    pub fn monotonic() -> Self {
        Self::new(|| {
            #[cfg(target_os = "linux")]
            let id = rustix::time::ClockId::Boottime;
            #[cfg(not(target_os = "linux"))]
            let id = rustix::time::ClockId::Monotonic;
            let now = rustix::time::clock_gettime(id);
            Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
        })
    }

    /// A clock of one's own.
    pub fn new(now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Time since the clock's fixed moment.
    pub fn now(&self) -> Duration {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::monotonic()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_clock_does_not_go_back() {
        let clock = Clock::monotonic();
        let first = clock.now();
        assert!(clock.now() >= first);
    }
}
