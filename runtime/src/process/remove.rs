//! Removes a folder with all that is in it, by descriptors, never through a link.

use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::geteuid;

/// Folders in folders, at most: what is deeper stays, rather than using up the stack.
const DEPTH: usize = 64;

/// Removes the folder `name` of `parent`, if it is this user's. What is not there is removed already.
///
/// # Errors
/// Something could not be removed; the rest is gone.
pub(crate) fn folder(parent: BorrowedFd<'_>, name: &OsStr) -> Result<(), Errno> {
    use std::os::unix::ffi::OsStrExt;
    let name = CString::new(name.as_bytes()).map_err(|_| Errno::INVAL)?;
    match remove(parent, &name, DEPTH) {
        Err(Errno::NOENT) => Ok(()),
        other => other,
    }
}

/// Opens a folder in a folder, never through a link.
pub(crate) fn open(parent: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    retry_on_intr(|| rustix::fs::openat(parent, name, flags, Mode::empty()))
}

/// What is in a folder, without `.` and `..`.
pub(crate) fn entries(folder: BorrowedFd<'_>) -> Result<Vec<CString>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_owned();
        if name.as_bytes() != b"." && name.as_bytes() != b".." {
            names.push(name);
        }
    }
    Ok(names)
}

/// Gives its owner rights to what is behind a name, if that is still what was seen. By its name it could meanwhile be a
/// link, and a change of mode follows links.
pub(crate) fn open_up(parent: BorrowedFd<'_>, name: &CStr, seen: &Stat, mode: Mode) -> Result<(), Errno> {
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    {
        let path = rustix::fs::openat(parent, name, flags | OFlags::PATH, Mode::empty())?;
        let now = rustix::fs::fstat(&path)?;
        if which(&now) != which(seen) || FileType::from_raw_mode(now.st_mode) != FileType::from_raw_mode(seen.st_mode) {
            return Err(Errno::LOOP);
        }
        let itself = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&path));
        rustix::fs::chmod(itself, mode)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (seen, flags);
        rustix::fs::chmodat(parent, name, mode, AtFlags::SYMLINK_NOFOLLOW)
    }
}

/// Which file it is, on which device.
#[allow(clippy::unnecessary_cast, clippy::cast_sign_loss, reason = "as the standard library gives it on each system")]
pub(crate) fn which(stat: &Stat) -> (u64, u64) {
    (stat.st_dev as u64, stat.st_ino)
}

fn remove(parent: BorrowedFd<'_>, name: &CStr, depth: usize) -> Result<(), Errno> {
    let stat = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
        return rustix::fs::unlinkat(parent, name, AtFlags::empty());
    }
    if depth == 0 || stat.st_uid != geteuid().as_raw() {
        return Err(Errno::PERM);
    }
    let folder = match open(parent, name) {
        // A program may have taken its own rights away.
        Err(Errno::ACCESS) => {
            open_up(parent, name, &stat, Mode::RWXU)?;
            open(parent, name)?
        }
        other => other?,
    };
    let _ = rustix::fs::fchmod(&folder, Mode::RWXU);
    let mut first = Ok(());
    for entry in entries(folder.as_fd())? {
        let result = match remove(folder.as_fd(), &entry, depth - 1) {
            Err(Errno::NOENT) => Ok(()),
            other => other,
        };
        first = first.and(result);
    }
    first?;
    rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR)
}
