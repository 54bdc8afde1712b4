//! Reports as data, for editors and other programs.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Value as Json, json};

use super::{Diagnostic, FileId, Level, Sources, Span, clamp};

/// Reports as a list of objects `{path, range, code, level, message, labels, help, mend}`, in the order of
/// [`super::sort`]. A `range` holds `bytes` (half open, from 0) and `start` and `end` with `line` and `column` (from 1;
/// columns count characters; a byte order mark is none).
pub fn json(diagnostics: &[Diagnostic], sources: &Sources) -> Json {
    json_as(diagnostics, sources, false)
}

/// As [`json()`]; `deny`: the level of warnings is `error`.
pub(super) fn json_as(diagnostics: &[Diagnostic], sources: &Sources, deny: bool) -> Json {
    let mut sorted: Vec<Diagnostic> = diagnostics.to_vec();
    super::sort(&mut sorted);
    let mut places = Places { sources, lines: BTreeMap::new() };
    sorted.iter().map(|diagnostic| places.one(diagnostic, deny)).collect()
}

struct Places<'a> {
    sources: &'a Sources,
    /// Where each line starts, per file that was asked for.
    lines: BTreeMap<FileId, Vec<usize>>,
}

impl Places<'_> {
    fn one(&mut self, diagnostic: &Diagnostic, deny: bool) -> Json {
        let level = match diagnostic.code.level {
            Level::Warning if !deny => "warning",
            Level::Warning | Level::Error => "error",
        };
        let labels: Vec<Json> = std::iter::once(&diagnostic.primary)
            .filter(|label| !label.text.is_empty())
            .chain(&diagnostic.secondary)
            .map(
                |label| json!({ "path": self.path(&label.span), "range": self.range(&label.span), "text": label.text }),
            )
            .collect();
        let mend = diagnostic
            .mend
            .as_ref()
            .map(|mend| json!({ "path": self.path(&mend.span), "range": self.range(&mend.span), "text": mend.text }));
        json!({
            "path": self.path(&diagnostic.primary.span),
            "range": self.range(&diagnostic.primary.span),
            "code": diagnostic.code.code,
            "level": level,
            "message": diagnostic.message,
            "labels": labels,
            "help": diagnostic.help,
            "mend": mend,
        })
    }

    fn path(&self, span: &Span) -> &str {
        self.sources.get(span.file).map_or("", |source| source.path.as_str())
    }

    fn range(&mut self, span: &Span) -> Json {
        let text = self.sources.get(span.file).map_or("", |source| source.text.as_str());
        let lines = self.lines.entry(span.file).or_insert_with(|| line_starts(text));
        let Range { start, end } = clamp(text, &span.bytes);
        json!({ "bytes": [start, end], "start": place(text, lines, start), "end": place(text, lines, end) })
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

fn place(text: &str, lines: &[usize], at: usize) -> Json {
    let line = lines.partition_point(|start| *start <= at);
    let start = line.checked_sub(1).and_then(|index| lines.get(index)).copied().unwrap_or(0);
    let before = text.get(start..at).unwrap_or_default();
    let before = if start == 0 { before.strip_prefix('\u{feff}').unwrap_or(before) } else { before };
    json!({ "line": line, "column": before.chars().count() + 1 })
}
