//! Arguments, checked against a verb. Both ways in (typed and dynamic) and the compiler's examples pass here.

use serde_json::Value as Json;

use crate::secret::Secret;
use crate::{ToolSpec, VerbSpec};

/// The value of an argument, checked.
#[derive(Clone)]
pub enum Value {
    /// Text: of a string, of a choice (already the program's word), or of a path (as given, until it is resolved).
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A truth value.
    Boolean(bool),
    /// A secret.
    Secret(Secret),
    /// Items.
    List(Vec<Value>),
}

/// The checked arguments of one verb.
#[derive(Clone)]
pub struct Values<'a> {
    verb: &'a VerbSpec,
    values: Vec<Option<Value>>,
}

/// Arguments that can't work (`INVALID_ARGUMENT`): found before anything runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The argument, if it is about one.
    pub argument: Option<String>,
    /// One line that names the argument, and what is wrong. Never a secret's value.
    pub message: String,
    /// One line: what it takes.
    pub hint: String,
}

impl<'a> Values<'a> {
    /// The verb that these values belong to.
    pub fn verb(&self) -> &'a VerbSpec {
        self.verb
    }

    /// The value of an argument; none if it is not given and has no default. A boolean that is not given is false.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let at = self.verb.args.iter().position(|arg| arg.name == name)?;
        self.values.get(at)?.as_ref()
    }
}

/// Finds the verb that a call means and checks its arguments.
///
/// # Errors
/// The first argument, in manifest order, that can't work.
pub fn check<'a>(tool: &'a ToolSpec, arguments: &Json) -> Result<Values<'a>, Refusal> {
    let _ = (tool, arguments);
    todo!()
}
