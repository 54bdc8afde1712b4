//! Text to a tree of nodes with places. The first barrier.
//!
//! saphyr-parser gives events with places; nothing is expanded. What the language does not take (LANGUAGE section 1)
//! is refused on the way. At last the tree is compared with what `serde_yaml` reads in the same text ([`cross`]).

mod chars;
pub mod cross;
mod hints;
mod json;

use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};

pub use json::parse_json;

use crate::codes::syntax as codes;
use crate::diag::{Diagnostic, FileId, Span};

/// Deepest nesting that is read.
pub const MAX_DEPTH: usize = 64;

/// Largest file that is read, in bytes.
pub const MAX_BYTES: usize = 4 << 20;

/// One node of the manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: NodeKind,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A scalar.
    Scalar {
        /// Its text, escapes resolved.
        text: String,
        /// How it is written.
        style: Style,
    },
    /// `[ ]` or `- `.
    Sequence(Vec<Node>),
    /// `{ }` or `key: value`, in the order of the file. Keys are scalars without doubles.
    Mapping(Vec<(Node, Node)>),
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes: YAML may read a number, a boolean or null.
    Plain,
    /// `'...'`
    Single,
    /// `"..."`
    Double,
    /// `|` or `>`
    Block,
}

impl Node {
    /// The text of a scalar.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// A text in single quotes. Only for text without line breaks.
pub fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Reads a manifest's text.
///
/// # Errors
/// Every mistake of syntax (`VG00xx`), with its place, sorted.
pub fn parse(file: FileId, text: &str) -> Result<Node, Vec<Diagnostic>> {
    if text.len() > MAX_BYTES {
        return Err(vec![too_large(file, text.len() as u64)]);
    }
    let skip = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut found = chars::raw(file, text, skip);
    // The parser takes NUL for the end of the text; what it would say then misleads.
    if text.contains('\0') {
        return Err(found);
    }
    let mut tree = Tree::new(file, text, skip);
    let root = tree.build();
    found.append(&mut tree.found);
    crate::diag::sort(&mut found);
    match root {
        Some(node) if found.is_empty() => {
            let differences = cross::compare(file, text, skip, &node, |index| tree.byte(index));
            if differences.is_empty() { Ok(node) } else { Err(differences) }
        }
        _ => Err(found),
    }
}

/// Reads a file's bytes as text.
///
/// # Errors
/// The bytes are not UTF-8 or too many. The place counts in the text that [`String::from_utf8_lossy`] gives.
pub fn decode(file: FileId, bytes: Vec<u8>) -> Result<String, Box<(String, Diagnostic)>> {
    if bytes.len() > MAX_BYTES {
        let diagnostic = too_large(file, bytes.len() as u64);
        return Err(Box::new((String::new(), diagnostic)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let start = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let span = Span { file, bytes: start..start + '\u{fffd}'.len_utf8() };
        let diagnostic = Diagnostic::new(&codes::VG0013, span, "the file is not UTF-8")
            .label(format!("byte {start} does not fit"))
            .help("save the file as UTF-8");
        Box::new((text, diagnostic))
    })
}

/// The refusal of a file of this many bytes.
pub(crate) fn too_large(file: FileId, bytes: u64) -> Diagnostic {
    let message = format!("the file is {bytes} bytes large; at most {MAX_BYTES} are read");
    Diagnostic::new(&codes::VG0012, Span { file, bytes: 0..0 }, message).help("split the manifest with `include`")
}

/// A collection that is not closed yet.
enum Open {
    Sequence { start: usize, items: Vec<Node> },
    Mapping { start: usize, entries: Vec<(Node, Node)>, key: Option<Node> },
}

struct Tree<'a> {
    file: FileId,
    text: &'a str,
    skip: usize,
    /// Byte of every character; empty where they are the same.
    offsets: Vec<usize>,
    open: Vec<Open>,
    root: Option<Node>,
    found: Vec<Diagnostic>,
    /// End of the last token, for the place of anchors and tags, which have none of their own.
    last: usize,
    /// Bytes of scalars, in order: tabs in them are no indentation.
    scalars: Vec<Range<usize>>,
    escapes: Option<regex::Regex>,
}

impl<'a> Tree<'a> {
    fn new(file: FileId, text: &'a str, skip: usize) -> Self {
        let body = text.get(skip..).unwrap_or_default();
        let offsets = if body.is_ascii() {
            Vec::new()
        } else {
            body.char_indices().map(|(at, _)| at + skip).chain([text.len()]).collect()
        };
        Self {
            file,
            text,
            skip,
            offsets,
            open: Vec::new(),
            root: None,
            found: Vec::new(),
            last: skip,
            scalars: Vec::new(),
            escapes: chars::forbidden(),
        }
    }

    /// Characters to bytes.
    fn byte(&self, index: usize) -> usize {
        if self.offsets.is_empty() {
            (index + self.skip).min(self.text.len())
        } else {
            self.offsets.get(index).copied().unwrap_or(self.text.len())
        }
    }

    fn at(&self, marker: Marker) -> usize {
        self.byte(marker.index())
    }

    fn span(&self, bytes: Range<usize>) -> Span {
        Span { file: self.file, bytes }
    }

    fn build(&mut self) -> Option<Node> {
        let mut parser = Parser::new_from_str(self.text.get(self.skip..).unwrap_or_default());
        let mut documents = 0;
        let mut failed = None;
        while let Some(event) = parser.next_event() {
            let (event, place) = match event {
                Ok(event) => event,
                Err(error) => {
                    failed = Some(self.at(*error.marker()));
                    let known = self.tabs(failed, error.info().contains("tab"));
                    if !known {
                        let at = self.at(*error.marker());
                        self.found.push(hints::broken(self.file, self.text, at, error.info()));
                    }
                    break;
                }
            };
            let bytes = self.at(place.start)..self.at(place.end).max(self.at(place.start));
            match event {
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        let end = (bytes.start + 3).min(self.text.len());
                        self.found.push(
                            Diagnostic::new(&codes::VG0008, self.span(bytes.start..end), "a second document begins here")
                                .help("a manifest is one document: delete what follows, or put it into a file of its own and `include` it"),
                        );
                        break;
                    }
                }
                Event::Scalar(text, style, anchor, tag) => {
                    self.anchor_and_tag(bytes.start, anchor, tag.is_some());
                    if text.is_empty() && (anchor > 0 || tag.is_some()) {
                        // Reported already; that there is no value behind it would be said twice.
                        self.add(Node { span: self.span(bytes.clone()), kind: text_kind("tagged") });
                    } else {
                        self.scalar(text.into_owned(), style, bytes.clone());
                    }
                    self.last = bytes.end.max(self.last);
                }
                Event::SequenceStart(anchor, tag) => {
                    self.anchor_and_tag(bytes.start, anchor, tag.is_some());
                    self.open.push(Open::Sequence { start: bytes.start, items: Vec::new() });
                    self.last = bytes.end.max(self.last);
                }
                Event::MappingStart(anchor, tag) => {
                    self.anchor_and_tag(bytes.start, anchor, tag.is_some());
                    self.open.push(Open::Mapping { start: bytes.start, entries: Vec::new(), key: None });
                    // A block mapping starts with its first key, which is a token of its own.
                    if self.text.get(bytes.clone()).is_some_and(|token| token.starts_with('{')) {
                        self.last = bytes.end.max(self.last);
                    }
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(bytes.end),
                Event::Alias(_) => {
                    self.found.push(
                        Diagnostic::new(&codes::VG0005, self.span(bytes.clone()), "an alias is not allowed")
                            .help("write the value out; text that begins with `*` goes into single quotes"),
                    );
                    self.add(Node { span: self.span(bytes.clone()), kind: text_kind("alias") });
                    self.last = bytes.end.max(self.last);
                }
                _ => {}
            }
            if self.open.len() > MAX_DEPTH {
                self.found.push(
                    Diagnostic::new(
                        &codes::VG0011,
                        self.span(bytes),
                        format!("values are nested more than {MAX_DEPTH} levels deep"),
                    )
                    .help("no manifest needs this; is a bracket not closed?"),
                );
                return None;
            }
        }
        if failed.is_none() {
            self.tabs(None, false);
            if documents == 0 || self.root.is_none() && self.found.is_empty() {
                self.found.push(empty_file(self.file));
            }
        }
        self.root.take()
    }

    fn anchor_and_tag(&mut self, start: usize, anchor: usize, tag: bool) {
        let from = self.last.min(start);
        let before = self.text.get(from..start).unwrap_or_default();
        let place = |sign: char| {
            let at = before.rfind(sign).map_or(start, |at| from + at);
            let length =
                self.text.get(at..).and_then(|rest| rest.find([' ', '\t', '\r', '\n', ',', ']', '}'])).unwrap_or(1);
            self.span(at..at + length.max(1))
        };
        let mut found = Vec::new();
        if anchor > 0 {
            found.push(
                Diagnostic::new(&codes::VG0005, place('&'), "an anchor is not allowed")
                    .help("delete it; text that begins with `&` goes into single quotes"),
            );
        }
        if tag {
            found.push(
                Diagnostic::new(&codes::VG0006, place('!'), "a tag is not allowed")
                    .help("delete it; text that begins with `!` goes into single quotes"),
            );
        }
        self.found.append(&mut found);
    }

    fn scalar(&mut self, text: String, style: ScalarStyle, bytes: Range<usize>) {
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::Single,
            ScalarStyle::DoubleQuoted => Style::Double,
            ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
        };
        let raw = self.text.get(bytes.clone()).unwrap_or_default();
        // The parser's places may reach over blanks and comments behind the text.
        let bytes = match style {
            Style::Plain | Style::Block => bytes.start..bytes.start + raw.trim_end().len(),
            Style::Single | Style::Double => bytes,
        };
        if style == Style::Double
            && let Some(pattern) = &self.escapes
        {
            let raw = self.text.get(bytes.clone()).unwrap_or_default();
            self.found.extend(chars::escaped(self.file, raw, bytes.start, pattern));
        }
        self.scalars.push(bytes.clone());
        self.add(Node { span: self.span(bytes), kind: NodeKind::Scalar { text, style } });
    }

    /// Puts a finished node where it belongs.
    fn add(&mut self, node: Node) {
        let missing = is_missing(&node);
        match self.open.last_mut() {
            None if missing => self.found.push(empty_file(node.span.file)),
            None => self.root = Some(node),
            Some(Open::Sequence { items, .. }) => {
                if missing {
                    self.found.push(
                        Diagnostic::new(&codes::VG0010, node.span.clone(), "an item of the list has no value")
                            .help("give the value, or delete the item"),
                    );
                }
                items.push(node);
            }
            Some(Open::Mapping { key: key @ None, .. }) => {
                if node.text().is_none() || missing || node.text().is_some_and(|text| text.contains('\n')) {
                    self.found.push(
                        Diagnostic::new(&codes::VG0015, node.span.clone(), "a key must be text on one line")
                            .help("text that holds `: ` or begins with `?` goes into single quotes"),
                    );
                }
                if matches!(&node.kind, NodeKind::Scalar { text, style: Style::Plain } if text == "<<") {
                    self.found.push(
                        Diagnostic::new(&codes::VG0007, node.span.clone(), "a merge key is not allowed")
                            .help("write the keys out"),
                    );
                }
                *key = Some(node);
            }
            Some(Open::Mapping { entries, key, .. }) => {
                if let Some(key) = key.take() {
                    if missing {
                        let previous = entries.last().map(|(_, value)| value);
                        self.found.push(hints::no_value(self.text, &key, previous));
                    }
                    entries.push((key, node));
                }
            }
        }
    }

    fn close(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        let node = match open {
            Open::Sequence { start, items } => {
                let end = self.end(start, end, items.last());
                Node { span: self.span(start..end), kind: NodeKind::Sequence(items) }
            }
            Open::Mapping { start, entries, .. } => {
                self.doubles(&entries);
                let end = self.end(start, end, entries.last().map(|(_, value)| value));
                Node { span: self.span(start..end), kind: NodeKind::Mapping(entries) }
            }
        };
        self.last = node.span.bytes.end.max(self.last);
        self.add(node);
    }

    /// Where a collection ends: at its bracket, or with its last item.
    fn end(&self, start: usize, end: usize, last: Option<&Node>) -> usize {
        let flow = self.text.get(start..).is_some_and(|rest| rest.starts_with(['[', '{']));
        let last = last.map_or(start, |node| node.span.bytes.end);
        let bracket = end > last && self.text.get(..end).is_some_and(|text| text.ends_with([']', '}']));
        if flow && bracket { end } else { last.max(start) }
    }

    fn doubles(&mut self, entries: &[(Node, Node)]) {
        let mut first: HashMap<&str, &Node> = HashMap::with_capacity(entries.len());
        for (key, _) in entries {
            let Some(text) = key.text() else { continue };
            if let Some(earlier) = first.get(text) {
                self.found.push(given_twice(text, key, earlier));
            } else {
                first.insert(text, key);
            }
        }
    }

    /// Reports tabs in indentation up to the line of a place, where the parser gave up. Says whether that line has
    /// one; `next`: or the line behind it, as the parser's place may be the end of what came before.
    fn tabs(&mut self, until: Option<usize>, next: bool) -> bool {
        let until = until.map(|at| {
            let behind = self.text.get(at..).and_then(|rest| rest.find('\n')).map_or(at, |length| at + length + 1);
            if next { behind } else { at }
        });
        let mut start = self.skip;
        let mut scalars = self.scalars.iter().peekable();
        let mut in_last_line = false;
        let mut found = Vec::new();
        for line in self.text.get(self.skip..).unwrap_or_default().split_inclusive('\n') {
            if until.is_some_and(|until| start > until) {
                break;
            }
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            let blank = line.trim().is_empty();
            if let Some(at) = line.get(..indent).and_then(|blanks| blanks.find('\t')).filter(|_| !blank) {
                while scalars.peek().is_some_and(|scalar| scalar.end <= start + at) {
                    scalars.next();
                }
                if scalars.peek().is_none_or(|scalar| scalar.start >= start + at) {
                    let span = self.span(start + at..start + indent);
                    in_last_line = until.is_some_and(|until| until <= start + line.len());
                    found.push(
                        Diagnostic::new(&codes::VG0003, span, "a tab in the indentation").help("indent with spaces"),
                    );
                }
            }
            start += line.len();
        }
        self.found.append(&mut found);
        in_last_line
    }
}

fn given_twice(text: &str, key: &Node, earlier: &Node) -> Diagnostic {
    Diagnostic::new(&codes::VG0004, key.span.clone(), format!("the key `{text}` is given twice"))
        .label("again here")
        .also(earlier.span.clone(), "first given here")
        .help("keep one of them, or give one another name")
}

fn text_kind(text: &str) -> NodeKind {
    NodeKind::Scalar { text: text.to_owned(), style: Style::Single }
}

fn is_missing(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::Scalar { text, style: Style::Plain } if text.is_empty())
}

fn empty_file(file: FileId) -> Diagnostic {
    let start = Span { file, bytes: 0..0 };
    Diagnostic::new(&codes::VG0009, start, "the file is empty").help("a manifest begins with `manifest: 1`")
}
