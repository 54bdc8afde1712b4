//! How long compiling takes. `cargo bench -p verbgate-codegen --bench compile`; numbers stand in `docs/benchmarks.md`.
//!
//! Prints, never judges: a machine that is busy must not fail a build.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use verbgate_codegen::check::{self, CheckOptions};
use verbgate_codegen::emit::{json_schema, markdown, rust, typescript};
use verbgate_codegen::{Options, compile_sources, diag, emit, load};

/// Most tools are 128: more verbs are more actions of each.
const TOOLS: usize = 100;

/// Files that the tools are spread over: one file is at most 4 MiB large.
const FILES: usize = 5;

/// Manifests as programs with many verbs have them: each verb has typed arguments, an example, a success marker, a
/// field and a group of rows of its tool, beside the common ones.
fn manifests(verbs: usize) -> BTreeMap<String, Vec<u8>> {
    let first =
        "manifest: 1\nallow: { VG0808: 'a benchmark' }\ninclude: [f0.yaml, f1.yaml, f2.yaml, f3.yaml, f4.yaml]\n";
    let mut files = BTreeMap::from([("tools.yaml".to_owned(), first.as_bytes().to_vec())]);
    for file in 0..FILES {
        let tools = file * TOOLS / FILES..(file + 1) * TOOLS / FILES;
        files.insert(format!("f{file}.yaml"), manifest(tools, verbs / TOOLS).into_bytes());
    }
    files
}

fn manifest(tools: Range<usize>, actions: usize) -> String {
    let mut text = String::from(
        "manifest: 1\nprogram:\n  executable: { default: app }\n  install: apt-get install app\n  \
         env: { pass: [PATH, HOME], set: { COLUMNS: '5000' } }\n  never: { options: [--force], verbs: [drop] }\n\
         types:\n  name: { type: string, pattern: '[a-z][a-z0-9_]*', max: 100, description: Name. }\ntools:\n",
    );
    for tool in tools.clone() {
        writeln!(text, "  t{tool}:\n    description: Things {tool}.\n    actions:").unwrap();
        for action in 0..actions {
            write!(
                text,
                "      a{action}:\n        description: Do.\n        consent: read\n        args:\n          \
                 name: {{ type: name }}\n          all: {{ type: boolean, description: All. }}\n          \
                 since: {{ type: integer, min: 0, max: 9, optional: true, description: Since. }}\n        \
                 argv: [t{tool}, a{action}, all: --all, since: --since=<since>, --, <name>]\n        \
                 success: {{ match: '^done (\\d+)$', examples: [done 1] }}\n        errors: [g{tool}]\n        \
                 fields: {{ n: {{ match: '^done (\\d+)$', type: integer }} }}\n        \
                 examples: [{{ args: {{ name: x, all: true }}, argv: [t{tool}, a{action}, --all, --, x] }}]\n",
            )
            .unwrap();
        }
    }
    text.push_str("errors:\n");
    let row = |code: &str, word: &str| {
        format!(
            "    - {{ code: {code}, match: '^{word}: ', say: it is {word}, hint: Look., examples: ['{word}: x'] }}\n"
        )
    };
    for tool in tools {
        write!(text, "  g{tool}:\n{}{}", row("NOT_FOUND", "gone"), row("BUSY", "locked")).unwrap();
    }
    write!(text, "  common:\n{}{}", row("UNAVAILABLE", "no server"), row("NOT_ALLOWED", "denied")).unwrap();
    text
}

/// The shortest of several runs: the one that the machine disturbed least.
fn best<T>(runs: u32, mut work: impl FnMut() -> T) -> Duration {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .min()
        .unwrap()
}

fn line(name: &str, took: Duration) {
    println!("{name:<44} {:>9.1} ms", took.as_secs_f64() * 1e3);
}

fn measure(verbs: usize, runs: u32) -> Duration {
    let files = manifests(verbs);
    println!("{verbs} verbs, {} KiB", files.values().map(Vec::len).sum::<usize>() >> 10);
    let name = Path::new("tools.yaml");
    let catalogue = match compile_sources("tools.yaml", &files, &Options::default()) {
        Ok(compiled) => compiled.catalogue,
        Err(report) => panic!("{}", report.render(false).chars().take(2000).collect::<String>()),
    };

    line("  read: YAML, both parsers, shape", best(runs, || load::read(&files, name, name)));
    let loaded = load::read(&files, name, name);
    assert!(!loaded.found.iter().any(diag::is_error));
    line("  check", best(runs, || check::run(&loaded.files, &CheckOptions::default())));
    line("  emit Rust", best(runs, || rust::tools(&catalogue)));
    line("  emit TOOLS.md", best(runs, || markdown::tools(&catalogue)));
    line("  emit tools.d.ts", best(runs, || typescript::tools(&catalogue)));
    line(
        "  emit schemas",
        best(runs, || {
            catalogue.files.iter().flat_map(|file| file.tools.iter()).map(json_schema::document).collect::<Vec<_>>()
        }),
    );
    let whole = best(runs, || {
        let compiled = compile_sources("tools.yaml", &files, &Options::default()).unwrap();
        emit::all(&compiled.catalogue)
    });
    line("  all of it, text to artefacts", whole);
    whole
}

fn main() {
    // `cargo test --benches` runs this with `--test`: then a small manifest shows that it works.
    if std::env::args().any(|argument| argument == "--test") {
        measure(TOOLS, 1);
        return;
    }
    let small = measure(1_000, 5);
    let large = measure(10_000, 2);
    println!("10,000 verbs take {:.1} times what 1,000 take", large.as_secs_f64() / small.as_secs_f64());
}
