//! The way of a call, in one readable function.

use serde_json::{Map, Value as Json};

use crate::Code;
use crate::host::Host;
use crate::outcome::Outcome;
use crate::session::Session;

pub(crate) fn call(_session: &Session, tool: &str, _arguments: &Json, _host: &dyn Host) -> Outcome {
    Outcome {
        code: Some(Code::Unavailable),
        message: format!("`{tool}` can't be called yet"),
        hint: String::new(),
        row: None,
        fields: Map::new(),
        text: String::new(),
        details: Map::new(),
    }
}
