//! Normalise may return details only.
use verbgate::stages::{Delivered, Fault, NameAndShape, Normalise};

struct ReturnsContent;
impl Normalise for ReturnsContent {
    fn normalise(&self, _claim: &NameAndShape, delivered: &Delivered) -> Result<Option<Delivered>, Fault> {
        Ok(Some(delivered.clone()))
    }
}

fn main() {}
