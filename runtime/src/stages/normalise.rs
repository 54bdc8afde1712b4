//! `truncation_metadata_normalizer`: takes a proven duplicate out of details.

use serde_json::Value as Json;

use super::{Delivered, Fault, NameAndShape, Normalise};

/// The tools whose shape was measured; a manifest may list more.
pub const MEASURED: [&str; 2] = ["read", "bash"];

/// Removes `details.truncation.content` where it is a copy of the beginning of the delivered text, and nothing else. No
/// security boundary: it makes no claim about what the text holds.
pub struct TruncationMetadataNormalizer<'a> {
    /// Names that the manifest lists beside `read` and `bash`.
    pub tools: &'a [std::borrow::Cow<'static, str>],
}

impl Normalise for TruncationMetadataNormalizer<'_> {
    fn normalise(&self, claim: &NameAndShape, delivered: &Delivered) -> Result<Option<Json>, Fault> {
        let known = MEASURED.contains(&claim.tool()) || self.tools.iter().any(|name| name == claim.tool());
        if !known || !delivered.text().starts_with(claim.content()) {
            return Ok(None);
        }
        let mut details = delivered.details.clone();
        if let Some(truncation) = details.get_mut("truncation").and_then(Json::as_object_mut) {
            // Not `swap_remove`: the order of the other keys stays as it was.
            truncation.shift_remove("content");
        }
        Ok(Some(details))
    }
}
