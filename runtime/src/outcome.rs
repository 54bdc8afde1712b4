//! What a call gives.

use serde_json::{Map, Value as Json};

use crate::Code;

/// The outcome of one call: `ok` or a code, the text for the agent, and data beside it.
#[derive(Clone, Debug, PartialEq)]
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
