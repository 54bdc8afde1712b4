//! Where a path really leads: part by part, each link followed, also where the end does not exist.
//!
//! `std::fs::canonicalize` fails for a path that does not exist, and a check that is skipped then is how paths have
//! escaped before; so the walk is our own. Existing means `lstat`.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{Error, ErrorKind};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Most links on one way, as Linux has it.
const MOST_LINKS: usize = 40;

/// Where a path leads.
#[derive(Debug)]
pub(crate) struct Found {
    /// Absolute; the deepest existing ancestor canonical, the rest behind it without `.`, `..` and empty parts.
    pub(crate) path: PathBuf,
    /// Whether all of it exists.
    pub(crate) exists: bool,
    /// The links that were followed, each in its canonical folder.
    pub(crate) links: Vec<PathBuf>,
}

/// Why that can't be said.
#[derive(Debug)]
pub(crate) enum Fault {
    /// There is more path behind something that is no folder.
    NotAFolder(PathBuf),
    /// `.`, `..` or an empty part in what does not exist.
    UnclearRest,
    /// Too many links, or a loop.
    Links,
    /// Too long for the system.
    TooLong,
    /// The system refuses to look.
    System(PathBuf, Error),
}

impl Fault {
    /// Where the way ended, if the fault is about a place.
    pub(crate) fn place(&self) -> Option<&Path> {
        match self {
            Fault::NotAFolder(path) | Fault::System(path, _) => Some(path),
            Fault::UnclearRest | Fault::Links | Fault::TooLong => None,
        }
    }
}

/// Follows `given` from `base`, a canonical absolute folder.
pub(crate) fn walk(base: &Path, given: impl AsRef<Path>) -> Result<Found, Fault> {
    let given = given.as_ref();
    let mut at = if given.is_absolute() { PathBuf::from("/") } else { base.to_owned() };
    let mut ahead: VecDeque<OsString> = parts(given);
    let mut links = Vec::new();
    let mut exists = true;
    while let Some(part) = ahead.pop_front() {
        if !exists {
            if matches!(part.as_bytes(), b"" | b"." | b"..") {
                return Err(Fault::UnclearRest);
            }
            at.push(part);
            continue;
        }
        match part.as_bytes() {
            b"" | b"." => {
                // Only a folder has something behind its slash.
                folder(&at)?;
                continue;
            }
            b".." => {
                folder(&at)?;
                // `at` has no links left, so this is what the system does, too; above `/` is `/`.
                at.pop();
                continue;
            }
            _ => {}
        }
        let next = at.join(&part);
        match std::fs::symlink_metadata(&next) {
            Ok(metadata) if metadata.is_symlink() => {
                if links.len() == MOST_LINKS {
                    return Err(Fault::Links);
                }
                let target = match std::fs::read_link(&next) {
                    Ok(target) => target,
                    Err(error) => return Err(Fault::System(next, error)),
                };
                links.push(next);
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                for part in parts(&target).into_iter().rev() {
                    ahead.push_front(part);
                }
            }
            Ok(_) => at = next,
            Err(error) => match error.kind() {
                ErrorKind::NotFound => {
                    exists = false;
                    at = next;
                }
                ErrorKind::NotADirectory => return Err(Fault::NotAFolder(at)),
                ErrorKind::InvalidFilename => return Err(Fault::TooLong),
                _ => return Err(Fault::System(next, error)),
            },
        }
    }
    Ok(Found { path: at, exists, links })
}

fn folder(at: &Path) -> Result<(), Fault> {
    match std::fs::symlink_metadata(at) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(Fault::NotAFolder(at.to_owned())),
        Err(error) => Err(Fault::System(at.to_owned(), error)),
    }
}

/// The parts between slashes, empty and dot parts included (`Path::components` drops them). Leading slashes of an
/// absolute path are no parts.
fn parts(path: &Path) -> VecDeque<OsString> {
    let bytes = path.as_os_str().as_bytes();
    let start = bytes.iter().take_while(|byte| **byte == b'/').count();
    let rest = bytes.get(start..).unwrap_or_default();
    if rest.is_empty() {
        return VecDeque::new();
    }
    rest.split(|byte| *byte == b'/').map(|part| OsString::from_vec(part.to_vec())).collect()
}
