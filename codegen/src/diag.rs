//! Diagnostics: what is wrong, where it stands, and the mend.

mod json;
mod render;

use std::ops::Range;

pub use json::json;
pub use render::{render, visible};

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

/// A source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name as it is shown: relative, as the user gave it.
    pub path: String,
    /// Its text, with everything (byte order mark, CR LF) as it stands in the file.
    pub text: String,
}

/// All source texts; a [`FileId`] is an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// Adds a text.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = FileId(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.push(Source { path: path.into(), text: text.into() });
        id
    }

    /// Replaces a text.
    pub fn set(&mut self, id: FileId, text: impl Into<String>) {
        if let Some(source) = self.0.get_mut(id.0 as usize) {
            source.text = text.into();
        }
    }

    /// A text.
    pub fn get(&self, id: FileId) -> Option<&Source> {
        self.0.get(id.0 as usize)
    }

    /// All texts, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.0.iter()
    }
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

impl Diagnostic {
    /// A mistake at a place.
    pub fn new(code: &'static CodeEntry, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            help: Vec::new(),
            mend: None,
        }
    }

    /// The words under the place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// What to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// The obvious mend: these bytes become this text.
    #[must_use]
    pub fn mend(mut self, span: Span, text: impl Into<String>) -> Self {
        self.mend = Some(Mend { span, text: text.into() });
        self
    }
}

/// Puts reports in order: errors before warnings, then by place.
pub fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|a, b| order(a).cmp(&order(b)));
}

fn order(diagnostic: &Diagnostic) -> (Level, FileId, usize, usize, &'static str, &str) {
    let Span { file, bytes } = &diagnostic.primary.span;
    (diagnostic.code.level, *file, bytes.start, bytes.end, diagnostic.code.code, &diagnostic.message)
}

/// Moves a range into a text and onto the borders of its characters. The one place that does.
pub fn clamp(text: &str, bytes: &Range<usize>) -> Range<usize> {
    let border = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let start = border(bytes.start);
    let end = border(bytes.end).max(start);
    start..end
}

/// All that was found in a manifest, with the texts that it was found in.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The texts.
    pub sources: Sources,
    /// Errors and warnings, in the order of [`sort`].
    pub diagnostics: Vec<Diagnostic>,
    /// Whether warnings count as errors.
    pub deny_warnings: bool,
    /// The files that were read, for builds that wait for a change.
    pub inputs: Vec<std::path::PathBuf>,
}

impl Report {
    /// The number of errors; denied warnings are errors.
    pub fn errors(&self) -> usize {
        self.diagnostics.iter().filter(|diagnostic| self.deny_warnings || is_error(diagnostic)).count()
    }

    /// The number of warnings.
    pub fn warnings(&self) -> usize {
        self.diagnostics.len() - self.errors()
    }

    /// As text; see [`render`].
    pub fn render(&self, color: bool) -> String {
        render::render_as(&self.diagnostics, &self.sources, color, self.deny_warnings)
    }

    /// As data; see [`json()`].
    pub fn json(&self) -> serde_json::Value {
        json::json_as(&self.diagnostics, &self.sources, self.deny_warnings)
    }
}

/// Whether a manifest with this is refused.
pub fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.code.level == Level::Error
}
