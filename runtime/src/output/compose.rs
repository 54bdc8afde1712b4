//! The text that an agent gets: own words first, then the program's between marks, all of it within the budget
//! (contracts C3.1, C3.2, C3.7; the form is the design's section on the way through the runtime).
//!
//! **Fields**, one rule: each stands on a line of its own as `name: value`, the value as compact JSON: numbers bare,
//! texts quoted, lists and objects on one line. The fields of a precondition, which are one object, stand as
//! `before.name: value`. So no field can break out of its line.
//!
//! **What is too long**: own words get at most three quarters of the budget; fields that don't fit are named instead.
//! Of the output its start and its end are kept, as whole lines where that costs little; one line of ours between them
//! says how long it was, and where all of it is. There is at most one such line: what lies between two places where
//! something is missing goes with them.

use serde_json::{Map, Value as Json};

use super::marks::Marks;
use super::visible::{floor, floor_end};
use super::{Cleaned, Cleaner, Stage};
use crate::Code;
use crate::table::Stream;

/// Whether and how the program's words are marked.
pub enum Marking<'a> {
    /// Between lines with digits from this source, drawn anew if the output holds them.
    Drawn(&'a mut dyn FnMut() -> u32),
    /// Not at all: for `classify`, where a person looks at a captured run.
    None,
}

/// One stream of the program, cleaned.
#[derive(Clone, Debug)]
pub struct Part {
    /// Which.
    pub stream: Stream,
    /// Its text.
    pub text: Cleaned,
}

/// The file that a call's whole output was spilled to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spilled {
    /// Its absolute path.
    pub path: String,
    /// Bytes in it.
    pub bytes: u64,
    /// Whether more was printed than the file may hold.
    pub cut: bool,
}

/// What a success is told with. All strings are clean ([`Cleaner::line`], [`Cleaner::json`]).
pub struct Success<'a> {
    /// The program's name.
    pub program: &'a str,
    /// Absolute path and bytes of each file that was written.
    pub artifacts: &'a [(String, u64)],
    /// Fields in manifest order; a precondition's as one object under `before`.
    pub fields: &'a Map<String, Json>,
    /// Lines of the runtime: what went wrong beside the outcome. [`Cleaned::notes`] are added by themselves.
    pub notes: &'a [String],
    /// The streams of the verb's `body`, in its order.
    pub body: &'a [Part],
    /// Where all of the output is.
    pub spilled: Option<&'a Spilled>,
    /// Most bytes of the text.
    pub budget: usize,
}

/// What a failure is told with. All strings are clean ([`Cleaner::line`]).
pub struct Failure<'a> {
    /// The program's name.
    pub program: &'a str,
    /// The code.
    pub code: Code,
    /// What happened, one line.
    pub say: &'a str,
    /// What to do, one line; may be empty.
    pub hint: &'a str,
    /// As in [`Success`].
    pub notes: &'a [String],
    /// Both streams, standard output first.
    pub streams: &'a [Part],
    /// Where all of the output is.
    pub spilled: Option<&'a Spilled>,
    /// Most bytes of the streams' end, together, our lines in it included.
    pub error_tail: usize,
    /// Most bytes of the text.
    pub budget: usize,
}

/// A text within its budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// The text: valid UTF-8, never longer than the budget.
    pub text: String,
    /// Whether some of the output is not in it.
    pub truncated: bool,
}

impl Cleaner {
    /// The text of a success: `ok`, a line per artifact, per field and per note, then the body between marks.
    pub fn success(&self, parts: &Success<'_>, marking: Marking<'_>) -> Composed {
        self.composed(parts.budget, "ok", || {
            let mut own = Own::new(parts.budget);
            own.line("ok");
            for (path, bytes) in parts.artifacts {
                own.line(&format!("wrote {path} ({bytes} bytes)"));
            }
            own.fields(parts.fields);
            own.notes(parts.notes, parts.body);
            let marks = marks(marking, &own.text, parts.program, parts.body, parts.spilled);
            own.with_output(&marks, parts.program, |room| both_ends(parts.body, parts.spilled, &marks, room))
        })
    }

    /// The text of a failure: `CODE: say`, `hint: ...`, notes, then the end of both streams between marks.
    pub fn failure(&self, parts: &Failure<'_>, marking: Marking<'_>) -> Composed {
        let first = format!("{}: {}", parts.code, parts.say);
        self.composed(parts.budget, &first, || {
            let mut own = Own::new(parts.budget);
            own.line(&first);
            if !parts.hint.is_empty() {
                own.line(&format!("hint: {}", parts.hint));
            }
            own.notes(parts.notes, parts.streams);
            let marks = marks(marking, &own.text, parts.program, parts.streams, parts.spilled);
            own.with_output(&marks, parts.program, |room| {
                ends(parts.streams, parts.spilled, &marks, room.min(parts.error_tail))
            })
        })
    }

    /// A fault while composing costs the output, not the outcome (C3.5).
    fn composed(&self, budget: usize, first: &str, work: impl FnOnce() -> Composed) -> Composed {
        let mut composed = self.guarded(Stage::Bound, work).unwrap_or_else(|| Composed {
            text: format!("{}\nnote: {}", floor(first, budget / 2), super::WITHHELD),
            truncated: true,
        });
        composed.text.truncate(floor(&composed.text, budget).len());
        composed
    }
}

fn marks(marking: Marking<'_>, own: &str, program: &str, parts: &[Part], spilled: Option<&Spilled>) -> Marks {
    let Marking::Drawn(random) = marking else { return Marks::none() };
    let mut texts = vec![own, program];
    texts
        .extend(parts.iter().flat_map(|part| [part.text.head.as_str(), part.text.tail.as_deref().unwrap_or_default()]));
    texts.extend(spilled.map(|spilled| spilled.path.as_str()));
    Marks::draw(random, &texts)
}

/// The runtime's own words.
struct Own {
    text: String,
    budget: usize,
}

impl Own {
    fn new(budget: usize) -> Self {
        Self { text: String::new(), budget }
    }

    /// Bytes that own words may still take.
    fn room(&self) -> usize {
        (self.budget / 4 * 3).saturating_sub(self.text.len())
    }

    /// A line, cut if it does not fit.
    fn line(&mut self, line: &str) {
        let room = self.room().saturating_sub(1);
        if line.len() <= room {
            self.text.push_str(line);
        } else if let Some(room) = room.checked_sub(CUT.len()) {
            self.text.push_str(floor(line, room));
            self.text.push_str(CUT);
        } else {
            return;
        }
        self.text.push('\n');
    }

    fn fields(&mut self, fields: &Map<String, Json>) {
        let mut left_out = Vec::new();
        let mut field = |own: &mut Self, name: String, value: &Json| {
            // Writing JSON to a string can't fail.
            let line = format!("{name}: {value}");
            if line.len() < own.room().saturating_sub(200) {
                own.line(&line);
            } else {
                left_out.push(name);
            }
        };
        for (name, value) in fields {
            match value {
                Json::Object(inner) if name == "before" => {
                    for (inner_name, value) in inner {
                        field(self, format!("{name}.{inner_name}"), value);
                    }
                }
                value => field(self, name.clone(), value),
            }
        }
        if !left_out.is_empty() {
            self.line(&format!("note: fields too long for the budget, left out: {}", left_out.join(", ")));
        }
    }

    fn notes(&mut self, notes: &[String], parts: &[Part]) {
        for note in notes {
            self.line(&format!("note: {note}"));
        }
        for part in parts {
            let name = stream_name(part.stream);
            for note in &part.text.notes {
                self.line(&format!("note: {name}: {note}"));
            }
        }
    }

    /// The whole: own words, then the output between marks if there is any.
    fn with_output(self, marks: &Marks, program: &str, output: impl FnOnce(usize) -> (String, bool)) -> Composed {
        let begin = marks.begin(program);
        let end = marks.end();
        let room = self.budget.saturating_sub(self.text.len() + begin.len() + end.len() + 1);
        let (output, truncated) = output(room);
        let mut text = self.text;
        if output.is_empty() {
            text.truncate(text.trim_end_matches('\n').len());
            return Composed { text, truncated };
        }
        text.push_str(&begin);
        text.push_str(&output);
        if !output.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&end);
        if end.is_empty() {
            text.truncate(text.trim_end_matches('\n').len());
        }
        Composed { text, truncated }
    }
}

const CUT: &str = " ... (cut)";

fn stream_name(stream: Stream) -> &'static str {
    match stream {
        Stream::Stdout => "standard output",
        Stream::Stderr => "standard error",
    }
}

/// The output whole if it fits and is whole; else its two ends.
fn both_ends(parts: &[Part], spilled: Option<&Spilled>, marks: &Marks, room: usize) -> (String, bool) {
    let pieces = pieces(parts);
    let whole: String = pieces.iter().map(|piece| piece.unwrap_or_default()).collect();
    let missing = pieces.iter().any(Option::is_none);
    if !missing && whole.len() <= room {
        return (whole, false);
    }
    let total: u64 = parts.iter().map(|part| part.text.total).sum();
    let marker = marks.inside(&format!("the middle is left out here: {}", size(total, spilled)));
    let Some(room) = room.checked_sub(marker.len() + 1) else { return (String::new(), true) };

    // Neither end reaches over a place where something is missing; what one does not need the other gets.
    let first_gap = pieces.iter().position(Option::is_none).unwrap_or(pieces.len());
    let last_gap = pieces.iter().rposition(Option::is_none).map_or(0, |at| at + 1);
    let start: String = pieces.get(..first_gap).unwrap_or_default().iter().flatten().copied().collect();
    let end: String = pieces.get(last_gap..).unwrap_or_default().iter().flatten().copied().collect();
    let half = room / 2;
    let head_room = half.max(room.saturating_sub(end.len()));
    let head = start_of(&start, if missing { head_room } else { half });
    let tail = end_of(&end, room - head.len().min(room));
    let mut out = String::with_capacity(head.len() + marker.len() + tail.len() + 1);
    out.push_str(head);
    if !head.is_empty() && !head.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(&marker);
    out.push_str(tail);
    (out, true)
}

/// The texts in order; none where something is missing. A stream that does not end in a line feed gets one before the
/// next.
fn pieces(parts: &[Part]) -> Vec<Option<&str>> {
    let mut pieces: Vec<Option<&str>> = Vec::new();
    for part in parts {
        if pieces.iter().rev().flatten().find(|piece| !piece.is_empty()).is_some_and(|piece| !piece.ends_with('\n')) {
            pieces.push(Some("\n"));
        }
        pieces.push(Some(&part.text.head));
        if let Some(tail) = &part.text.tail {
            pieces.extend([None, Some(tail.as_str())]);
        }
    }
    pieces
}

/// The ends of all streams, in order, within `room` together; a short stream leaves its share to the others.
fn ends(parts: &[Part], spilled: Option<&Spilled>, marks: &Marks, mut room: usize) -> (String, bool) {
    let mut out = String::new();
    let mut truncated = false;
    let length = |part: &Part| part.text.tail.as_ref().unwrap_or(&part.text.head).len() + 1;
    let parts: Vec<&Part> =
        parts.iter().filter(|part| !part.text.head.is_empty() || part.text.tail.is_some()).collect();
    for (at, part) in parts.iter().enumerate() {
        let behind = parts.get(at + 1..).unwrap_or_default();
        let others = u32::try_from(behind.len()).unwrap_or(u32::MAX) as usize;
        let share = (room / (others + 1)).max(room.saturating_sub(behind.iter().map(|part| length(part)).sum()));
        let before = out.len();
        let (text, whole) = match &part.text.tail {
            None => (&part.text.head, true),
            Some(tail) => (tail, false),
        };
        if whole && text.len() < share {
            out.push_str(text);
        } else {
            truncated = true;
            let name = stream_name(part.stream);
            let marker = marks.inside(&format!("only the end of {name}: {}", size(part.text.total, spilled)));
            let Some(left) = share.checked_sub(marker.len() + 1) else { continue };
            out.push_str(&marker);
            out.push_str(end_of(text, left));
        }
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        room = room.saturating_sub(out.len() - before);
    }
    (out, truncated)
}

/// How much there was, and where it is.
fn size(total: u64, spilled: Option<&Spilled>) -> String {
    match spilled {
        None => format!("{total} bytes in all"),
        Some(Spilled { path, bytes, cut: false }) => {
            format!("{total} bytes in all, kept in {path} ({bytes} bytes, cleaned)")
        }
        Some(Spilled { path, bytes, cut: true }) => {
            format!("{total} bytes in all, the first {bytes} cleaned ones kept in {path}, which was cut there")
        }
    }
}

/// The start of a text, as whole lines if that costs at most half of it.
fn start_of(text: &str, room: usize) -> &str {
    let part = floor(text, room);
    if part.len() == text.len() {
        return part;
    }
    part.rfind('\n').filter(|end| *end >= part.len() / 2).and_then(|end| part.get(..=end)).unwrap_or(part)
}

/// The end of a text, likewise.
fn end_of(text: &str, room: usize) -> &str {
    let part = floor_end(text, room);
    if part.len() == text.len() {
        return part;
    }
    part.find('\n').filter(|end| *end < part.len() / 2).and_then(|end| part.get(end + 1..)).unwrap_or(part)
}
