//! Observe has a shared reference and returns nothing.
use verbgate::stages::{Delivered, Fault, Observe};

struct Changes;
impl Observe for Changes {
    fn observe(&self, _tool: &str, delivered: &Delivered) -> Result<Delivered, Fault> {
        Ok(delivered.clone())
    }
}

fn main() {}
