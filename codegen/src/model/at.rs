//! A cursor for places.

use crate::diag::Span;
use crate::syntax::{Node, NodeKind};

/// A place in a manifest, found by keys and indices. Cheap, and never fails: where a step leads nowhere the place is
/// the nearest one above it that exists.
///
/// ```ignore
/// At::root(&node).key("tools").key("x").key("argv").index(2).span()
/// ```
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    node: &'a Node,
    key: Option<&'a Node>,
    exact: bool,
}

impl<'a> At<'a> {
    /// The whole document.
    pub fn root(node: &'a Node) -> Self {
        Self { node, key: None, exact: true }
    }

    /// The value of a key.
    #[must_use]
    pub fn key(self, name: &str) -> Self {
        match &self.node.kind {
            NodeKind::Mapping(entries) if self.exact => entries
                .iter()
                .find(|(key, _)| matches!(&key.kind, NodeKind::Scalar { text, .. } if text == name))
                .map_or(self.lost(), |(key, node)| Self { node, key: Some(key), exact: true }),
            _ => self.lost(),
        }
    }

    /// The item at an index.
    #[must_use]
    pub fn index(self, index: usize) -> Self {
        match &self.node.kind {
            NodeKind::Sequence(items) if self.exact => {
                items.get(index).map_or(self.lost(), |node| Self { node, key: None, exact: true })
            }
            _ => self.lost(),
        }
    }

    fn lost(self) -> Self {
        Self { exact: false, ..self }
    }

    /// The value, or the nearest existing place above.
    pub fn span(self) -> Span {
        self.node.span.clone()
    }

    /// The key in front of the value; where the last step was an index, the item; where a step led nowhere, the key
    /// of the nearest existing place above.
    pub fn key_span(self) -> Span {
        self.key.unwrap_or(self.node).span.clone()
    }

    /// Whether every step led somewhere.
    pub fn exists(self) -> bool {
        self.exact
    }

    /// The node, if every step led somewhere.
    pub fn node(self) -> Option<&'a Node> {
        self.exact.then_some(self.node)
    }
}
