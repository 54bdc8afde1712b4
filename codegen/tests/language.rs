//! The reference page says what the compiler does.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that fails, fails

use std::collections::BTreeSet;

use verbgate_codegen::diag::Level;
use verbgate_codegen::{Options, codes, compile_sources, model, reference};

fn page() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/language.md")).unwrap()
}

/// Codes in the order of the text, each with the word before it.
fn named(text: &str) -> Vec<(String, bool)> {
    let pattern = regex::Regex::new(r"(warning )?(VG[0-9]{4})").unwrap();
    pattern.captures_iter(text).map(|found| (found[2].to_owned(), found.get(1).is_some())).collect()
}

#[test]
fn the_generated_parts_are_fresh() {
    let page = page();
    let fresh = reference::fill(&page).unwrap_or_else(|trouble| panic!("docs/language.md: {trouble}"));
    assert!(page == fresh, "docs/language.md is not what the definitions say; run `cargo xtask codegen`");
}

#[test]
fn the_prose_names_every_code_and_no_other_and_calls_warnings_warnings() {
    let prose = reference::prose(&page());
    let mut seen = BTreeSet::new();
    for (code, as_warning) in named(&prose) {
        let entry = codes::find(&code).unwrap_or_else(|| panic!("docs/language.md names {code}, which is no code"));
        assert_eq!(as_warning, entry.level == Level::Warning, "docs/language.md gives {code} the wrong level");
        seen.insert(entry.code);
    }
    let missing: Vec<&str> = codes::all().map(|entry| entry.code).filter(|code| !seen.contains(code)).collect();
    assert!(missing.is_empty(), "the prose of docs/language.md does not say what {missing:?} check");
}

#[test]
fn every_key_of_the_language_stands_in_a_table() {
    let parts = reference::parts();
    for (name, table) in model::tables().into_iter().chain([("manifest", model::Model::table())]) {
        let (_, text) = parts.iter().find(|(part, _)| *part == format!("keys of {name}")).unwrap();
        for field in table.keys() {
            assert!(text.contains(&format!("| `{}` |", field.key())), "{name} {}", field.key());
        }
    }
}

#[test]
fn a_page_with_a_wrong_or_a_missing_part_is_not_filled() {
    for (text, trouble) in [
        ("<!-- generated: nothing -->\n<!-- end -->\n", "is called `nothing`"),
        ("<!-- generated: codes -->\n", "not closed"),
        ("", "lacks `keys of manifest`"),
    ] {
        let said = reference::fill(text).unwrap_err();
        assert!(said.contains(trouble), "{said}");
    }
}

#[test]
fn the_small_manifest_of_the_page_compiles_without_a_warning() {
    let page = page();
    let (_, section) = page.split_once("## 15. A small manifest\n").unwrap();
    let manifest: String = section
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with("    "))
        .flat_map(|line| [line.strip_prefix("    ").unwrap_or(line), "\n"])
        .collect();
    let files = [("m.yaml".to_owned(), manifest.into_bytes())].into();
    let options = Options { deny_warnings: true, ..Options::default() };
    compile_sources("m.yaml", &files, &options).unwrap_or_else(|report| panic!("{}", report.render(false)));
}
