//! What a result holds beside text (LANGUAGE section 10). (Landing in pieces.)

use serde_json::{Map, Value};

use crate::VerbSpec;
use crate::classify::RunView;

/// Takes the fields of a run that succeeded, in manifest order. What is not found, or is not of its type, is absent.
///
/// `raw_stdout` is standard output as captured, for JSON sources; none if its middle was not kept.
pub fn take(verb: &VerbSpec, run: &RunView, raw_stdout: Option<&[u8]>) -> Map<String, Value> {
    let _ = (verb, run, raw_stdout);
    todo!()
}
