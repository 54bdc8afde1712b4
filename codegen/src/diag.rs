//! Diagnostics: what is wrong, where it stands, and the mend.

use std::ops::Range;

use crate::codes::CodeEntry;

/// Which source text a span is in: the index of the file in the order of loading (0: the manifest itself).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A range of bytes in one file. Always within the text and on character borders once it was clamped by [`render`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The bytes.
    pub bytes: Range<usize>,
}

/// A place with words under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there; may be empty.
    pub text: String,
}

/// An obvious mend: these bytes become this text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mend {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub text: String,
}

/// How bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The manifest is refused.
    Error,
    /// The manifest is taken. Can be made an error, or allowed with a reason in the manifest.
    Warning,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its entry in the one table of codes (the level stands there).
    pub code: &'static CodeEntry,
    /// Lower case start, no full stop, names the thing in backticks.
    pub message: String,
    /// Where it stands.
    pub primary: Label,
    /// Other places, as the first of two clashing names.
    pub secondary: Vec<Label>,
    /// What to do.
    pub help: Vec<String>,
    /// The mended text, where it is obvious.
    pub mend: Option<Mend>,
}
