//! Patterns of the manifest with the places of their faults (LANGUAGE sections 4 and 9).

use std::ops::Range;

use verbgate_table::pattern::{LinePattern, ValuePattern};

use super::Out;
use crate::codes::CodeEntry;
use crate::codes::args::{VG0223, VG0224, VG0225, VG0226, VG0227};
use crate::codes::outcome::VG0404;
use crate::diag::{Diagnostic, Span};
use crate::model::At;
use crate::pattern::{self, Fault, FaultKind};
use crate::syntax::{NodeKind, Style};

/// Where some bytes of a scalar's text stand in the file; the whole scalar where escapes or folds are between.
pub(super) fn within(at: At<'_>, bytes: &Range<usize>) -> Span {
    let whole = at.span();
    let Some(node) = at.node() else { return whole };
    let NodeKind::Scalar { text, style } = &node.kind else { return whole };
    let written = whole.bytes.len();
    let start = match style {
        Style::Plain if written == text.len() => 0,
        Style::Single | Style::Double if written == text.len() + 2 => 1,
        _ => return whole,
    };
    let start = whole.bytes.start + start;
    // An empty range shows nothing: at least the character behind it.
    let end = if bytes.is_empty() { bytes.end + 1 } else { bytes.end };
    Span { file: whole.file, bytes: start + bytes.start..(start + end).min(whole.bytes.end) }
}

fn report(code: &'static CodeEntry, fault: &Fault, at: At<'_>) -> Diagnostic {
    let found = Diagnostic::new(code, within(at, &fault.bytes), fault.message.clone());
    if fault.help.is_empty() { found } else { found.help(fault.help.clone()) }
}

/// An argument's pattern.
pub(super) fn value(text: &str, at: Option<At<'_>>, out: &mut Out) -> Option<ValuePattern> {
    let at = at?;
    match pattern::value(text) {
        Ok(read) => {
            out.extend(read.warnings.iter().map(|fault| report(&VG0227, fault, at)));
            Some(ValuePattern::new(read.source.into()))
        }
        Err(faults) => {
            out.extend(faults.iter().map(|fault| report(code(fault.kind), fault, at)));
            None
        }
    }
}

/// A pattern of rows, success, fields or the version.
pub(super) fn line(text: &str, at: At<'_>, out: &mut Out) -> Option<pattern::Line> {
    match pattern::line(text) {
        Ok(read) => Some(read),
        Err(faults) => {
            out.extend(
                faults
                    .iter()
                    .map(|fault| report(if fault.kind == FaultKind::TooLarge { &VG0226 } else { &VG0404 }, fault, at)),
            );
            None
        }
    }
}

/// The same, for the table.
pub(super) fn lowered(line: &pattern::Line) -> LinePattern {
    LinePattern::new(line.source.clone().into())
}

fn code(kind: FaultKind) -> &'static CodeEntry {
    match kind {
        FaultKind::Syntax | FaultKind::Unsupported => &VG0223,
        FaultKind::Meaning => &VG0224,
        FaultKind::Nested => &VG0225,
        FaultKind::TooLarge => &VG0226,
        FaultKind::Anchor => &VG0227,
    }
}
