//! What a run means (LANGUAGE section 9, contract C5.4).

use crate::capture::{Captured, Exit};
use crate::grams::Grams;
use crate::pattern::LinePattern;
use crate::{ExitIs, FileSpec, GroupSpec, Index, RowSpec, Setting, Stream, Streams, SuccessSpec, VerbSpec, lines};

/// A run as the patterns see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunView {
    /// How it ended.
    pub exit: Exit,
    /// Standard output as lines ([`crate::lines::view`]).
    pub stdout: String,
    /// Standard error as lines.
    pub stderr: String,
}

impl RunView {
    /// A run of which nothing was seen but these streams.
    pub fn new(exit: Exit, stdout: &Captured, stderr: &Captured) -> Self {
        Self { exit, stdout: lines::view(stdout), stderr: lines::view(stderr) }
    }

    /// The streams that a pattern looks at, in order.
    pub(crate) fn streams(&self, streams: Streams) -> impl Iterator<Item = &str> {
        let stdout = matches!(streams, Streams::Only(Stream::Stdout) | Streams::Both).then_some(&*self.stdout);
        let stderr = matches!(streams, Streams::Only(Stream::Stderr) | Streams::Both).then_some(&*self.stderr);
        stdout.into_iter().chain(stderr)
    }
}

/// The text of a named group of a row's pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupText {
    /// The group.
    pub name: String,
    /// What it matched; empty if it took no part.
    pub text: String,
}

/// What a run means.
#[derive(Clone, Debug)]
pub enum Verdict<'a> {
    /// It did what was asked.
    Success,
    /// A row says what happened.
    Row(Landed<'a>),
    /// No row explains it: `COMMAND_FAILED` with this.
    Unexplained(Exit),
}

/// The row that a run landed on.
#[derive(Clone, Debug)]
pub struct Landed<'a> {
    /// Its group.
    pub group: &'a GroupSpec,
    /// Its place in the group, from 0: `export[0]`.
    pub index: usize,
    /// The row.
    pub row: &'a RowSpec,
    /// The named groups of its pattern, in the pattern's order.
    pub texts: Vec<GroupText>,
}

/// From so many rows on it pays to look at the text once before.
const MANY_ROWS: usize = 32;

/// What stands in each stream, to pass patterns over quickly.
struct Seen {
    stdout: Grams,
    stderr: Grams,
}

impl Seen {
    fn new(run: &RunView) -> Self {
        Self { stdout: Grams::of(&run.stdout), stderr: Grams::of(&run.stderr) }
    }

    fn may_hold(&self, pattern: &LinePattern, streams: Streams) -> bool {
        let one = |stream: Stream, grams: &Grams| {
            let looked_at = matches!(streams, Streams::Both) || streams == Streams::Only(stream);
            looked_at && grams.may_hold(pattern.beginnings())
        };
        one(Stream::Stdout, &self.stdout) || one(Stream::Stderr, &self.stderr)
    }
}

/// Classifies a run that was started and that the runtime did not end: the first row with `veto` that fits; success;
/// the first other row that fits; else unexplained.
///
/// `first_groups` are looked at before the verb's own (`before.errors`); `staged_present` says whether every staged
/// file is there; `allowed` reads a setting of the user's, which takes a veto's row out (`unless`).
pub fn classify<'a>(
    file: &'a FileSpec,
    verb: &VerbSpec,
    first_groups: &[Index],
    run: &RunView,
    staged_present: bool,
    allowed: &dyn Fn(&Setting<bool>) -> bool,
) -> Verdict<'a> {
    let groups = || first_groups.iter().chain(verb.groups.iter()).filter_map(|at| file.groups.get(usize::from(*at)));
    let seen = (groups().map(|group| group.rows.len()).sum::<usize>() >= MANY_ROWS).then(|| Seen::new(run));
    let may_fit = |row: &RowSpec| match (&seen, &row.pattern) {
        (Some(seen), Some(pattern)) => seen.may_hold(pattern, row.streams),
        _ => true,
    };
    let first = |keep: &dyn Fn(&RowSpec) -> bool| {
        groups().flat_map(|group| group.rows.iter().enumerate().map(move |(index, row)| (group, index, row))).find_map(
            |(group, index, row)| {
                let texts = (keep(row) && may_fit(row)).then(|| fits(row, run)).flatten()?;
                Some(Verdict::Row(Landed { group, index, row, texts }))
            },
        )
    };
    let holds = |row: &RowSpec| row.veto && !row.unless.as_ref().is_some_and(allowed);
    if let Some(veto) = first(&holds) {
        return veto;
    }
    if staged_present && succeeded(&verb.success, run) {
        return Verdict::Success;
    }
    first(&|row| !row.veto).unwrap_or(Verdict::Unexplained(run.exit))
}

/// The named groups if the row fits the run: it ended as `exit` says, and the pattern is found. A row with neither
/// fits nothing.
pub fn fits(row: &RowSpec, run: &RunView) -> Option<Vec<GroupText>> {
    let ended = |exit: &ExitIs| match (exit, run.exit) {
        (ExitIs::Status(expected), Exit::Status(status)) => *expected == status,
        (ExitIs::Signal(expected), Exit::Signal(signal)) => *expected == signal,
        _ => false,
    };
    if !row.exit.is_empty() && !row.exit.iter().any(ended) {
        return None;
    }
    match &row.pattern {
        Some(pattern) => find(pattern, row.streams, run),
        None => (!row.exit.is_empty()).then(Vec::new),
    }
}

/// The first row of a group that fits.
pub fn first_fit(rows: &[RowSpec], run: &RunView) -> Option<usize> {
    rows.iter().position(|row| fits(row, run).is_some())
}

/// Whether success holds, vetoes and staged files aside: the exit status is one of `exit`, and the pattern, if there
/// is one, is found. A program that a signal ended never succeeds.
pub fn succeeded(success: &SuccessSpec, run: &RunView) -> bool {
    let Exit::Status(status) = run.exit else { return false };
    success.exit.contains(&status)
        && success.pattern.as_ref().is_none_or(|pattern| find(pattern, success.streams, run).is_some())
}

fn find(pattern: &LinePattern, streams: Streams, run: &RunView) -> Option<Vec<GroupText>> {
    let regex = pattern.regex()?;
    let found = run.streams(streams).find_map(|text| regex.captures(text))?;
    let named = regex.capture_names().flatten().map(|name| GroupText {
        name: name.to_owned(),
        text: found.name(name).map_or_else(String::new, |group| group.as_str().to_owned()),
    });
    Some(named.collect())
}

/// The exit that an example of the row counts with, in a verb with this `success` (LANGUAGE section 9, below the
/// table): the row's first; a veto a status of success; else 1, or where `success` has no pattern and lists 1, the
/// first status from 2 on that it does not list.
pub fn example_exit(row: &RowSpec, success: &SuccessSpec) -> Exit {
    let as_exit = |exit: &ExitIs| match exit {
        ExitIs::Status(status) => Exit::Status(*status),
        ExitIs::Signal(signal) => Exit::Signal(*signal),
    };
    if row.veto {
        let of_success = |exit: &&ExitIs| matches!(exit, ExitIs::Status(status) if success.exit.contains(status));
        let own = row.exit.iter().find(of_success).map(as_exit);
        return own.unwrap_or_else(|| Exit::Status(success.exit.first().copied().unwrap_or(0)));
    }
    if let Some(first) = row.exit.first() {
        return as_exit(first);
    }
    let is_success = |status: &u8| success.pattern.is_none() && success.exit.contains(status);
    Exit::Status((1..=u8::MAX).find(|status| !is_success(status)).unwrap_or(1))
}

/// An example of a row or of a success as a run: printed on the stream (standard output if either).
pub fn example_run(streams: Streams, exit: Exit, text: &str) -> RunView {
    let printed = Captured::whole(text.as_bytes().to_vec());
    let nothing = Captured::default();
    match streams {
        Streams::Only(Stream::Stderr) => RunView::new(exit, &nothing, &printed),
        Streams::Only(Stream::Stdout) | Streams::Both => RunView::new(exit, &printed, &nothing),
    }
}
