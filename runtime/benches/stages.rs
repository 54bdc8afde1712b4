//! How fast the chain of result stages is. `cargo bench -p verbgate --bench stages`; numbers stand in
//! `docs/benchmarks.md`.
//!
//! Prints, never judges: a machine that is busy must not fail a build.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::json;
use verbgate::output::{Cleaner, Mask};
use verbgate::stages::{
    Block, ContextGateway, CredentialFirewall, Delivered, Downstream, Enrich, Fault, Mode, Stage,
    TruncationMetadataNormalizer,
};
use verbgate::table::secret::Secret;

struct Nothing;
impl Enrich for Nothing {
    fn enrich(&self, _: &str, _: &Delivered) -> Result<Vec<Block>, Fault> {
        Ok(Vec::new())
    }
}
impl Downstream for Nothing {
    fn pass(&self, _: &str, delivered: Delivered) -> Result<Delivered, Fault> {
        Ok(delivered)
    }
}

/// A result of 16 KiB whose details repeat its first half, which is the most that the normaliser has to compare.
fn result() -> Delivered {
    let line = "2026-03-14T09:26:53.589Z INFO  server::worker-3 path=/api/v1/items/4711 status=200 in 12 ms\n";
    let text: String = line.chars().cycle().take(16 << 10).collect();
    let half = text.get(..8 << 10).unwrap().to_owned();
    let details = json!({ "truncation": {
        "content": half, "truncated": true, "truncatedBy": "bytes", "totalLines": 400, "totalBytes": 40_000,
        "outputLines": 170, "outputBytes": 16_384, "lastLinePartial": true, "firstLineExceedsLimit": false,
        "maxLines": 2000, "maxBytes": 16_384
    } });
    Delivered { content: vec![Block::Text(text)], details }
}

/// The shortest of several runs of the chain, the copy of the result not counted.
fn best(order: &[(&str, Stage<'_>)]) -> Duration {
    let one = || {
        let mut delivered = result();
        let start = Instant::now();
        for (name, stage) in order {
            delivered = stage.apply(name, "read", delivered, &|_| {});
        }
        black_box(&delivered);
        start.elapsed()
    };
    (0..2000).map(|_| one()).min().unwrap()
}

fn main() {
    let secrets = [("TOKEN", "t0k3n-0123456789abcdef"), ("NEO4J_PASSWORD", "Sup3r/Secret+Value")];
    let masks = secrets.map(|(name, value)| Mask { name: name.to_owned(), value: Secret::new(value.to_owned()) });
    let cleaner = Cleaner::new(masks.into_iter().collect(), true);
    let redact = |text: &str| cleaner.mask(text);
    let observed = |measured: &_| {
        black_box(measured);
    };
    let gateway = ContextGateway { mode: Mode::Observe, observed: &observed };
    let normaliser = TruncationMetadataNormalizer { tools: &[] };
    let firewall = CredentialFirewall { redact: &redact };
    let order = [
        ("lsp_diagnostics", Stage::Enrich(&Nothing)),
        ("comment_checker", Stage::Enrich(&Nothing)),
        ("context_gateway", Stage::Observe(&gateway)),
        ("truncation_metadata_normalizer", Stage::Normalise(&normaliser)),
        ("downstream", Stage::Downstream(&Nothing)),
        ("credential_firewall", Stage::Sanitise(&firewall)),
    ];
    for (name, stages) in
        [("chain, 16 KiB, sanitiser off", order.get(..5).unwrap()), ("chain, 16 KiB, sanitiser on", order.as_slice())]
    {
        println!("{name:<40} {:>8.1} us", best(stages).as_secs_f64() * 1e6);
    }
}
