//! Configuration that a host has read, and how settings get their value from it.

use serde_json::Value as Json;

/// What a host has read. The project's part may only narrow (C4.5).
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// The user's own; an object, or null.
    pub user: Json,
    /// The project's; an object, or null.
    pub project: Json,
    /// The user's file is there but can't be read: the tools count as off, for this reason.
    pub broken: Option<String>,
}
