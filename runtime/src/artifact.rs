//! Staged artifacts (C1.12): a program that writes a file writes it into a private folder beside the destination, and
//! it is moved there only if it is what was expected.
//!
//! What is not kept of a replaced file: its group, its access lists and its extended attributes.

use std::ffi::{CString, OsStr, OsString};
use std::fmt;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::geteuid;

use crate::Code;
use crate::outcome::Failure;
use crate::paths::{Destination, FileIdentity, State};
use crate::process::remove::which;
use crate::process::{Kept, Runner, remove};
use crate::random;

/// How the private folder's name begins; 32 hex digits follow.
pub const PREFIX: &str = ".verbgate-";

/// A place for the program to write to. Removed with all that is in it when it is dropped, and by the guardian if this
/// process is killed.
#[derive(Debug)]
pub struct Staging {
    destination: Destination,
    /// The destination's folder.
    parent: OwnedFd,
    /// The private folder: its name, and itself.
    name: OsString,
    folder: OwnedFd,
    file: CString,
    path: PathBuf,
    _kept: Option<Kept>,
}

/// A file that was moved to its destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The destination.
    pub path: PathBuf,
    /// Bytes.
    pub size: u64,
}

impl Staging {
    /// Makes the private folder.
    ///
    /// # Errors
    /// `NOT_ALLOWED`: the folder can't be written to. `COMMAND_FAILED`: it is no longer the one that was looked at, or
    /// no folder can be made in it. `UNAVAILABLE`: the guardian can't be started.
    pub fn begin(destination: &Destination, runner: &Runner) -> Result<Self, Failure> {
        let (Some(parent_path), Some(file)) = (destination.path.parent(), destination.path.file_name()) else {
            return Err(Failure::new(
                Code::InvalidArgument,
                format!("`{}` is no path of a file", destination.path.display()),
                "name a file in a folder",
            ));
        };
        let parent = open_canonical(parent_path).map_err(|errno| no_folder(parent_path, errno))?;
        let stat = rustix::fs::fstat(&parent).map_err(|errno| no_folder(parent_path, errno))?;
        if which(&stat) != (destination.folder.dev, destination.folder.ino) {
            return Err(changed(parent_path, "nothing was started"));
        }
        let name = random_name().map_err(|_| no_folder(parent_path, Errno::IO))?;
        // The guardian is told first: a kill between the two would leave the folder behind.
        let kept = runner.keep_clean(parent.as_fd(), &name).map_err(|reason| {
            Failure::new(Code::Unavailable, format!("the guardian can't be started: {reason}"), "mend the installation")
        })?;
        let made = rustix::fs::mkdirat(&parent, &name, Mode::RWXU).and_then(|()| {
            let c_name = CString::new(name.as_bytes()).map_err(|_| Errno::INVAL)?;
            let folder = remove::open(parent.as_fd(), &c_name)?;
            // Whatever the umask took away.
            rustix::fs::fchmod(&folder, Mode::RWXU)?;
            let stat = rustix::fs::fstat(&folder)?;
            if stat.st_uid == geteuid().as_raw() { Ok(folder) } else { Err(Errno::PERM) }
        });
        let folder = match made {
            Ok(folder) => folder,
            Err(errno) => {
                let _ = remove::folder(parent.as_fd(), &name);
                return Err(no_folder(parent_path, errno));
            }
        };
        let c_file = CString::new(file.as_bytes()).map_err(|_| no_folder(parent_path, Errno::INVAL))?;
        let path = parent_path.join(&name).join(file);
        Ok(Self { destination: destination.clone(), parent, name, folder, file: c_file, path, _kept: kept })
    }

    /// The absolute path that the program gets in place of the destination: the same file name, in the private folder.
    pub fn staged_path(&self) -> &Path {
        &self.path
    }

    /// What stands in the place of the staged name wherever the program prints it: whole, the folder alone, or without
    /// the folders above it.
    pub fn shown_as(&self) -> Vec<(String, String)> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let folder = self.path.parent().unwrap_or(&self.path);
        let parent = folder.parent().unwrap_or(folder);
        let name = self.name.to_string_lossy().into_owned();
        vec![
            (text(&self.path), text(&self.destination.path)),
            (text(folder), text(parent)),
            (format!("{}/", text(folder)), format!("{}/", text(parent).trim_end_matches('/'))),
            (format!("{name}/"), String::new()),
            (name, String::from(".")),
        ]
    }

    /// Whether anything of the expected name was written: what classification asks (a staged file that is missing is
    /// no success).
    pub fn is_there(&self) -> bool {
        rustix::fs::statat(&self.folder, &self.file, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Moves the file to its destination, if it is the only thing in the private folder, a regular file with one link,
    /// this user's, and if the destination is still as it was. It is on disk when this returns. The private folder is
    /// removed either way.
    ///
    /// # Errors
    /// `COMMAND_FAILED`, saying what was found instead. What was at the destination is as it was.
    pub fn finish(self) -> Result<Artifact, Failure> {
        let size = self.check().map_err(|reason| self.failure(&reason))?;
        self.move_it().map_err(|reason| self.failure(&reason))?;
        // The name is in the folder; that it is so on disk, too, is all that can still fail, and no reason to say that
        // nothing was written.
        let _ = retry_on_intr(|| rustix::fs::fsync(&self.parent));
        Ok(Artifact { path: self.destination.path.clone(), size })
    }

    /// Exactly the expected entry; its mode and its bytes are settled. Gives its size.
    fn check(&self) -> Result<u64, String> {
        let entries = remove::entries(self.folder.as_fd()).map_err(|errno| read_failed(&errno))?;
        if !entries.contains(&self.file) {
            return Err("the program did not write it".to_owned());
        }
        if entries.len() > 1 {
            return Err(format!("the program wrote {} entries beside it", entries.len() - 1));
        }
        let stat = rustix::fs::statat(&self.folder, &self.file, AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|errno| read_failed(&errno))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err("what the program wrote is no regular file".to_owned());
        }
        if stat.st_nlink != 1 {
            return Err("what the program wrote has a second name elsewhere".to_owned());
        }
        if stat.st_uid != geteuid().as_raw() {
            return Err("what the program wrote belongs to another user".to_owned());
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let open = || retry_on_intr(|| rustix::fs::openat(&self.folder, &self.file, flags, Mode::empty()));
        let opened = match open() {
            // The program left it closed even to its owner.
            Err(Errno::ACCESS) => {
                let readable = Mode::RUSR | Mode::WUSR;
                remove::open_up(self.folder.as_fd(), &self.file, &stat, readable).and_then(|()| open())
            }
            other => other,
        };
        let opened = opened.map_err(|errno| read_failed(&errno))?;
        let now = rustix::fs::fstat(&opened).map_err(|errno| read_failed(&errno))?;
        if which(&now) != which(&stat) || now.st_nlink != 1 {
            return Err("what the program wrote changed while it was looked at".to_owned());
        }
        rustix::fs::fchmod(&opened, self.mode()).map_err(|errno| read_failed(&errno))?;
        retry_on_intr(|| rustix::fs::fsync(&opened)).map_err(|errno| format!("it can't be put on disk: {errno}"))?;
        Ok(u64::try_from(now.st_size).unwrap_or(0))
    }

    /// The mode of the replaced file, without the bits that give its owner's rights away; of a new one 0600.
    fn mode(&self) -> Mode {
        let plain = Mode::RWXU | Mode::RWXG | Mode::RWXO;
        match self.destination.state {
            State::File(_) => {
                self.there().map_or(Mode::RUSR | Mode::WUSR, |it| Mode::from_raw_mode(it.st_mode) & plain)
            }
            State::New | State::Link(_) => Mode::RUSR | Mode::WUSR,
        }
    }

    /// What is at the destination now.
    fn there(&self) -> Result<Stat, Errno> {
        rustix::fs::statat(&self.parent, self.destination_name(), AtFlags::SYMLINK_NOFOLLOW)
    }

    fn destination_name(&self) -> &OsStr {
        self.destination.path.file_name().unwrap_or_default()
    }

    fn move_it(&self) -> Result<(), String> {
        let unsupported = |errno| matches!(errno, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP);
        let name = self.destination_name();
        let changed = || "something else is at the destination now".to_owned();
        let moved = |result: Result<(), Errno>| result.map_err(|errno| format!("it can't be moved there: {errno}"));
        let expected = match self.destination.state {
            State::New => {
                return match self.rename(RenameFlags::NOREPLACE) {
                    Err(Errno::EXIST) => Err(changed()),
                    Err(errno) if unsupported(errno) => match self.there() {
                        Err(Errno::NOENT) => moved(rustix::fs::renameat(&self.folder, &self.file, &self.parent, name)),
                        _ => Err(changed()),
                    },
                    other => moved(other),
                };
            }
            State::File(identity) | State::Link(identity) => identity,
        };
        let as_expected = |stat: &Stat| which(stat) == (expected.dev, expected.ino);
        if !self.there().is_ok_and(|stat| as_expected(&stat) && unchanged(&stat, &expected)) {
            return Err(changed());
        }
        match self.rename(RenameFlags::EXCHANGE) {
            Ok(()) => {
                // Only now is it certain what was replaced: if it was something else after all, it goes back.
                let taken = rustix::fs::statat(&self.folder, &self.file, AtFlags::SYMLINK_NOFOLLOW);
                if taken.is_ok_and(|stat| as_expected(&stat)) {
                    return Ok(());
                }
                moved(self.rename(RenameFlags::EXCHANGE))?;
                Err(changed())
            }
            Err(Errno::NOENT) => Err(changed()),
            Err(errno) if unsupported(errno) => {
                moved(rustix::fs::renameat(&self.folder, &self.file, &self.parent, name))
            }
            Err(errno) => moved(Err(errno)),
        }
    }

    fn rename(&self, flags: RenameFlags) -> Result<(), Errno> {
        #[cfg(target_os = "linux")]
        return rustix::fs::renameat_with(&self.folder, &self.file, &self.parent, self.destination_name(), flags);
        #[cfg(not(target_os = "linux"))]
        {
            let _ = flags;
            Err(Errno::NOSYS)
        }
    }

    fn failure(&self, reason: &str) -> Failure {
        Failure::new(
            Code::CommandFailed,
            format!("`{}` was not written: {reason}", self.destination.path.display()),
            "what was there is as it was; look at the program's output, then call again",
        )
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = remove::folder(self.parent.as_fd(), &self.name);
    }
}

/// Size and time of the last change of content are as they were, too.
fn unchanged(stat: &Stat, expected: &FileIdentity) -> bool {
    let modified = (stat.st_mtime, i64::try_from(stat.st_mtime_nsec).unwrap_or(i64::MAX));
    u64::try_from(stat.st_size).is_ok_and(|size| size == expected.size) && modified == expected.modified
}

fn read_failed(errno: &dyn fmt::Display) -> String {
    format!("what the program wrote can't be looked at: {errno}")
}

fn changed(folder: &Path, what: &str) -> Failure {
    Failure::new(
        Code::CommandFailed,
        format!("the folder `{}` is no longer the one that was looked at", folder.display()),
        format!("{what}; call again"),
    )
}

fn no_folder(folder: &Path, errno: Errno) -> Failure {
    match errno {
        Errno::ACCESS | Errno::PERM | Errno::ROFS => Failure::new(
            Code::NotAllowed,
            format!("nothing can be written into the folder `{}`: {errno}", folder.display()),
            "choose another folder; nothing was started",
        ),
        Errno::NOENT | Errno::LOOP | Errno::NOTDIR => changed(folder, "nothing was started"),
        _ => Failure::new(
            Code::CommandFailed,
            format!("no folder can be made in `{}`: {errno}", folder.display()),
            "choose another folder; nothing was started",
        ),
    }
}

/// Opens a folder by a path that is canonical: a link anywhere in it was put there since.
fn open_canonical(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        match retry_on_intr(|| openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)) {
            // An old kernel, or a sandbox that does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => {}
            other => return other,
        }
    }
    retry_on_intr(|| rustix::fs::openat(CWD, path, flags, Mode::empty()))
}

fn random_name() -> std::io::Result<OsString> {
    use fmt::Write as _;
    let digits = random::bytes::<16>()?.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    Ok(format!("{PREFIX}{digits}").into())
}
