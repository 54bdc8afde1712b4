//! Takes Python tracebacks out of text, but for their last line (contract C3.8).
//!
//! Known are the plain form, the boxed one of `rich` (drawn with box characters or with `+-|`), exception groups, and
//! chains of them, of which only the last exception's line stays; also after the text was wrapped at some width, and cut
//! at either end. Line by line, with what is held back bounded by [`MOST_HELD`].
//!
//! What only looks like a traceback is given back as it was: a header without a frame behind it, or uncertain lines that
//! no frame, box line or exception follows.

use memchr::memmem;

/// The first line of a traceback, but for its colon.
const HEADER: &str = "Traceback (most recent call last)";
/// Most bytes of lines that are held back until it is clear what they are.
const MOST_HELD: usize = 16 * 1024;
/// Most uncertain lines in a row inside a traceback (a frame wrapped at 20 columns takes about ten).
const MOST_LINES: usize = 40;

/// The line machine. Feed it blocks of whole lines.
#[derive(Debug)]
pub(crate) struct Cutter {
    state: State,
    /// Lines that go out or are dropped, once it is clear what they are.
    held: String,
    lines: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Normal,
    /// A line ended in the first words of the header; these are the words that are missing.
    Header {
        missing: &'static str,
        boxed: bool,
    },
    /// Behind a plain header that was indented so far; whether a frame was seen.
    Plain {
        indent: usize,
        frames: bool,
    },
    /// Inside an exception group; whether its own line was given out.
    Group {
        said: bool,
    },
    /// Inside a box.
    Boxed,
    /// In the box's last line, or right behind it.
    Bottom,
    /// Behind an exception's line, which is held until it is clear that no other follows it.
    After {
        blank: bool,
    },
    /// Behind a line that joins two tracebacks.
    Chained,
    /// The start of a text whose beginning is missing.
    Cut,
}

impl Cutter {
    /// For a text; `cut`: its beginning is missing, so that it may begin inside a traceback.
    pub(crate) fn new(cut: bool) -> Self {
        Self { state: if cut { State::Cut } else { State::Normal }, held: String::new(), lines: 0 }
    }

    /// The next whole lines (or a piece of a line that is too long); what stays is appended to `out`.
    pub(crate) fn push(&mut self, block: &str, out: &mut String) {
        if self.state == State::Normal && !may_hold_traceback(block) {
            out.push_str(block);
            return;
        }
        for line in block.split_inclusive('\n') {
            self.line(line, out);
        }
    }

    /// Ends the text; `cut`: its end is missing. Lines that were held inside a traceback go with it, others are given
    /// back.
    pub(crate) fn finish(&mut self, cut: bool, out: &mut String) {
        match self.state {
            State::Header { .. } | State::Plain { .. } if cut => self.drop_held(),
            State::Plain { frames: true, .. } | State::Boxed | State::Group { .. } | State::Chained => self.drop_held(),
            _ => self.release(out),
        }
        self.state = State::Normal;
    }

    fn line(&mut self, line: &str, out: &mut String) {
        let bare = unboxed(line);
        match self.state {
            State::Normal => self.normal(line, out),
            State::Header { missing, boxed } => {
                if bare.starts_with(missing) {
                    self.enter(line, boxed);
                    self.hold(line, out);
                } else if let Some(missing) = missing.strip_prefix(bare).filter(|_| !bare.is_empty()) {
                    self.state = State::Header { missing: missing.trim_start(), boxed };
                    self.hold(line, out);
                } else {
                    self.give_up(line, out);
                }
            }
            State::Plain { indent, frames } => self.plain(line, indent, frames, out),
            State::Group { said } => {
                let trimmed = line.trim_start();
                if !trimmed.starts_with(['|', '+']) || trimmed.len() == line.len() {
                    self.give_up(line, out);
                    return;
                }
                self.drop_held();
                if !said && is_exception(trimmed.trim_start_matches(['|', '+', ' ']).trim_end()) {
                    out.push_str(trimmed.trim_start_matches(['|', '+', ' ']));
                    self.state = State::Group { said: true };
                }
            }
            State::Boxed => {
                if header(line).is_some() {
                    self.drop_held();
                    self.enter(line, true);
                } else if is_bottom(line) {
                    self.drop_held();
                    self.state = State::Bottom;
                } else if is_box_line(line) {
                    self.drop_held();
                } else {
                    self.hold(line, out);
                }
            }
            State::Bottom => {
                if bare.is_empty() {
                    return;
                }
                if is_exception(line.trim_end()) {
                    self.after(line, out);
                } else {
                    self.give_up(line, out);
                }
            }
            State::After { blank } => {
                if is_chain(line) {
                    self.drop_held();
                    self.state = State::Chained;
                } else if goes_on(line) {
                    // It was no exception's line, but a piece of a wrapped frame.
                    self.drop_held();
                    self.state = State::Plain { indent: 0, frames: true };
                } else if line.trim().is_empty() {
                    self.state = State::After { blank: true };
                    self.hold_bytes(line, out);
                } else if blank || header(line).is_some() {
                    self.give_up(line, out);
                } else {
                    self.hold_bytes(line, out);
                }
            }
            State::Chained => {
                if header(line).is_some() || is_frame(line) {
                    self.drop_held();
                    self.state = State::Normal;
                    self.normal(line, out);
                } else if !line.trim().is_empty() && !is_chain(line) {
                    self.hold(line, out);
                }
            }
            State::Cut => self.cut(line, out),
        }
    }

    fn normal(&mut self, line: &str, out: &mut String) {
        if let Some(Head { missing, boxed }) = header(line) {
            if missing.is_empty() {
                self.enter(line, boxed);
            } else {
                self.state = State::Header { missing, boxed };
            }
            self.hold(line, out);
        } else if is_frame(line) {
            self.state = State::Plain { indent: 0, frames: true };
        } else {
            out.push_str(line);
        }
    }

    /// Behind a whole header.
    fn enter(&mut self, line: &str, boxed: bool) {
        self.state = if boxed {
            State::Boxed
        } else if line.contains("Exception Group Traceback") {
            State::Group { said: false }
        } else {
            State::Plain { indent: indent(line), frames: false }
        };
        if boxed {
            self.drop_held();
        }
    }

    fn plain(&mut self, line: &str, base: usize, frames: bool, out: &mut String) {
        let text = line.trim();
        if goes_on(line) || (!frames && is_foreign_frame(text)) {
            self.drop_held();
            self.state = State::Plain { indent: base, frames: true };
        } else if header(line).is_some() {
            self.drop_held();
            self.state = State::Normal;
            self.normal(line, out);
        } else if !frames {
            // A header is only a header if a frame follows it.
            if text.is_empty() { self.hold(line, out) } else { self.give_up(line, out) }
        } else if indent(line) <= base && (is_exception(text) || is_foreign_exception(text)) {
            self.after(line, out);
        } else {
            self.hold(line, out);
        }
    }

    fn cut(&mut self, line: &str, out: &mut String) {
        let text = line.trim();
        if is_frame(line) || (is_box_line(line) && is_box_frame(text)) {
            self.drop_held();
            self.state = if is_frame(line) { State::Plain { indent: 0, frames: true } } else { State::Boxed };
        } else if indent(line) == 0 && is_exception(text) && !self.held.is_empty() && !self.held.starts_with(is_edge) {
            self.after(line, out);
        } else if header(line).is_none() && (indent(line) > 0 || is_box_line(line)) && !is_bottom(line) {
            self.hold(line, out);
        } else {
            self.give_up(line, out);
        }
    }

    /// An exception's line.
    fn after(&mut self, line: &str, out: &mut String) {
        self.drop_held();
        self.state = State::After { blank: false };
        self.hold_bytes(line, out);
    }

    /// It was no traceback: what was held goes out, and the line is looked at anew.
    fn give_up(&mut self, line: &str, out: &mut String) {
        self.release(out);
        self.state = State::Normal;
        self.normal(line, out);
    }

    fn hold(&mut self, line: &str, out: &mut String) {
        self.hold_bytes(line, out);
        self.lines += 1;
        if self.lines > MOST_LINES {
            self.release(out);
            self.state = State::Normal;
        }
    }

    fn hold_bytes(&mut self, line: &str, out: &mut String) {
        self.held.push_str(line);
        if self.held.len() > MOST_HELD {
            self.release(out);
            self.state = State::Normal;
        }
    }

    fn release(&mut self, out: &mut String) {
        out.push_str(&self.held);
        self.drop_held();
    }

    fn drop_held(&mut self) {
        self.held.clear();
        self.lines = 0;
    }
}

/// A cheap look: nothing of a traceback begins in a block that holds none of these.
fn may_hold_traceback(block: &str) -> bool {
    memmem::find(block.as_bytes(), b"Traceback").is_some() || memmem::find(block.as_bytes(), b"File \"").is_some()
}

struct Head {
    missing: &'static str,
    boxed: bool,
}

/// Whether a line ends in the header, or in the first words of it (it was wrapped there).
fn header(line: &str) -> Option<Head> {
    let text = unboxed(line);
    if !text.contains("Traceback") {
        return None;
    }
    let starts = line.trim_start();
    let boxed = starts.starts_with(['╭', '┌', '╔', '┏', '─', '━']) || starts.starts_with("+-");
    let text = text.strip_suffix(':').unwrap_or(text);
    if text.ends_with(HEADER) {
        return Some(Head { missing: "", boxed });
    }
    // The title of a box may stand alone in its line, and be cut there.
    let mut ends = HEADER.match_indices(' ').map(|(at, _)| HEADER.split_at(at));
    let (_, missing) = ends.find(|(words, _)| text.ends_with(words))?;
    Some(Head { missing: missing.trim_start(), boxed })
}

/// A line without blanks and the edges of boxes at its ends.
fn unboxed(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || is_edge(c) || matches!(c, '-' | '+'))
}

fn is_edge(c: char) -> bool {
    crate::table::lines::is_box(c) || c == '|'
}

/// A line inside a box, or a piece of one that was wrapped.
fn is_box_line(line: &str) -> bool {
    let text = line.trim();
    text.is_empty() || text.starts_with(is_edge) || text.ends_with(is_edge)
}

/// The last line of a box, or the first piece of it.
fn is_bottom(line: &str) -> bool {
    let text = line.trim();
    text.starts_with(['╰', '└', '╚', '┗']) || (text.starts_with("+-") && unboxed(text).is_empty())
}

/// Signs by which a box is known as a traceback's without its first line.
fn is_box_frame(text: &str) -> bool {
    text.contains('❱') || text.contains(r"\u2771") || (text.contains(".py:") && text.contains(" in "))
}

/// `File "x", line 1, in f`, or the first piece of it.
fn is_frame(line: &str) -> bool {
    let text = line.trim_start_matches(|c: char| c.is_whitespace() || c == '|').trim_end();
    let Some(name) = text.strip_prefix("File \"") else { return false };
    match name.split_once('"') {
        None => true,
        Some((_, rest)) => rest == "," || rest.starts_with(", line"),
    }
}

/// [`is_frame`] where one is to be expected: a wrapped one may have lost all but its first word.
fn goes_on(line: &str) -> bool {
    is_frame(line) || (line.trim() == "File" && indent(line) > 0)
}

/// A frame as Ruby prints it under the same header: `1: from x.rb:1:in ...`.
fn is_foreign_frame(text: &str) -> bool {
    text.split_once(": from ").is_some_and(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()))
}

/// `x.rb:1:in ...: message (XError)`.
fn is_foreign_exception(text: &str) -> bool {
    text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")).is_some_and(|(_, name)| {
        name.ends_with("Error") && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b':')
    })
}

/// `XError: message`, `module.XError: message`, `KeyboardInterrupt`.
fn is_exception(text: &str) -> bool {
    let (name, said) = text.split_once(':').map_or((text, None), |(name, said)| (name, Some(said)));
    if said.is_some_and(|said| !said.is_empty() && !said.starts_with(' ')) {
        return false;
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '<' | '>');
    let is_class = last.starts_with(char::is_uppercase)
        || (said.is_some() && (name.contains('.') || last.ends_with("error") || last.ends_with("timeout")));
    last.len() > 2 && is_class && name.chars().all(is_name)
}

/// What stands between two tracebacks of a chain, or its first words.
fn is_chain(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with("During handling of the above") || text.starts_with("The above exception was the direct")
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> String {
        run(text, false)
    }

    fn run(text: &str, beginning_is_missing: bool) -> String {
        let mut out = String::new();
        let mut cutter = Cutter::new(beginning_is_missing);
        for line in text.split_inclusive('\n') {
            cutter.push(line, &mut out);
        }
        cutter.finish(false, &mut out);
        let mut whole = String::new();
        let mut cutter = Cutter::new(beginning_is_missing);
        cutter.push(text, &mut whole);
        cutter.finish(false, &mut whole);
        assert_eq!(out, whole, "chunks must not matter");
        out
    }

    const PLAIN: &str = "Exporting\nTraceback (most recent call last):\n  File \"/a/b.py\", line 3, in f\n    g(\n     ^^\n  \
                         File \"/a/c.py\", line 4, in g\n    raise X\n\npkg.XError: no\nExport failed: no\n";

    #[test]
    fn every_captured_traceback_keeps_its_last_line_only() {
        insta::glob!("tracebacks/*.txt", |path| {
            let text = std::fs::read_to_string(path).unwrap();
            let out = cut(&text);
            for trace in ["Traceback", "File \"", "❱", "\\u2771", ".py:"] {
                assert!(!out.contains(trace), "{trace} is left:\n{out}");
            }
            insta::assert_snapshot!(out);
        });
    }

    /// Wrapped as `rich` and terminals do: at blanks, and in mid-word where a word is too long.
    fn wrapped(text: &str, width: usize) -> String {
        let mut out = String::new();
        for line in text.lines() {
            let mut column = 0;
            for word in line.split_inclusive(' ') {
                if column > 0 && column + word.trim_end().chars().count() > width {
                    out.push('\n');
                    column = 0;
                }
                for c in word.chars() {
                    if column == width {
                        out.push('\n');
                        column = 0;
                    }
                    out.push(c);
                    column += 1;
                }
            }
            out.push('\n');
        }
        out
    }

    #[test]
    fn captured_tracebacks_go_after_wrapping_too() {
        insta::glob!("tracebacks/*.txt", |path| {
            let text = std::fs::read_to_string(path).unwrap();
            for width in [120, 100, 78, 60, 50] {
                let out = cut(&wrapped(&text, width));
                for trace in ["most recent", "File \"", "❱", "site-packages", "raise ", ", line "] {
                    assert!(!out.contains(trace), "{trace} is left of {} at {width}:\n{out}", path.display());
                }
                assert!(out.contains("Error: "), "the last line is gone of {} at {width}:\n{out}", path.display());
            }
        });
    }

    #[test]
    fn a_plain_one_between_other_lines() {
        assert_eq!(cut(PLAIN), "Exporting\npkg.XError: no\nExport failed: no\n");
    }

    #[test]
    fn of_a_chain_the_last_exception_stays() {
        for between in [
            "\nDuring handling of the above exception, another exception occurred:\n\n",
            "\nThe above exception was the direct cause of the following exception:\n\n",
        ] {
            let chain = format!(
                "Traceback (most recent call last):\n  File \"a\", line 1, in a\nAError: first\nsecond line of it\n{between}{PLAIN}"
            );
            assert_eq!(cut(&chain.replace("Exporting\n", "")), "pkg.XError: no\nExport failed: no\n");
        }
    }

    #[test]
    fn exception_groups_keep_their_own_line() {
        let group = "  + Exception Group Traceback (most recent call last):\n  |   File \"a.py\", line 1, in <module>\n  |     \
                     raise\n  | ExceptionGroup: two (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | \
                     ValueError: 1\n    +---------------- 2 ----------------\n    | Traceback (most recent call last):\n    \
                     |   File \"a.py\", line 2, in f\n    | KeyError: 2\n    +------------------------------------\ndone\n";
        assert_eq!(cut(group), "ExceptionGroup: two (2 sub-exceptions)\ndone\n");
    }

    #[test]
    fn cut_at_either_end_no_frame_is_left() {
        let lines: Vec<&str> = PLAIN.split_inclusive('\n').collect();
        for at in 1..lines.len() {
            let head = cut(&lines[..at].concat());
            assert!(!head.contains("File") && !head.contains("raise"), "head of {at} lines: {head}");
            let tail = run(&lines[at..].concat(), true);
            assert!(!tail.contains("File") && !tail.contains("raise"), "tail behind {at} lines: {tail}");
            assert!(tail.ends_with("Export failed: no\n"));
        }
        let boxed = "│ /x/y.py:3 in f   │\n│ ❱ 3 │ raise X    │\n╰──────────────────╯\nXError: no\n";
        assert_eq!(run(boxed, true), "XError: no\n");
    }

    #[test]
    fn what_only_looks_like_a_traceback_stays() {
        for text in [
            "docs say: Traceback (most recent call last):\nand so on\n",
            "Traceback (most recent call last):\n",
            "a Traceback\nis here\n",
            "File \"x.yaml\" was not found\n",
            "+-----+\n| a   |\n+-----+\n",
            "╭── Error ──╮\n│ no        │\n╰───────────╯\n",
            "  indented: 1\n  also: 2\n",
        ] {
            assert_eq!(cut(text), text);
        }
        let table = "│ a │ 1 │\n│ b │ 2 │\n└───┴───┘\nerror: x\n";
        assert_eq!(run(table, true), table);
        let json = "    \"a\": 1,\n    \"b\": 2\n}\n";
        assert_eq!(run(json, true), json);
    }
}
