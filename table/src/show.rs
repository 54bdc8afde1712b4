//! Texts of others on one line of ours, and the characters that no argument holds.

use std::fmt::Write as _;

/// Most characters that a value takes in a line of ours (LANGUAGE section 5, `say` and `hint`).
pub const LINE_LIMIT: usize = 200;

/// Whether no text of an agent may hold the character: categories Cc and Cf, U+2028, U+2029 (LANGUAGE section 4).
///
/// The ranges are Unicode 16's; a table of our own, so that the answer does not change with a library.
pub const fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' // Cc
        | '\u{2028}' | '\u{2029}'
        | '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
        | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}'
        | '\u{e0020}'..='\u{e007f}')
}

/// The text with hidden characters, line ends among them, as `\u{X}`: on one line, whole.
pub fn visible(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        if is_hidden(c) {
            // Writing to a String can't fail.
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The text on one line: hidden characters as `\u{X}`, cut at [`LINE_LIMIT`] characters (the last is `…` then).
pub fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut length = 0;
    // Where the line is cut should it turn out too long: behind the last whole character before the limit.
    let mut cut = 0;
    for c in text.chars() {
        let before = line.len();
        if is_hidden(c) {
            // Writing to a String can't fail.
            let _ = write!(line, "\\u{{{:x}}}", u32::from(c));
        } else {
            line.push(c);
        }
        length += line.get(before..).map_or(0, |added| added.chars().count());
        if length > LINE_LIMIT {
            line.truncate(cut);
            line.push('…');
            return line;
        }
        if length < LINE_LIMIT {
            cut = line.len();
        }
    }
    line
}

/// `a`, `b` and so on, each in backticks.
pub(crate) fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{}`", one_line(name))).collect::<Vec<_>>().join(", ")
}

/// The known name that was probably meant.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let fold = |text: &str| text.to_lowercase().replace('-', "_");
    let length = name.chars().take(128).count();
    if length == 128 {
        return None; // no name is that long, and the distance would take quadratic time
    }
    let name = fold(name);
    known
        .into_iter()
        .map(|known| (strsim::osa_distance(&name, &fold(known)), known))
        .filter(|&(distance, _)| distance <= (length / 3).max(1))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, known)| known)
}
