//! Stages and capabilities: `VG07xx` (LANGUAGE section 12). The reasons are those of the decision record on the order of
//! tool-result stages.

use std::collections::BTreeMap;

use verbgate_table::{Capability, ProviderKind, ProviderStage, ResultStage, Setting, StageKind};

use super::names::{self, What};
use super::program::Settings;
use super::{File, Out, owned};
use crate::codes::stage::{VG0701, VG0702, VG0703, VG0704, VG0705, VG0706, VG0707, VG0708, VG0709};
use crate::diag::{Diagnostic, Span};
use crate::model::{At, Switch};

const KINDS: &[(&str, StageKind, &str)] = &[
    (
        "enrich",
        StageKind::Enrich,
        "enrichers come first: \"mutation diagnostics must be present before Gateway renders a bounded result\"",
    ),
    (
        "observe",
        StageKind::Observe,
        "`observe` comes after the enrichers and before the cleanup: \"This ordering intentionally lets `observe` measure the pre-cleanup metadata boundary\"",
    ),
    (
        "normalise",
        StageKind::Normalise,
        "the normaliser comes after `observe`: it \"may remove only a proven duplicate\" and \"is not a security boundary\"",
    ),
    (
        "downstream",
        StageKind::Downstream,
        "downstream parties come after all of ours but the last: \"R-B contract uses a fake observer\", nothing is assumed of them",
    ),
    (
        "sanitise",
        StageKind::Sanitise,
        "the sanitiser comes last: it \"remains the security transform for delivered result content/details\"",
    ),
];
/// The record's stages with their kinds, in its order, where the kinds leave one open.
const ORDER: &[(&str, StageKind)] = &[
    ("lsp_diagnostics", StageKind::Enrich),
    ("comment_checker", StageKind::Enrich),
    ("context_gateway", StageKind::Observe),
    ("truncation_metadata_normalizer", StageKind::Normalise),
    ("downstream", StageKind::Downstream),
    ("credential_firewall", StageKind::Sanitise),
];
/// The record's stages of a provider's payload.
const PROVIDER: &[(&str, ProviderKind)] =
    &[("credential_firewall", ProviderKind::Redact), ("codex_reasoning_fix", ProviderKind::Sanitise)];
const ITS_KIND: &str = "a kind is a power: under a name of the record the reader expects the power that the record gives; another party's stage takes another name";
const ONCE: &str = "the decision record: no stage leaves \"duplicate independent result registrations active\"";
const NO_OTHER: &str = "the decision record's \"verified storeless order\" has `enrich`, `observe`, `normalise`, `downstream`, `sanitise`, and no other";
const ITS_ORDER: &str = "the record: \"LSP mutation diagnostics, then comment-checker output\"";
const NO_ENFORCE: &str = "the decision record: \"hard enforce remains unsupported; if a future store-backed stage needs different security ordering, it must implement the event-specific coordinator\"";
const NO_COORDINATOR: &str = "the decision record: \"R-B does not introduce a coordinator because no conflict requiring one is present in the storeless path\"";

/// All stages, in order.
pub(super) fn results(file: &File<'_>, settings: &mut Settings, out: &mut Out) -> Vec<ResultStage> {
    let at = file.at.key("result_stages");
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    let mut highest: Option<(StageKind, Span)> = None;
    let mut furthest: Option<(usize, StageKind, Span)> = None;
    let mut stages = Vec::new();
    for (index, stage) in file.model.result_stages.iter().enumerate() {
        let at = at.index(index);
        names::name(What::Stage, &stage.name, &at.key("name").span(), out);
        twice(&mut seen, &stage.name, at.key("name").span(), ONCE, out);
        if stage.coordinator.is_some() {
            out.push(
                Diagnostic::new(&VG0705, at.key("coordinator").key_span(), "there is no coordinator of stages")
                    .help(NO_COORDINATOR),
            );
        }
        let Some((word, kind, rule)) = KINDS.iter().copied().find(|(word, ..)| *word == stage.kind) else {
            unknown(&stage.kind, at, out);
            continue;
        };
        let span = at.key("kind").span();
        match &highest {
            Some((before, place)) if kind < *before => {
                out.push(
                    Diagnostic::new(&VG0702, span, format!("a stage of kind `{word}` stands too late"))
                        .also(place.clone(), "this must not stand before it")
                        .help(format!(
                            "the order is `enrich`, `observe`, `normalise`, `downstream`, `sanitise`; {rule}"
                        )),
                );
            }
            Some((before, place)) if kind == *before && kind == StageKind::Sanitise => {
                out.push(
                    Diagnostic::new(&VG0702, span, "two stages claim to be the last of ours")
                        .also(place.clone(), "the other is here")
                        .help(rule),
                );
            }
            _ => highest = Some((kind, span)),
        }
        if let Some(place) = ORDER.iter().position(|(name, _)| *name == stage.name) {
            if let Some((_, its)) = ORDER.get(place).filter(|(_, its)| *its != kind) {
                let its = KINDS.iter().find(|(_, kind, _)| kind == its).map_or("", |(word, ..)| word);
                other_kind(&stage.name, its, at, out);
            }
            let span = at.key("name").span();
            match &furthest {
                Some((before, same, first)) if place < *before && kind == *same => out.push(
                    Diagnostic::new(&VG0702, span, format!("`{}` stands too late", stage.name))
                        .also(first.clone(), "this must not stand before it")
                        .help(ITS_ORDER),
                ),
                _ => furthest = Some((place, kind, span)),
            }
        }
        if !stage.tools.is_empty() && kind != StageKind::Normalise {
            out.push(
                Diagnostic::new(&VG0708, at.key("tools").key_span(), format!("`tools` on a stage of kind `{word}`"))
                    .help("only a normaliser is for certain tools: the others see every result"),
            );
        }
        let enabled = stage.enabled.as_ref().map_or(Setting::fixed(false), |given| {
            let place = at.key("enabled");
            let value = if place.key("default").exists() { place.key("default") } else { place };
            for word in [Some(&given.default), given.min.as_ref(), given.max.as_ref()].into_iter().flatten() {
                switch(word, kind, value.span(), out);
            }
            settings.lower(
                given,
                place,
                |word| matches!(word, Switch::Boolean(true)) || matches!(word, Switch::Word(word) if word == "observe"),
                out,
            )
        });
        stages.push(ResultStage {
            name: owned(&stage.name),
            kind,
            enabled,
            tools: stage.tools.iter().map(|tool| owned(tool)).collect(),
        });
    }
    stages
}

fn other_kind(name: &str, kind: &str, at: At<'_>, out: &mut Out) {
    let span = at.key("kind").span();
    let found = Diagnostic::new(&VG0709, span.clone(), format!("`{name}` is a stage of kind `{kind}`"));
    out.push(found.help(ITS_KIND).mend(span, kind));
}

fn unknown(kind: &str, at: At<'_>, out: &mut Out) {
    let span = at.key("kind").span();
    if kind == "enforce" {
        out.push(Diagnostic::new(&VG0704, span, "there is no kind `enforce`").help(NO_ENFORCE));
        return;
    }
    let mut found = Diagnostic::new(&VG0701, span.clone(), format!("there is no kind of stage `{kind}`"));
    if let Some(near) = super::nearest(kind, KINDS.iter().map(|(word, ..)| *word)) {
        found = found.help(format!("did you mean `{near}`?")).mend(span, near);
    }
    out.push(found.help(NO_OTHER));
}

fn switch(word: &Switch, kind: StageKind, span: Span, out: &mut Out) {
    let Switch::Word(word) = word else { return };
    match (word.as_str(), kind) {
        ("off" | "observe", StageKind::Observe) => {}
        ("enforce", _) => {
            out.push(Diagnostic::new(&VG0704, span, "a stage can't be switched to `enforce`").help(NO_ENFORCE));
        }
        _ => out.push(
            Diagnostic::new(&VG0701, span, format!("`{word}` does not say whether the stage runs"))
                .help("`true` or `false`; an `observe` stage also reads `off` and `observe`"),
        ),
    }
}

fn twice<'a>(seen: &mut BTreeMap<&'a str, Span>, name: &'a str, span: Span, why: &str, out: &mut Out) {
    if let Some(first) = seen.get(name) {
        out.push(
            Diagnostic::new(&VG0703, span, format!("`{name}` is there twice"))
                .also(first.clone(), "the first is here")
                .help(why),
        );
    } else {
        seen.insert(name, span);
    }
}

/// Stages of the provider's payload.
pub(super) fn provider(file: &File<'_>, out: &mut Out) -> Vec<ProviderStage> {
    let at = file.at.key("provider_stages");
    let list = &file.model.provider_stages;
    let mut seen = BTreeMap::new();
    let rule = "the decision record: credential-firewall redaction runs first, and \"`codex-reasoning-fix` remains the final `before_provider_request` sanitizer\"";
    let end = list.len().saturating_sub(1);
    for (index, stage) in list.iter().enumerate() {
        let at = at.index(index);
        names::name(What::Stage, &stage.name, &at.key("name").span(), out);
        twice(&mut seen, &stage.name, at.key("name").span(), ONCE, out);
        let is_last = index == end;
        let is_sanitise = stage.kind.0 == ProviderKind::Sanitise;
        let known = PROVIDER.iter().find(|(name, _)| *name == stage.name);
        if let Some((_, its)) = known.filter(|(_, its)| *its != stage.kind.0) {
            let its = if *its == ProviderKind::Sanitise { "sanitise" } else { "redact" };
            other_kind(&stage.name, its, at, out);
        }
        if is_sanitise && !is_last {
            out.push(
                Diagnostic::new(
                    &VG0706,
                    at.key("kind").span(),
                    "`sanitise` must be the last of the provider's stages, and the only one of its kind",
                )
                .help(rule),
            );
        }
        if is_last && !is_sanitise {
            out.push(
                Diagnostic::new(
                    &VG0706,
                    at.key("kind").span(),
                    "the last of the provider's stages must be of kind `sanitise`",
                )
                .help(rule),
            );
        }
    }
    list.iter().map(|stage| ProviderStage { name: owned(&stage.name), kind: stage.kind.0 }).collect()
}

/// Claims about sources.
pub(super) fn capabilities(file: &File<'_>, out: &mut Out) -> Vec<Capability> {
    let at = file.at.key("capabilities");
    let mut seen = BTreeMap::new();
    let mut claims = Vec::new();
    for (index, claim) in file.model.capabilities.iter().enumerate() {
        let at = at.index(index);
        twice(&mut seen, &claim.source, at.key("source").span(), "one claim for each source", out);
        for (key, text) in [("why", &claim.why), ("seen_on", &claim.seen_on)] {
            if text.as_ref().is_none_or(|text| text.trim().is_empty()) {
                out.push(
                    Diagnostic::new(
                        &VG0707,
                        at.key(key).span(),
                        format!("the claim about `{}` has no `{key}`", claim.source),
                    )
                    .help("say why no more is claimed, and on which version that was seen"),
                );
            }
        }
        claims.push(Capability {
            source: owned(&claim.source),
            capture: claim.capture.0,
            why: owned(claim.why.as_deref().unwrap_or_default()),
            seen_on: owned(claim.seen_on.as_deref().unwrap_or_default()),
        });
    }
    claims
}
