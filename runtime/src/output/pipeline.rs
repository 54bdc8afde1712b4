//! The stages in their order, for a whole text, for a captured stream, and for a stream while it comes.

use super::exact::Broken;
use super::redact::Redactor;
use super::traceback::Cutter;
use super::visible::{Folder, floor, floor_end};
use super::{Cleaned, Cleaner, Stage, shield::shield};
use crate::table::capture::Captured;
use crate::table::strip::{Stripper, strip};

/// Most bytes that are left out beside a cut, where the line is longer.
const MOST_LEFT_OUT: usize = 4 * 1024;

/// A text that is there whole; none if a stage failed.
pub(super) fn text(cleaner: &Cleaner, text: &str) -> Option<String> {
    part(cleaner, &[text.as_bytes()], false, false).map(|(text, _)| text)
}

/// Secrets out of a text that is there whole, and nothing else changed; none if a stage failed.
pub(super) fn mask(cleaner: &Cleaner, text: &str) -> Option<String> {
    let stripped = cleaner.guarded(Stage::Strip, || strip(text))?;
    let masked = cleaner.guarded(Stage::Redact, || {
        let mut out = String::with_capacity(stripped.len());
        let mut redactor = Redactor::new(&cleaner.exact, cleaner.redact);
        redactor.push(&stripped, &mut out);
        redactor.finish(&mut out).map(|()| out)
    })?;
    masked.ok().map(|masked| if masked == stripped { text.to_owned() } else { masked })
}

/// The name of the first secret in a text that is there whole.
///
/// # Errors
/// A stage failed.
pub(super) fn first_secret(cleaner: &Cleaner, text: &str) -> Result<Option<String>, Broken> {
    let found = cleaner.guarded(Stage::Redact, || Redactor::new(&cleaner.exact, cleaner.redact).first(text));
    found.unwrap_or(Err(Broken))
}

/// A captured stream; none if a stage failed.
pub(super) fn stream(cleaner: &Cleaner, stream: &Captured) -> Option<Cleaned> {
    let mut notes = Vec::new();
    let mut note = |open: u64| {
        if open > 1 {
            notes.push(format!("{open} bytes went with a control sequence that was never ended"));
        }
    };
    let (head, tail) = if stream.omitted() == 0 {
        let (text, open) = part(cleaner, &[&stream.head, &stream.tail], false, false)?;
        note(open);
        (text, None)
    } else {
        let (head, open) = part(cleaner, &[&stream.head], false, true)?;
        note(open);
        let (tail, open) = part(cleaner, &[&stream.tail], true, false)?;
        note(open);
        (head, Some(tail))
    };
    Some(Cleaned { head, tail, total: stream.total, notes })
}

/// The whole lines of a stream that goes on, from somewhere (`cut_start`) or from its beginning; none if a stage failed.
pub(super) fn so_far(cleaner: &Cleaner, bytes: &[u8], cut_start: bool) -> Option<String> {
    part(cleaner, &[bytes], cut_start, true).map(|(text, _)| text)
}

/// One contiguous part; gives its text, and the bytes of a sequence that was never ended.
fn part(cleaner: &Cleaner, bytes: &[&[u8]], cut_start: bool, cut_end: bool) -> Option<(String, u64)> {
    let (stripped, open) = cleaner.guarded(Stage::Strip, || {
        let mut text = String::with_capacity(bytes.iter().map(|bytes| bytes.len()).sum());
        let mut stripper = Stripper::default();
        for bytes in bytes {
            stripper.push(bytes, &mut text);
        }
        let open = stripper.finish(&mut text);
        (text, open)
    })?;
    let (ghost_start, text, ghost_end) = cleaner.guarded(Stage::Lines, || {
        let (ghost_start, kept) = if cut_start { leave_out_start(&stripped) } else { ("", stripped.as_str()) };
        let (kept, ghost_end) = if cut_end { leave_out_end(kept) } else { (kept, "") };
        let mut text = String::with_capacity(kept.len());
        let mut cutter = Cutter::new(cut_start);
        let mut folder = Folder::default();
        folder.push(kept, &mut |lines| cutter.push(lines, &mut text));
        cutter.push(&folder.finish(), &mut text);
        cutter.finish(cut_end, &mut text);
        (ghost_start, text, ghost_end)
    })?;
    cleaner
        .guarded(Stage::Redact, || {
            let mut out = String::with_capacity(text.len());
            let mut redactor = Redactor::new(&cleaner.exact, cleaner.redact);
            if cut_start {
                redactor.begin_cut(ghost_start);
            }
            redactor.push(&text, &mut out);
            let done = if cut_end { redactor.finish_cut(ghost_end, &mut out) } else { redactor.finish(&mut out) };
            done.map(|()| (out, open))
        })?
        .ok()
}

/// The line that a text begins in, and the rest.
fn leave_out_start(text: &str) -> (&str, &str) {
    let part = floor(text, MOST_LEFT_OUT);
    let end = part.find(['\n', '\r']).map_or(part.len(), |end| end + 1);
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// A text without the line that it ends in, and that line.
fn leave_out_end(text: &str) -> (&str, &str) {
    let part = floor_end(text, MOST_LEFT_OUT);
    let length = part.rfind(['\n', '\r']).map_or(part.len(), |end| part.len() - end - 1);
    text.split_at_checked(text.len() - length).unwrap_or(("", text))
}

/// The stages up to redaction for a stream while it comes, with bounded memory. The result does not depend on the chunks.
pub(super) struct Flow<'a> {
    cleaner: &'a Cleaner,
    stripper: Stripper,
    folder: Folder,
    cutter: Cutter,
    redactor: Option<Redactor<'a>>,
}

impl<'a> Flow<'a> {
    pub(super) fn new(cleaner: &'a Cleaner) -> Self {
        let redactor = Some(Redactor::new(&cleaner.exact, cleaner.redact));
        Self { cleaner, stripper: Stripper::default(), folder: Folder::default(), cutter: Cutter::new(false), redactor }
    }

    /// The next bytes; what can be given out is appended to `out`. False once a stage has failed: then nothing more
    /// comes.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut String) -> bool {
        let Some(mut redactor) = self.redactor.take() else { return false };
        let fails = self.cleaner.fails.is_some();
        let before = out.len();
        self.redactor = shield(|| {
            assert!(!fails, "asked to fail");
            let mut stripped = String::with_capacity(bytes.len());
            self.stripper.push(bytes, &mut stripped);
            let mut lines = String::with_capacity(stripped.len());
            self.folder.push(&stripped, &mut |block| self.cutter.push(block, &mut lines));
            redactor.push(&lines, out);
            redactor
        })
        .filter(|redactor| !redactor.is_broken());
        if self.redactor.is_none() {
            out.truncate(before);
        }
        self.redactor.is_some()
    }

    /// Ends the stream.
    pub(super) fn finish(mut self, out: &mut String) -> bool {
        let Some(mut redactor) = self.redactor.take() else { return false };
        let before = out.len();
        let done = shield(|| {
            let mut stripped = String::new();
            self.stripper.finish(&mut stripped);
            let mut lines = String::new();
            self.folder.push(&stripped, &mut |block| self.cutter.push(block, &mut lines));
            self.cutter.push(&self.folder.finish(), &mut lines);
            self.cutter.finish(false, &mut lines);
            redactor.push(&lines, out);
            redactor.finish(out)
        });
        let done = matches!(done, Some(Ok(())));
        if !done {
            out.truncate(before);
        }
        done
    }
}
