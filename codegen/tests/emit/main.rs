//! What the back ends emit for a table built by hand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)] // helpers of tests

mod hostile_text;
mod sample;
mod schema_properties;
mod schemas;
mod snapshots;
