//! Enrich may append; it has no way to hand back content that was there.
use verbgate::stages::{Block, Delivered, Enrich, Fault};

struct Rewrites;
impl Enrich for Rewrites {
    fn enrich(&self, _tool: &str, delivered: &Delivered) -> Result<Vec<Block>, Fault> {
        delivered.content.clear();
        Ok(vec![])
    }
}

fn main() {}
