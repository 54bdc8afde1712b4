//! What compiled tools stand on. See ARCHITECTURE.md for the way of a call.

pub mod abort;
pub mod artifact;
pub mod call;
pub mod clock;
pub mod config;
pub mod consent;
pub mod host;
pub mod lock;
pub mod merge;
pub mod orphan;
pub mod outcome;
pub mod output;
pub mod paths;
pub mod plan;
pub mod process;
pub mod program;
mod random;
pub mod session;
pub mod stages;
pub mod typed;

pub use serde_json;
pub use verbgate_table as table;
pub use verbgate_table::Code;
