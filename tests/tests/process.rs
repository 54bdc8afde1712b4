//! The runner (contract C1) against programs that misbehave, seen in the real process table.
//!
//! `process::run` takes a permit that only the consent layer makes, and it stays that way: these tests compile the
//! runner's own source with a consent layer of their own.

#[path = "../../runtime/src/abort.rs"]
pub mod abort;
#[path = "../../runtime/src/merge.rs"]
pub mod merge;
#[path = "../../runtime/src/process/mod.rs"]
#[allow(dead_code, reason = "parts of it are used by the runtime only")]
pub mod process;

pub use verbgate_table as table;

/// A consent layer that says yes to everything.
pub mod consent {
    use crate::table::Class;

    /// See the runtime's.
    #[derive(Debug)]
    pub struct Permit;

    impl Permit {
        /// See the runtime's.
        pub fn spend(self) {}
    }

    /// See the runtime's.
    pub fn without_asking(_: Class) -> Option<Permit> {
        Some(Permit)
    }
}

#[path = "process_parts/support.rs"]
mod support;

#[path = "process_parts/capture.rs"]
mod capture;
#[path = "process_parts/child.rs"]
mod child;
#[path = "process_parts/ending.rs"]
mod ending;
#[path = "process_parts/escape.rs"]
mod escape;
#[path = "process_parts/faults.rs"]
mod faults;
#[path = "process_parts/host_death.rs"]
mod host_death;
#[path = "process_parts/merging.rs"]
mod merging;
#[path = "process_parts/queue.rs"]
mod queue;
#[path = "process_parts/stress.rs"]
mod stress;
