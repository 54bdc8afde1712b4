//! Arguments, checked against a verb. Both ways in (typed and dynamic) and the compiler's examples pass here.

use std::fmt;

use serde_json::Value as Json;

use crate::secret::Secret;
use crate::{Access, ArgSpec, MustBe, Text, ToolSpec, VerbSpec};

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

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.texts().join(", "))
    }
}

impl fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(arg, value)| (&arg.name, value))).finish()
    }
}

/// Where a value of kind path stands, for [`Values::try_map_paths`].
#[derive(Clone, Copy, Debug)]
pub struct PathArg<'a> {
    /// The argument.
    pub name: &'a str,
    /// What the program does there.
    pub access: Access,
    /// What must be there before.
    pub must_be: Option<MustBe>,
    /// Sensitive components that are allowed.
    pub sensitive: &'a [Text],
}

impl Value {
    /// The value, or each item, as an argv holds it; `(secret)` for secrets.
    pub fn texts(&self) -> Vec<String> {
        todo!()
    }
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

    /// All arguments that have a value, in manifest order.
    pub fn iter(&self) -> impl Iterator<Item = (&'a ArgSpec, &Value)> {
        self.verb.args.iter().zip(&self.values).filter_map(|(arg, value)| Some((arg, value.as_ref()?)))
    }

    /// Whether a condition on the argument holds: it has a value; a boolean that is true; a list that is not empty.
    pub fn is_given(&self, name: &str) -> bool {
        match self.get(name) {
            None | Some(Value::Boolean(false)) => false,
            Some(Value::List(items)) => !items.is_empty(),
            Some(_) => true,
        }
    }

    /// Puts another text in place of each path, items of lists included, in manifest order.
    ///
    /// # Errors
    /// The first that `map` gives; the values are then half changed.
    pub fn try_map_paths<E>(&mut self, map: impl FnMut(PathArg<'_>, &str) -> Result<String, E>) -> Result<(), E> {
        let _ = map;
        todo!()
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

/// Checks the arguments of a `before` verb: those of the same names, out of the arguments of the call.
///
/// # Errors
/// As [`check`].
pub fn check_before<'a>(verb: &'a VerbSpec, arguments: &Json) -> Result<Values<'a>, Refusal> {
    let _ = (verb, arguments);
    todo!()
}
