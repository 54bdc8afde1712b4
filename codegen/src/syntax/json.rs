//! JSON text to the same tree of nodes, for catalogues.

use std::collections::HashMap;

use serde_json::Value as Json;

use super::{Node, NodeKind, Style};
use crate::codes::syntax as codes;
use crate::diag::{Diagnostic, FileId, Span};

/// Reads a JSON document: the tree for places (numbers, booleans and null are plain scalars, texts are in double
/// quotes), and the document itself. A byte order mark is not taken, as JSON forbids it.
///
/// # Errors
/// The text is not JSON (VG0016), or a key is given twice (VG0004).
pub fn parse_json(file: FileId, text: &str) -> Result<(Node, Json), Vec<Diagnostic>> {
    let json: Json = serde_json::from_str(text).map_err(|error| {
        let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let at = (line_start + error.column().saturating_sub(1)).min(text.len());
        let bytes = crate::diag::clamp(text, &(at..at + 1));
        let words = error.to_string();
        let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
        let message = format!("the catalogue is not JSON: {words}");
        vec![Diagnostic::new(&codes::VG0016, Span { file, bytes }, message).help("mend the file, or capture it anew")]
    })?;
    let mut scan = Scan { file, text, at: 0, found: Vec::new() };
    let node = scan.value();
    if scan.found.is_empty() { Ok((node, json)) } else { Err(scan.found) }
}

/// Walks over text that `serde_json` took, so the grammar needs no second check, and depth is bounded (128).
struct Scan<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    found: Vec<Diagnostic>,
}

impl Scan<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next byte that is no blank, comma or colon; none at the end.
    fn next(&mut self) -> Option<u8> {
        let rest = self.rest();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', ',', ':']).len();
        self.at += blanks;
        self.rest().bytes().next()
    }

    fn node(&self, start: usize, kind: NodeKind) -> Node {
        Node { span: Span { file: self.file, bytes: start..self.at }, kind }
    }

    fn value(&mut self) -> Node {
        let first = self.next();
        let start = self.at;
        match first {
            Some(b'{') => {
                self.at += 1;
                let mut entries: Vec<(Node, Node)> = Vec::new();
                while let Some(b'"') = self.next() {
                    let key = self.value();
                    let value = self.value();
                    entries.push((key, value));
                }
                self.at += 1;
                self.doubles(&entries);
                self.node(start, NodeKind::Mapping(entries))
            }
            Some(b'[') => {
                self.at += 1;
                let mut items = Vec::new();
                while self.next().is_some_and(|byte| byte != b']') {
                    items.push(self.value());
                }
                self.at += 1;
                self.node(start, NodeKind::Sequence(items))
            }
            Some(b'"') => {
                let rest = self.rest();
                let mut bytes = rest.bytes().enumerate().skip(1);
                let mut length = rest.len();
                while let Some((index, byte)) = bytes.next() {
                    match byte {
                        b'\\' => drop(bytes.next()),
                        b'"' => {
                            length = index + 1;
                            break;
                        }
                        _ => {}
                    }
                }
                let text = rest.get(..length).and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
                self.at += length;
                self.node(start, NodeKind::Scalar { text, style: Style::Double })
            }
            _ => {
                let rest = self.rest();
                let length = rest.find([' ', '\t', '\r', '\n', ',', ']', '}']).unwrap_or(rest.len());
                let text = rest.get(..length).unwrap_or_default().to_owned();
                // At least one byte, so that the walk ends whatever stands here.
                self.at += length.max(1);
                self.node(start, NodeKind::Scalar { text, style: Style::Plain })
            }
        }
    }

    fn doubles(&mut self, entries: &[(Node, Node)]) {
        let mut first: HashMap<&str, &Node> = HashMap::new();
        for (key, _) in entries {
            let Some(text) = key.text() else { continue };
            if let Some(earlier) = first.get(text) {
                self.found.push(super::given_twice(text, key, earlier));
            } else {
                first.insert(text, key);
            }
        }
    }
}
