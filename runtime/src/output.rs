//! Nothing floods, nothing leaks, nothing passes for an instruction (contract C3).
//!
//! Every string that goes to a host, a dialog, a log, a spill file or a terminal passes a [`Cleaner`] (C3.3). The order is
//! C3.1: lossy UTF-8, control sequences out (`table::strip`), overwrites folded and hidden characters shown (`visible`),
//! tracebacks out (`traceback`), redacted (`redact`, `exact`, `rules`), spilled if asked (`spill`), bounded and marked
//! (`compose`, `marks`).
//!
//! If a stage fails or panics, the call's own outcome stands and the text that could not be cleaned is withheld, and
//! says so (C3.5, `shield`).

mod compose;
mod exact;
mod marks;
mod pipeline;
mod progress;
mod redact;
mod rule_table;
mod rules;
mod shield;
mod spill;
#[cfg(test)]
mod tests;
mod traceback;
mod visible;

use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value as Json};

pub use compose::{Composed, Failure, Marking, Part, Spilled, Success};
pub use progress::Progress;
pub use rules::is_secret_name;
pub use spill::{Limits, Spill, SpillFault, SpillWriter, bases, remove};

use crate::table::capture::Captured;
use crate::table::secret::Secret;
use exact::{Exact, Known, SHORTEST};
pub use shield::shield;

/// What stands in place of a text that could not be cleaned.
pub const WITHHELD: &str = "(withheld: this text could not be cleaned)";
/// Deeper JSON is withheld.
const DEPTH: usize = 64;

/// A value that is masked wherever it shows up, and the name that is shown instead: `(redacted: NAME)`.
pub struct Mask {
    /// The argument or variable.
    pub name: String,
    /// Its value.
    pub value: Secret,
}

/// A stage of the pipeline, for tests that let one fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Lossy UTF-8, and control sequences out.
    Strip,
    /// Overwrites, hidden characters, tracebacks.
    Lines,
    /// Secrets out.
    Redact,
    /// Bounded and marked.
    Bound,
}

/// The one exit: makes text fit to leave. One per call, since secrets and the staged name are the call's.
pub struct Cleaner {
    exact: Exact,
    redact: bool,
    warnings: Vec<String>,
    faults: Mutex<Vec<String>>,
    fails: Option<Stage>,
}

/// One stream, cleaned but not bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Its text, or the first part of it.
    pub head: String,
    /// The last part, if what lies between was not kept.
    pub tail: Option<String>,
    /// Bytes that the program printed in all.
    pub total: u64,
    /// What the agent must know about it: what went with a control sequence that was never ended, or that it is
    /// withheld.
    pub notes: Vec<String>,
}

/// The text whose lines these are; none if there are fewer than two, or others than texts among them.
fn lines_of(items: &[Json]) -> Option<String> {
    let lines: Vec<&str> = items.iter().map(Json::as_str).collect::<Option<_>>()?;
    (lines.len() > 1).then(|| lines.join("\n"))
}

fn on_one_line(text: &str) -> String {
    text.trim_end().replace(['\n', '\r', '\u{2028}', '\u{2029}'], " ")
}

/// All strings in values, in order; not those that are names.
fn strings_in<'j>(values: impl IntoIterator<Item = &'j mut Json>) -> Vec<&'j mut String> {
    let mut strings = Vec::new();
    for value in values {
        match value {
            Json::String(text) => strings.push(text),
            Json::Array(items) => strings.append(&mut strings_in(items)),
            Json::Object(members) => strings.append(&mut strings_in(members.values_mut())),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
    strings
}

impl Cleaner {
    /// For values that must not leave, in any order. With `redact` off (only the user's own configuration may say so)
    /// neither they nor the rules mask anything.
    pub fn new(masks: Vec<Mask>, redact: bool) -> Self {
        Self::with_renames(masks, redact, &[])
    }

    /// As [`Cleaner::new`]; `renames` are staged paths, and the destinations that stand in their place wherever they show
    /// up.
    pub fn with_renames(masks: Vec<Mask>, redact: bool, renames: &[(String, String)]) -> Self {
        let mut warnings = Vec::new();
        let mut known = Vec::new();
        for Mask { name, value } in masks.into_iter().filter(|_| redact) {
            let value = value.expose();
            if value.is_empty() {
                continue;
            }
            if value.trim_end_matches(['\r', '\n']).len() < SHORTEST {
                warnings.push(format!("the value of `{name}` is shorter than {SHORTEST} bytes, so it is not masked"));
            } else {
                let replacement = format!("(redacted: {name})");
                known.push(Known { value: value.to_owned(), replacement, encoded: true });
            }
        }
        for (staged, destination) in renames {
            known.push(Known { value: staged.clone(), replacement: destination.clone(), encoded: false });
        }
        let exact = Exact::new(known);
        Self { exact, redact, warnings, faults: Mutex::default(), fails: None }
    }

    /// Lets a stage panic, as a fault in it would. For tests of C3.5 from outside this crate.
    #[doc(hidden)]
    #[must_use]
    pub fn failing_at(mut self, stage: Stage) -> Self {
        self.fails = Some(stage);
        self
    }

    /// Names of values that are too short to be masked, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Faults of stages since the last time, for the host's log. They hold no text that was to be cleaned.
    pub fn take_faults(&self) -> Vec<String> {
        std::mem::take(&mut *self.faults.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A text of one line: messages, paths, names. Line breaks become blanks.
    pub fn line(&self, text: &str) -> String {
        on_one_line(&self.text(text))
    }

    /// A text of any lines.
    pub fn text(&self, text: &str) -> String {
        pipeline::text(self, text).unwrap_or_else(|| String::from(WITHHELD))
    }

    /// A text of somebody else's, with secrets out and nothing else changed. Where control sequences part a secret, they
    /// go with it; where there is none, the text comes back as it is. None: it could not be looked through.
    pub fn mask(&self, text: &str) -> Option<String> {
        pipeline::mask(self, text)
    }

    /// What of a text is masked: the name of the first value or shape that stands in it, as `(redacted: NAME)` shows it.
    /// Not through control sequences: a caller's text holds none.
    ///
    /// # Errors
    /// The text could not be looked through.
    pub fn secret_in(&self, text: &str) -> Result<Option<String>, &'static str> {
        pipeline::first_secret(self, text).map_err(|_| WITHHELD)
    }

    /// Every string in a value, keys too, and numbers that are a secret, which go. What is nested too deeply is withheld.
    /// A known value that is split over strings in a row is masked in each of them.
    pub fn json(&self, value: &mut Json) {
        self.json_at(value, DEPTH);
        self.over_strings(strings_in([value]));
    }

    /// Every string in an object, as [`Cleaner::json`].
    pub fn object(&self, object: &mut Map<String, Json>) {
        self.object_at(object, DEPTH);
        self.over_strings(strings_in(object.values_mut()));
    }

    /// Texts of one line each, in a row: as [`Cleaner::line`], and what is split over them is masked, too.
    pub fn lines(&self, texts: &[String]) -> Vec<String> {
        let mut cleaned: Vec<String> = texts.iter().map(|text| self.text(text)).collect();
        self.over_strings(cleaned.iter_mut().collect());
        cleaned.iter().map(|text| on_one_line(text)).collect()
    }

    /// Masks known values that are split over strings in a row, in each of them. If they can't be looked through, all of
    /// them are withheld.
    fn over_strings(&self, strings: Vec<&mut String>) {
        if strings.len() < 2 || self.exact.is_empty() {
            return;
        }
        let found = self.guarded(Stage::Redact, || {
            // A known value is found over line breaks.
            let joined = strings.iter().map(|text| text.as_str()).collect::<Vec<_>>().join("\n");
            let mut spans = Vec::new();
            self.exact.find(&joined, false, false, &mut spans)?;
            let spans: Vec<_> = spans.into_iter().map(|span| (span.start, span.end, span.label.into_owned())).collect();
            Ok::<_, exact::Broken>(spans)
        });
        let Some(Ok(mut spans)) = found else {
            for text in strings {
                *text = String::from(WITHHELD);
            }
            return;
        };
        spans.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
        let mut begin = 0;
        for text in strings {
            let (length, mut out, mut done) = (text.len(), String::new(), 0);
            for (start, end, label) in &spans {
                let (start, end) = (start.saturating_sub(begin).max(done), end.saturating_sub(begin).min(length));
                if start < end {
                    out.push_str(text.get(done..start).unwrap_or_default());
                    out.push_str(label);
                    done = end;
                }
            }
            if done > 0 {
                out.push_str(text.get(done..).unwrap_or_default());
                *text = out;
            }
            begin += length + 1;
        }
    }

    fn json_at(&self, value: &mut Json, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            *value = Json::from(WITHHELD);
            return;
        };
        match value {
            Json::String(text) => *text = self.text(text),
            Json::Array(items) => {
                let before = lines_of(items);
                items.retain(|item| !self.is_secret_number(item));
                for item in items.iter_mut() {
                    self.json_at(item, depth);
                }
                // A list of lines holds what a text of these lines would: a secret over a line break, a traceback.
                if let (Some(before), Some(after)) = (before, lines_of(items)) {
                    let together = self.text(&before);
                    if together.trim_end() != after.trim_end() {
                        *items = together.lines().map(Json::from).collect();
                    }
                }
            }
            Json::Object(object) => self.object_at(object, depth),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

    /// A masked number would be no number: it is absent instead, as a field of another type is.
    fn is_secret_number(&self, value: &Json) -> bool {
        let digits = value.as_number().map(ToString::to_string).filter(|digits| digits.len() >= SHORTEST);
        digits.is_some_and(|digits| !self.exact.is_empty() && self.line(&digits) != digits)
    }

    fn object_at(&self, object: &mut Map<String, Json>, depth: usize) {
        object.retain(|_, value| !self.is_secret_number(value));
        for (name, mut value) in std::mem::take(object) {
            self.json_at(&mut value, depth);
            object.insert(self.line(&name), value);
        }
    }

    /// A captured stream.
    ///
    /// If its middle was not kept, the line that the cut goes through is left out on both sides (of a line of more than
    /// 4 KiB only so much), and what of a secret stands beside the cut is masked.
    pub fn stream(&self, stream: &Captured) -> Cleaned {
        pipeline::stream(self, stream).unwrap_or_else(|| Cleaned {
            head: String::new(),
            tail: None,
            total: stream.total,
            notes: vec![String::from(WITHHELD)],
        })
    }

    /// Runs a stage; none, and a fault for the log, if it fails.
    fn guarded<T>(&self, stage: Stage, work: impl FnOnce() -> T) -> Option<T> {
        let done = shield(|| {
            assert!(self.fails != Some(stage), "asked to fail");
            work()
        });
        if done.is_none() {
            let fault = format!("output stage `{stage:?}` failed; its text was withheld");
            self.faults.lock().unwrap_or_else(PoisonError::into_inner).push(fault);
        }
        done
    }
}
