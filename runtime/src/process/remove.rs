//! Removes a folder with all that is in it, by descriptors, never through a link.

use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
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
            rustix::fs::chmodat(parent, name, Mode::RWXU, AtFlags::empty())?;
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
