//! Result stages: what may touch a tool's result on its way to the agent, each with no more power than its type gives.
//!
//! Source: the decision record on tool-result stage ordering (storeless order, P01-R); `docs/result-stages.md` has a row
//! for each of its sentences. There is no coordinator (docs/adr/0006): a stage is a registration of its own, the order
//! of registration is the order of running, and whoever holds the registrations (Pi's runner, a host's loop) calls
//! [`Stage::apply`] on each.
//!
//! Invariant: no stage can change the outcome of a call. It is not in [`Delivered`], so none sees it as its own.

mod firewall;
mod normalise;
mod observe;
mod provenance;
mod registered;

use serde_json::{Value as Json, json};

use crate::output::shield;
use crate::table::StageKind;

pub use firewall::CredentialFirewall;
pub use normalise::{MEASURED, TruncationMetadataNormalizer};
pub use observe::{ContextGateway, Mode, UnsupportedMode, measure};
pub use provenance::{CaptureSeam, Degraded, HostOwned, NameAndShape};
pub use registered::{Registration, deliver, registrations};

/// A block of a result's content.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Text.
    Text(String),
    /// Anything else, as the host gave it: `{ "type": "image", ... }`.
    Other(Json),
}

/// What is delivered of a result: all that a stage can see. Whether the call succeeded is not part of it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Delivered {
    /// What the model reads.
    pub content: Vec<Block>,
    /// What the host stores beside it.
    pub details: Json,
}

impl Delivered {
    /// The text blocks, joined without a separator.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for block in &self.content {
            if let Block::Text(part) = block {
                text.push_str(part);
            }
        }
        text
    }
}

/// A stage could not do its work. Clean text without secrets, for the host's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

/// May append content; can't remove, replace or see who runs after it.
pub trait Enrich {
    /// The blocks to append.
    ///
    /// # Errors
    /// The stage is skipped.
    fn enrich(&self, tool: &str, delivered: &Delivered) -> Result<Vec<Block>, Fault>;
}

/// Sees a shared reference, returns nothing.
pub trait Observe {
    /// Looks.
    ///
    /// # Errors
    /// The stage is skipped.
    fn observe(&self, tool: &str, delivered: &Delivered) -> Result<(), Fault>;
}

/// May return details only.
pub trait Normalise {
    /// The details as they should be; none: as they are.
    ///
    /// # Errors
    /// The stage is skipped.
    fn normalise(&self, claim: &NameAndShape, delivered: &Delivered) -> Result<Option<Json>, Fault>;
}

/// An observer or modifier that is not ours. Nothing is assumed of it: it gets a copy of what is delivered at its place
/// (no handle to what was before), and gives back what it likes, but for the outcome.
pub trait Downstream {
    /// What is delivered from here on.
    ///
    /// # Errors
    /// The stage is skipped.
    fn pass(&self, tool: &str, delivered: Delivered) -> Result<Delivered, Fault>;
}

/// May rewrite content and details; the last of ours.
pub trait Sanitise {
    /// What is delivered from here on.
    ///
    /// # Errors
    /// What could not be cleaned is withheld (C3.5).
    fn sanitise(&self, tool: &str, delivered: &Delivered) -> Result<Delivered, Fault>;
}

/// One registration.
pub enum Stage<'a> {
    /// See [`Enrich`].
    Enrich(&'a dyn Enrich),
    /// See [`Observe`].
    Observe(&'a dyn Observe),
    /// See [`Normalise`].
    Normalise(&'a dyn Normalise),
    /// See [`Downstream`].
    Downstream(&'a dyn Downstream),
    /// See [`Sanitise`].
    Sanitise(&'a dyn Sanitise),
}

/// Text in place of what a sanitiser could not clean. Says nothing of what it held.
pub const WITHHELD: &str = "(withheld: this part of the result could not be cleaned of secrets)";

impl Stage<'_> {
    /// The kind, as the table names it.
    pub const fn kind(&self) -> StageKind {
        match self {
            Stage::Enrich(_) => StageKind::Enrich,
            Stage::Observe(_) => StageKind::Observe,
            Stage::Normalise(_) => StageKind::Normalise,
            Stage::Downstream(_) => StageKind::Downstream,
            Stage::Sanitise(_) => StageKind::Sanitise,
        }
    }

    /// Lets the stage do its work. A stage that errors or panics is skipped and named to `log`; a sanitiser that does
    /// has its whole result withheld (C3.5). The text of a panic goes nowhere.
    pub fn apply(&self, name: &str, tool: &str, delivered: Delivered, log: &dyn Fn(&str)) -> Delivered {
        let fault = match shield(|| self.work(tool, &delivered)) {
            Some(Ok(None)) => return delivered,
            Some(Ok(Some(changed))) => return changed,
            Some(Err(Fault(why))) => why,
            None => String::from("it panicked"),
        };
        log(&format!("stage `{name}` was left out for `{tool}`: {fault}"));
        if matches!(self, Stage::Sanitise(_)) { withheld() } else { delivered }
    }

    fn work(&self, tool: &str, delivered: &Delivered) -> Result<Option<Delivered>, Fault> {
        match self {
            Stage::Enrich(stage) => {
                let mut more = stage.enrich(tool, delivered)?;
                if more.is_empty() {
                    return Ok(None);
                }
                let mut changed = delivered.clone();
                changed.content.append(&mut more);
                Ok(Some(changed))
            }
            Stage::Observe(stage) => stage.observe(tool, delivered).map(|()| None),
            Stage::Normalise(stage) => match NameAndShape::of(tool, &delivered.details) {
                Some(claim) => Ok(stage
                    .normalise(&claim, delivered)?
                    .map(|details| Delivered { content: delivered.content.clone(), details })),
                None => Ok(None),
            },
            Stage::Downstream(stage) => stage.pass(tool, delivered.clone()).map(Some),
            Stage::Sanitise(stage) => stage.sanitise(tool, delivered).map(Some),
        }
    }
}

/// In place of a result that a sanitiser could not clean.
pub fn withheld() -> Delivered {
    Delivered { content: vec![Block::Text(String::from(WITHHELD))], details: json!({ "withheld": true }) }
}
