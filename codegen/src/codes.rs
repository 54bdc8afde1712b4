//! The one table of codes. Each has a page for `verbgate explain`, a failing fixture and a snapshot.
//!
//! `VG00xx` syntax, 01 shape, 02 arguments and templates, 03 consent and paths, 04 outcomes, 05 environment and `never`,
//! 06 catalogues, 07 stages, 08 names and limits.

pub mod args;
pub mod catalogue;
pub mod consent;
pub mod env;
pub mod limits;
pub mod outcome;
pub mod shape;
pub mod stage;
pub mod syntax;

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

/// Every code, in order.
pub fn all() -> impl Iterator<Item = &'static CodeEntry> {
    [syntax::ALL, shape::ALL, args::ALL, consent::ALL, outcome::ALL, env::ALL, catalogue::ALL, stage::ALL, limits::ALL]
        .into_iter()
        .flatten()
        .copied()
}

/// Finds a code, in upper or lower case.
pub fn find(code: &str) -> Option<&'static CodeEntry> {
    all().find(|entry| entry.code.eq_ignore_ascii_case(code))
}

/// The page of a code, for `verbgate explain`: plain text that ends with a line break.
pub fn page(entry: &CodeEntry) -> String {
    let level = match entry.level {
        Level::Error => "error",
        Level::Warning => "warning; can be allowed with a reason, or made an error",
    };
    let indented = |text: &str| text.lines().flat_map(|line| ["    ", line, "\n"]).collect::<String>();
    format!(
        "{}: {}\n({level})\n\n{}\n\nInstead of\n\n{}\nwrite\n\n{}",
        entry.code,
        entry.title,
        entry.explanation,
        indented(entry.bad),
        indented(entry.good)
    )
}

/// Makes the entries of one family and its list `ALL`.
///
/// ```ignore
/// codes! {
///     VG0201 Error "unknown argument" {
///         why: "A placeholder names an argument that the verb does not have.",
///         bad: "argv: [show, <nmae>]",
///         good: "argv: [show, <name>]",
///     }
/// }
/// ```
macro_rules! codes {
    ($($code:ident $level:ident $title:literal { why: $why:literal, bad: $bad:literal, good: $good:literal, })*) => {
        $(
            #[doc = $title]
            #[allow(clippy::doc_markdown)] // titles name keys and classes as they are
            pub static $code: $crate::codes::CodeEntry = $crate::codes::CodeEntry {
                code: stringify!($code),
                level: $crate::diag::Level::$level,
                title: $title,
                explanation: $why,
                bad: $bad,
                good: $good,
            };
        )*

        /// The codes of this family, in order.
        pub static ALL: &[&$crate::codes::CodeEntry] = &[$(&$code),*];
    };
}

pub(crate) use codes;
