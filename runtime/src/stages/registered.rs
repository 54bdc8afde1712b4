//! The table's result stages as registrations, for hosts that have no chain of handlers of their own.

use crate::config::Configuration;
use crate::host::Host;
use crate::outcome::Outcome;
use crate::session::Session;
use crate::table::{StageKind, Text};

use super::{Block, ContextGateway, CredentialFirewall, Delivered, Mode, Stage, TruncationMetadataNormalizer};

/// One entry of `result_stages`, under a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registration<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it may do.
    pub kind: StageKind,
    /// Whether it runs: the manifest's word, as the user's configuration changes it (`stages.<name>`). One whose setting
    /// can't be read, or says `enforce`, is off.
    pub on: bool,
    /// Names of tools beside `read` and `bash` (`normalise` only).
    pub tools: &'a [Text],
}

/// Every entry of the table, in its order, which is the order of running.
pub fn registrations<'a>(session: &'a Session, configuration: &Configuration) -> Vec<Registration<'a>> {
    let settings = session.settings(configuration);
    let stages = session.catalogue().result_stages.iter();
    stages
        .map(|stage| Registration {
            name: &stage.name,
            kind: stage.kind,
            on: settings.stage(stage),
            tools: &stage.tools,
        })
        .collect()
}

impl Registration<'_> {
    /// Lets this one stage do its work: what one `tool_result` handler does. A stage of kind `enrich` or `downstream` is
    /// another package's, so `theirs` has it; without it, and when it is off, the result passes as it is.
    pub fn apply(
        &self,
        session: &Session,
        host: &dyn Host,
        tool: &str,
        delivered: Delivered,
        theirs: Option<&Stage<'_>>,
    ) -> Delivered {
        if !self.on {
            return delivered;
        }
        let log = |fault: &str| host.log(fault);
        match self.kind {
            StageKind::Enrich | StageKind::Downstream => match theirs.filter(|stage| stage.kind() == self.kind) {
                Some(stage) => stage.apply(self.name, tool, delivered, &log),
                None => delivered,
            },
            StageKind::Observe => {
                let observed = |measured: &_| host.observed(self.name, measured);
                let stage = ContextGateway { mode: Mode::Observe, observed: &observed };
                Stage::Observe(&stage).apply(self.name, tool, delivered, &log)
            }
            StageKind::Normalise => {
                let stage = TruncationMetadataNormalizer { tools: self.tools };
                Stage::Normalise(&stage).apply(self.name, tool, delivered, &log)
            }
            StageKind::Sanitise => {
                let cleaner = session.firewall();
                let redact = |text: &str| cleaner.mask(text);
                let stage = CredentialFirewall { redact: &redact };
                let delivered = Stage::Sanitise(&stage).apply(self.name, tool, delivered, &log);
                cleaner.take_faults().iter().for_each(|fault| host.log(fault));
                delivered
            }
        }
    }
}

/// What a host delivers of an outcome: its text and details, passed through the table's stages in a loop that owns nothing
/// but itself (docs/adr/0006). `theirs` are the stages of other packages by name. Whether the call succeeded is read from
/// the outcome, which no stage sees.
pub fn deliver(
    session: &Session,
    host: &dyn Host,
    tool: &str,
    outcome: &Outcome,
    theirs: &[(&str, Stage<'_>)],
) -> Delivered {
    let mut delivered =
        Delivered { content: vec![Block::Text(outcome.text.clone())], details: outcome.details.clone().into() };
    for registration in registrations(session, host.configuration()) {
        let own = theirs.iter().find(|(name, _)| *name == registration.name).map(|(_, stage)| stage);
        delivered = registration.apply(session, host, tool, delivered, own);
    }
    delivered
}
