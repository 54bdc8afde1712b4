//! One module per group of commands. Each gives an [`crate::answer::Answer`] and writes nothing itself but notes.

pub(crate) mod call;
pub(crate) mod classify;
pub(crate) mod manifest;
pub(crate) mod show;

use std::borrow::Cow;

use cgc_tools::CATALOGUE;
use serde_json::{Value as Json, json};
use verbgate::config::Configuration;
use verbgate::outcome::Outcome;
use verbgate::process::RunnerOptions;
use verbgate::session::{Session, SessionOptions, SpillPlace};
use verbgate::table::{ToolSpec, show as line};

use crate::answer::{Usage, note};

/// A session for one command, and the tools that are there under a configuration.
pub(crate) struct Tools {
    pub(crate) session: Session,
    /// Switched on, in the order of the manifest.
    pub(crate) on: Vec<&'static ToolSpec>,
    /// Names of the others, with the reason.
    pub(crate) off: Vec<(String, String)>,
}

impl Tools {
    /// Looks at every switch, and says once what of the configuration has no effect.
    ///
    /// # Errors
    /// What a session needs of the machine is not there.
    pub(crate) fn read(configuration: &Configuration) -> Result<Self, Usage> {
        // This program is its own guardian: what a call started ends even if this process is killed.
        let runner = RunnerOptions { guardian: std::env::current_exe().ok(), ..RunnerOptions::default() };
        let options = SessionOptions { runner, spill: SpillPlace::Nowhere, ..SessionOptions::default() };
        let session = Session::new(Cow::Borrowed(&CATALOGUE), options).map_err(Usage)?;
        if let Some(reason) = &configuration.broken {
            note(&format!("note: the configuration can't be used: {reason}"));
        }
        for text in session.notes(configuration, &[]) {
            note(&format!("note: {text}"));
        }
        let (mut on, mut off) = (Vec::new(), Vec::new());
        for state in session.tools(configuration) {
            let spec = CATALOGUE.files.get(state.file).and_then(|file| file.tools.get(state.tool));
            match (spec, state.off) {
                (Some(spec), None) => on.push(spec),
                (_, Some(reason)) => off.push((state.name, reason)),
                (None, None) => {}
            }
        }
        Ok(Self { session, on, off })
    }

    /// A tool that is there and switched on.
    ///
    /// # Errors
    /// It is unknown, or off for a reason.
    pub(crate) fn find(&self, name: &str) -> Result<&'static ToolSpec, Usage> {
        if let Some(spec) = self.on.iter().find(|spec| spec.name == name) {
            return Ok(spec);
        }
        if let Some((name, reason)) = self.off.iter().find(|(off, _)| off == name) {
            return Err(Usage(format!("the tool `{name}` is off: {reason}")));
        }
        let known: Vec<String> = self.on.iter().map(|spec| format!("`{}`", spec.name)).collect();
        let known = if known.is_empty() { "all are switched off".to_owned() } else { known.join(", ") };
        Err(Usage(format!("there is no tool `{}` (known: {known})", line::one_line(name))))
    }
}

/// An outcome as the one object that `call` and `classify` give.
pub(crate) fn object(outcome: &Outcome) -> Json {
    json!({
        "code": outcome.code.map_or("OK", verbgate::Code::as_str),
        "message": outcome.message,
        "hint": outcome.hint,
        "row": outcome.row,
        "fields": outcome.fields,
        "text": outcome.text,
        "details": outcome.details,
    })
}
