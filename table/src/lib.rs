//! The checked table as data, and the pure functions that give it meaning.
//!
//! The compiler lowers a manifest into [`Catalogue`] (this is its *Ir*: valid by construction, no `Option` that means
//! "default"); generated code holds the same value as a `static`; the runtime reads it. Whatever both the compiler and
//! the runtime must do alike (check arguments, render an argv, see a stream as lines, classify a run, take fields)
//! stands here once, so that an example that was checked when compiling is proof for the call.
//!
//! Invariants: no I/O, no clock, no environment, no global state. Nothing here starts anything.

pub mod args;
pub mod argv;
pub mod capture;
pub mod classify;
pub mod code;
pub mod fields;
mod grams;
pub mod json;
pub mod lines;
pub mod pattern;
pub mod secret;
pub mod sensitive;
pub mod show;
pub mod spec;
pub mod strip;
pub mod template;

pub use code::Code;
pub use spec::*;
