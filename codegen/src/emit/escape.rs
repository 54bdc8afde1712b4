//! Texts of the table made harmless for Markdown and TypeScript.

use std::fmt::Write as _;

/// Makes line breaks, tabs, control characters and characters that show nothing visible: `\n`, `\t`, `\u{200b}`.
/// What is left stands on one line in every reader.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => {
                // Writing to a String can't fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
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

/// [`code_span`] for a cell of a table, where a `|` ends the cell even inside a code span.
pub fn cell(text: &str) -> String {
    code_span(text).replace('|', "\\|")
}

fn longest_run(text: &str, of: char) -> usize {
    let (mut longest, mut run) = (0_usize, 0_usize);
    for c in text.chars() {
        run = if c == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// A text as lines of a doc comment in TypeScript: it can't end the comment, and no word of it becomes a tag.
pub fn doc_comment(text: &str) -> String {
    let span = code_span(text);
    span.replace("*/", "*\\/")
}

/// A JavaScript string literal.
pub fn js_string(text: &str) -> String {
    let mut out = serde_json::Value::from(text).to_string();
    // In old engines these two end a line inside a literal.
    out = out.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    out
}
