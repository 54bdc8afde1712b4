//! The one table of codes. Each has a page for `verbgate explain`, a failing fixture and a snapshot.
//!
//! VG00xx syntax, 01 shape, 02 arguments and templates, 03 consent and paths, 04 outcomes, 05 environment and `never`,
//! 06 catalogues, 07 stages, 08 names and limits.

use crate::diag::Level;

/// One code.
#[derive(Debug, PartialEq, Eq)]
pub struct CodeEntry {
    /// `VG0001`.
    pub code: &'static str,
    /// Error or warning.
    pub level: Level,
    /// A short title.
    pub title: &'static str,
    /// Why it is a mistake, and what to do.
    pub explanation: &'static str,
    /// A part of a manifest that gets it.
    pub bad: &'static str,
    /// The same, mended.
    pub good: &'static str,
}
