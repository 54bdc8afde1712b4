//! Sets of characters, as sorted ranges that neither touch nor overlap.

use regex_syntax::ast::{ClassAsciiKind, ClassPerlKind};

/// A set of Unicode scalar values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CharSet(Vec<(u32, u32)>);

const LAST: u32 = 0x10_FFFF;

impl CharSet {
    /// One character.
    pub fn one(c: char) -> Self {
        Self(vec![(u32::from(c), u32::from(c))])
    }

    /// From ranges in any order.
    pub(super) fn ranges(ranges: &[(char, char)]) -> Self {
        let mut set = Self(ranges.iter().map(|&(a, b)| (u32::from(a), u32::from(b))).collect());
        set.normalise();
        set
    }

    /// What `\d`, `\s` and `\w` mean: ASCII (LANGUAGE section 4).
    pub(super) fn perl(kind: &ClassPerlKind) -> Self {
        match kind {
            ClassPerlKind::Digit => Self::ranges(&[('0', '9')]),
            ClassPerlKind::Space => Self::ranges(&[('\t', '\r'), (' ', ' ')]),
            ClassPerlKind::Word => Self::ranges(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
        }
    }

    /// What `[:name:]` means.
    pub(super) fn posix(kind: &ClassAsciiKind) -> Self {
        Self::ranges(match kind {
            ClassAsciiKind::Alnum => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
            ClassAsciiKind::Alpha => &[('A', 'Z'), ('a', 'z')],
            ClassAsciiKind::Ascii => &[('\0', '\x7F')],
            ClassAsciiKind::Blank => &[('\t', '\t'), (' ', ' ')],
            ClassAsciiKind::Cntrl => &[('\0', '\x1F'), ('\x7F', '\x7F')],
            ClassAsciiKind::Digit => &[('0', '9')],
            ClassAsciiKind::Graph => &[('!', '~')],
            ClassAsciiKind::Lower => &[('a', 'z')],
            ClassAsciiKind::Print => &[(' ', '~')],
            ClassAsciiKind::Punct => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
            ClassAsciiKind::Space => &[('\t', '\r'), (' ', ' ')],
            ClassAsciiKind::Upper => &[('A', 'Z')],
            ClassAsciiKind::Word => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
            ClassAsciiKind::Xdigit => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        })
    }

    /// Adds all of `other`.
    pub(super) fn add(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
        self.normalise();
    }

    /// All characters that are not in it.
    pub(super) fn complement(&self) -> Self {
        let mut out = Vec::new();
        let mut next = 0;
        for &(start, end) in &self.0 {
            if start > next {
                out.push((next, start - 1));
            }
            next = end.saturating_add(1);
        }
        if next <= LAST {
            out.push((next, LAST));
        }
        Self(out)
    }

    /// Whether it holds this character.
    pub fn contains(&self, c: char) -> bool {
        self.0.iter().any(|&(start, end)| (start..=end).contains(&u32::from(c)))
    }

    /// Whether a character is in both.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(&&(a, b)), Some(&&(c, d))) = (left.peek(), right.peek()) {
            if a.max(c) <= b.min(d) {
                return true;
            }
            if b < d {
                left.next();
            } else {
                right.next();
            }
        }
        false
    }

    /// Whether nothing is in it.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all of it is ASCII.
    pub(super) fn is_ascii(&self) -> bool {
        self.0.iter().all(|&(_, end)| end < 0x80)
    }

    /// The one character that it holds, if there is just one.
    pub(super) fn single(&self) -> Option<char> {
        match self.0.as_slice() {
            [(start, end)] if start == end => char::from_u32(*start),
            _ => None,
        }
    }

    /// Writes it so that Rust, JavaScript (with and without `u`) and Python read the same; none if a character beyond
    /// U+FFFF would have to stand in a class, which JavaScript without `u` takes for two.
    pub(super) fn print(&self, out: &mut String) -> Option<()> {
        if let Some(c) = self.single() {
            if u32::from(c) > 0xFFFF {
                out.push_str("(?:");
                out.push(c);
                out.push(')');
            } else {
                escape(c, false, out);
            }
            return Some(());
        }
        let negated = self.0.last().is_some_and(|&(_, end)| end == LAST);
        let shown = if negated { self.complement() } else { self.clone() };
        if shown.is_empty() {
            // `[]` and `[^]` are JavaScript's only. An empty class was refused before.
            out.push_str(r"[\s\S]");
            return Some(());
        }
        out.push_str(if negated { "[^" } else { "[" });
        for &(start, end) in &shown.0 {
            // Surrogates are no characters: a range may begin or end among them only as a complement.
            let start = if (0xD800..0xE000).contains(&start) { 0xE000 } else { start };
            let end = if (0xD800..0xE000).contains(&end) { 0xD7FF } else { end };
            if start > end {
                continue;
            }
            if end > 0xFFFF {
                return None;
            }
            let (start, end) = (char::from_u32(start)?, char::from_u32(end)?);
            escape(start, true, out);
            if end != start {
                if u32::from(end) > u32::from(start) + 1 {
                    out.push('-');
                }
                escape(end, true, out);
            }
        }
        out.push(']');
        Some(())
    }

    fn normalise(&mut self) {
        self.0.sort_unstable();
        let mut out: Vec<(u32, u32)> = Vec::with_capacity(self.0.len());
        for &(start, end) in &self.0 {
            match out.last_mut() {
                Some(last) if start <= last.1.saturating_add(1) => last.1 = last.1.max(end),
                _ => out.push((start, end)),
            }
        }
        self.0 = out;
    }
}

/// One character, escaped only where all three engines know the escape.
fn escape(c: char, in_class: bool, out: &mut String) {
    use std::fmt::Write;
    let special = if in_class { r"\]^[-" } else { r"\.+*?()|[]{}^$" };
    match c {
        '\t' => out.push_str(r"\t"),
        '\n' => out.push_str(r"\n"),
        '\r' => out.push_str(r"\r"),
        '\x0B' => out.push_str(r"\v"),
        '\x0C' => out.push_str(r"\f"),
        c if special.contains(c) => {
            out.push('\\');
            out.push(c);
        }
        c if c.is_ascii() && !c.is_ascii_control() => out.push(c),
        c if c.is_ascii() => drop(write!(out, r"\x{:02X}", u32::from(c))),
        // Hangul fillers are letters that show nothing.
        c if c.is_alphanumeric() && !matches!(c, '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}') => out.push(c),
        c => drop(write!(out, r"\u{:04X}", u32::from(c))),
    }
}
