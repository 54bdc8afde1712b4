//! The parts of the reference page (`docs/language.md`) that are generated: the tables of keys, from the definitions
//! that the parser reads by, and the tables of data that checks use.
//!
//! A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`, each alone on its line. Words around
//! it are written by hand.

use std::fmt::Write as _;

use crate::check::data;
use crate::codes;
use crate::diag::Level;
use crate::model;

const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

/// The page with every generated part made anew.
///
/// # Errors
/// One line: a part is not closed, there is no part of this name, or the page lacks one that there is.
pub fn fill(page: &str) -> Result<String, String> {
    let parts = parts();
    let mut missing: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    let mut filled = String::with_capacity(page.len());
    let mut lines = page.split_inclusive('\n');
    while let Some(line) = lines.next() {
        filled.push_str(line);
        let Some(name) = line.trim_end().strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        let Some((_, text)) = parts.iter().find(|(part, _)| part == name) else {
            return Err(format!("no part of the page is called `{name}`"));
        };
        missing.retain(|missing| *missing != name);
        let _ = write!(filled, "\n{}\n\n{END}\n", text.trim());
        if !lines.any(|line| line.trim_end() == END) {
            return Err(format!("the part `{name}` is not closed by `{END}`"));
        }
    }
    if missing.is_empty() { Ok(filled) } else { Err(format!("the page lacks `{}`", missing.join("`, `"))) }
}

/// The page without its generated parts.
pub fn prose(page: &str) -> String {
    let mut inside = false;
    page.split_inclusive('\n')
        .filter(|line| {
            inside = (inside || line.starts_with(BEGIN)) && line.trim_end() != END;
            !inside
        })
        .collect()
}

/// All generated parts: name and text.
pub fn parts() -> Vec<(String, String)> {
    let keys = model::tables().into_iter().map(|(name, table)| (format!("keys of {name}"), model::markdown(table)));
    let mut parts = vec![("keys of manifest".to_owned(), model::markdown(model::Model::table()))];
    parts.extend(keys);
    parts.extend(
        [("limits", limits()), ("loads code", loads_code()), ("interpreters", interpreters()), ("codes", all_codes())]
            .map(|(name, text)| (name.to_owned(), text)),
    );
    parts
}

fn limits() -> String {
    let mut text = String::from("| what | at most | source | looked up |\n| --- | --- | --- | --- |\n");
    for limit in data::LIMITS {
        let _ = writeln!(text, "| {} | {} | {} | {} |", limit.what, limit.most, cell(limit.source), limit.date);
    }
    text
}

fn loads_code() -> String {
    let mut text = String::from("| variables | why | safe value |\n| --- | --- | --- |\n");
    for (name, why) in data::LOADS_CODE {
        let start = name.trim_end_matches('*');
        let safe: Vec<String> = data::SAFE_VALUES
            .iter()
            .filter(|(safe, _)| safe.starts_with(start))
            .map(|(name, value)| format!("`{name}={value}`"))
            .collect();
        let _ = writeln!(text, "| `{name}` | {} | {} |", cell(why), safe.join(", "));
    }
    text
}

fn interpreters() -> String {
    let mut text = String::from("| program | what of its argv is code | why |\n| --- | --- | --- |\n");
    for entry in data::INTERPRETERS {
        let names: Vec<String> = entry.names.iter().map(|name| format!("`{name}`")).collect();
        let mut code: Vec<String> = entry.letters.chars().map(|letter| format!("behind `-{letter}`")).collect();
        code.extend(entry.options.iter().map(|option| format!("behind `{option}`")));
        if entry.operand {
            code.push("its first operand".to_owned());
        }
        if entry.stdin {
            code.push("else its standard input".to_owned());
        }
        if entry.all {
            code.push("all of it".to_owned());
        }
        let _ = writeln!(text, "| {} | {} | {} |", names.join(", "), code.join(", "), cell(entry.why));
    }
    text
}

fn all_codes() -> String {
    let mut text = String::from("| code | | title |\n| --- | --- | --- |\n");
    for entry in codes::all() {
        let level = match entry.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        let _ = writeln!(text, "| {} | {level} | {} |", entry.code, cell(entry.title));
    }
    text
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}
