//! Text to a tree of nodes with places. The first barrier.

use crate::diag::{Diagnostic, FileId, Span};

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

/// Reads a manifest's text.
///
/// # Errors
/// Every mistake of syntax (VG00xx), with its place.
pub fn parse(file: FileId, text: &str) -> Result<Node, Vec<Diagnostic>> {
    let _ = (file, text);
    todo!()
}
