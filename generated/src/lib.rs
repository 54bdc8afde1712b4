//! The tools of `tools.yaml`, compiled: one static table, and one typed form of each tool.
//!
//! Nothing here is written by hand. What the tools are, for a person, stands in `TOOLS.md` beside this crate.

include!(concat!(env!("OUT_DIR"), "/tools.rs"));
