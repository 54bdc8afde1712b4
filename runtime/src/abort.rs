//! The host's way to end a call.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that the host raises once, from any thread, and that the runner can wait for. Clones share the flag.
#[derive(Clone, Debug)]
pub struct Abort(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    raised: AtomicBool,
    read: OwnedFd,
    write: OwnedFd,
}

impl Abort {
    /// A flag that is down.
    ///
    /// # Errors
    /// The process has no descriptors left.
    pub fn new() -> io::Result<Self> {
        let (read, write) = crate::process::pipe()?;
        Ok(Self(Arc::new(Inner { raised: AtomicBool::new(false), read, write })))
    }

    /// Raises the flag. Never blocks; raising it again does nothing.
    pub fn raise(&self) {
        if !self.0.raised.swap(true, Ordering::SeqCst) {
            // One byte in an empty pipe: it can't block, and if it fails the flag itself is still up.
            let _ = rustix::io::write(&self.0.write, &[1]);
        }
    }

    /// Whether the flag is up.
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::SeqCst)
    }

    /// Readable once the flag is up. Only to be polled, never read.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.0.read.as_fd()
    }
}
