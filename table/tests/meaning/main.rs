//! The pure functions of the table, driven by small tables and by properties.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
// Test inputs read better as `json!({..})` than as `&json!({..})`.
#![allow(clippy::needless_pass_by_value)]

mod args;
mod argv;
mod classify;
mod fields;
mod json;
mod spec;
mod template;
