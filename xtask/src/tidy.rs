//! `cargo xtask tidy`: rules that no compiler checks.

use std::path::{Path, PathBuf};

use crate::Failure;
use crate::run;

/// Longest file of Rust, in lines: one that grows past it does two jobs.
const MOST_LINES: usize = 700;

/// Checks every file of the repository.
pub(crate) fn run() -> Result<(), Failure> {
    let root = run::root();
    let mut faults = Vec::new();
    for file in files(&root)? {
        let shown = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
        if shown.ends_with(".snap.new") || shown.ends_with(".pending-snap") {
            faults.push(format!("{shown}: a snapshot waits for a decision (cargo insta review)"));
        }
        if file.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        check_rust(&shown, &text, &mut faults);
    }
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
