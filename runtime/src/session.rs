//! A session: what belongs to one conversation of one host, and nothing that two of them share.

use std::borrow::Cow;

use serde_json::Value as Json;

use crate::host::Host;
use crate::outcome::Outcome;
use crate::table::Catalogue;

/// What a session is made with, so that tests can fix all of it.
#[derive(Default)]
pub struct SessionOptions {}

/// One session over one catalogue.
pub struct Session {
    catalogue: Cow<'static, Catalogue>,
}

impl Session {
    /// Makes a session. Nothing is started and nothing is written.
    ///
    /// # Errors
    /// An option that can't work.
    pub fn new(catalogue: Cow<'static, Catalogue>, options: SessionOptions) -> Result<Self, String> {
        let SessionOptions {} = options;
        Ok(Self { catalogue })
    }

    /// The catalogue.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Calls a tool: the one way through, typed and dynamic.
    pub fn call(&self, tool: &str, arguments: &Json, host: &dyn Host) -> Outcome {
        crate::call::call(self, tool, arguments, host)
    }
}
