//! Rendering the argv: one renderer, one guard. (Landing in pieces.)

use crate::args::{Refusal, Values};
use crate::{ProgramSpec, VerbSpec};

/// The argv behind the program's name: [`ProgramSpec::argv`], then the verb's own (LANGUAGE section 5).
///
/// # Errors
/// A value that would be read as an option, or an argv that breaks a promise of `never`.
pub fn render(program: &ProgramSpec, verb: &VerbSpec, values: &Values<'_>) -> Result<Vec<String>, Refusal> {
    let _ = (program, verb, values);
    todo!()
}

/// The literal elements of the verb's own argv up to the first option, placeholder, condition or `--` (LANGUAGE
/// section 11).
pub fn leading_words(verb: &VerbSpec) -> Vec<String> {
    let _ = verb;
    todo!()
}
