//! `check` and `explain`: manifests and their mistakes.

use std::path::Path;
use std::time::SystemTime;

use serde_json::json;
use verbgate::table::show;
use verbgate_codegen::cargo::today;
use verbgate_codegen::codes;
use verbgate_codegen::diag::{Level, Report};
use verbgate_codegen::{Compiled, Options, compile};

use crate::answer::{self, Answer, Usage};
use crate::args::Format;
use crate::may_colour;

/// Checks a manifest. The report goes to standard error, or with `--format json` it is the answer.
pub(crate) fn check(file: &Path, format: Format) -> Answer {
    let options = Options { today: today(SystemTime::now()), ..Options::default() };
    let (report, tools) = match compile(file, &options) {
        Ok(Compiled { catalogue, warnings, sources, inputs }) => {
            let tools = catalogue.files.iter().map(|file| file.tools.len()).sum();
            (Report { sources, diagnostics: warnings, inputs, ..Report::default() }, Some(tools))
        }
        Err(report) => (report, None::<usize>),
    };
    let (errors, warnings) = (report.errors(), report.warnings());
    if format == Format::Text && errors + warnings > 0 {
        answer::report(report.render(may_colour(&std::io::stderr())).trim_end());
    }
    let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let text = match tools {
        Some(tools) => {
            let name = show::one_line(&file.to_string_lossy());
            let rest = if warnings == 0 { String::new() } else { format!(", {}", count(warnings, "warning")) };
            format!("{name}: {}, no errors{rest}", count(tools, "tool"))
        }
        None => String::new(),
    };
    let json = json!({ "errors": errors, "warnings": warnings, "diagnostics": report.json() });
    Answer { text, json, status: u8::from(tools.is_none()) }
}

/// The page of a code.
///
/// # Errors
/// There is no such code.
pub(crate) fn explain(code: &str) -> Result<Answer, Usage> {
    let Some(entry) = codes::find(code) else {
        let (first, last) = (codes::all().next(), codes::all().last());
        let range = match (first, last) {
            (Some(first), Some(last)) => format!(" (codes go from {} to {})", first.code, last.code),
            _ => String::new(),
        };
        return Err(Usage(format!("there is no code `{}`{range}", show::one_line(code))));
    };
    let level = match entry.level {
        Level::Error => "error",
        Level::Warning => "warning",
    };
    let text = format!(
        "{}: {} ({level})\n\n{}\n\nwrong:\n{}\n\nright:\n{}",
        entry.code,
        entry.title,
        entry.explanation,
        indented(entry.bad),
        indented(entry.good)
    );
    let json = json!({
        "code": entry.code,
        "level": level,
        "title": entry.title,
        "explanation": entry.explanation,
        "bad": entry.bad,
        "good": entry.good,
    });
    Ok(Answer { text, json, status: 0 })
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}
