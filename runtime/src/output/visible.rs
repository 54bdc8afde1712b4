//! Folds what a terminal would overwrite, and makes invisible characters visible (contract C3.1).

use std::borrow::Cow;
use std::fmt::Write as _;

use memchr::{memchr, memrchr};

/// A line is looked at in pieces of at most this many bytes; an overwrite does not reach behind a piece.
const LONGEST_LINE: usize = 64 * 1024;

/// Folds `\r` overwrites: of a line that was written over, what was written last stays (`10%\r20%\n` is `20%`). A line
/// end may be CR LF. Takes stripped text in any chunks, gives whole lines; the result does not depend on the chunks.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// The line that has not ended.
    line: String,
    /// The line's last character was CR: the next one overwrites, unless it is a line feed.
    overwrites: bool,
}

impl Folder {
    /// The next text. `lines` gets blocks of whole lines, or a piece of a line that is too long.
    pub(crate) fn push(&mut self, mut text: &str, lines: &mut impl FnMut(&str)) {
        while !text.is_empty() {
            if self.line.is_empty() && !self.overwrites {
                let block = floor(text, LONGEST_LINE);
                let block = memrchr(b'\n', block.as_bytes()).and_then(|end| text.get(..=end)).unwrap_or_default();
                if !block.is_empty() && memchr(b'\r', block.as_bytes()).is_none() {
                    lines(&visible(block));
                    text = text.get(block.len()..).unwrap_or_default();
                    continue;
                }
            }
            // One line, or the part of it that is here.
            let end = memchr(b'\n', text.as_bytes()).map_or(text.len(), |end| end + 1);
            let (part, rest) = text.split_at_checked(end).unwrap_or((text, ""));
            self.part(part, lines);
            text = rest;
        }
    }

    fn part(&mut self, part: &str, lines: &mut impl FnMut(&str)) {
        let (body, ended) = part.strip_suffix('\n').map_or((part, false), |body| (body, true));
        let mut first = true;
        for piece in body.split('\r') {
            self.overwrites |= !first;
            first = false;
            if !piece.is_empty() {
                if std::mem::take(&mut self.overwrites) {
                    self.line.clear();
                }
                self.append(piece, lines);
            }
        }
        if ended {
            self.overwrites = false;
            self.line.push('\n');
            lines(&visible(&self.line));
            self.line.clear();
        }
    }

    fn append(&mut self, mut piece: &str, lines: &mut impl FnMut(&str)) {
        while self.line.len() + piece.len() > LONGEST_LINE {
            let fits = floor(piece, LONGEST_LINE - self.line.len());
            self.line.push_str(fits);
            piece = piece.get(fits.len()..).unwrap_or_default();
            lines(&visible(&self.line));
            self.line.clear();
        }
        self.line.push_str(piece);
    }

    /// Ends the text; gives the line that was not ended, which may be empty.
    pub(crate) fn finish(&mut self) -> String {
        self.overwrites = false;
        let line = std::mem::take(&mut self.line);
        match visible(&line) {
            Cow::Borrowed(_) => line,
            Cow::Owned(shown) => shown,
        }
    }
}

/// The longest start of `text` of at most `limit` bytes that ends between characters.
pub(crate) fn floor(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The longest end of `text` of at most `limit` bytes that begins between characters.
pub(crate) fn floor_end(text: &str, limit: usize) -> &str {
    let mut start = text.len().saturating_sub(limit);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default()
}

/// A text in which characters that show nothing, or turn the order of others, are written `\u{202e}`. Joiners
/// (U+200C, U+200D) and variation selectors stay: languages and emoji need them. Borrowed if there are none.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut done = 0;
    let mut from = 0;
    while let Some(at) = next_suspect(text, from) {
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
        from = at + c.len_utf8();
        if is_hidden(c) {
            out.push_str(text.get(done..at).unwrap_or_default());
            // Writing to a string can't fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            done = from;
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// U+200B, U+2060, U+FEFF and the bidirectional controls, and their kin: invisible operators, the deprecated format
/// characters, the Mongolian separator, and tags (which spell hidden ASCII).
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Place of the next character whose first byte a hidden character may have. ASCII is passed in blocks.
fn next_suspect(text: &str, from: usize) -> Option<usize> {
    const BLOCK: usize = 64;
    let mut at = from;
    for block in text.as_bytes().get(from..)?.chunks(BLOCK) {
        if !block.is_ascii()
            && let Some(more) = block.iter().position(|b| matches!(b, 0xd8 | 0xe1 | 0xe2 | 0xef | 0xf3))
        {
            return Some(at + more);
        }
        at += block.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(chunks: &[&str]) -> String {
        let mut out = String::new();
        let mut folder = Folder::default();
        for chunk in chunks {
            folder.push(chunk, &mut |lines| out.push_str(lines));
        }
        out + &folder.finish()
    }

    #[test]
    fn overwritten_lines_show_what_was_written_last() {
        for (input, expected) in [
            ("10%\r20%\r100%\nnext\n", "100%\nnext\n"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\r\r\nb", "a\nb"),
            ("\rspin|\rspin/\rdone", "done"),
            ("kept\r", "kept"),
            ("a\nb\rc", "a\nc"),
        ] {
            assert_eq!(folded(&[input]), expected, "{input:?}");
            for cut in 1..input.len() {
                assert_eq!(folded(&[&input[..cut], &input[cut..]]), expected, "{input:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn a_line_without_end_does_not_grow_without_bound() {
        let long = "x".repeat(3 * LONGEST_LINE + 5);
        let mut longest = 0;
        let mut folder = Folder::default();
        folder.push(&long, &mut |lines| longest = longest.max(lines.len()));
        assert_eq!(longest, LONGEST_LINE);
        assert_eq!(folder.finish().len(), 5);
        assert_eq!(folded(&[&long]), long);
    }

    #[test]
    fn hidden_characters_are_shown_and_languages_are_left_alone() {
        assert_eq!(
            visible("a\u{202e}b\u{200b}\u{feff}\u{2060}\u{61c}c"),
            r"a\u{202e}b\u{200b}\u{feff}\u{2060}\u{61c}c"
        );
        assert_eq!(visible("x\u{e0041}"), r"x\u{e0041}");
        let fine = "می\u{200c}خواهم 👩\u{200d}👧 ❤\u{fe0f} “quotes” … ─│ ᠮ ﷺ 日本";
        assert!(matches!(visible(fine), Cow::Borrowed(same) if same == fine));
    }
}
