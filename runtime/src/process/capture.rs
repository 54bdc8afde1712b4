//! What is kept of a stream: its head and its tail, whatever it prints (C1.6).

use std::os::fd::BorrowedFd;

use rustix::io::{Errno, retry_on_intr};

use crate::table::capture::Captured;

/// How many heads the ring holds. Reads go straight into the ring, and the last `keep` bytes of it are the tail: no
/// byte is copied. Not more, so that it stays in the processor's cache.
const RING: usize = 2;

/// Head and tail of one stream while it is read.
#[derive(Clone, Debug)]
pub(super) struct Capture {
    keep: usize,
    head: Vec<u8>,
    head_len: usize,
    ring: Vec<u8>,
    at: usize,
    total: u64,
}

/// What one read gave.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read<'a> {
    /// The next bytes.
    Bytes(&'a [u8]),
    /// Nothing yet.
    Nothing,
    /// The stream has ended.
    End,
}

impl Capture {
    /// Keeps `keep` bytes of head, and as many of tail.
    pub(super) const fn new(keep: usize) -> Self {
        Self { keep, head: Vec::new(), head_len: 0, ring: Vec::new(), at: 0, total: 0 }
    }

    /// Whether more has come than the head holds.
    pub(super) const fn overflows(&self) -> bool {
        !self.ring.is_empty()
    }

    /// Reads once.
    pub(super) fn read(&mut self, fd: BorrowedFd<'_>) -> Read<'_> {
        let in_head = self.head_len < self.keep;
        let (buffer, at) = if in_head { (&mut self.head, &mut self.head_len) } else { (&mut self.ring, &mut self.at) };
        let size = if in_head { self.keep } else { self.keep * RING };
        if buffer.is_empty() {
            buffer.resize(size, 0);
        }
        if *at >= size {
            *at = 0;
        }
        let start = *at;
        let space = buffer.get_mut(start..).unwrap_or_default();
        match retry_on_intr(|| rustix::io::read(fd, &mut *space)) {
            Ok(0) => Read::End,
            Ok(count) => {
                *at += count;
                self.total += count as u64;
                Read::Bytes(buffer.get(start..start + count).unwrap_or_default())
            }
            Err(Errno::AGAIN) => Read::Nothing,
            // Nothing else can be mended by reading on.
            Err(_) => Read::End,
        }
    }

    /// What was kept.
    pub(super) fn into_captured(self) -> Captured {
        let Self { keep, mut head, head_len, ring, at, total } = self;
        head.truncate(head_len);
        head.shrink_to_fit();
        let beyond = usize::try_from(total - head_len as u64).unwrap_or(usize::MAX);
        let wanted = beyond.min(keep);
        let mut tail = Vec::with_capacity(wanted);
        // The tail ends at `at`; what is missing before it stands at the ring's end.
        let before = wanted.saturating_sub(at);
        tail.extend_from_slice(ring.get(ring.len() - before.min(ring.len())..).unwrap_or_default());
        tail.extend_from_slice(ring.get(at - (wanted - before)..at).unwrap_or_default());
        Captured { head, tail, total }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsFd;

    use super::*;

    fn captured(bytes: &[u8], chunk: usize, keep: usize) -> (Captured, Vec<u8>) {
        let (mut read, mut write) = std::io::pipe().unwrap();
        let mut capture = Capture::new(keep);
        let mut seen = Vec::new();
        for part in bytes.chunks(chunk) {
            write.write_all(part).unwrap();
            let mut left = part.len();
            while left > 0 {
                match capture.read(read.as_fd()) {
                    Read::Bytes(bytes) => {
                        left -= bytes.len();
                        seen.extend_from_slice(bytes);
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        drop(write);
        assert_eq!(capture.read(read.as_fd()), Read::End);
        std::io::Read::read_to_end(&mut read, &mut Vec::new()).unwrap();
        (capture.into_captured(), seen)
    }

    #[test]
    fn head_and_tail_are_the_first_and_last_bytes_for_every_length_and_chunk() {
        let keep = 8;
        for length in 0..200_usize {
            let bytes: Vec<u8> = (0..length).map(|n| u8::try_from(n % 251).unwrap()).collect();
            for chunk in [1, 3, 7, 8, 9, 31, 32, 33, 200] {
                let (got, seen) = captured(&bytes, chunk, keep);
                let head = &bytes[..length.min(keep)];
                let rest = &bytes[head.len()..];
                let tail = &rest[rest.len().saturating_sub(keep)..];
                assert_eq!((got.head.as_slice(), got.tail.as_slice()), (head, tail), "{length} by {chunk}");
                assert_eq!(got.total, length as u64);
                assert_eq!(seen, bytes);
            }
        }
    }
}
