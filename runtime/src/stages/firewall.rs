//! `credential_firewall`: the redactor over content and over every string of details.

use serde_json::{Map, Value as Json, json};

use super::{Block, Delivered, Fault, Sanitise, WITHHELD};

/// Deeper details are withheld: nothing that a tool returns on purpose is.
const DEPTH: usize = 32;
/// More bytes of strings than this in details are withheld.
const BYTES: usize = 8 << 20;

/// Masks secrets in what is delivered. What it can't look into is withheld and says so: details that are no object, too
/// deep or too large, and blocks of unknown kinds. The bytes of images are left alone.
pub struct CredentialFirewall<'a> {
    /// The redactor (C3): text in, the same text without secrets out; none where it could not look through it, which is
    /// then withheld.
    pub redact: &'a dyn Fn(&str) -> Option<String>,
}

impl Sanitise for CredentialFirewall<'_> {
    fn sanitise(&self, _tool: &str, delivered: &Delivered) -> Result<Delivered, Fault> {
        let content = delivered.content.iter().map(|block| self.block(block)).collect();
        let details = match &delivered.details {
            Json::Null => Json::Null,
            details @ Json::Object(_) => {
                let mut left = BYTES;
                self.json(details, DEPTH, &mut left).unwrap_or_else(|| json!({ "withheld": WITHHELD }))
            }
            _ => json!({ "withheld": WITHHELD }),
        };
        Ok(Delivered { content, details })
    }
}

impl CredentialFirewall<'_> {
    fn block(&self, block: &Block) -> Block {
        match block {
            Block::Text(text) => Block::Text((self.redact)(text).unwrap_or_else(|| String::from(WITHHELD))),
            Block::Other(Json::Object(image)) if image.get("type").and_then(Json::as_str) == Some("image") => {
                self.image(image).map_or_else(|| Block::Text(String::from(WITHHELD)), Block::Other)
            }
            Block::Other(_) => Block::Text(String::from(WITHHELD)),
        }
    }

    /// An image with every string cleaned but its bytes, which would be none of an image afterwards.
    fn image(&self, image: &Map<String, Json>) -> Option<Json> {
        let mut left = BYTES;
        let mut cleaned = Map::new();
        for (key, member) in image {
            let member = match member {
                Json::String(_) if key == "data" => member.clone(),
                member => self.json(member, DEPTH, &mut left)?,
            };
            cleaned.insert(self.text(key, &mut left)?, member);
        }
        Some(Json::Object(cleaned))
    }

    /// The value with every string cleaned, keys too; none if it is too deep, too large, or could not be looked through.
    fn json(&self, value: &Json, depth: usize, left: &mut usize) -> Option<Json> {
        let depth = depth.checked_sub(1)?;
        Some(match value {
            Json::String(text) => Json::String(self.text(text, left)?),
            Json::Array(items) => {
                Json::Array(items.iter().map(|item| self.json(item, depth, left)).collect::<Option<_>>()?)
            }
            Json::Object(members) => {
                let mut cleaned = Map::new();
                for (key, member) in members {
                    cleaned.insert(self.text(key, left)?, self.json(member, depth, left)?);
                }
                Json::Object(cleaned)
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => value.clone(),
        })
    }

    fn text(&self, text: &str, left: &mut usize) -> Option<String> {
        *left = left.checked_sub(text.len())?;
        (self.redact)(text)
    }
}
