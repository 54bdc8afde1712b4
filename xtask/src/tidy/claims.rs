//! What is said of results: every test that `docs/result-stages.md` names is there, and no text or code claims more than
//! the table `capabilities` of the manifest.

use std::path::Path;

/// A file of the repository: its path as it is shown, and its text.
pub(crate) type Text<'a> = (&'a str, &'a str);

/// The page whose rows name tests.
const PAGE: &str = "docs/result-stages.md";
/// The table.
const TABLE: &str = "tools.yaml";

/// A source of the table, and words that claim more of it than `limited` and `unsupported` say.
const CLAIMS: &[(&str, &[&str])] = &[
    ("built-in read", &["captures all of read", "restores the whole of read"]),
    ("built-in bash", &["captures all of bash", "restores the whole of bash"]),
    ("repo_*", &["captures repo_", "repo_* is exact"]),
    ("ast_grep", &["captures ast_grep", "ast_grep is exact"]),
    ("unknown and custom tools", &["any tool is captured", "captures any tool", "captures every tool"]),
    ("a tool that replaces another under its name", &["certified", "authenticated owner", "proves which tool"]),
    ("MCP results of other servers", &["captures MCP", "MCP results are captured", "MCP capture"]),
    ("browser child", &["captures the browser", "browser capture", "browser results are captured"]),
    ("a call across reload", &["survives a reload", "survives reload", "reload-safe"]),
    ("a later third-party handler", &["enforces the", "enforcement is", "hard enforce", "tamper-proof"]),
    ("storage", &["durable", "crash-safe", "fsync"]),
    ("macOS and Windows", &["supports macos", "supports windows", "tested on macos", "tested on windows"]),
];
/// A sentence with one of these denies what it names.
const DENIALS: &[&str] = &[
    "not ",
    "n't",
    "never",
    "no ",
    "nothing",
    "none",
    "unsupported",
    "refuse",
    "can't",
    "without",
    "future",
    "before",
];

/// Every fault, one line each.
pub(crate) fn check(files: &[Text<'_>], exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut faults = named(files, exists);
    faults.extend(claimed(files));
    faults
}

fn text_of<'a>(files: &[Text<'a>], name: &str) -> Option<&'a str> {
    files.iter().find(|(shown, _)| *shown == name).map(|(_, text)| *text)
}

/// Tests and files that the page names, and that are not there.
fn named(files: &[Text<'_>], exists: impl Fn(&str) -> bool) -> Vec<String> {
    let Some(page) = text_of(files, PAGE) else { return vec![format!("{PAGE}: is missing")] };
    let code: Vec<&str> = files
        .iter()
        .filter(|(shown, _)| Path::new(shown).extension().is_some_and(|ending| ending == "rs"))
        .map(|(_, text)| *text)
        .collect();
    let mut faults = Vec::new();
    for (at, line) in page.lines().enumerate() {
        let Some((_, shown_by)) = line.trim_end_matches(" |").rsplit_once(" | ") else { continue };
        if shown_by.trim().is_empty() {
            faults.push(format!("{PAGE}:{}: nothing shows this sentence", at + 1));
        }
        for name in shown_by.split('`').skip(1).step_by(2) {
            let is_test = name.matches('_').count() >= 2
                && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit());
            if is_test && !code.iter().any(|text| text.contains(&format!("fn {name}("))) {
                faults.push(format!("{PAGE}:{}: there is no test `{name}`", at + 1));
            }
            if name.contains('/') && Path::new(name).extension().is_some_and(|ending| ending == "rs") && !exists(name) {
                faults.push(format!("{PAGE}:{}: there is no file `{name}`", at + 1));
            }
        }
    }
    faults
}

/// The level of a source, as the table writes it.
fn level<'a>(table: &'a str, source: &str) -> Option<&'a str> {
    let mut lines = table.lines().map(str::trim);
    lines.find(|line| line.strip_prefix("- source: ") == Some(source))?;
    let line = lines.next()?.strip_prefix("capture: ")?;
    line.split_whitespace().next()
}

/// Lines that claim more than the table.
fn claimed(files: &[Text<'_>]) -> Vec<String> {
    let Some(table) = text_of(files, TABLE) else { return vec![format!("{TABLE}: is missing")] };
    let mut faults = Vec::new();
    for (source, words) in CLAIMS {
        match level(table, source) {
            None => faults.push(format!("{TABLE}: nothing is said of the source `{source}`")),
            Some("exact") => {}
            Some(level) => {
                for (shown, text) in files {
                    over(shown, text, words, |line, word| {
                        faults.push(format!(
                            "{shown}:{line}: `{word}` claims more than {TABLE} does: {source} is {level}"
                        ));
                    });
                }
            }
        }
    }
    faults
}

fn over(shown: &str, text: &str, words: &[&str], mut fault: impl FnMut(usize, &str)) {
    // The first names the words that it looks for.
    if shown.starts_with("xtask/src/tidy") || shown.starts_with("tests/data/") || shown.contains("/snapshots/") {
        return;
    }
    let mut before = String::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.to_lowercase();
        for word in words {
            // A sentence may begin on the line before.
            let denied = DENIALS.iter().any(|denial| line.contains(denial) || before.contains(denial));
            if line.contains(&word.to_lowercase()) && !denied {
                fault(at + 1, word);
            }
        }
        before = line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(level: &str) -> String {
        let rows = CLAIMS.iter().map(|(source, _)| format!("  - source: {source}\n    capture: {level}\n"));
        rows.collect()
    }

    fn faults(page: &str, level: &str, text: &str) -> Vec<String> {
        let table = table(level);
        let files = [(PAGE, page), (TABLE, table.as_str()), ("runtime/src/x.rs", text)];
        check(&files, |_| false)
    }

    #[test]
    fn a_claim_beyond_the_table_is_found_and_a_denial_is_none() {
        let found = faults(
            "",
            "unsupported",
            "/// Output is kept in durable storage.\n\n\n/// Storage is never called durable.",
        );
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("runtime/src/x.rs:1: `durable`"), "{found:?}");
        assert!(faults("", "exact", "/// Output is kept in durable storage.").is_empty());
    }

    #[test]
    fn a_source_that_the_table_leaves_out_is_found() {
        let found = check(&[(PAGE, ""), (TABLE, "")], |_| true);
        assert_eq!(found.len(), CLAIMS.len());
    }

    #[test]
    fn a_test_that_the_page_names_must_be_there() {
        let page =
            "| x | `one_two_three_four` |\n| y | `five_six_seven`; `report_1_is_not_there`; `tests/a.rs` |\n| z |  |";
        let found = faults(page, "exact", "fn one_two_three_four() {}");
        assert_eq!(found.len(), 4, "{found:?}");
    }
}
