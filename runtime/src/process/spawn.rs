//! `posix_spawn`, the one unsafe way to start a program.
//!
//! Why not `std::process::Command`: its `setsid` is not stable, a `pre_exec` hook forces `fork` and then falls back to
//! `/bin/sh` for a file without `#!`, and it gives the child every descriptor that is not marked. `posix_spawn` (never
//! `posix_spawnp`) makes the session, closes what the child must not have, and never asks a shell (C1.2, C1.4).
#![allow(unsafe_code, reason = "posix_spawn has no safe wrapper")]

use std::ffi::{CString, OsStr, c_char, c_int};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::Pid;

/// macOS has it since 10.15; the `libc` crate lacks it there.
#[cfg(target_vendor = "apple")]
const SETSID: c_int = 0x0400;
#[cfg(not(target_vendor = "apple"))]
const SETSID: c_int = libc::POSIX_SPAWN_SETSID as c_int;

/// A program, ready to be started: text that the system takes.
#[derive(Debug)]
pub(super) struct Image {
    file: CString,
    argv: Vec<CString>,
    env: Vec<CString>,
    cwd: CString,
}

impl Image {
    /// From what is to be run; none if a text holds a NUL, a path is not absolute, there is no argv, or a variable has
    /// no name.
    pub(super) fn new<'a>(
        file: &Path,
        argv: impl Iterator<Item = &'a OsStr>,
        env: impl Iterator<Item = (&'a OsStr, &'a OsStr)>,
        cwd: &Path,
    ) -> Option<Self> {
        let argv = argv.map(|it| CString::new(it.as_bytes()).ok()).collect::<Option<Vec<_>>>()?;
        let env = env
            .map(|(name, value)| {
                let (name, value) = (name.as_bytes(), value.as_bytes());
                let named = !name.is_empty() && !name.contains(&b'=');
                named.then(|| CString::new([name, b"=", value].concat()).ok()).flatten()
            })
            .collect::<Option<Vec<_>>>()?;
        if argv.is_empty() || !file.is_absolute() || !cwd.is_absolute() {
            return None;
        }
        let path = |path: &Path| CString::new(path.as_os_str().as_bytes()).ok();
        Some(Self { file: path(file)?, argv, env, cwd: path(cwd)? })
    }
}

/// Starts the program in a session of its own, with signals as a fresh program expects them, and with exactly `fds` as
/// its descriptors 0, 1, 2 and so on.
///
/// # Errors
/// The system's error number.
pub(super) fn spawn(image: &Image, fds: &[BorrowedFd<'_>]) -> Result<Pid, i32> {
    // A source must not lie among the targets: copying one descriptor would overwrite another one's source.
    let count = RawFd::try_from(fds.len()).map_err(|_| libc::EINVAL)?;
    let mut lifted: Vec<OwnedFd> = Vec::new();
    let mut sources = Vec::with_capacity(fds.len());
    for fd in fds {
        if fd.as_raw_fd() < count {
            let copy = fcntl_dupfd_cloexec(fd, count).map_err(Errno::raw_os_error)?;
            sources.push(copy.as_raw_fd());
            lifted.push(copy);
        } else {
            sources.push(fd.as_raw_fd());
        }
    }

    let mut actions = Actions::new()?;
    actions.change_folder(&image.cwd)?;
    for (source, target) in sources.iter().zip(0..) {
        actions.copy(*source, target)?;
    }
    actions.close_from(count)?;
    let attributes = Attributes::new()?;
    let argv = pointers(&image.argv);
    let env = pointers(&image.env);
    let mut pid: libc::pid_t = 0;
    // SAFETY: every pointer is to a live value: `file` is a C string, `argv` and `env` are arrays of pointers to C
    // strings that `image` owns and end with a null pointer, `actions` and `attributes` are initialised. The callee
    // writes nothing but `pid`.
    let result = unsafe {
        libc::posix_spawn(
            &raw mut pid,
            image.file.as_ptr(),
            actions.0.as_ptr(),
            attributes.0.as_ptr(),
            argv.as_ptr(),
            env.as_ptr(),
        )
    };
    drop(lifted);
    if result == 0 { Pid::from_raw(pid).ok_or(libc::ESRCH) } else { Err(result) }
}

fn pointers(texts: &[CString]) -> Vec<*mut c_char> {
    texts.iter().map(|text| text.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect()
}

fn check(result: c_int) -> Result<(), i32> {
    if result == 0 { Ok(()) } else { Err(result) }
}

/// What the child does before it becomes the program. Boxed, so that it never moves.
struct Actions(Box<MaybeUninit<libc::posix_spawn_file_actions_t>>);

impl Actions {
    fn new() -> Result<Self, i32> {
        let mut actions = Box::new(MaybeUninit::uninit());
        // SAFETY: the pointer is to writable memory of the right type, which the call initialises.
        check(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        Ok(Self(actions))
    }

    fn change_folder(&mut self, folder: &CString) -> Result<(), i32> {
        // SAFETY: initialised in `new`; the callee copies the C string.
        check(unsafe { libc::posix_spawn_file_actions_addchdir_np(self.0.as_mut_ptr(), folder.as_ptr()) })
    }

    fn copy(&mut self, source: RawFd, target: RawFd) -> Result<(), i32> {
        // SAFETY: initialised in `new`; the numbers are only recorded.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(self.0.as_mut_ptr(), source, target) })
    }

    #[cfg(not(target_vendor = "apple"))]
    fn close_from(&mut self, first: RawFd) -> Result<(), i32> {
        // SAFETY: initialised in `new`; the number is only recorded.
        check(unsafe { libc::posix_spawn_file_actions_addclosefrom_np(self.0.as_mut_ptr(), first) })
    }

    /// macOS closes what no action names by itself: `POSIX_SPAWN_CLOEXEC_DEFAULT`.
    #[cfg(target_vendor = "apple")]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "as elsewhere")]
    fn close_from(&mut self, _first: RawFd) -> Result<(), i32> {
        Ok(())
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, destroyed once.
        unsafe { libc::posix_spawn_file_actions_destroy(self.0.as_mut_ptr()) };
    }
}

/// A session of its own, no signal blocked, every signal as by default.
struct Attributes(Box<MaybeUninit<libc::posix_spawnattr_t>>);

impl Attributes {
    fn new() -> Result<Self, i32> {
        let mut attributes = Box::new(MaybeUninit::uninit());
        // SAFETY: the pointer is to writable memory of the right type, which the call initialises.
        check(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        let mut this = Self(attributes);
        #[cfg(target_vendor = "apple")]
        let flags = SETSID | libc::POSIX_SPAWN_CLOEXEC_DEFAULT;
        #[cfg(not(target_vendor = "apple"))]
        let flags = SETSID;
        let flags = flags | c_int::from(libc::POSIX_SPAWN_SETSIGMASK) | c_int::from(libc::POSIX_SPAWN_SETSIGDEF);
        let flags = libc::c_short::try_from(flags).map_err(|_| libc::EINVAL)?;
        let mut none = MaybeUninit::uninit();
        let mut all = MaybeUninit::uninit();
        let attributes = this.0.as_mut_ptr();
        // SAFETY: `attributes` is initialised; both sets are initialised by the first two calls before they are read.
        unsafe {
            libc::sigemptyset(none.as_mut_ptr());
            libc::sigfillset(all.as_mut_ptr());
            check(libc::posix_spawnattr_setsigmask(attributes, none.as_ptr()))?;
            check(libc::posix_spawnattr_setsigdefault(attributes, all.as_ptr()))?;
            check(libc::posix_spawnattr_setflags(attributes, flags))?;
        }
        Ok(this)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, destroyed once.
        unsafe { libc::posix_spawnattr_destroy(self.0.as_mut_ptr()) };
    }
}
