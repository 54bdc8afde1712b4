//! Patterns of a manifest: from what the author wrote to the one canonical text that every engine reads alike.
//!
//! Two kinds (LANGUAGE sections 4 and 9):
//!
//! - [`value`]: the whole of an argument's value must match. The text is also emitted into JSON Schemas, so it runs in
//!   JavaScript's and Python's backtracking engines: what they read otherwise is rewritten or refused, and so is what
//!   makes them hang.
//! - [`line`]: looked for in a stream seen as lines, by Rust's engine only.
//!
//! `\d`, `\w`, `\s` and their complements mean ASCII in both, `\b` too.

mod charset;
mod line;
mod loops;
mod value;

use std::ops::Range;

use regex_syntax::ast::{self, Ast, ErrorKind};

pub use charset::CharSet;
pub use line::{Line, line};
pub use value::{Value, may_begin_with, value};

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The bytes of the pattern's text that it is about.
    pub bytes: Range<usize>,
    /// Of what kind.
    pub kind: FaultKind,
    /// What is wrong: lower case start, no full stop.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

/// Kinds of faults; the caller knows a code for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No regular expression.
    Syntax,
    /// Look-around and back-references, which linear time rules out.
    Unsupported,
    /// Means something else, or nothing, in JavaScript or Python (value patterns), or contradicts the fixed meaning of
    /// line patterns.
    Meaning,
    /// Repeats in a nested way: a backtracking engine needs exponential time.
    Nested,
    /// Compiles to more than [`verbgate_table::pattern::COMPILED_LIMIT`].
    TooLarge,
    /// A warning: `^` or `$` in a pattern that matches the whole value anyway.
    Anchor,
}

/// Parses a pattern, or says why it is none.
fn parse(text: &str) -> Result<Ast, Fault> {
    ast::parse::ParserBuilder::new().nest_limit(64).build().parse(text).map_err(|error| {
        let bytes = span(error.span());
        match error.kind() {
            ErrorKind::UnsupportedLookAround => Fault {
                bytes,
                kind: FaultKind::Unsupported,
                message: "look-around is not supported in patterns".into(),
                help: "say what is allowed instead of what is not".into(),
            },
            ErrorKind::UnsupportedBackreference => Fault {
                bytes,
                kind: FaultKind::Unsupported,
                message: "back-references are not supported in patterns".into(),
                help: "spell out what is repeated".into(),
            },
            kind => {
                Fault { bytes, kind: FaultKind::Syntax, message: format!("no pattern: {kind}"), help: String::new() }
            }
        }
    })
}

/// A pattern that parses and does not compile: too large, or a class that Rust's engine does not know.
fn compile_fault(text: &str, error: &regex::Error) -> Fault {
    let (kind, message, help) = match error {
        regex::Error::CompiledTooBig(_) => (
            FaultKind::TooLarge,
            "the pattern compiles to more than 1 MiB".to_owned(),
            "bound lengths with `max`, not with a count in the pattern".to_owned(),
        ),
        other => (FaultKind::Syntax, format!("no pattern: {}", last_line(&other.to_string())), String::new()),
    };
    Fault { bytes: 0..text.len(), kind, message, help }
}

/// The engine's reports span lines; the last one holds the reason.
fn last_line(text: &str) -> &str {
    let line = text.lines().last().unwrap_or(text);
    line.strip_prefix("error: ").unwrap_or(line)
}

fn span(span: &ast::Span) -> Range<usize> {
    span.start.offset..span.end.offset
}

#[cfg(test)]
mod tests;
