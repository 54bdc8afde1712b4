//! Nothing that is given to the compiler makes it panic, and places are right in every kind of file.

// Helpers of tests: a panic is a failed test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;
use verbgate_codegen::diag::{Diagnostic, FileId, Sources, Span, json, render};
use verbgate_codegen::{Options, codes, compile, compile_sources, syntax};

fn cases() -> u32 {
    if std::env::var("VERBGATE_LONG").is_ok_and(|value| value == "1") { 100_000 } else { 1_000 }
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() }
}

/// Read once: the long run has 100,000 cases.
static CORPUS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(corpus);

fn corpus() -> Vec<Vec<u8>> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files: Vec<PathBuf> = ["ok", "bad"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(tests.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Bits that change what stands around them.
const PIECES: &[&str] = &[
    "\n",
    "\t",
    "\r",
    " ",
    ": ",
    "- ",
    "#",
    " #",
    "'",
    "\"",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&a ",
    "*a",
    "!t ",
    "| ",
    ">",
    "%",
    "@",
    "`",
    "<",
    "<x>",
    "<<",
    "~",
    "null",
    "true",
    "1e3",
    "0x1",
    ".inf",
    "-",
    "--- ",
    "...",
    "\\",
    "\\u200B",
    "\u{feff}",
    "\u{2028}",
    "\u{85}",
    "\0",
    "é",
    "😀",
    "?",
    "? ",
    "99999999999999999999",
    "manifest: 1\n",
    "VG0120",
];

#[derive(Clone, Debug)]
enum Change {
    Insert(usize, usize),
    Delete(usize, usize),
    Copy(usize, usize, usize),
    Byte(usize, u8),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => (any::<usize>(), 0..PIECES.len()).prop_map(|(at, piece)| Change::Insert(at, piece)),
        2 => (any::<usize>(), 1..40usize).prop_map(|(at, length)| Change::Delete(at, length)),
        2 => (any::<usize>(), 1..80usize, any::<usize>()).prop_map(|(from, length, to)| Change::Copy(from, length, to)),
        1 => (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let length = bytes.len().max(1);
        match *change {
            Change::Insert(at, piece) => {
                let at = (at % length).min(bytes.len());
                bytes.splice(at..at, PIECES[piece].bytes());
            }
            Change::Delete(at, count) => {
                let at = (at % length).min(bytes.len());
                bytes.drain(at..(at + count).min(bytes.len()));
            }
            Change::Copy(from, count, to) => {
                let from = (from % length).min(bytes.len());
                let part = bytes[from..(from + count).min(bytes.len())].to_vec();
                let to = (to % length).min(bytes.len());
                bytes.splice(to..to, part);
            }
            Change::Byte(at, byte) => {
                let at = at % length;
                if let Some(place) = bytes.get_mut(at) {
                    *place = byte;
                }
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_changed_manifest_never_makes_the_compiler_panic(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let bytes = changed(which.get(&CORPUS).clone(), &changes);
        let files = BTreeMap::from([("tools.yaml".to_owned(), bytes)]);
        if let Err(report) = compile_sources("tools.yaml", &files, &Options::default()) {
            let text = report.render(true);
            prop_assert!(!text.is_empty() || report.diagnostics.is_empty());
            report.json();
        }
    }

    #[test]
    fn a_report_of_any_text_and_span_never_panics(
        text in "(?s).{0,200}|[ab\u{200b}\u{301}\r\n\t\u{1b}é😀\u{202e}\0]{0,60}",
        message in "(?s).{0,60}",
        spans in prop::collection::vec((0usize..260, 0usize..260, 0u32..3), 1..5),
        mended in proptest::option::of((0usize..260, 0usize..260, "(?s).{0,30}")),
    ) {
        let mut sources = Sources::default();
        let file = sources.add("a.yaml", text.clone());
        sources.add(message.clone(), "x\ny");
        let span = |&(start, end, file): &(usize, usize, u32)| Span { file: FileId(file), bytes: start..end };
        let mut diagnostic = Diagnostic::new(codes::all().next().unwrap(), span(&spans[0]), message.clone()).help(message.clone());
        for other in &spans[1..] {
            diagnostic = diagnostic.also(span(other), message.clone());
        }
        if let Some((start, end, new)) = mended {
            diagnostic = diagnostic.mend(Span { file, bytes: start..end }, new);
        }
        let shown = render(std::slice::from_ref(&diagnostic), &sources, false);
        let obeyed = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{200b}');
        prop_assert!(!shown.contains(obeyed), "{shown:?}");
        json(&[diagnostic], &sources);
    }
}

/// The text at the first mistake.
fn mistake(text: &str) -> (String, serde_json::Value) {
    let files = BTreeMap::from([("t.yaml".to_owned(), text.as_bytes().to_vec())]);
    let report = compile_sources("t.yaml", &files, &Options::default()).unwrap_err();
    let bytes = report.diagnostics[0].primary.span.bytes.clone();
    (text[bytes].to_owned(), report.json()[0].clone())
}

const WRONG: &str = "manifest: 1\n# é😀\nprogram: { executable: 'é', install: x, nots: [a] }\n";

#[test]
fn places_are_right_behind_non_ascii_text() {
    let (text, json) = mistake(WRONG);
    assert_eq!(text, "nots");
    assert_eq!(json["range"]["start"], serde_json::json!({ "line": 3, "column": 41 }));
}

#[test]
fn places_are_right_behind_a_byte_order_mark() {
    let (text, json) = mistake(&format!("\u{feff}{WRONG}"));
    assert_eq!(text, "nots");
    assert_eq!(json["range"]["start"], serde_json::json!({ "line": 3, "column": 41 }));
    let (text, json) = mistake("\u{feff}manfest: 1\n");
    assert_eq!(text, "manfest");
    assert_eq!(json["range"]["start"], serde_json::json!({ "line": 1, "column": 1 }));
    assert_eq!(json["range"]["bytes"], serde_json::json!([3, 10]));
}

#[test]
fn places_are_right_in_a_file_with_cr_lf() {
    let (text, json) = mistake(&WRONG.replace('\n', "\r\n"));
    assert_eq!(text, "nots");
    assert_eq!(json["range"]["start"], serde_json::json!({ "line": 3, "column": 41 }));
}

#[test]
fn places_are_right_behind_a_tab() {
    let (text, json) = mistake(&WRONG.replace("nots", "\tnots"));
    assert_eq!(text, "nots");
    assert_eq!(json["range"]["start"], serde_json::json!({ "line": 3, "column": 42 }));
}

#[test]
fn places_are_right_at_the_end_of_a_large_file() {
    let mut text = String::from("manifest: 1\nprogram:\n  executable: git\n  install: é\n  notes:\n");
    while text.len() < 1 << 20 {
        text.push_str("    - a note, 'with' \"quotes\" and é and 😀\n");
    }
    text.push_str("  nots: x\n");
    let lines = text.lines().count();
    let (place, json) = mistake(&text);
    assert_eq!(place, "nots");
    assert_eq!(json["range"]["start"], serde_json::json!({ "line": lines, "column": 3 }));
}

#[test]
fn the_second_reader_is_listened_to() {
    // Texts that one YAML reader takes for text and another for a number.
    for text in ["0755", "0b11", "+0o7"] {
        let source = format!("a: [x, {text}]\n");
        let found = syntax::parse(FileId(0), &source).unwrap_err();
        assert_eq!(found[0].code.code, "VG0014", "{text}");
        assert_eq!(&source[found[0].primary.span.bytes.clone()], text);
        assert_eq!(found[0].mend.as_ref().unwrap().text, format!("'{text}'"));
    }
}

#[test]
fn characters_that_are_not_shown_are_refused_raw_and_escaped() {
    for code in [
        0x1u32, 0x7f, 0x85, 0xad, 0x61c, 0x115f, 0x1160, 0x200b, 0x200d, 0x2028, 0x2029, 0x202e, 0x2066, 0x3164,
        0xfeff, 0xffa0, 0xe0041,
    ] {
        let character = char::from_u32(code).unwrap();
        for source in [format!("a: 'x{character}'\n"), format!("a: \"x\\U{code:08X}\"\n")] {
            let found = syntax::parse(FileId(0), &source).unwrap_err();
            assert_eq!(found.len(), 1, "{source:?} {found:?}");
            assert_eq!(found[0].code.code, "VG0002", "{source:?}");
        }
    }
    for source in ["a: 'x\u{fe0f}'\n", "a: \"x\\uFE0F \\t \\n \\r\\n\"\n", "\u{feff}a: x\n", "a: x\r\nb: y\r\n"] {
        assert!(syntax::parse(FileId(0), source).is_ok(), "{source:?}");
    }
}

fn in_folder(prepare: impl FnOnce(&Path)) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("in")).unwrap();
    let manifest = folder.path().join("in/tools.yaml");
    let text = "manifest: 1\nprogram: { executable: git, install: x }\ninclude: [other.yaml]\n";
    #[allow(clippy::disallowed_methods)] // a test's own folder
    std::fs::write(&manifest, text).unwrap();
    prepare(&folder.path().join("in"));
    let shown = Some(PathBuf::from("tools.yaml"));
    let report = compile(&manifest, &Options { shown, ..Options::default() }).unwrap_err();
    let text = report.render(false);
    assert!(!text.contains(folder.path().to_str().unwrap()), "{text}");
    assert_eq!(report.errors(), 1, "{text}");
    text
}

#[test]
fn an_included_pipe_is_refused_and_does_not_hang() {
    let text = in_folder(|folder| {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        mknodat(CWD, folder.join("other.yaml"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    });
    assert!(text.contains("VG0022") && text.contains("a pipe"), "{text}");
}

#[test]
fn an_included_link_out_of_the_folder_is_refused() {
    let text = in_folder(|folder| {
        #[allow(clippy::disallowed_methods)] // a test's own folder
        std::fs::write(folder.join("../out.yaml"), "manifest: 1\n").unwrap();
        std::os::unix::fs::symlink("../out.yaml", folder.join("other.yaml")).unwrap();
    });
    assert!(text.contains("VG0021"), "{text}");
}

#[test]
fn an_included_file_of_five_mebibytes_is_refused() {
    let text = in_folder(|folder| {
        let file = std::fs::File::create(folder.join("other.yaml")).unwrap();
        file.set_len(5 << 20).unwrap();
    });
    assert!(text.contains("VG0012"), "{text}");
}

#[test]
fn a_file_that_vanished_is_refused() {
    let text = in_folder(|_| {});
    assert!(text.contains("VG0020") && text.contains("no such file"), "{text}");
}

#[test]
fn a_manifest_that_is_missing_or_a_folder_gets_a_report() {
    let folder = tempfile::tempdir().unwrap();
    for (path, code) in [(folder.path().join("none.yaml"), "VG0020"), (folder.path().to_path_buf(), "VG0022")] {
        let shown = Some(PathBuf::from("tools.yaml"));
        let report = compile(&path, &Options { shown, ..Options::default() }).unwrap_err();
        assert_eq!(report.diagnostics[0].code.code, code);
        assert!(report.render(false).contains("tools.yaml"));
        assert!(!report.inputs.is_empty());
    }
}
