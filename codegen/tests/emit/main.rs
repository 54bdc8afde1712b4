//! What the back ends emit for a table built by hand.

mod hostile_text;
mod sample;
mod schema_properties;
mod schemas;
mod snapshots;
