//! The types of who may touch a result or a payload, and in what order (LANGUAGE section 12).

use super::{List, Setting, Text};

/// A stage of a tool's result (LANGUAGE section 12).
#[derive(Clone, Debug)]
pub struct ResultStage {
    /// Its name.
    pub name: Text,
    /// What it may do.
    pub kind: StageKind,
    /// Whether it runs. An `observe` stage also reads the words `off` and `observe`.
    pub enabled: Setting<bool>,
    /// Names of tools beside `read` and `bash` (`normalise` only).
    pub tools: List<Text>,
}

/// What a result stage may do; the order of the variants is the order of running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StageKind {
    /// May append content.
    Enrich,
    /// Sees, changes nothing.
    Observe,
    /// May return details only.
    Normalise,
    /// Not ours; nothing is assumed of it.
    Downstream,
    /// May rewrite; the last of ours.
    Sanitise,
}

/// A stage of the provider's payload.
#[derive(Clone, Debug)]
pub struct ProviderStage {
    /// Its name.
    pub name: Text,
    /// What it does.
    pub kind: ProviderKind,
}

/// What a provider stage does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProviderKind {
    /// Masks credentials.
    Redact,
    /// The payload's last sanitiser.
    Sanitise,
}

/// What is claimed of one source of results.
#[derive(Clone, Debug)]
pub struct Capability {
    /// The source.
    pub source: Text,
    /// The claim.
    pub capture: Capture,
    /// Why no more.
    pub why: Text,
    /// The version that it was seen on.
    pub seen_on: Text,
}

/// How much of a source's output can be captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    /// All of it.
    Exact,
    /// Some of it.
    Limited,
    /// None of it.
    Unsupported,
}
