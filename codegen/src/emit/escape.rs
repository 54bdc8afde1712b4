//! Texts of the table made harmless for Markdown and TypeScript.

use std::fmt::Write as _;

/// Makes line breaks, tabs, control characters and characters that show nothing visible: `␤`, `␍`, `␉`, `⟨U+200B⟩`.
/// What is left stands on one line in every reader.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push('␤'),
            '\r' => out.push('␍'),
            '\t' => out.push('␉'),
            c if is_hidden(c) => {
                // Writing to a String can't fail.
                let _ = write!(out, "⟨U+{:04X}⟩", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Control characters (Cc), format characters (Cf: bidirectional and zero-width ones), line and paragraph separators,
/// fillers, and blanks other than the plain space.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(u32::from(c),
            0xAD | 0x34F | 0x600..=0x605 | 0x61C | 0x6DD | 0x70F | 0x890..=0x891 | 0x8E2 | 0x115F..=0x1160
            | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164
            | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0x110BD | 0x110CD | 0x13430..=0x1343F
            | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

/// A Markdown code span that shows the text literally, on one line, whatever it holds.
///
/// The fence is longer than any run of backticks in the text; a text that begins or ends with a backtick or a space is
/// padded, as `CommonMark` takes one space off both ends. An empty text is shown as `""`, since an empty span is none.
pub fn code_span(text: &str) -> String {
    if text.is_empty() {
        return "`\"\"`".to_owned();
    }
    let shown = visible(text);
    let fence = "`".repeat(longest_run(&shown, '`') + 1);
    let edge = |c: Option<char>| c == Some('`') || c == Some(' ');
    let padded = edge(shown.chars().next()) || edge(shown.chars().next_back());
    if padded && !shown.chars().all(|c| c == ' ') {
        format!("{fence} {shown} {fence}")
    } else {
        format!("{fence}{shown}{fence}")
    }
}

fn longest_run(text: &str, of: char) -> usize {
    let (mut longest, mut run) = (0_usize, 0_usize);
    for c in text.chars() {
        run = if c == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// [`code_span`] for a comment in TypeScript: it can't end the comment, and no word of it becomes a tag.
pub fn doc_comment(text: &str) -> String {
    code_span(text).replace("*/", "*\\/")
}

/// A JavaScript string literal.
pub fn js_string(text: &str) -> String {
    // JSON is a part of JavaScript but for these two, which end a line in old engines.
    serde_json::Value::from(text).to_string().replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_span_has_a_fence_longer_than_any_run_inside() {
        assert_eq!(code_span("a"), "`a`");
        assert_eq!(code_span("a`b"), "``a`b``");
        assert_eq!(code_span("a```b`"), "```` a```b` ````");
        assert_eq!(code_span(" a"), "`  a `");
        assert_eq!(code_span("  "), "`  `");
        assert_eq!(code_span(""), "`\"\"`");
    }

    #[test]
    fn what_breaks_a_line_or_shows_nothing_is_made_visible() {
        let hidden = "a\n\r\t\u{b}\u{85}\u{2028}\u{2029}\u{202e}\u{200b}\u{feff}\u{ad}\u{3000}\u{1b}b";
        let shown = visible(hidden);
        assert_eq!(shown.lines().count(), 1);
        assert!(shown.chars().all(|c| !is_hidden(c)), "{shown}");
        assert!(shown.starts_with("a␤␍␉⟨U+000B⟩⟨U+0085⟩⟨U+2028⟩"), "{shown}");
    }

    #[test]
    fn a_doc_comment_does_not_end_in_its_text() {
        assert!(!doc_comment("a */ b **/ c *//").contains("*/"));
    }

    #[test]
    fn a_javascript_literal_has_no_line_end() {
        assert_eq!(js_string("a\"\\\n\u{2028}"), r#""a\"\\\n\u2028""#);
    }
}
