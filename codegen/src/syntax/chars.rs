//! Characters that no manifest holds (LANGUAGE section 1): found in the raw text and behind escapes.

use std::ops::Range;

use regex::Regex;

use crate::codes::syntax as codes;
use crate::diag::{Diagnostic, FileId, Span};

const FORBIDDEN: &str = r"[\p{Cc}\p{Cf}\x{2028}\x{2029}\x{115F}\x{1160}\x{3164}\x{FFA0}--[\t\n\r]]|\r(?:[^\n]|\z)";

/// The pattern of what is forbidden; a lone carriage return matches with the character after it.
pub(super) fn forbidden() -> Option<Regex> {
    Regex::new(FORBIDDEN).ok()
}

/// Every forbidden character that stands in the text as it is. `skip`: bytes of a byte order mark at the start.
pub(super) fn raw(file: FileId, text: &str, skip: usize) -> Vec<Diagnostic> {
    let Some(pattern) = forbidden() else { return Vec::new() };
    let body = text.get(skip..).unwrap_or_default();
    let mut at = 0;
    let mut found = Vec::new();
    // Not `find_iter`: the character behind a lone carriage return may be forbidden itself.
    while let Some(hit) = pattern.find_at(body, at) {
        let Some(first) = hit.as_str().chars().next() else { break };
        at = hit.start() + first.len_utf8();
        let bytes = skip + hit.start()..skip + at;
        found.push(diagnostic(file, bytes, first, ""));
    }
    found
}

/// The raw text of a scalar in double quotes: every escape that gives a forbidden character.
pub(super) fn escaped(file: FileId, raw: &str, start: usize, pattern: &Regex) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut rest = 0;
    let mut returns: Option<Range<usize>> = None;
    while let Some(at) = raw.get(rest..).and_then(|tail| tail.find('\\')).map(|at| rest + at) {
        let Some((character, length)) = escape(raw.get(at + 1..).unwrap_or_default()) else {
            rest = at + 2;
            continue;
        };
        let bytes = start + at..start + at + 1 + length;
        if let Some(lone) = returns.take()
            && !(character == '\n' && lone.end == bytes.start)
        {
            found.push(diagnostic(file, lone, '\r', " as an escape"));
        }
        rest = at + 1 + length;
        if character == '\r' {
            returns = Some(bytes);
        } else if pattern.is_match(character.encode_utf8(&mut [0; 4])) {
            found.push(if character == '\u{8}' && raw.get(at + 1..).is_some_and(|rest| rest.starts_with('b')) {
                word_border(file, raw, start, bytes)
            } else {
                diagnostic(file, bytes, character, " as an escape")
            });
        }
    }
    found.extend(returns.map(|lone| diagnostic(file, lone, '\r', " as an escape")));
    found
}

/// `\b` in double quotes: who writes it means a word border, and gets a backspace (LANGUAGE section 13).
fn word_border(file: FileId, raw: &str, start: usize, bytes: Range<usize>) -> Diagnostic {
    let span = Span { file, bytes };
    let message = r"in double quotes YAML reads `\b` as the character U+0008 (backspace), which is not allowed";
    let diagnostic = Diagnostic::new(&codes::VG0002, span, message)
        .help(r"write patterns in single quotes, where `\b` is a word border");
    match raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        // What other escapes mean would change, too.
        Some(inner) if !inner.contains('\n') && !inner.replace(r"\b", "").contains('\\') => {
            let whole = Span { file, bytes: start..start + raw.len() };
            diagnostic.mend(whole, super::single_quoted(inner))
        }
        _ => diagnostic,
    }
}

/// Reads the escape behind a backslash: its character, and how many bytes it takes. None: an escaped line break or
/// an escape that there is not (the parser says so).
fn escape(text: &str) -> Option<(char, usize)> {
    let first = text.chars().next()?;
    let simple = match first {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        ' ' | '"' | '/' | '\\' => first,
        'x' => return hex(text, 2),
        'u' => return hex(text, 4),
        'U' => return hex(text, 8),
        _ => return None,
    };
    Some((simple, first.len_utf8()))
}

fn hex(text: &str, digits: usize) -> Option<(char, usize)> {
    let code = u32::from_str_radix(text.get(1..=digits)?, 16).ok()?;
    Some((char::from_u32(code)?, digits + 1))
}

fn diagnostic(file: FileId, bytes: Range<usize>, character: char, how: &str) -> Diagnostic {
    let name = name(character);
    let message = if character == '\r' {
        format!("carriage return without a line feed{how}")
    } else {
        format!("the character U+{:04X}{name} is not allowed{how}", u32::from(character))
    };
    let span = Span { file, bytes };
    Diagnostic::new(&codes::VG0002, span.clone(), message)
        .help("delete it: readers of YAML and editors disagree about it, or do not show it")
        .mend(span, "")
}

fn name(character: char) -> &'static str {
    match character {
        '\0' => " (NUL)",
        '\u{8}' => " (backspace)",
        '\u{1b}' => " (escape)",
        '\u{85}' => " (next line)",
        '\u{ad}' => " (soft hyphen)",
        '\u{200b}' => " (zero-width space)",
        '\u{200c}' => " (zero-width non-joiner)",
        '\u{200d}' => " (zero-width joiner)",
        '\u{200e}' | '\u{200f}' | '\u{61c}' => " (direction mark)",
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => " (direction override)",
        '\u{2028}' => " (line separator)",
        '\u{2029}' => " (paragraph separator)",
        '\u{feff}' => " (byte order mark, allowed as the first character only)",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => " (invisible letter)",
        _ => "",
    }
}
