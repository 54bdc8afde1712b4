//! The corpus: `bad/VGxxxx_*` each get a report with exactly that code, `ok/*` compile.

// Helpers of tests: a panic is a failed test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use verbgate_codegen::diag::{Diagnostic, Sources, render};
use verbgate_codegen::{Options, codes, compile, compile_sources, model};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn options(shown: &str) -> Options {
    Options { shown: Some(PathBuf::from(shown)), today: Some("2026-01-15".to_owned()), ..Options::default() }
}

/// Name, and what was found in it.
struct Case {
    name: String,
    manifest: Option<PathBuf>,
    found: Vec<Diagnostic>,
    sources: Sources,
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

fn case(path: &Path) -> Case {
    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let manifest = if path.is_dir() { path.join("tools.yaml") } else { path.to_owned() };
    let shown = manifest.strip_prefix(path.parent().unwrap()).unwrap().to_str().unwrap();
    let (found, sources) = match compile(&manifest, &options(shown)) {
        Ok(compiled) => (compiled.warnings, compiled.sources),
        Err(report) => (report.diagnostics, report.sources),
    };
    Case { name, manifest: Some(manifest), found, sources }
}

/// What can't lie in a folder of fixtures.
fn made() -> Vec<Case> {
    let files: [(&str, Vec<u8>); 3] = [
        ("VG0012_too_large", vec![b'#'; 5 << 20]),
        ("VG0013_latin_1", b"manifest: 1\ntools: {} # caf\xe9\n".to_vec()),
        ("VG0002_lone_carriage_return", b"manifest: 1\nprogram:\r  x: y\n".to_vec()),
    ];
    files
        .into_iter()
        .map(|(name, bytes)| {
            let files = BTreeMap::from([("tools.yaml".to_owned(), bytes)]);
            let report = compile_sources("tools.yaml", &files, &options("tools.yaml")).unwrap_err();
            Case { name: name.to_owned(), manifest: None, found: report.diagnostics, sources: report.sources }
        })
        .collect()
}

fn bad() -> Vec<Case> {
    entries(&folder("bad")).iter().map(|path| case(path)).chain(made()).collect()
}

#[test]
fn every_bad_manifest_gets_a_report_with_exactly_its_code() {
    let mut wrong = Vec::new();
    for case in bad() {
        let expected = BTreeSet::from([case.name.split('_').next().unwrap()]);
        let codes: BTreeSet<&str> = case.found.iter().map(|diagnostic| diagnostic.code.code).collect();
        if codes != expected {
            wrong.push(format!("{}: {codes:?}\n{}", case.name, render(&case.found, &case.sources, false)));
        }
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(case.name.clone(), render(&case.found, &case.sources, false));
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_has_a_fixture_and_a_page() {
    let fixtures: BTreeSet<String> = bad().iter().map(|case| case.name.split('_').next().unwrap().to_owned()).collect();
    let mut seen = BTreeSet::new();
    let mut missing = Vec::new();
    for entry in codes::all() {
        assert!(seen.insert(entry.code), "{} stands twice in the table", entry.code);
        assert_eq!(codes::find(&entry.code.to_lowercase()), Some(entry));
        let page = codes::page(entry);
        assert!(page.contains(entry.code) && page.contains(entry.explanation), "{page}");
        assert!(!entry.explanation.is_empty() && !entry.bad.is_empty() && !entry.good.is_empty(), "{}", entry.code);
        if !fixtures.contains(entry.code) {
            missing.push(entry.code);
        }
    }
    assert!(missing.is_empty(), "codes without a fixture in codegen/tests/bad: {missing:?}");
    for fixture in fixtures {
        assert!(codes::find(&fixture).is_some(), "{fixture} is no code");
    }
}

fn ok() -> Vec<PathBuf> {
    entries(&folder("ok"))
}

#[test]
fn every_ok_manifest_compiles_without_a_warning() {
    for path in ok() {
        let case = case(&path);
        assert!(case.found.is_empty(), "{}\n{}", path.display(), render(&case.found, &case.sources, false));
    }
}

fn as_json(path: &Path) -> Option<serde_json::Value> {
    serde_yaml::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

#[test]
fn the_schema_refuses_every_mistake_of_shape() {
    let schema = jsonschema::validator_for(&model::schema()).unwrap();
    let shapes = ["VG0101", "VG0102", "VG0103", "VG0104", "VG0105", "VG0106", "VG0107", "VG0108", "VG0110"];
    let mut tried = 0;
    for case in bad() {
        let code = case.name.split('_').next().unwrap();
        if let Some(manifest) = case.manifest.as_deref().filter(|_| shapes.contains(&code)).and_then(as_json) {
            tried += 1;
            assert!(!schema.is_valid(&manifest), "the schema takes {}", case.name);
        }
    }
    assert!(tried >= shapes.len());
}

#[test]
fn denied_warnings_refuse_the_manifest() {
    let path = folder("bad").join("VG0120_comma.yaml");
    let report = compile(&path, &Options { deny_warnings: true, ..options("x.yaml") }).unwrap_err();
    assert_eq!((report.errors(), report.warnings()), (1, 0));
    assert!(report.render(false).starts_with("error[VG0120]"), "{}", report.render(false));
    assert_eq!(report.json()[0]["level"], "error");
}
