//! Who a result comes from: a claim, or knowledge.

use serde_json::{Map, Value as Json};

use crate::host::Identity;

/// A tool name together with the exact shape of the SDK's truncation metadata. A *claim*: any extension can reuse a name
/// and a shape (record, *same-name replacement limitation*), so it is enough to clean up a proven duplicate, and for
/// nothing that opens a path or publishes a snapshot.
pub struct NameAndShape {
    tool: String,
    content: String,
}

const NUMBERS: [&str; 6] = ["totalLines", "totalBytes", "outputLines", "outputBytes", "maxLines", "maxBytes"];
const FLAGS: [&str; 2] = ["lastLinePartial", "firstLineExceedsLimit"];

impl NameAndShape {
    /// The claim, if `details.truncation` has exactly the measured shape (Pi SDK 0.85.1): `truncated: true`,
    /// `truncatedBy` `lines` or `bytes`, six finite numbers that are not negative, two booleans, a `content` that is not
    /// empty, and no other key.
    pub fn of(tool: &str, details: &Json) -> Option<Self> {
        let truncation = details.as_object()?.get("truncation")?.as_object()?;
        let content = truncation.get("content")?.as_str().filter(|content| !content.is_empty())?;
        has_shape(truncation).then(|| Self { tool: tool.to_owned(), content: content.to_owned() })
    }

    /// The name that the result came under.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The metadata's copy of the text.
    pub fn content(&self) -> &str {
        &self.content
    }
}

fn has_shape(truncation: &Map<String, Json>) -> bool {
    let by = truncation.get("truncatedBy").and_then(Json::as_str);
    truncation.get("truncated") == Some(&Json::Bool(true))
        && matches!(by, Some("lines" | "bytes"))
        && NUMBERS.iter().all(|key| {
            truncation.get(*key).and_then(Json::as_f64).is_some_and(|number| number.is_finite() && number >= 0.0)
        })
        && FLAGS.iter().all(|key| truncation.get(*key).is_some_and(Json::is_boolean))
        && truncation.len() == NUMBERS.len() + FLAGS.len() + 3
}

/// Knowledge that a result was produced by this runtime's own [`call`](crate::session::Session::call). Only that makes
/// one, for a result that it produced itself; a host's event never becomes one. Whatever would open a path or publish a
/// snapshot takes this, and nothing else will do.
#[derive(Debug)]
pub struct HostOwned {
    origin: Identity,
}

impl HostOwned {
    pub(crate) fn of_call(origin: Identity) -> Self {
        Self { origin }
    }

    /// Where the call came from: what was bound before its first wait.
    pub fn origin(&self) -> &Identity {
        &self.origin
    }
}

/// What a capture would be: it looks at cleaned text before it is bounded, of this project's own tools only. Its place is
/// in `call::conclude`, where a stream is cleaned. Nothing is registered there and nothing calls it: there is no store
/// that it could feed, and nothing here opens a path or writes a file.
pub trait CaptureSeam {
    /// The next cleaned text of a call that this runtime made.
    fn cleaned(&self, owner: &HostOwned, text: &str);
}

/// What a gateway stage that fails would deliver: explicit, bounded, with the real outcome, and that archival is not
/// available. It would never throw. Nothing makes one yet: the storeless order has no such stage.
#[derive(Debug)]
pub struct Degraded {
    _nothing_makes_one: std::convert::Infallible,
}
