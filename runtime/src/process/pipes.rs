//! Descriptors: pipes and the null device, closed on exec from the first moment.

use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

/// A pipe: the end to read from, the end to write to.
pub(crate) fn pair() -> Result<(OwnedFd, OwnedFd), Errno> {
    #[cfg(not(target_vendor = "apple"))]
    return rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC);
    #[cfg(target_vendor = "apple")]
    {
        // No pipe2 there: what another thread spawns in between gets these, unless it closes what it was not given,
        // as the spawns of this module do.
        let (read, write) = rustix::pipe::pipe()?;
        for fd in [&read, &write] {
            rustix::io::fcntl_setfd(fd, rustix::io::FdFlags::CLOEXEC)?;
        }
        Ok((read, write))
    }
}

/// A pipe to be woken by: neither end ever blocks.
pub(crate) fn wake() -> Result<(OwnedFd, OwnedFd), Errno> {
    use std::os::fd::AsFd;
    let (read, write) = pair()?;
    unblock(read.as_fd())?;
    unblock(write.as_fd())?;
    Ok((read, write))
}

/// The null device, to read from and to write to.
pub(super) fn null() -> Result<OwnedFd, Errno> {
    retry_on_intr(|| rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()))
}

/// Makes reads and writes through this descriptor return at once.
pub(super) fn unblock(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    let flags = rustix::fs::fcntl_getfl(fd)?;
    rustix::fs::fcntl_setfl(fd, flags | OFlags::NONBLOCK)
}
