//! `context_gateway`: measures the boundary of a result and hands that to the host, never into the result.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::{Block, Delivered, Fault, NameAndShape, Observe};

/// What the gateway does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// Nothing. The default: building or installing changes no configuration.
    #[default]
    Off,
    /// Measures.
    Observe,
}

/// A mode that is not supported, with the record's reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedMode;

impl UnsupportedMode {
    /// The reason, for the compiler's, the configuration's and the runtime's words alike.
    pub const REASON: &'static str = "`enforce` is not supported: a later extension can put raw content back, and no \
        final check at the session's or provider's boundary proves that it does not";
}

impl Mode {
    /// Reads a mode as it is written in a manifest or a configuration.
    ///
    /// # Errors
    /// `enforce`, and every other word.
    pub fn read(word: &str) -> Result<Self, UnsupportedMode> {
        match word {
            "off" | "false" => Ok(Mode::Off),
            "observe" | "true" => Ok(Mode::Observe),
            _ => Err(UnsupportedMode),
        }
    }
}

/// The stage. Holds only where the measurement goes.
pub struct ContextGateway<'a> {
    /// What it does.
    pub mode: Mode,
    /// Where the measurement goes: `Host::observed`.
    pub observed: &'a dyn Fn(&Json),
}

impl Observe for ContextGateway<'_> {
    fn observe(&self, tool: &str, delivered: &Delivered) -> Result<(), Fault> {
        if self.mode == Mode::Observe {
            (self.observed)(&measure(tool, delivered));
        }
        Ok(())
    }
}

/// Bytes, lines, kinds of content blocks, and whether the metadata repeats the text. Holds nothing of the text itself.
pub fn measure(tool: &str, delivered: &Delivered) -> Json {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut bytes, mut lines) = (0, 0);
    for block in &delivered.content {
        let kind = match block {
            Block::Text(text) => {
                bytes += text.len();
                lines += text.lines().count();
                "text"
            }
            Block::Other(other) if other.get("type").and_then(Json::as_str) == Some("image") => "image",
            Block::Other(_) => "other",
        };
        *kinds.entry(kind).or_default() += 1;
    }
    let duplicates = NameAndShape::of(tool, &delivered.details)
        .map_or(0, |claim| usize::from(delivered.text().starts_with(claim.content())));
    json!({ "tool": tool, "bytes": bytes, "lines": lines, "blocks": kinds, "duplicates": duplicates })
}
