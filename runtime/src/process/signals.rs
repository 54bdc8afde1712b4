//! What the guardian needs of the system and no safe wrapper gives: `fork`, `signalfd`, the inherited socket. Only in
//! the guardian's own process, never in the host's.
#![allow(unsafe_code, reason = "fork, signalfd and an inherited descriptor have no safe wrapper")]

use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use rustix::io::Errno;
use rustix::process::Pid;

/// Blocks `SIGCHLD` and gives a descriptor that is readable when a child has ended.
pub(super) fn watch_children() -> Result<OwnedFd, Errno> {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `set` is initialised by the first call before it is read; a null pointer for the old mask is allowed; the
    // descriptor that `signalfd` gives is new and owned by nobody else.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        if libc::sigprocmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut()) != 0 {
            return Err(last());
        }
        // An inherited `SIG_IGN` would have the system reap the children.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        let fd = libc::signalfd(-1, set.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if fd < 0 { Err(last()) } else { Ok(OwnedFd::from_raw_fd(fd)) }
    }
}

/// Empties such a descriptor.
pub(super) fn drain(signals: &OwnedFd) {
    let mut bytes = [0_u8; 128 * 16];
    while rustix::io::read(signals, &mut bytes[..]).is_ok_and(|count| count > 0) {}
}

/// Which of the two processes this is.
#[derive(Debug)]
pub(super) enum Fork {
    Parent(Pid),
    Child,
}

/// Forks. The caller must have one thread only.
pub(super) fn fork() -> Result<Fork, Errno> {
    // SAFETY: the guardian never makes a thread, so the child is a whole copy: no lock is held by a thread that it
    // lacks.
    match unsafe { libc::fork() } {
        0 => Ok(Fork::Child),
        pid if pid < 0 => Err(last()),
        pid => Pid::from_raw(pid).map(Fork::Parent).ok_or(Errno::SRCH),
    }
}

/// Takes over a descriptor that this process was started with.
///
/// Only for the guardian's start, when nothing else has been opened. None if it is no socket.
pub(super) fn inherited_socket(number: RawFd) -> Option<OwnedFd> {
    // SAFETY: called once, before anything was opened: nobody else owns the number. That it is open is checked first,
    // through a borrow that ends here.
    let fd = unsafe {
        if libc::fcntl(number, libc::F_GETFD) < 0 {
            return None;
        }
        OwnedFd::from_raw_fd(number)
    };
    let is_socket = rustix::fs::fstat(&fd)
        .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Socket);
    rustix::io::fcntl_setfd(&fd, rustix::io::FdFlags::CLOEXEC).ok()?;
    is_socket.then_some(fd)
}

fn last() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
