//! What the runtime keeps of a stream.

/// Head and tail of one stream, as raw bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes of what does not stand in `head`.
    pub tail: Vec<u8>,
    /// Bytes that were printed in all.
    pub total: u64,
}

impl Captured {
    /// A stream that was kept whole.
    pub fn whole(bytes: Vec<u8>) -> Self {
        Self { total: bytes.len() as u64, head: bytes, tail: Vec::new() }
    }

    /// Bytes in the middle that were not kept.
    pub fn omitted(&self) -> u64 {
        self.total.saturating_sub(self.head.len() as u64).saturating_sub(self.tail.len() as u64)
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With this exit status.
    Status(u8),
    /// By this signal.
    Signal(u8),
}
