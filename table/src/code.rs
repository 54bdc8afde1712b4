//! The codes of an outcome (contract C5.1).

use std::fmt;
use std::str::FromStr;

/// Why a call did not succeed. Written `UPPER_SNAKE`, read in any case (C5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// Something that the call names does not exist.
    NotFound,
    /// A path outside the roots, a refused file, or a refusal by the program or the system.
    NotAllowed,
    /// Another process holds what the call needs. Never retried (C1.8).
    Busy,
    /// The time budget ran out and the runtime ended the program.
    Timeout,
    /// The program ran and failed, and no row says why more closely.
    CommandFailed,
    /// The program could not be started, or can't work as it is installed or configured.
    Unavailable,
    /// These arguments can't work: found before running, or said by the program; nothing was changed.
    InvalidArgument,
    /// Aborted by the host. Made by the runtime only.
    Cancelled,
    /// No consent. Made by the runtime only.
    Declined,
    /// It ran, but where it came from no longer stands. Made by the runtime only.
    Orphaned,
}

impl Code {
    /// All codes, in the order of contract C5.1.
    pub const ALL: [Code; 10] = [
        Code::NotFound,
        Code::NotAllowed,
        Code::Busy,
        Code::Timeout,
        Code::CommandFailed,
        Code::Unavailable,
        Code::InvalidArgument,
        Code::Cancelled,
        Code::Declined,
        Code::Orphaned,
    ];

    /// The canonical form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::NotFound => "NOT_FOUND",
            Code::NotAllowed => "NOT_ALLOWED",
            Code::Busy => "BUSY",
            Code::Timeout => "TIMEOUT",
            Code::CommandFailed => "COMMAND_FAILED",
            Code::Unavailable => "UNAVAILABLE",
            Code::InvalidArgument => "INVALID_ARGUMENT",
            Code::Cancelled => "CANCELLED",
            Code::Declined => "DECLINED",
            Code::Orphaned => "ORPHANED",
        }
    }

    /// Whether a manifest's row may give this code; the others are made by the runtime alone.
    pub const fn may_stand_in_a_row(self) -> bool {
        !matches!(self, Code::Cancelled | Code::Declined | Code::Orphaned)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is no code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCode;

impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        Code::ALL.into_iter().find(|code| code.as_str().eq_ignore_ascii_case(text)).ok_or(UnknownCode)
    }
}
