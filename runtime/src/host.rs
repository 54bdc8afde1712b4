//! What a host gives to a call, and what it is asked.

use std::path::Path;
use std::sync::mpsc::Sender;
use std::time::Duration;

use crate::abort::Abort;
use crate::config::Configuration;
use crate::table::Class;

/// Whatever stands between the agent and the runtime: a CLI, Pi, an MCP server. One value per call.
pub trait Host: Sync {
    /// Shows a question to a person. The host answers through `reply`, now or later, from any thread; a reply that is
    /// dropped is a no (C2.3). The runtime stops waiting after [`Question::within`] or when the call is aborted; then
    /// [`Reply::is_open`] turns false and the dialog should be closed.
    fn ask(&self, question: &Question, reply: Reply);

    /// The session's folder for this call, absolute (C1.3).
    fn cwd(&self) -> &Path;

    /// Where this call comes from, as it stands now. Read before the first wait, and again at the end.
    fn identity(&self) -> Identity;

    /// Configuration, read by the host (C4.5).
    fn configuration(&self) -> &Configuration;

    /// Raised by the host to end the call.
    fn abort(&self) -> &Abort;

    /// A line of the program's output, cleaned and redacted; at most ten a second.
    fn progress(&self, line: &str) {
        let _ = line;
    }

    /// Whether [`Host::progress`] is wanted at all.
    fn wants_progress(&self) -> bool {
        false
    }

    /// A fault of the runtime itself that does not change the outcome (C3.5). Clean text without secrets.
    fn log(&self, fault: &str) {
        let _ = fault;
    }

    /// What an `observe` stage measured. Never part of a result.
    fn observed(&self, stage: &str, measured: &serde_json::Value) {
        let _ = (stage, measured);
    }
}

/// Where a call comes from (002, *Origin binding*). All five must still be equal when it returns.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Identity {
    /// The host's id of the call.
    pub call: String,
    /// The session.
    pub session: String,
    /// The workspace.
    pub workspace: String,
    /// The attempt.
    pub attempt: u64,
    /// The runtime's epoch: grows with each reload.
    pub epoch: u64,
}

/// What a person is asked. Built by the runtime alone (C2.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The tool.
    pub tool: String,
    /// The action, if the tool has several.
    pub action: Option<String>,
    /// Its class.
    pub class: Class,
    /// The whole text, 2,000 characters at most, each value on its own line; only letters, marks, digits and
    /// printable ASCII, all else as `\u{X}`.
    pub text: String,
    /// What a yes does, in three words at most: `write the file`, `change the registration`, `replace`.
    pub effect: &'static str,
    /// How long the runtime waits.
    pub within: Duration,
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The exact yes.
    Yes,
    /// A person said no. Remembered (C2.8).
    No,
    /// No answer came: no dialog, dismissed, an error. The text says why, in words for the agent.
    NoAnswer(String),
}

/// The one way to answer a question.
#[derive(Debug)]
pub struct Reply {
    pub(crate) sender: Sender<Answer>,
    pub(crate) open: std::sync::Weak<()>,
}

impl Reply {
    /// Answers. Too late is the same as never.
    pub fn answer(self, answer: Answer) {
        let _ = self.sender.send(answer);
    }

    /// Whether the runtime still waits.
    pub fn is_open(&self) -> bool {
        self.open.strong_count() > 0
    }
}
