//! The one strict reader of JSON. (Landing in pieces.)

use serde_json::Value;

/// What a text may be at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes.
    pub bytes: usize,
    /// Arrays and objects inside each other.
    pub depth: usize,
}

/// For arguments and configuration.
pub const INPUT: Limits = Limits { bytes: 1 << 20, depth: 32 };

/// Why a text is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// One line: what is wrong.
    pub message: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
}

/// Reads one JSON document within [`INPUT`].
///
/// # Errors
/// See [`read_within`].
pub fn read(bytes: &[u8]) -> Result<Value, JsonError> {
    read_within(bytes, INPUT)
}

/// Reads one JSON document.
///
/// # Errors
/// It is no JSON, beyond the limits, holds a key twice or a lone surrogate, or a number that can't be held exactly.
pub fn read_within(bytes: &[u8], limits: Limits) -> Result<Value, JsonError> {
    let _ = (bytes, limits);
    todo!()
}
