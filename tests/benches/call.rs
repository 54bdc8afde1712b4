//! What a whole call keeps in memory, and what a large table of errors costs:
//! `cargo bench -p verbgate-tests --bench call`. Results and machine: docs/benchmarks.md.
//!
//! Prints, never judges: a machine that is busy must not fail a build.

mod measure;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::time::Instant;

use measure::{memory, ms, time};
use serde_json::json;
use verbgate::process::RunnerOptions;
use verbgate::session::{Session, SessionOptions, SpillPlace};
use verbgate_codegen::{Options, compile_sources};
use verbgate_table::capture::{Captured, Exit};
use verbgate_table::classify::{RunView, Verdict, classify};
use verbgate_table::{Catalogue, Index};
use verbgate_tests::{Place, Recorder};

const TOOL: &str = env!("CARGO_BIN_EXE_fake-tool");
const GUARDIAN: &str = env!("CARGO_BIN_EXE_test-guardian");
const ROWS: usize = 1000;

fn main() {
    // First, since the other leaves memory behind that would pass for idle.
    flood();
    rows();
}

fn compiled(manifest: String) -> Catalogue {
    let files = BTreeMap::from([("tools.yaml".to_owned(), manifest.into_bytes())]);
    match compile_sources("tools.yaml", &files, &Options::default()) {
        Ok(compiled) => compiled.catalogue,
        Err(report) => panic!("{}", report.render(false)),
    }
}

/// Ordinary words, some of which begin as the rows do.
fn output(bytes: usize) -> String {
    let mut text = String::new();
    let mut n = 0;
    while text.len() < bytes {
        n += 1;
        let _ =
            writeln!(text, "2026-03-14 INFO worker-{} item {n}: nothing of note in src/module_{}.rs", n % 8, n % 97);
        if n % 10 == 0 {
            let _ = writeln!(text, "Error in step {n}: went on all the same");
        }
    }
    text
}

/// No row fits but the last one, so all of them are looked for; the patterns are compiled before.
fn rows() {
    let mut manifest = "manifest: 1\nprogram: { executable: app, install: install it }\ntools:\n  app_run:\n    \
                        description: Runs.\n    consent: read\n    argv: [run]\n    errors: [all]\nerrors:\n  all:\n"
        .to_owned();
    for n in 0..ROWS {
        let _ = writeln!(
            manifest,
            "    - {{ code: NOT_FOUND, match: '^Error E{n:04}: (?<what>.+) is not there', say: no <what>, hint: Look., \
             examples: ['Error E{n:04}: x is not there'] }}"
        );
    }
    let catalogue = compiled(manifest);
    let file = &catalogue.files[0];
    let verb = &file.tools[0].verbs[0];
    let found = format!("{}Error E{:04}: it is not there\n", output((16 << 10) - 40), ROWS - 1);
    for (name, text) in [("the last row fits", found), ("no row fits", output(16 << 10))] {
        let run = RunView::new(Exit::Status(1), &Captured::default(), &Captured::whole(text.into_bytes()));
        let groups: &[Index] = &[];
        let once = || classify(file, verb, groups, black_box(&run), true, &|_| false);
        let first = time(|| drop(black_box(once())));
        let best = (0..200).map(|_| time(|| drop(black_box(once())))).min().unwrap_or_default();
        let landed = matches!(once(), Verdict::Row(row) if row.index == ROWS - 1);
        println!(
            "{ROWS} error rows over {} KiB, {name} ({landed}): {:.3} ms warm, {:.0} ms the first time",
            run.stderr.len() >> 10,
            ms(best),
            ms(first)
        );
    }
}

/// One call that prints 200 MB, all of it spilled as far as that goes; memory of this process above what it was after a
/// small call.
fn flood() {
    let manifest = "manifest: 1\nprogram: { executable: { default: app, config: app }, install: install it }\n\
                    output: { spill: true }\ntools:\n  app_print:\n    description: Prints.\n    consent: read\n    \
                    args: { count: { type: integer, min: 1, description: Bytes. } }\n    argv: [both, <count>]\n";
    let place = Place::without_program();
    place.install(&place.bin(), &format!("exec '{TOOL}' \"$@\""));
    let options = SessionOptions {
        environment: Some(place.environment().with("API_TOKEN", "correct horse battery")),
        locks: Some(place.run().join("locks")),
        spill: SpillPlace::In(place.run()),
        runner: RunnerOptions { guardian: Some(GUARDIAN.into()), ..RunnerOptions::default() },
        ..SessionOptions::default()
    };
    let session = Session::new(Cow::Owned(compiled(manifest.to_owned())), options).unwrap();
    let program = place.bin().join("cgc");
    let host = Recorder::new(place.workspace()).user("app", program.to_str().unwrap());
    let call = |count: u64| session.call("app_print", &json!({ "count": count }), &host);
    assert!(call(1000).is_ok());
    let idle = memory("VmRSS:");
    for round in 1..=3 {
        let _ = fs::write("/proc/self/clear_refs", "5");
        let started = Instant::now();
        let outcome = call(100_000_000);
        let took = started.elapsed();
        assert!(outcome.is_ok(), "{}", outcome.text);
        let peak = memory("VmHWM:");
        println!(
            "200 MB with spill, call {round}: {:.0} ms, {} bytes spilled, peak memory {} KiB above idle",
            ms(took),
            outcome.details["output"]["bytes"],
            peak.saturating_sub(idle)
        );
    }
}
