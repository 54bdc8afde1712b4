//! Paths, held to the roots (LANGUAGE section 7).

mod destination;
mod identity;
mod roots;
mod sensitive;
#[cfg(test)]
mod tests;
mod walk;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use crate::Code;
use crate::outcome::Failure;
use crate::table::{Access, MustBe, Text};

pub use identity::{FileIdentity, FolderIdentity};
pub use roots::Roots;
use walk::Fault;
pub(crate) use walk::walk;

/// The session's folder, looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// Canonical absolute path. The child's working directory.
    pub path: PathBuf,
    /// Which folder it is.
    pub identity: FolderIdentity,
}

impl Workspace {
    /// Looks at the folder that the host gave for this call (C1.3).
    ///
    /// # Errors
    /// `UNAVAILABLE`, told apart: not absolute, missing, not a folder, not to be entered, a name that is not UTF-8 or
    /// holds control characters.
    pub fn open(cwd: &Path) -> Result<Self, Failure> {
        let refuse = |what: &str| {
            let message = format!("the working directory `{}` {what}", visible(&cwd.to_string_lossy()));
            Failure::new(Code::Unavailable, message, "start the session in a folder that exists and can be entered")
        };
        if !cwd.is_absolute() {
            return Err(refuse("is not absolute"));
        }
        let path = std::fs::canonicalize(cwd).map_err(|error| match error.kind() {
            ErrorKind::NotFound => refuse("does not exist"),
            ErrorKind::NotADirectory => refuse("is not a folder"),
            ErrorKind::PermissionDenied => refuse("can't be entered: permission denied"),
            _ => refuse(&format!("can't be looked at: {error}")),
        })?;
        let metadata = std::fs::metadata(&path).map_err(|error| refuse(&format!("can't be looked at: {error}")))?;
        if !metadata.is_dir() {
            return Err(refuse("is not a folder"));
        }
        let text = path.to_str().ok_or_else(|| refuse("has a name that is not UTF-8"))?;
        if !plain(text) {
            return Err(refuse("has a name with control characters"));
        }
        Ok(Self { identity: FolderIdentity::of(&metadata), path })
    }
}

/// What the manifest says of one path argument.
#[derive(Clone, Copy, Debug)]
pub struct Rule<'a> {
    /// The argument, for messages.
    pub argument: &'a str,
    /// What the program does there.
    pub access: Access,
    /// Checked before anything runs.
    pub must_be: Option<MustBe>,
    /// Sensitive components that are allowed here.
    pub sensitive: &'a [Text],
}

/// A path that may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// What the program gets, and what is shown: absolute, links resolved (of a `write` path only the folder's).
    pub path: String,
    /// Of a `write` path: what is there now.
    pub destination: Option<Destination>,
}

/// The place of a `write` path, for the plan and for staging.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// Absolute path; its folder is canonical, its name literal.
    pub path: PathBuf,
    /// The folder.
    pub folder: FolderIdentity,
    /// What is there.
    pub state: State,
}

/// What is at a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    New,
    /// A regular file, which will be replaced.
    File(FileIdentity),
    /// A link, which will be replaced, not followed.
    Link(FileIdentity),
}

/// Holds one path to the roots.
///
/// # Errors
/// `NOT_ALLOWED` outside the roots (naming them and their variables), for a bad root, for a sensitive component;
/// `NOT_FOUND` and `INVALID_ARGUMENT` for `must_be` and the destination of a write, and for text that is no usable path.
pub fn locate(given: &str, rule: &Rule<'_>, workspace: &Workspace, roots: &Roots) -> Result<Located, Failure> {
    roots.usable()?;
    let name = Naming { argument: rule.argument, given };
    if given.is_empty() {
        return Err(name.invalid("is empty", "give a path"));
    }
    if !plain(given) {
        return Err(name.invalid("holds a control or format character", "give a path without such characters"));
    }
    let walk = |given| {
        walk::walk(&workspace.path, given).map_err(|fault| match fault.place() {
            Some(place) if !roots.contain(place) => roots.outside(&name, place),
            _ => name.walk(&fault),
        })
    };
    let (path, found) = if rule.access == Access::Write {
        let (folder, last) = split_last(given).ok_or_else(|| {
            name.invalid("names no file", "end the path in the name of the file that is to be written")
        })?;
        let folder = walk(folder)?;
        (folder.path.join(last), folder)
    } else {
        let found = walk(given)?;
        (found.path.clone(), found)
    };
    // Whether it may be looked at comes before what is there, so that nothing outside is told.
    let below = roots.below(&path).ok_or_else(|| roots.outside(&name, &path))?;
    if rule.access != Access::Read {
        sensitive::refuse(&name, rule.sensitive, below)?;
        // A sensitive name that is a link leads to another name, and is still what it is.
        for link in found.links.iter().filter_map(|link| roots.below(link)) {
            sensitive::refuse(&name, rule.sensitive, link)?;
        }
    }
    let Some(text) = path.to_str() else {
        return Err(name.invalid("leads through a folder whose name is not UTF-8", "use another folder"));
    };
    if !plain(text) {
        return Err(name.invalid("leads through a folder whose name holds control characters", "use another folder"));
    }
    if text.len() > LONGEST {
        return Err(name.invalid(&format!("is longer than {LONGEST} bytes when made absolute"), "use a shorter path"));
    }
    let destination = if rule.access == Access::Write { Some(destination::look(&name, &path, &found)?) } else { None };
    if let Some(must_be) = rule.must_be {
        must(&name, must_be, &path)?;
    }
    Ok(Located { path: text.to_owned(), destination })
}

/// Longest absolute path, in bytes: the system's limit, and what the pinned widths of manifests count on.
const LONGEST: usize = 4096;

/// Names the argument and the path in messages.
struct Naming<'a> {
    argument: &'a str,
    given: &'a str,
}

impl Naming<'_> {
    fn failure(&self, code: Code, what: &str, hint: impl Into<String>) -> Failure {
        Failure::new(code, format!("`{}`: `{}` {what}", self.argument, visible(self.given)), hint)
    }

    fn invalid(&self, what: &str, hint: &str) -> Failure {
        self.failure(Code::InvalidArgument, what, hint)
    }

    fn walk(&self, fault: &Fault) -> Failure {
        match fault {
            Fault::NotAFolder(path) => self.invalid(
                &format!("leads through `{}`, which is no folder", visible(&path.to_string_lossy())),
                "give a path whose folders are folders",
            ),
            Fault::UnclearRest => self.invalid(
                "holds `.`, `..` or an empty part behind a folder that does not exist",
                "write the path without these",
            ),
            Fault::Links => self.invalid("leads through too many links", "give a path without a loop of links"),
            Fault::TooLong => self.invalid("is too long for the system", "use a shorter path"),
            Fault::System(path, error) if error.kind() == ErrorKind::PermissionDenied => self.failure(
                Code::NotAllowed,
                &format!("can't be looked at: permission denied at `{}`", visible(&path.to_string_lossy())),
                "use a path that the user may enter",
            ),
            Fault::System(path, error) => self.invalid(
                &format!("can't be looked at: {error} at `{}`", visible(&path.to_string_lossy())),
                "use another path",
            ),
        }
    }
}

/// The last part of a path, and the folder before it as given; none where the last part names no entry.
fn split_last(given: &str) -> Option<(&str, &str)> {
    let (folder, last) = match given.rsplit_once('/') {
        None => (".", given),
        Some(("", last)) => ("/", last),
        Some((folder, last)) => (folder, last),
    };
    (!matches!(last, "" | "." | "..")).then_some((folder, last))
}

/// `must_be`: missing is `NOT_FOUND`, anything else `INVALID_ARGUMENT` (LANGUAGE section 4).
fn must(name: &Naming<'_>, must_be: MustBe, path: &Path) -> Result<(), Failure> {
    let there = std::fs::symlink_metadata(path);
    if must_be == MustBe::Absent {
        return match there {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Ok(_) => Err(name.invalid("is there already", "give a path where nothing is")),
            Err(error) => Err(name.walk(&Fault::System(path.to_owned(), error))),
        };
    }
    let there = match there.and_then(|_| std::fs::metadata(path)) {
        Ok(there) => there,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(name.failure(Code::NotFound, "does not exist", "give a path that exists"));
        }
        Err(error) => return Err(name.walk(&Fault::System(path.to_owned(), error))),
    };
    match must_be {
        MustBe::File if !there.is_file() => Err(name.invalid("is not a regular file", "give the path of a file")),
        MustBe::Directory if !there.is_dir() => Err(name.invalid("is not a folder", "give the path of a folder")),
        _ => Ok(()),
    }
}

/// Whether a text is free of what could begin a line or hide: Cc, Cf, U+2028, U+2029 (LANGUAGE section 4).
fn plain(text: &str) -> bool {
    text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_control()) || {
        static HIDDEN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[\p{Cc}\p{Cf}\u{2028}\u{2029}]").ok());
        HIDDEN.as_ref().is_some_and(|hidden| !hidden.is_match(text))
    }
}

/// A text of the file system or the agent, on one line of a message and not without end.
pub(crate) fn visible(text: &str) -> String {
    const MOST: usize = 200;
    let mut shown = String::new();
    for (at, char) in text.chars().enumerate() {
        if at == MOST {
            shown.push_str("...");
            break;
        }
        if plain(char.encode_utf8(&mut [0; 4])) {
            shown.push(char);
        } else {
            shown.extend(char.escape_unicode());
        }
    }
    shown
}
