//! What broken YAML most likely meant (LANGUAGE section 13).

use std::ops::Range;

use super::{Node, single_quoted};
use crate::codes::syntax as codes;
use crate::diag::{Diagnostic, FileId, Span};

/// A key without a value.
pub(super) fn no_value(text: &str, key: &Node, previous: Option<&Node>) -> Diagnostic {
    let name = key.text().unwrap_or_default();
    let span = key.span.clone();
    let behind = text.get(span.bytes.end..).unwrap_or_default();
    let has_colon = behind.trim_start_matches([' ', '\t']).starts_with(':');
    if has_colon {
        let here = Diagnostic::new(&codes::VG0010, span, format!("the key `{name}` has no value"));
        return here.help("give the value, or leave the key out");
    }
    // Only in `{ }` can a key stand without a colon.
    if let Some(previous) = previous.filter(|node| node.text().is_some()) {
        let whole = previous.span.bytes.start..span.bytes.end;
        let diagnostic =
            Diagnostic::new(&codes::VG0010, span.clone(), format!("`{name}` is read as a key, and has no value"))
                .help("a comma ends unquoted text in `{ }`: quote the text");
        let raw = text.get(whole.clone()).unwrap_or_default();
        let quoted = raw.starts_with(['\'', '"']);
        if raw.contains('\n') || quoted {
            return diagnostic;
        }
        return diagnostic.mend(Span { file: span.file, bytes: whole }, single_quoted(raw));
    }
    let alone = text.get(..span.bytes.start).is_some_and(|before| before.trim_end().ends_with('{'))
        && behind.trim_start().starts_with('}');
    let diagnostic = Diagnostic::new(&codes::VG0010, span.clone(), format!("`{{{name}}}` is a mapping with no value"))
        .help(format!("a placeholder is `<{name}>`"));
    if alone {
        let start = text.get(..span.bytes.start).and_then(|before| before.rfind('{')).unwrap_or(span.bytes.start);
        let end = behind.find('}').map_or(span.bytes.end, |at| span.bytes.end + at + 1);
        return diagnostic.mend(Span { file: span.file, bytes: start..end }, format!("<{name}>"));
    }
    diagnostic
}

/// A parser's error, with what was likely meant.
pub(super) fn broken(file: FileId, text: &str, at: usize, info: &str) -> Diagnostic {
    let at = floor(text, at);
    let line = line_of(text, at);
    let character = text.get(at..).and_then(|rest| rest.chars().next());
    let end = character.filter(|c| *c != '\n').map_or(at, |c| at + c.len_utf8());
    let here = Span { file, bytes: at..end };
    let place = |bytes: Range<usize>| Span { file, bytes };

    if info.contains("unknown anchor") {
        let diagnostic = Diagnostic::new(&codes::VG0005, here, "an alias is not allowed")
            .help("write the value out; text that begins with `*` goes into single quotes");
        return match line.as_ref().and_then(|line| value_of(text, line)) {
            Some((value, bytes)) if value.starts_with('*') => diagnostic.mend(place(bytes), single_quoted(value)),
            _ => diagnostic,
        };
    }
    if info.contains("quoted scalar") && info.contains("escape") || info.contains("hexadecimal") {
        let diagnostic = Diagnostic::new(&codes::VG0001, here, "there is no such escape in double quotes")
            .help("write patterns and other text with a backslash in single quotes");
        return match double_quoted_around(text, line.as_ref(), at) {
            Some(bytes) => {
                let inner = text.get(bytes.start + 1..bytes.end - 1).unwrap_or_default();
                diagnostic.mend(place(bytes.clone()), single_quoted(inner))
            }
            None => diagnostic,
        };
    }
    if info.contains("unexpected end of stream") || info.contains("unexpected document indicator") {
        let what = format!("broken YAML: {}", plain_words(info));
        return Diagnostic::new(&codes::VG0001, here, what)
            .help("close the quote; in single quotes a quote is written twice");
    }
    if info.contains("'-' followed by") || info.contains("'-' must be followed") {
        let start = text.get(..=at).and_then(|before| before.rfind('-')).unwrap_or(at);
        return Diagnostic::new(&codes::VG0001, place(start..start + 1), "YAML readers differ about `-` alone")
            .help("quote it: `'-'`")
            .mend(place(start..start + 1), "'-'");
    }
    // The place of an error is where the parser gave up: in this line, or behind the one that is wrong.
    for line in [line.clone(), line_before(text, line.as_ref())].into_iter().flatten() {
        let Some((value, bytes)) = value_of(text, &line) else { continue };
        if value.starts_with(['%', '@', '`', '>', '|', '*', '&', '!', '?']) && !block_header(value) {
            let first = value.chars().next().unwrap_or_default();
            return Diagnostic::new(
                &codes::VG0001,
                place(bytes.clone()),
                format!("unquoted text can't begin with `{first}`"),
            )
            .help("quote it")
            .mend(place(bytes), single_quoted(value));
        }
        if !value.starts_with(['\'', '"', '[', '{', '|', '>']) && value.contains(": ") {
            return Diagnostic::new(&codes::VG0001, place(bytes.clone()), "unquoted text can't hold `: `")
                .help("text with `: ` needs quotes")
                .mend(place(bytes), single_quoted(value));
        }
        if value.starts_with('\'') && value.matches('\'').count() == 1 {
            return Diagnostic::new(&codes::VG0001, place(bytes), "the quote is not closed")
                .help("close it in this line");
        }
        if value.starts_with('\'') && info.contains("trailing content") || value.starts_with('\'') && odd_quotes(value)
        {
            return Diagnostic::new(
                &codes::VG0001,
                place(bytes),
                "text in single quotes ends at the next single quote",
            )
            .help("inside single quotes a quote is written twice: `'it''s'`");
        }
    }
    if matches!(character, Some('%' | '@' | '`')) {
        return Diagnostic::new(
            &codes::VG0001,
            here,
            format!("unquoted text can't begin with `{}`", character.unwrap_or_default()),
        )
        .help("quote the text");
    }
    let diagnostic = Diagnostic::new(&codes::VG0001, here, format!("broken YAML: {}", plain_words(info)));
    if info.contains("trailing content") {
        return diagnostic.help("quote the whole text; in single quotes a quote is written twice");
    }
    if info.contains("expected ',' or") || info.contains("eof") || info.contains("flow") {
        return diagnostic.help("is a bracket or a quote not closed, or a comma missing?");
    }
    diagnostic.help("is the indentation even, and text with `: ` or with a special first character in quotes?")
}

/// The parser's words, without those that only its authors know.
fn plain_words(info: &str) -> String {
    info.replace("while ", "").replace("scalar", "text").replace("eof", "end of the file").replace('`', "'")
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn line_of(text: &str, at: usize) -> Option<Range<usize>> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |at| at + 1);
    let end = text.get(at..)?.find('\n').map_or(text.len(), |length| at + length);
    Some(start..end)
}

fn line_before(text: &str, line: Option<&Range<usize>>) -> Option<Range<usize>> {
    line_of(text, line?.start.checked_sub(1)?)
}

/// The value that a line of `key: value` or `- value` gives, without a comment.
fn value_of<'a>(text: &'a str, line: &Range<usize>) -> Option<(&'a str, Range<usize>)> {
    let whole = text.get(line.clone())?;
    let mut rest = whole.trim_start();
    while let Some(item) = rest.strip_prefix("- ") {
        rest = item.trim_start();
    }
    let key = rest.find(": ").filter(|at| {
        let key = rest.get(..*at).unwrap_or_default();
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
    });
    let item = whole.trim_start().starts_with("- ");
    let value = match key {
        Some(at) => rest.get(at + 2..)?.trim_start(),
        None if item => rest,
        None => return None,
    };
    let start = line.start + (whole.len() - value.len());
    let value = value.find(" #").and_then(|at| value.get(..at)).unwrap_or(value).trim_end();
    (!value.is_empty()).then(|| (value, start..start + value.len()))
}

/// `|`, `>-`, `|2+`: what starts a block.
fn block_header(value: &str) -> bool {
    value.starts_with(['|', '>']) && value.chars().skip(1).all(|c| matches!(c, '-' | '+' | '0'..='9'))
}

fn odd_quotes(value: &str) -> bool {
    value.matches('\'').count() % 2 == 1
}

/// The text in double quotes, on one line, in which a place lies or which begins there.
fn double_quoted_around(text: &str, line: Option<&Range<usize>>, at: usize) -> Option<Range<usize>> {
    let line = line?;
    let begins = text.get(at..)?.starts_with('"');
    let start = if begins { at } else { line.start + text.get(line.start..at)?.rfind('"')? };
    let mut bytes = text.get(start..line.end)?.bytes().enumerate().skip(1);
    while let Some((index, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => return Some(start..start + index + 1),
            _ => {}
        }
    }
    None
}
