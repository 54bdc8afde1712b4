//! What the workspace-wide tests share: places to run in, hosts that follow a script, and eyes for what happened.

#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test that can't go on says why
#![allow(clippy::print_stderr)] // what did not run is said

pub mod captured;
pub mod evidence;
pub mod host;
pub mod place;
pub mod program;

pub use host::Recorder;
pub use place::Place;
