//! Regular expressions of the table, compiled at first use.
//!
//! The compiler has rewritten the manifest's text before it comes here (ASCII classes spelled out; in line patterns a
//! space is `[ \n]`), so both engines and all clients read the same; see `verbgate-codegen`'s `pattern` module.

use std::fmt;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

use crate::Text;
use crate::grams::Beginnings;

/// Most bytes that a compiled pattern may take (LANGUAGE section 4).
pub const COMPILED_LIMIT: usize = 1 << 20;

/// A pattern that the whole of a value must match.
#[derive(Clone)]
pub struct ValuePattern(Lazy);

/// A pattern that is looked for in a stream seen as lines: `^` and `$` are ends of lines, `.` is no line break.
#[derive(Clone)]
pub struct LinePattern {
    lazy: Lazy,
    /// Read at first use, too.
    beginnings: OnceLock<Beginnings>,
}

#[derive(Clone)]
struct Lazy {
    source: Text,
    compiled: OnceLock<Option<Regex>>,
}

impl Lazy {
    const fn new(source: Text) -> Self {
        Self { source, compiled: OnceLock::new() }
    }

    fn get(&self, build: fn(&str) -> Result<Regex, regex::Error>) -> Option<&Regex> {
        self.compiled.get_or_init(|| build(&self.source).ok()).as_ref()
    }
}

impl ValuePattern {
    /// From canonical text.
    pub const fn new(source: Text) -> Self {
        Self(Lazy::new(source))
    }

    /// The canonical text, without anchors.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// What the emitted JSON Schema holds: `^(?:...)$`.
    pub fn anchored(&self) -> String {
        format!("^(?:{})$", self.0.source)
    }

    /// Whether the whole of `value` matches. A pattern that does not compile matches nothing (the compiler has
    /// refused it before).
    pub fn matches(&self, value: &str) -> bool {
        self.0.get(compile_value).is_some_and(|regex| regex.is_match(value))
    }
}

impl LinePattern {
    /// From canonical text.
    pub const fn new(source: Text) -> Self {
        Self { lazy: Lazy::new(source), beginnings: OnceLock::new() }
    }

    /// The canonical text.
    pub fn source(&self) -> &str {
        &self.lazy.source
    }

    /// What all its matches begin with.
    pub(crate) fn beginnings(&self) -> &Beginnings {
        self.beginnings.get_or_init(|| Beginnings::of(self.source()))
    }

    /// The compiled pattern; none if it does not compile (the compiler has refused it before).
    pub fn regex(&self) -> Option<&Regex> {
        self.lazy.get(compile_line)
    }
}

/// Compiles a value pattern.
///
/// # Errors
/// The text is no pattern, or compiles to more than [`COMPILED_LIMIT`] bytes.
pub fn compile_value(source: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(&format!(r"\A(?:{source})\z")).size_limit(COMPILED_LIMIT).build()
}

/// Compiles a line pattern.
///
/// # Errors
/// As [`compile_value`].
pub fn compile_line(source: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source).multi_line(true).size_limit(COMPILED_LIMIT).build()
}

impl fmt::Debug for ValuePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ValuePattern({:?})", self.0.source)
    }
}

impl fmt::Debug for LinePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LinePattern({:?})", self.lazy.source)
    }
}
