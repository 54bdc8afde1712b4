//! Checks of meaning: manifests that must pass without a word, and the public reports that concern the compiler. The
//! failing fixtures are in `bad`, see `corpus.rs`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test that fails, fails

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use verbgate_codegen::{Compiled, Options, compile, compile_sources};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn options(shown: &str) -> Options {
    Options { deny_warnings: true, today: Some("2026-12-31".into()), shown: Some(PathBuf::from(shown)) }
}

fn manifests(folder: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(here(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .collect();
    found.sort();
    found
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

#[test]
fn every_example_passes_without_a_warning() {
    let mut wrong = String::new();
    for path in manifests("../examples").into_iter().chain(manifests("tests/ok")).chain([here("../tools.yaml")]) {
        if let Err(report) = compile(&path, &options(&format!("{}.yaml", stem(&path)))) {
            writeln!(wrong, "{}", report.render(false)).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn compiled(manifest: &str) -> Compiled {
    let files = [("m.yaml".to_owned(), manifest.as_bytes().to_vec())].into();
    compile_sources("m.yaml", &files, &options("m.yaml")).unwrap_or_else(|report| panic!("{}", report.render(false)))
}

fn found(manifest: &str) -> Vec<&'static str> {
    let files = [("m.yaml".to_owned(), manifest.as_bytes().to_vec())].into();
    match compile_sources("m.yaml", &files, &options("m.yaml")) {
        Ok(_) => Vec::new(),
        Err(report) => report.diagnostics.iter().map(|found| found.code.code).collect(),
    }
}

fn manifest(tools: &str) -> String {
    format!("manifest: 1\nprogram: {{ executable: app, install: apt-get install app }}\ntools:\n{tools}")
}

fn tool(name: &str, rest: &str) -> String {
    format!("  {name}: {{ description: Show., consent: read, argv: [show], {rest} }}\n")
}

#[test]
fn the_table_of_a_small_manifest_is_as_it_was() {
    let compiled = compiled(include_str!("ok/small.yaml"));
    insta::assert_debug_snapshot!(compiled.catalogue);
}

#[test]
fn the_table_of_the_shipped_manifest_is_as_it_was() {
    let compiled = compile(&here("../tools.yaml"), &options("tools.yaml"))
        .unwrap_or_else(|report| panic!("{}", report.render(false)));
    insta::assert_debug_snapshot!(compiled.catalogue);
}

#[test]
fn report_20_a_tool_name_of_60_characters_is_warned_of() {
    assert_eq!(found(&manifest(&tool(&"a".repeat(60), ""))), ["VG0805"]);
    assert_eq!(found(&manifest(&tool(&"a".repeat(50), ""))), ["VG0805"]);
    assert!(found(&manifest(&tool(&"a".repeat(49), ""))).is_empty());
    assert_eq!(found(&manifest(&tool(&"a".repeat(65), ""))), ["VG0801"]);
}

#[test]
fn report_21_dots_and_slashes_in_names_are_refused() {
    for name in ["a.b", "a/b", "A", "1a", "a__b", "a b"] {
        assert_eq!(found(&manifest(&tool(&format!("'{name}'"), ""))), ["VG0801"], "{name}");
    }
}

#[test]
fn report_22_mutually_exclusive_arguments_make_no_root_one_of() {
    let arg = |name: &str| format!("{name}: {{ type: string, pattern: '[a-z]+', optional: true, description: X. }}");
    let text = manifest(&format!(
        "  app_show:\n    description: Show.\n    consent: read\n    args: {{ {}, {} }}\n    one_of: [[a, b]]\n    argv: [show, a: --a=<a>, b: --b=<b>]\n",
        arg("a"),
        arg("b")
    ));
    let schema: serde_json::Value =
        serde_json::from_str(&compiled(&text).catalogue.files[0].tools[0].input_schema).unwrap();
    assert_eq!(schema["type"], "object");
    for key in ["oneOf", "anyOf", "allOf", "not", "$schema", "$ref"] {
        assert!(schema.get(key).is_none(), "{key}");
    }
}

#[test]
fn report_23_and_24_a_list_has_typed_items_and_no_draft_is_named() {
    let text = manifest(
        "  app_show:\n    description: Show.\n    consent: read\n    args: { xs: { type: list, of: { type: string, pattern: '[a-z]+' }, optional: true, description: X. } }\n    argv: [show, --, <xs...>]\n",
    );
    let schema: serde_json::Value =
        serde_json::from_str(&compiled(&text).catalogue.files[0].tools[0].input_schema).unwrap();
    assert_eq!(schema["properties"]["xs"]["items"]["type"], "string");
    assert!(schema.get("$schema").is_none());
}

#[test]
fn report_25_names_that_fold_together_are_refused_with_both_places() {
    let text = manifest(&(tool("a-b", "") + &tool("a_b", "")));
    let files = [("m.yaml".to_owned(), text.into_bytes())].into();
    let report = compile_sources("m.yaml", &files, &options("m.yaml")).unwrap_err();
    let clash = report.diagnostics.iter().find(|found| found.code.code == "VG0802").unwrap();
    assert_eq!(clash.secondary.len(), 1);
}

#[test]
fn report_28_all_four_annotations_follow_the_class() {
    let text = manifest(
        "  a: { description: A., consent: read, argv: [a] }\n  b: { description: B., consent: additive, argv: [b] }\n  c: { description: C., consent: replace, ask: Do it?, argv: [c] }\n  d: { description: D., consent: registry_mutation, ask: Do it?, argv: [d] }\n  e: { description: E., consent: file_write, ask: 'Write <o>?', args: { o: { type: path, access: write, description: O. } }, argv: [e, --, <o>] }\n  f: { description: F., actions: { a: { description: A., consent: read, argv: [a] }, c: { description: C., consent: replace, ask: Do it?, argv: [c] } } }\n",
    );
    let hints: Vec<_> = compiled(&text).catalogue.files[0]
        .tools
        .iter()
        .map(|tool| {
            (
                tool.annotations.read_only,
                tool.annotations.destructive,
                tool.annotations.idempotent,
                tool.annotations.open_world,
            )
        })
        .collect();
    assert_eq!(
        hints,
        [
            (true, false, true, true),
            (false, false, false, true),
            (false, true, false, true),
            (false, true, false, true),
            (false, true, true, true),
            (false, true, false, true),
        ]
    );
}

#[test]
fn report_30_long_descriptions_are_warned_of_then_refused() {
    let with = |length: usize| {
        let words: String = "word ".repeat(length / 5 + 1).chars().take(length - 1).collect::<String>() + ".";
        let lines: Vec<String> =
            words.as_bytes().chunks(150).map(|chunk| String::from_utf8_lossy(chunk).replace(' ', "_")).collect();
        manifest(&format!(
            "  app_show: {{ description: \"{}\", consent: read, argv: [show] }}\n",
            lines.join("\\\n    ")
        ))
    };
    assert!(found(&with(1024)).is_empty());
    assert_eq!(found(&with(1025)), ["VG0806"]);
    assert_eq!(found(&with(2048)), ["VG0806"]);
    assert_eq!(found(&with(2049)), ["VG0807"]);
}

#[test]
fn report_32_hostile_text_reaches_the_table_as_it_is() {
    let hostile = r##"quote " hash "# raw r#" backslash \ braces {} end */ dollar ${x} tripled """ done"##;
    let text = manifest(&format!("  app_show:\n    description: '{hostile}'\n    consent: read\n    argv: [show]\n"));
    assert_eq!(compiled(&text).catalogue.files[0].tools[0].description, hostile);
}

#[test]
fn an_argument_that_requires_another_gives_it() {
    let args = "args: { a: { type: string, pattern: '[a-z]+', optional: true, requires: [b], description: A. }, b: { type: string, pattern: '[a-z]+', optional: true, description: B. } }";
    let verb =
        |argv: &str| manifest(&format!("  t:\n    description: T.\n    consent: read\n    {args}\n    argv: {argv}\n"));
    assert!(found(&verb("[t, a: '--x=<a>,<b>']")).is_empty());
    assert_eq!(found(&verb("[t, b: '--x=<a>,<b>']")), ["VG0203"]);
    assert!(found(&verb("[t, a: [b: '--x=<b>', c]]")).contains(&"VG0206"));
}

#[test]
fn a_value_before_the_first_literal_dashes_is_guarded_and_behind_them_not() {
    let verb = |argv: &str| {
        manifest(&format!(
            "  t:\n    description: T.\n    consent: read\n    args: {{ a: {{ type: string, description: A. }}, n: {{ type: integer, min: -1, max: 3, description: N. }} }}\n    argv: {argv}\n"
        ))
    };
    assert!(found(&verb("[t, --, <a>, <n>]")).is_empty());
    assert_eq!(found(&verb("[t, <a>, <n>]")), ["VG0209", "VG0209"]);
    assert!(found(&verb("[t, --a=<a>, x<n>]")).is_empty());
}

#[test]
fn never_is_held_by_choices_values_lists_and_conditions() {
    let verb = |never: &str, args: &str, argv: &str| {
        format!(
            "manifest: 1\nprogram: {{ executable: app, install: x, never: {{ {never} }} }}\ntools:\n  t:\n    description: T.\n    consent: read\n    args: {{ {args} }}\n    argv: {argv}\n"
        )
    };
    let word = "a: { type: string, pattern: '[a-z]+', description: A. }";
    let list = "a: { type: list, of: { type: string, pattern: '[a-z]+' }, optional: true, description: A. }";
    let choice = "a: { type: choice, choices: { x: --yes, y: -q }, description: A. }";
    let flag = "a: { type: boolean, description: A. }";
    for (never, args, argv) in [
        ("verbs: [bundle load]", word, "[bundle, <a>]"),
        ("verbs: [bundle load]", list, "[bundle, <a...>]"),
        ("verbs: [bundle load]", list, "[bundle, a: [<a>]]"),
        ("verbs: [bundle load]", flag, "[bundle, a: load]"),
        ("verbs: [bundle load]", word, "[bundle, --json, <a>]"),
        ("verbs: [bundle load]", flag, "[bundle, a: [--all, load]]"),
        ("options: [--yes]", choice, "[t, <a>]"),
        ("options: [--yes]", flag, "[t, a: --yes]"),
        ("options: [--yes]", word, "[t, --yes=<a>]"),
        ("options: [-Sx]", word, "[t, -S<a>]"),
    ] {
        assert!(found(&verb(never, args, argv)).contains(&"VG0503"), "{never} {argv}");
    }
    for (never, args, argv) in [
        ("verbs: [bundle load]", flag, "[bundle, export, a: load]"),
        ("options: [--yes]", word, "[t, --, <a>]"),
        ("options: [--yes]", flag, "[t, --, a: --yes]"),
        ("options: [--yes]", word, "[t, --yess=<a>]"),
        ("options: [--yes]", word, "[t, <a>]"),
    ] {
        assert!(!found(&verb(never, args, argv)).contains(&"VG0503"), "{never} {argv}");
    }
}

#[test]
fn a_thousand_verbs_pass() {
    let mut tools = String::new();
    for tool in 0..40 {
        writeln!(tools, "  t{tool}:\n    description: T.\n    actions:").unwrap();
        for action in 0..25 {
            writeln!(
                tools,
                "      a{action}: {{ description: A., consent: read, args: {{ name: {{ type: string, pattern: '[a-z]+', description: Name. }} }}, argv: [t{tool}, a{action}, --, <name>], success: {{ match: '^done', examples: [done] }} }}"
            )
            .unwrap();
        }
    }
    let text = format!(
        "{}errors:\n  common:\n    - {{ code: BUSY, match: '^busy', say: it is busy, hint: Wait., examples: [busy] }}\n",
        manifest(&tools)
    );
    assert_eq!(compiled(&text).catalogue.files[0].tools.iter().map(|tool| tool.verbs.len()).sum::<usize>(), 1000);
}
