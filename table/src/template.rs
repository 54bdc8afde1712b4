//! Texts with placeholders: `ask`, `say`, `hint`, `stdin`, `env`. (Landing in pieces.)

use crate::args::{Refusal, Value, Values};
use crate::classify::GroupText;
use crate::secret::Secret;
use crate::{ArgSpec, Piece, VerbSpec};

/// A piece of a text that a person is shown. The consent layer quotes the values (contract C2.2).
#[derive(Clone, Copy, Debug)]
pub enum Shown<'a> {
    /// The manifest's words.
    Text(&'a str),
    /// A value, whole; [`Value::texts`] gives its items.
    Value {
        /// The argument.
        arg: &'a ArgSpec,
        /// Its value.
        value: &'a Value,
    },
}

/// The question's first sentence in pieces; empty with a class that does not ask.
pub fn ask<'a>(verb: &'a VerbSpec, values: &'a Values<'_>) -> Vec<Shown<'a>> {
    let _ = (verb, values);
    todo!()
}

/// A row's `say` or `hint` as one line. Without values the placeholders stay as written.
pub fn line(pieces: &[Piece], values: Option<&Values<'_>>, groups: &[GroupText]) -> String {
    let _ = (pieces, values, groups);
    todo!()
}

/// What is given on standard input; none where the manifest declares nothing.
///
/// # Errors
/// A value that has no text here (the compiler refuses such a manifest).
pub fn stdin(verb: &VerbSpec, values: &Values<'_>) -> Result<Option<Secret>, Refusal> {
    let _ = (verb, values);
    todo!()
}

/// Standard input for the question: a secret stands as its value, and [`Value::texts`] gives `(secret)` for it.
pub fn stdin_shown<'a>(verb: &'a VerbSpec, values: &'a Values<'_>) -> Option<Vec<Shown<'a>>> {
    let _ = (verb, values);
    todo!()
}

/// The verb's own variables, in manifest order, without those whose argument is absent.
///
/// # Errors
/// As [`stdin`].
pub fn env<'a>(verb: &'a VerbSpec, values: &Values<'_>) -> Result<Vec<(&'a str, Secret)>, Refusal> {
    let _ = (verb, values);
    todo!()
}
