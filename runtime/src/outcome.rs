//! What a call gives.

use serde_json::{Map, Value as Json};

use crate::Code;
use crate::stages::HostOwned;

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
    /// Not public: only [`call`](crate::session::Session::call) can make an outcome that is owned.
    pub(crate) owner: Owner,
}

/// Who made an outcome. It stays with the value that `call` gave: a copy has none, so that no host's own value comes to
/// claim one; and it is no part of what two outcomes are compared by.
#[derive(Debug, Default)]
pub(crate) struct Owner(pub(crate) Option<HostOwned>);

impl Clone for Owner {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl PartialEq for Owner {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Outcome {
    /// The knowledge that this runtime's own `call` made this outcome (002, *same-name replacement limitation*). None of
    /// what was only classified, of an orphaned call, and of a copy.
    pub fn owner(&self) -> Option<&HostOwned> {
        self.owner.0.as_ref()
    }

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
