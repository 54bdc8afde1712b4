//! Locks between the calls of one user on one machine (C1.13): kernel-released file locks, so that a process that dies
//! leaves none behind.
//!
//! They hold calls of this runtime apart. A person's own use of the program takes no such lock.

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::geteuid;

use crate::Code;
use crate::abort::Abort;
use crate::outcome::Failure;

/// How long a call waits for a lock.
pub const WAIT: Duration = Duration::from_secs(10);
/// Between two tries: the kernel can't be asked to wake a poll.
const TICK: Duration = Duration::from_millis(25);

/// Where locks are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locks {
    folder: Option<PathBuf>,
    wait: Duration,
}

/// A lock that is held until it is dropped, or the process dies.
#[derive(Debug)]
pub struct Lock {
    folder: OwnedFd,
    name: String,
    file: OwnedFd,
}

impl Locks {
    /// Locks in the place of contract C1.13, whatever the environment says: `/run/user/UID/verbgate` where the system
    /// has made `/run/user/UID`, else `/tmp/verbgate-UID`.
    pub const fn new() -> Self {
        Self { folder: None, wait: WAIT }
    }

    /// Locks in a folder of the session's choice, and a wait of its choice, so that tests don't meet. The folder's
    /// parent must be there.
    pub const fn within(folder: PathBuf, wait: Duration) -> Self {
        Self { folder: Some(folder), wait }
    }

    /// Takes the lock `PROGRAM.LOCK`, waiting for whoever holds it.
    ///
    /// # Errors
    /// `BUSY` after 10 s; `CANCELLED` if the host aborts; `UNAVAILABLE` if the folder is not what it must be: a folder
    /// of this user's that is closed to everybody else, and no link.
    pub fn take(&self, program: &str, lock: &str, abort: &Abort) -> Result<Lock, Failure> {
        let (folder, path) = self.open_folder()?;
        let name = format!("{}.{}", file_name(program), file_name(lock));
        let broken = |fault: &dyn fmt::Display| {
            Failure::new(
                Code::Unavailable,
                format!("the lock `{}` can't be used: {fault}", path.join(&name).display()),
                "make the folder writable for you and closed to others, or remove it",
            )
        };
        let until = Instant::now() + self.wait;
        loop {
            if abort.is_raised() {
                return Err(Failure::new(Code::Cancelled, "aborted while waiting for a lock", "nothing was started"));
            }
            let file = open_file(folder.as_fd(), &name).map_err(|errno| broken(&errno))?;
            loop {
                match retry_on_intr(|| rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)) {
                    Ok(()) => break,
                    Err(Errno::WOULDBLOCK) => {}
                    Err(errno) => return Err(broken(&errno)),
                }
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(Failure::new(
                        Code::Busy,
                        format!("another call holds the lock `{lock}` of `{program}`"),
                        "wait until the other call has ended, then call again",
                    ));
                }
                pause(left.min(TICK), abort);
                if abort.is_raised() {
                    break;
                }
            }
            if abort.is_raised() {
                continue;
            }
            // Its last holder removes the file: what was locked may no longer be what the name stands for.
            if still_named(folder.as_fd(), &name, &file).map_err(|errno| broken(&errno))? {
                return Ok(Lock { folder, name, file });
            }
        }
    }

    fn open_folder(&self) -> Result<(OwnedFd, PathBuf), Failure> {
        let uid = geteuid().as_raw();
        let (parent, name) = match &self.folder {
            Some(folder) => match (folder.parent(), folder.file_name()) {
                (Some(parent), Some(name)) => (parent.to_owned(), name.to_owned()),
                _ => return Err(bad_folder(folder, "it is no path of a folder")),
            },
            None => place(uid),
        };
        let path = parent.join(&name);
        let bad = |errno: Errno| bad_folder(&path, &errno.to_string());
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
        let parent = retry_on_intr(|| rustix::fs::openat(CWD, &parent, flags, Mode::empty())).map_err(bad)?;
        let made = match rustix::fs::mkdirat(&parent, &name, Mode::RWXU) {
            Ok(()) => true,
            Err(Errno::EXIST) => false,
            Err(errno) => return Err(bad(errno)),
        };
        let folder = retry_on_intr(|| rustix::fs::openat(&parent, &name, flags | OFlags::NOFOLLOW, Mode::empty()))
            .map_err(|errno| match errno {
                Errno::LOOP | Errno::NOTDIR => bad_folder(&path, "it is no folder but a link or a file"),
                other => bad(other),
            })?;
        if made {
            // Whatever the umask took away.
            rustix::fs::fchmod(&folder, Mode::RWXU).map_err(bad)?;
        }
        let stat = rustix::fs::fstat(&folder).map_err(bad)?;
        if stat.st_uid != uid {
            return Err(bad_folder(&path, "it belongs to another user"));
        }
        if Mode::from_raw_mode(stat.st_mode).intersects(Mode::RWXG | Mode::RWXO) {
            return Err(bad_folder(&path, "others may enter it"));
        }
        Ok((folder, path))
    }
}

impl Default for Locks {
    fn default() -> Self {
        Self::new()
    }
}

impl Lock {
    /// For [`crate::process::Job::hold`]: the lock is then held until the program is gone, even if this process dies.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is still held, so nobody else's is removed. Whoever waits for the old file finds out that
        // it has no name any more.
        let _ = rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty());
        // Explicitly, since a copy of the descriptor may live for a moment longer.
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
    }
}

/// The folder's parent and its name.
fn place(uid: u32) -> (PathBuf, std::ffi::OsString) {
    let own = PathBuf::from(format!("/run/user/{uid}"));
    let is_own = rustix::fs::lstat(&own)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory && stat.st_uid == uid);
    if is_own { (own, "verbgate".into()) } else { ("/tmp".into(), format!("verbgate-{uid}").into()) }
}

fn bad_folder(path: &Path, reason: &str) -> Failure {
    Failure::new(
        Code::Unavailable,
        format!("the folder for locks `{}` can't be used: {reason}", path.display()),
        "make it a folder of yours with mode 0700, or remove it",
    )
}

fn open_file(folder: BorrowedFd<'_>, name: &str) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = retry_on_intr(|| rustix::fs::openat(folder, name, flags, Mode::RUSR | Mode::WUSR))?;
    let stat = rustix::fs::fstat(&file)?;
    let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    if regular && stat.st_uid == geteuid().as_raw() { Ok(file) } else { Err(Errno::PERM) }
}

fn still_named(folder: BorrowedFd<'_>, name: &str, file: &OwnedFd) -> Result<bool, Errno> {
    let which = |stat: &Stat| (stat.st_dev, stat.st_ino);
    let held = rustix::fs::fstat(file)?;
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(named) => Ok(which(&held) == which(&named)),
        Err(Errno::NOENT) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// A program may be given by an absolute path: what can't stand in a file's name is written as `%XX`.
fn file_name(text: &str) -> String {
    use fmt::Write as _;
    text.bytes().fold(String::new(), |mut name, byte| {
        if byte.is_ascii_alphanumeric() || b"_-".contains(&byte) {
            name.push(char::from(byte));
        } else {
            let _ = write!(name, "%{byte:02X}");
        }
        name
    })
}

fn pause(time: Duration, abort: &Abort) {
    let time = Timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) };
    let _ = poll(&mut [PollFd::from_borrowed_fd(abort.fd(), PollFlags::IN)], Some(&time));
}
