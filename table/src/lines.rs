//! A stream as the lines that patterns see (LANGUAGE section 9).

use crate::capture::Captured;
use crate::strip::Stripper;

/// The stream as patterns see it: invalid UTF-8 replaced, control sequences removed, blanks and box-drawing characters
/// removed at both ends of a line, runs of blanks inside a line made one space, empty lines dropped; joined by `\n`.
///
/// Lines end at LF, CR LF or lone CR. Blanks are Unicode white space, box-drawing is U+2500 to U+257F.
///
/// If the middle of the stream was not kept, the line that the cut goes through is no line: the end of the head behind
/// its last line end, and the start of the tail up to its first, are left out. Half a line could else begin with what an
/// anchored pattern looks for, though the program never began a line with it.
pub fn view(stream: &Captured) -> String {
    let mut out = String::with_capacity(stream.head.len().saturating_add(stream.tail.len()));
    if stream.omitted() == 0 {
        append(&stripped(&[&stream.head, &stream.tail]), &mut out);
        return out;
    }
    let head = stripped(&[&stream.head]);
    append(head.rfind(['\n', '\r']).and_then(|end| head.get(..end)).unwrap_or_default(), &mut out);
    let tail = stripped(&[&stream.tail]);
    append(tail.find(['\n', '\r']).and_then(|end| tail.get(end..)).unwrap_or_default(), &mut out);
    out
}

/// A text as patterns see it: [`view`] of a text that was kept whole.
pub fn of_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    append(&crate::strip::strip(text), &mut out);
    out
}

fn stripped(parts: &[&[u8]]) -> String {
    let mut text = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    let mut stripper = Stripper::default();
    for part in parts {
        stripper.push(part, &mut text);
    }
    stripper.finish(&mut text);
    text
}

/// Appends the lines of a stripped text.
fn append(text: &str, out: &mut String) {
    for line in text.split(['\n', '\r']) {
        let line = line.trim_matches(|c: char| c.is_whitespace() || is_box(c));
        if line.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        let mut words = line.split_whitespace();
        out.extend(words.next());
        for word in words {
            out.push(' ');
            out.push_str(word);
        }
    }
}

/// Whether a character draws boxes: U+2500 to U+257F.
pub const fn is_box(c: char) -> bool {
    matches!(c, '\u{2500}'..='\u{257f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bytes: &[u8]) -> String {
        view(&Captured::whole(bytes.to_vec()))
    }

    #[test]
    fn lines_are_trimmed_and_blanks_made_one() {
        assert_eq!(whole(b"  a \t b  \n\n   \nc\n"), "a b\nc");
        assert_eq!(whole("\u{a0}a\u{2003}\u{3000}b\u{2028}c\u{a0}\n".as_bytes()), "a b c");
    }

    #[test]
    fn lines_end_at_lf_crlf_and_lone_cr() {
        assert_eq!(whole(b"a\nb\r\nc\rd\r\re"), "a\nb\nc\nd\ne");
    }

    #[test]
    fn boxes_are_taken_off() {
        let boxed = "╭─ Error ──────╮\n│ No such option: --bogus      │\n╰──────────────╯\n│ a │ b │\n";
        assert_eq!(whole(boxed.as_bytes()), "Error\nNo such option: --bogus\na │ b");
    }

    #[test]
    fn control_sequences_and_invalid_bytes_are_seen_as_a_terminal_would() {
        assert_eq!(whole(b"\x1b[31mError\x1b[0m: \xff x\x1b]0;t\x07\n"), "Error: \u{fffd} x");
    }

    #[test]
    fn head_and_tail_that_meet_are_one_text() {
        let stream = Captured { head: b"Err\xe2\x94".to_vec(), tail: b"\x80or: x\n".to_vec(), total: 12 };
        assert_eq!(view(&stream), "Err\u{2500}or: x");
    }

    #[test]
    fn half_a_line_at_the_cut_is_no_line() {
        let stream =
            Captured { head: b"first\nError: cut he".to_vec(), tail: b"Error: fake\nlast\n".to_vec(), total: 1000 };
        assert_eq!(view(&stream), "first\nlast");
        let stream = Captured { head: b"no end".to_vec(), tail: b"no start".to_vec(), total: 1000 };
        assert_eq!(view(&stream), "");
        let stream = Captured { head: b"a\r\n".to_vec(), tail: b"x\rb".to_vec(), total: 1000 };
        assert_eq!(view(&stream), "a\nb");
    }
}
