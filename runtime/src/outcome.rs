//! What a call gives.

use serde_json::{Map, Value as Json};

use crate::Code;

/// The outcome of one call: `ok` or a code, the text for the agent, and data beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// None: it succeeded.
    pub code: Option<Code>,
    /// One line: what happened (`ok` of a success). Clean and redacted.
    pub message: String,
    /// One line: what to do; empty of a success.
    pub hint: String,
    /// The row that fits, as `group[index]`.
    pub row: Option<String>,
    /// The fields of a success; a precondition's under `before`.
    pub fields: Map<String, Json>,
    /// Everything that the agent needs, within the budget, redacted and marked.
    pub text: String,
    /// Bounded and redacted like `text`: hosts store them in the clear.
    pub details: Map<String, Json>,
}

impl Outcome {
    /// Whether the call succeeded.
    pub fn is_ok(&self) -> bool {
        self.code.is_none()
    }
}

/// Why a call ends before, or without, a classified run: a value, made where it is found, worded for the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The code.
    pub code: Code,
    /// One line: what happened. Never a secret's value. May hold text that an agent or a file system chose: the exit
    /// function cleans it like everything else (C3.3).
    pub message: String,
    /// One line: what to do.
    pub hint: String,
}

impl Failure {
    /// A failure with its words.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into() }
    }
}
