//! How fast the output pipeline is. `cargo bench -p verbgate --bench output`; numbers stand in `docs/benchmarks.md`.
//!
//! Prints, never judges: a machine that is busy must not fail a build.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::format_push_string, missing_docs)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::Map;
use verbgate::output::{Cleaner, Marking, Mask, Part, Success};
use verbgate::table::Stream;
use verbgate::table::capture::Captured;
use verbgate::table::secret::Secret;

/// The shortest of several runs: the one that the machine disturbed least.
fn best(runs: u32, mut work: impl FnMut()) -> Duration {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .min()
        .unwrap()
}

fn log_text(bytes: usize) -> String {
    let mut text = String::new();
    let mut n = 0u64;
    while text.len() < bytes {
        n += 1;
        text.push_str(&format!(
            "2026-03-14T09:{:02}:{:02}.{:03}Z INFO  server::worker-{} request id={:08x} path=/api/v1/items/{} status=200 in {} ms\n",
            n / 60 % 60, n % 60, n * 37 % 1000, n % 8, n.wrapping_mul(2_654_435_761) & 0xffff_ffff, n * 7 % 9973, n * 13 % 250,
        ));
    }
    text
}

fn masks() -> Vec<Mask> {
    [
        ("password", "correct horse battery"),
        ("TOKEN", "t0k3n-0123456789abcdef"),
        ("NEO4J_PASSWORD", "Sup3r/Secret+Value"),
    ]
    .map(|(name, value)| Mask { name: name.to_owned(), value: Secret::new(value.to_owned()) })
    .into_iter()
    .collect()
}

#[allow(clippy::cast_precision_loss)]
fn rate(name: &str, bytes: usize, took: Duration) {
    println!("{name:<56} {:>8.0} MB/s", bytes as f64 / 1e6 / took.as_secs_f64());
}

fn main() {
    // Small enough that the allocator keeps the buffers: a call's streams are smaller still.
    let text = log_text(256 << 10);
    let bytes = text.as_bytes();
    let took = best(400, || {
        let mut out = String::with_capacity(bytes.len());
        out.push_str(std::str::from_utf8(black_box(bytes)).unwrap());
        black_box(&out);
    });
    rate("base line: check UTF-8 and copy", bytes.len(), took);
    let took = best(400, || {
        black_box(verbgate::table::strip::strip(black_box(&text)));
    });
    rate("strip alone, nothing to strip", bytes.len(), took);
    let coloured = text.replace("INFO", "\u{1b}[32mINFO\u{1b}[0m");
    let took = best(400, || {
        black_box(verbgate::table::strip::strip(black_box(&coloured)));
    });
    rate("strip alone, two sequences a line", coloured.len(), took);
    for (name, cleaner) in [
        ("pipeline, redaction off", Cleaner::new(Vec::new(), false)),
        ("pipeline, rule table", Cleaner::new(Vec::new(), true)),
        ("pipeline, rule table and three secrets", Cleaner::new(masks(), true)),
    ] {
        let stream = Captured::whole(bytes.to_vec());
        let took = best(400, || {
            black_box(cleaner.stream(black_box(&stream)));
        });
        rate(name, bytes.len(), took);
    }

    let stream = Captured::whole(log_text(16 << 10).into_bytes());
    let fields = Map::new();
    let call = || {
        let cleaner = Cleaner::new(masks(), true);
        let body = [Part { stream: Stream::Stdout, text: cleaner.stream(&stream) }];
        let parts = Success {
            program: "cgc",
            artifacts: &[],
            fields: &fields,
            notes: &[],
            body: &body,
            spilled: None,
            budget: 16 << 10,
        };
        black_box(cleaner.success(&parts, Marking::Drawn(&mut || 7)));
    };
    let took = best(2000, call);
    println!(
        "{:<56} {:>8.1} us",
        "one call of 16 KiB: cleaner made, cleaned, bounded, marked",
        took.as_secs_f64() * 1e6
    );
    let took = best(2000, || {
        black_box(Cleaner::new(masks(), true));
    });
    println!("{:<56} {:>8.1} us", "of it, the cleaner for three secrets", took.as_secs_f64() * 1e6);
}
