//! Secrets are a type that can't be printed.

/// A secret's text. On purpose without `Debug`, `Display` and `Serialize`; errors name the argument, never the value.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The text, for the two places that may see it: the child's environment or standard input, and the redactor.
    pub fn expose(&self) -> &str {
        &self.0
    }
}
