//! `cargo xtask tidy`: rules that no compiler checks.

mod claims;

use std::path::{Path, PathBuf};

use crate::Failure;
use crate::run;

/// Longest file of Rust, in lines: one that grows past it does two jobs.
const MOST_LINES: usize = 700;

/// Checks every file of the repository.
pub(crate) fn run() -> Result<(), Failure> {
    let root = run::root();
    let mut faults = Vec::new();
    let mut texts: Vec<(String, String)> = Vec::new();
    for file in files(&root)? {
        let shown = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
        if shown.ends_with(".snap.new") || shown.ends_with(".pending-snap") {
            faults.push(format!("{shown}: a snapshot waits for a decision (cargo insta review)"));
        }
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if !["rs", "md", "yaml", "toml", "jinja"].contains(&ending) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        if ending == "rs" {
            check_rust(&shown, &text, &mut faults);
        }
        texts.push((shown, text));
    }
    let texts: Vec<claims::Text<'_>> = texts.iter().map(|(shown, text)| (shown.as_str(), text.as_str())).collect();
    faults.extend(claims::check(&texts, |file| root.join(file).is_file()));
    if faults.is_empty() {
        return Ok(());
    }
    faults.sort();
    for fault in &faults {
        eprintln!("{fault}");
    }
    Err(format!("{} things to tidy", faults.len()))
}

fn check_rust(shown: &str, text: &str, faults: &mut Vec<String>) {
    let lines = text.lines().count();
    if lines > MOST_LINES {
        faults.push(format!("{shown}: {lines} lines; is one file doing two jobs?"));
    }
    // The first names the words that it looks for; the others are texts that must not compile.
    if shown.starts_with("xtask/src/tidy") || shown.contains("must-not-compile") {
        return;
    }
    for (at, line) in text.lines().enumerate() {
        for word in ["todo!(", "unimplemented!(", "dbg!(", "#[ignore", "// TODO", "// FIXME", "// XXX"] {
            if line.contains(word) {
                faults.push(format!("{shown}:{}: `{word}` is left open", at + 1));
            }
        }
    }
}

/// Every file below a folder, but what cargo and git keep.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries.filter_map(Result::ok) {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if kind.is_dir() && name != "target" && name != ".git" && name != "evidence" {
                open.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}
