//! Typed arguments as JSON: what generated types stand on.
//!
//! Nothing is checked here: both ways in, typed and dynamic, pass [`crate::table::args::check`].

use serde_json::{Map, Value as Json};

use crate::table::secret::Secret;

/// A value of a typed argument.
pub trait Argument {
    /// What an agent would send; none: the argument is left out.
    fn json(&self) -> Option<Json>;
}

/// The arguments of one call while they are put together.
#[derive(Clone, Default)]
pub struct Arguments(Map<String, Json>);

impl Arguments {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an argument, unless its value is left out.
    #[must_use]
    pub fn with<A: Argument + ?Sized>(mut self, name: &str, value: &A) -> Self {
        if let Some(json) = value.json() {
            self.0.insert(name.to_owned(), json);
        }
        self
    }

    /// Adds a truth value that is false when absent: false is left out, as it says nothing.
    #[must_use]
    pub fn flag(self, name: &str, value: bool) -> Self {
        if value { self.with(name, &true) } else { self }
    }

    /// The arguments as a JSON object.
    pub fn into_json(self) -> Json {
        Json::Object(self.0)
    }
}

impl Argument for str {
    fn json(&self) -> Option<Json> {
        Some(self.into())
    }
}

impl Argument for String {
    fn json(&self) -> Option<Json> {
        self.as_str().json()
    }
}

impl Argument for bool {
    fn json(&self) -> Option<Json> {
        Some((*self).into())
    }
}

impl Argument for i64 {
    fn json(&self) -> Option<Json> {
        Some((*self).into())
    }
}

impl Argument for f64 {
    /// A number that JSON does not have becomes text, which the check refuses by the argument's name. As null it would
    /// count as left out.
    fn json(&self) -> Option<Json> {
        Some(serde_json::Number::from_f64(*self).map_or_else(|| self.to_string().into(), Json::Number))
    }
}

impl Argument for Secret {
    fn json(&self) -> Option<Json> {
        self.expose().json()
    }
}

impl<A: Argument> Argument for Option<A> {
    fn json(&self) -> Option<Json> {
        self.as_ref()?.json()
    }
}

impl<T: Argument> Argument for Vec<T> {
    fn json(&self) -> Option<Json> {
        Some(self.iter().filter_map(Argument::json).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_left_out_is_absent_and_an_empty_list_is_not_left_out() {
        let arguments = Arguments::new()
            .with("text", "a")
            .with("none", &None::<i64>)
            .with("some", &Some(-3_i64))
            .with("list", &Vec::<String>::new())
            .flag("off", false)
            .flag("on", true)
            .with("told", &Some(false))
            .with("secret", &Secret::new("s".to_owned()));
        let expected = json!({ "text": "a", "some": -3, "list": [], "on": true, "told": false, "secret": "s" });
        assert_eq!(arguments.into_json(), expected);
    }

    #[test]
    fn a_number_that_json_lacks_is_not_silently_left_out() {
        assert_eq!(Arguments::new().with("n", &f64::NAN).into_json(), json!({ "n": "NaN" }));
        assert_eq!(Arguments::new().with("n", &Some(f64::INFINITY)).into_json(), json!({ "n": "inf" }));
    }
}
