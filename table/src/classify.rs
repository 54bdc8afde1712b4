//! What a run means (LANGUAGE section 9, contract C5.4). (Landing in pieces.)

use crate::capture::Exit;
use crate::{FileSpec, GroupSpec, Index, RowSpec, Setting, Streams, SuccessSpec, VerbSpec};

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

/// Classifies a run that was started and ended by itself.
///
/// `first_groups` are looked at before the verb's own (`before.errors`); `staged_present` says whether every staged
/// file is there; `allowed` reads a setting of the user's (`unless`).
pub fn classify<'a>(
    file: &'a FileSpec,
    verb: &VerbSpec,
    first_groups: &[Index],
    run: &RunView,
    staged_present: bool,
    allowed: &dyn Fn(&Setting<bool>) -> bool,
) -> Verdict<'a> {
    let _ = (file, verb, first_groups, run, staged_present, allowed);
    todo!()
}

/// The named groups if the row fits the run.
pub fn fits(row: &RowSpec, run: &RunView) -> Option<Vec<GroupText>> {
    let _ = (row, run);
    todo!()
}

/// The first row of a group that fits.
pub fn first_fit(rows: &[RowSpec], run: &RunView) -> Option<usize> {
    rows.iter().position(|row| fits(row, run).is_some())
}

/// Whether success holds, vetoes aside.
pub fn succeeded(success: &SuccessSpec, run: &RunView) -> bool {
    let _ = (success, run);
    todo!()
}

/// The exit that an example of the row counts with (LANGUAGE section 9, below the table).
pub fn example_exit(row: &RowSpec, success: &SuccessSpec) -> Exit {
    let _ = (row, success);
    todo!()
}

/// An example of a row or of a success as a run: printed on the stream (standard output if either).
pub fn example_run(streams: Streams, exit: Exit, text: &str) -> RunView {
    let _ = (streams, exit, text);
    todo!()
}
