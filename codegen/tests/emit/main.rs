//! What the back ends emit for a table built by hand.

mod sample;
mod snapshots;
