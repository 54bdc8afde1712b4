//! Masks secrets in a stream of text: known values, shapes of tokens, PEM blocks, passwords in URLs (contract C3.1).
//!
//! The text is looked at in windows whose borders depend on the text alone, never on the chunks that it comes in; the end
//! of a window is looked at again with what follows, so that nothing is missed at a border.

use std::borrow::Cow;

use super::exact::{Broken, Exact, Span};
use super::rules::{Lead, MACHINES, Machines, RULES};

/// Bytes of a window.
const WINDOW: usize = 64 * 1024;
/// Bytes of its end that are looked at again.
const OVERLAP: usize = 4 * 1024;
/// A user and password in a URL are looked for in this many bytes.
const LONGEST_URL: usize = 1024;

/// The redactor of one stream.
pub(crate) struct Redactor<'a> {
    exact: &'a Exact,
    rules: bool,
    text: String,
    /// Bytes at the start of `text` that are looked at, but not given out.
    ghost: usize,
    /// The character before `text`.
    before: Option<char>,
    cut_start: bool,
    open: Open,
    broken: bool,
}

// Where the window's end may be in the middle of something that is masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    No,
    /// A masked token reached the end of the window.
    Token,
    /// A masked PEM block has not ended.
    Pem,
}

impl<'a> Redactor<'a> {
    /// `rules`: the table beside the known values.
    pub(crate) fn new(exact: &'a Exact, rules: bool) -> Self {
        Self {
            exact,
            rules,
            text: String::new(),
            ghost: 0,
            before: None,
            cut_start: false,
            open: Open::No,
            broken: false,
        }
    }

    /// Whether it has nothing to do.
    fn idle(&self) -> bool {
        !self.rules && self.exact.is_empty()
    }

    /// Says that the stream's beginning is missing, and what was left out right before its first text.
    pub(crate) fn begin_cut(&mut self, left_out: &str) {
        if self.idle() {
            return;
        }
        self.cut_start = true;
        self.text.push_str(left_out);
        self.ghost = self.text.len();
    }

    /// The next text; what can be given out is appended to `out`.
    pub(crate) fn push(&mut self, mut text: &str, out: &mut String) {
        if self.idle() {
            out.push_str(text);
            return;
        }
        let overlap = OVERLAP.max(2 * self.exact.longest());
        let window = WINDOW.max(4 * overlap);
        loop {
            let fits = super::visible::floor(text, window.saturating_sub(self.text.len()));
            self.text.push_str(fits);
            text = text.get(fits.len()..).unwrap_or_default();
            if text.is_empty() {
                return;
            }
            if self.broken {
                return;
            }
            let cut = super::visible::floor(&self.text, window - overlap).len();
            self.emit(cut, false, out);
        }
    }

    /// What stands in place of the first secret of a whole text, without the words around its name.
    ///
    /// # Errors
    /// It could not work.
    pub(crate) fn first(&self, text: &str) -> Result<Option<String>, Broken> {
        if self.idle() {
            return Ok(None);
        }
        let (spans, _) = self.spans(text, false)?;
        let name = |label: &str| {
            let name = label.strip_prefix("(redacted: ").and_then(|label| label.strip_suffix(')'));
            name.unwrap_or(label).to_owned()
        };
        Ok(spans.first().map(|span| name(&span.label)))
    }

    /// Whether it can't work: what it gave out before is all that may leave.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// It could not work on all of it.
    pub(crate) fn finish(mut self, out: &mut String) -> Result<(), Broken> {
        self.emit(self.text.len(), false, out);
        if self.broken { Err(Broken) } else { Ok(()) }
    }

    /// Ends the stream where its middle is left out: `left_out` is what stood right behind, and is not given out.
    ///
    /// # Errors
    /// It could not work on all of it.
    pub(crate) fn finish_cut(mut self, left_out: &str, out: &mut String) -> Result<(), Broken> {
        if self.idle() {
            return Ok(());
        }
        self.push(left_out, out);
        // Nothing of what is left out may go: it is shorter than the overlap, so it is still here.
        let end = self.text.len().saturating_sub(left_out.len());
        self.emit(end, true, out);
        if self.broken { Err(Broken) } else { Ok(()) }
    }

    /// Gives out the text up to `cut`, or a little further where a masked part reaches over it.
    fn emit(&mut self, cut: usize, cut_end: bool, out: &mut String) {
        let text = std::mem::take(&mut self.text);
        // Without the machine nothing may leave: the stage fails as a whole (C3.5).
        let Ok((spans, open)) = self.spans(&text, cut_end) else {
            self.broken = true;
            return;
        };
        let mut at = self.ghost;
        let mut end = cut.max(at);
        let mut goes_on = Open::No;
        for span in spans {
            if span.start >= end {
                break;
            }
            if span.end <= at {
                continue;
            }
            out.push_str(text.get(at..span.start).unwrap_or_default());
            out.push_str(&span.label);
            at = span.end;
            if span.end == text.len() {
                goes_on = open;
            }
            end = end.max(at);
        }
        out.push_str(text.get(at..end).unwrap_or_default());
        self.before = text.get(..end).and_then(|done| done.chars().next_back()).or(self.before);
        self.text.clear();
        self.text.push_str(text.get(end..).unwrap_or_default());
        self.ghost = 0;
        self.cut_start = false;
        self.open = goes_on;
    }

    /// What is masked in a window, in order and without overlaps, and what is open at its end.
    fn spans(&self, text: &str, cut_end: bool) -> Result<(Vec<Span<'a>>, Open), Broken> {
        let mut spans = Vec::new();
        let mut open = Open::No;
        self.exact.find(text, self.cut_start, cut_end, &mut spans)?;
        let from = match self.open {
            Open::No => 0,
            Open::Token => token_end(text, 0),
            Open::Pem => pem_end(text, 0),
        };
        if from > 0 {
            spans.push(Span { start: 0, end: from, label: Cow::Borrowed("") });
            if from == text.len() {
                open = self.open;
            }
        }
        if self.rules {
            let machines = MACHINES.as_ref().ok_or(Broken)?;
            self.rules(machines, text, from, &mut spans, &mut open);
        }
        if spans.len() > 1 {
            spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
            spans.dedup_by(|next, kept| {
                let joins = next.start < kept.end;
                if joins {
                    kept.end = kept.end.max(next.end);
                }
                joins
            });
        }
        Ok((spans, open))
    }

    fn rules(&self, machines: &Machines, text: &str, from: usize, spans: &mut Vec<Span<'a>>, open: &mut Open) {
        let mut done = from;
        let mut next = from;
        let mut hits = machines.hits(text);
        while let Some((at, lead)) = hits.next(next.max(done)) {
            next = at + 1;
            let Some(rest) = text.get(at..) else { continue };
            let found = match lead {
                Lead::Rule(rule) => {
                    let before = text.get(..at).and_then(|before| before.chars().next_back()).or(self.before);
                    let name = RULES.get(rule).map_or("", |rule| rule.name);
                    let inside = RULES.get(rule).is_some_and(|rule| rule.inside);
                    if !inside && before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                        continue;
                    }
                    machines.masks(rule, rest).map(|(start, end)| (at + start, token_end_of(text, at + end), name))
                }
                Lead::Url => url_password(rest).map(|(start, end)| (at + start, at + end, "url-password")),
                Lead::PemBegin => is_private(rest).then(|| (at, pem_end(text, at + PEM_BEGIN.len()), "private-key")),
                Lead::PemEnd if is_private(rest) => {
                    Some((pem_start(text, done, at), pem_close(text, at), "private-key"))
                }
                Lead::PemEnd => None,
            };
            let Some((start, end, name)) = found else { continue };
            if end == text.len() {
                *open = if matches!(lead, Lead::PemBegin) { Open::Pem } else { Open::Token };
            }
            done = done.max(end);
            spans.push(Span { start, end, label: Cow::Owned(format!("(redacted: {name})")) });
        }
    }
}

const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_DASHES: &str = "-----";

/// Whether the line that begins here names a private key.
fn is_private(rest: &str) -> bool {
    let title = rest.trim_start_matches('-').split(PEM_DASHES).next().unwrap_or_default();
    title.len() < 80 && title.contains("PRIVATE KEY")
}

/// Behind the closing dashes of the line that begins at `at`.
fn pem_close(text: &str, at: usize) -> usize {
    let after = at + PEM_DASHES.len();
    text.get(after..).and_then(|rest| rest.find(PEM_DASHES)).map_or(text.len(), |end| after + end + PEM_DASHES.len())
}

/// Where the block ends whose body is at `from`: behind its last line; without one, where lines stop to look like it.
fn pem_end(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let end = rest.find("-----END ");
    if let Some(end) = end.filter(|end| rest.find(PEM_BEGIN).is_none_or(|next| *end < next)) {
        return pem_close(text, from + end);
    }
    let mut at = from;
    for line in rest.split_inclusive('\n') {
        if !is_pem_line(line) {
            break;
        }
        at += line.len();
    }
    at
}

/// Where the body begins whose last line is at `end`.
fn pem_start(text: &str, from: usize, end: usize) -> usize {
    let mut at = end;
    for line in text.get(from..end).unwrap_or_default().split_inclusive('\n').rev() {
        if !is_pem_line(line) || line.trim().is_empty() {
            break;
        }
        at -= line.len();
    }
    at
}

fn is_pem_line(line: &str) -> bool {
    let text = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '|' | '>' | '│'));
    let header = |name: &str| text.starts_with(name);
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=\\-".contains(&b))
        || (text.ends_with(PEM_DASHES) && text.contains("PRIVATE KEY"))
        || ["Proc-Type:", "DEK-Info:", "Comment:", "Version:", "Charset:", "Hash:"].into_iter().any(header)
}

fn is_token(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"_-.+/=".contains(&b)
}

fn token_end(text: &str, from: usize) -> usize {
    text.bytes().skip(from).position(|b| !is_token(b)).map_or(text.len(), |more| from + more)
}

/// A token's end: behind what the rule matched; at the window's end it may go on.
fn token_end_of(text: &str, end: usize) -> usize {
    let run = token_end(text, end);
    if run == text.len() { run } else { end }
}

/// The password behind `://`: up to the last `@` of the authority; if that has none, but its port is no number (a
/// password with a slash in it), of the whole.
fn url_password(rest: &str) -> Option<(usize, usize)> {
    const START: usize = 3;
    let rest = super::visible::floor(rest, LONGEST_URL);
    let whole = rest.get(START..)?;
    let whole = whole.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`')).next()?;
    let authority = whole.split(['/', '?', '#']).next()?;
    let (user, behind) = authority.split_once(':')?;
    let at = match behind.rfind('@') {
        Some(at) => at,
        None if behind.bytes().all(|b| b.is_ascii_digit()) => return None,
        None => whole.get(user.len() + 1..)?.rfind('@')?,
    };
    (at > 0).then_some((START + user.len() + 1, START + user.len() + 1 + at))
}
