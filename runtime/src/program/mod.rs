//! The program's file, its environment, and what must not stand in its folder (C1.9, C1.11, LANGUAGE section 3).

mod shell;
mod start;
#[cfg(test)]
mod tests;
mod trust;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::Code;
use crate::config::{Environment, FileSettings, Resolved, Source};
use crate::outcome::Failure;
use crate::paths::{FileIdentity, FolderIdentity, Roots, Workspace, visible, walk};
use crate::table::{EnvName, ProgramSpec, sensitive};

/// A program that may be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file that is spawned: absolute, links resolved.
    pub file: PathBuf,
    /// The path by which it was found, links as they are: what a program that looks at its own name expects as
    /// first element of its argv.
    pub found: PathBuf,
    /// Which file it is.
    pub identity: FileIdentity,
    /// The child's PATH, filtered; none if the manifest gives the child none.
    pub path: Option<OsString>,
}

/// Finds the program's file (C1.11). Starts nothing.
///
/// # Errors
/// `UNAVAILABLE` with file and reason, and the install line where that helps.
pub fn find(
    executable: &Resolved<String>,
    spec: &ProgramSpec,
    environment: &Environment,
    workspace: &Workspace,
    roots: &Roots,
) -> Result<Program, Failure> {
    let name = executable.value.as_str();
    let ground = Ground { workspace, roots };
    let search = Search::new(spec, environment, &ground);
    if let Some(reason) = shell::refused(name) {
        return Err(named(executable, &format!("{reason}: programs are started directly"), "name the program itself"));
    }
    if name.contains('/') {
        let path = Path::new(name);
        if !path.is_absolute() {
            return Err(named(executable, "is a relative path", "give a bare name or an absolute path"));
        }
        // The user's own word may lie anywhere; the manifest's may not.
        let anywhere = matches!(executable.source, Source::User(_) | Source::Variable(_));
        return look(path, (!anywhere).then_some(&ground), search.path)
            .map_err(|refusal| refusal.failure(executable, spec));
    }
    let mut passed_over = Vec::new();
    for folder in &search.folders {
        let file = folder.join(name);
        match look(&file, Some(&ground), search.path.clone()) {
            Ok(program) => return Ok(program),
            // As execvp does: what can't be run is passed over.
            Err(refusal) if refusal.is_absent() => {}
            Err(refusal) if refusal.is_passed_over() => passed_over.push(refusal),
            // Anything else would have been run by a shell: to go on would run another program than the user sees.
            Err(refusal) => return Err(refusal.failure(executable, spec)),
        }
    }
    for (entry, why) in &search.ignored {
        let file = workspace.path.join(entry).join(name);
        if std::fs::metadata(&file).is_ok_and(|found| found.is_file()) {
            passed_over.push(Refusal { file, reason: Reason::Ignored(why) });
        }
    }
    match passed_over.into_iter().next() {
        Some(refusal) => Err(refusal.failure(executable, spec)),
        None => Err(missing(executable, spec, &search)),
    }
}

/// Nothing of that name anywhere.
fn missing(executable: &Resolved<String>, spec: &ProgramSpec, search: &Search) -> Failure {
    let place = if search.folders.is_empty() { "PATH names no usable folder" } else { "it is not on PATH" };
    Failure::new(
        Code::Unavailable,
        format!("`{}` was not found: {place}", visible(&executable.value)),
        format!("ask the user to install it: {}", spec.install),
    )
}

/// A refusal of the configured name itself.
fn named(executable: &Resolved<String>, what: &str, hint: &str) -> Failure {
    let message = format!("the program `{}`, set by {}, {what}", visible(&executable.value), executable.source);
    Failure::new(Code::Unavailable, message, hint)
}

/// The ground that agents can write on: no program comes from there.
struct Ground<'a> {
    workspace: &'a Workspace,
    roots: &'a Roots,
}

impl Ground<'_> {
    /// Where a canonical path lies; none: outside of both.
    fn holds(&self, path: &Path) -> Option<&'static str> {
        let in_workspace = path.starts_with(&self.workspace.path)
            || path
                .ancestors()
                .filter_map(|at| std::fs::symlink_metadata(at).ok())
                .any(|at| at.is_dir() && FolderIdentity::of(&at) == self.workspace.identity);
        if in_workspace {
            return Some("it lies in the working directory");
        }
        self.roots.contain(path).then_some("it lies in a folder where tools may write")
    }
}

/// The child's PATH, split into what is searched and what is ignored.
struct Search {
    /// Searched, in order.
    folders: Vec<PathBuf>,
    /// Ignored, with the reason.
    ignored: Vec<(PathBuf, &'static str)>,
    /// What the child gets.
    path: Option<OsString>,
}

impl Search {
    fn new(spec: &ProgramSpec, environment: &Environment, ground: &Ground<'_>) -> Self {
        let set = spec.env.set.iter().find(|(name, _)| name == "PATH").map(|(_, value)| OsStr::new(&**value));
        let passed = spec.env.pass.iter().any(|name| name.covers("PATH"));
        let value = set.or_else(|| environment.get("PATH"));
        let mut search = Search { folders: Vec::new(), ignored: Vec::new(), path: None };
        for entry in value.unwrap_or_default().as_bytes().split(|byte| *byte == b':') {
            let entry = Path::new(OsStr::from_bytes(entry));
            if !entry.is_absolute() {
                search.ignored.push((entry.to_owned(), "PATH names its folder relative to the working directory"));
                continue;
            }
            // A folder that can't be followed to its end can't be said to lie outside.
            let Ok(found) = walk("/".as_ref(), entry) else { continue };
            match ground.holds(&found.path) {
                Some(why) => search.ignored.push((entry.to_owned(), why)),
                None => search.folders.push(entry.to_owned()),
            }
        }
        let mut path = OsString::new();
        for (at, folder) in search.folders.iter().enumerate() {
            if at > 0 {
                path.push(":");
            }
            path.push(folder);
        }
        search.path = (set.is_some() || (passed && value.is_some())).then_some(path);
        search
    }
}

/// Names of the manifest that stand for variables.
trait Covers {
    fn covers(&self, name: &str) -> bool;
}

impl Covers for EnvName {
    fn covers(&self, name: &str) -> bool {
        match self {
            EnvName::Exact(exact) => exact == name,
            EnvName::Prefix(prefix) => name.starts_with(&**prefix),
        }
    }
}

/// Looks at one file, links resolved.
fn look(found: &Path, ground: Option<&Ground<'_>>, path: Option<OsString>) -> Result<Program, Refusal> {
    let refuse = |file: &Path, reason| Err(Refusal { file: file.to_owned(), reason });
    let file = match std::fs::canonicalize(found) {
        Ok(file) => file,
        Err(error) => {
            let dangling = std::fs::symlink_metadata(found).is_ok();
            return refuse(found, if dangling { Reason::Dangling } else { Reason::of(error) });
        }
    };
    if let Some(why) = ground.and_then(|ground| ground.holds(&file)) {
        return refuse(&file, Reason::Ignored(why));
    }
    let metadata = match std::fs::metadata(&file) {
        Ok(metadata) => metadata,
        Err(error) => return refuse(&file, Reason::of(error)),
    };
    if !metadata.is_file() {
        return refuse(&file, Reason::NotAFile);
    }
    if metadata.mode() & 0o111 == 0 {
        return refuse(&file, Reason::NotExecutable);
    }
    trust::check(&file, &metadata)?;
    // Whoever can turn the link can choose the program.
    if let Some(folder) = found.parent().and_then(|folder| std::fs::canonicalize(folder).ok()) {
        trust::check_folder(&folder, found)?;
    }
    if let Some(shell) = file.file_name().and_then(OsStr::to_str).and_then(shell::refused) {
        return refuse(&file, Reason::Shell(shell));
    }
    start::check(&file, ground)?;
    Ok(Program { identity: FileIdentity::of(&metadata), file, found: found.to_owned(), path })
}

/// A file that is not run.
#[derive(Debug)]
struct Refusal {
    file: PathBuf,
    reason: Reason,
}

/// Why; each has words of its own.
#[derive(Debug)]
enum Reason {
    Missing,
    Dangling,
    System(std::io::Error),
    Ignored(&'static str),
    NotAFile,
    NotExecutable,
    Owner(u32),
    Writable(PathBuf),
    FolderOwner(PathBuf, u32),
    SetUid,
    Shell(&'static str),
    NotAProgram,
    BrokenInterpreter(String, &'static str),
}

impl Reason {
    fn of(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Reason::Missing,
            _ => Reason::System(error),
        }
    }
}

impl Refusal {
    fn is_absent(&self) -> bool {
        matches!(self.reason, Reason::Missing)
    }

    fn is_passed_over(&self) -> bool {
        matches!(
            self.reason,
            Reason::Dangling | Reason::NotAFile | Reason::NotExecutable | Reason::System(_) | Reason::Ignored(_)
        )
    }

    fn failure(&self, executable: &Resolved<String>, spec: &ProgramSpec) -> Failure {
        let install = &spec.install;
        let file = format!("`{}`", visible(&self.file.to_string_lossy()));
        let mend = |what: &str| format!("ask the user to {what}");
        let settings: Vec<String> = [&spec.executable.env, &spec.executable.config]
            .into_iter()
            .flatten()
            .map(|name| format!("`{name}`"))
            .collect();
        let own = if settings.is_empty() {
            mend(&format!("install it outside of the working directory and of all roots: {install}"))
        } else {
            let settings = settings.join(" or ");
            mend(&format!(
                "install it outside of the working directory and of all roots ({install}), or to give its absolute \
                 path in {settings}"
            ))
        };
        let (what, hint) = match &self.reason {
            Reason::Missing => ("does not exist".to_owned(), mend(&format!("install it: {install}"))),
            Reason::Dangling => ("is a link that leads to nothing".to_owned(), mend(&format!("install it: {install}"))),
            Reason::System(error) => (format!("can't be looked at: {error}"), mend("mend its permissions")),
            Reason::Ignored(why) => (format!("is not run: {why}"), own),
            Reason::NotAFile => ("is not a regular file".to_owned(), mend("mend the installation")),
            Reason::NotExecutable => ("is not executable".to_owned(), mend("make it executable (chmod +x)")),
            Reason::Owner(owner) => (
                format!("belongs to the user with the number {owner}, neither to root nor to this user"),
                mend("install it as root or as this user"),
            ),
            Reason::Writable(path) if *path == self.file => {
                ("can be written by others".to_owned(), mend("take away the write permission of others (chmod go-w)"))
            }
            Reason::Writable(path) => (
                format!("lies below `{}`, which others can write", visible(&path.to_string_lossy())),
                mend("take away the write permission of others (chmod go-w)"),
            ),
            Reason::FolderOwner(path, owner) => (
                format!(
                    "lies below `{}`, which belongs to the user with the number {owner}, neither to root nor to this user",
                    visible(&path.to_string_lossy())
                ),
                mend("install it in a folder of root or of this user"),
            ),
            Reason::SetUid => (
                "runs with the rights of another user or group (setuid or setgid)".to_owned(),
                mend("use a program without that"),
            ),
            Reason::Shell(reason) => ((*reason).to_owned(), mend("name the program itself")),
            Reason::NotAProgram => (
                "is not a program: neither a binary nor a script with `#!`".to_owned(),
                mend("mend the installation; it is never given to a shell"),
            ),
            Reason::BrokenInterpreter(interpreter, why) => (
                format!("names the interpreter `{}`, which {why}", visible(interpreter)),
                mend(&format!("mend the installation: {install}")),
            ),
        };
        let whose = match &executable.source {
            Source::Default => String::new(),
            source => format!(" (set by {source})"),
        };
        Failure::new(Code::Unavailable, format!("{file}{whose} {what}"), hint)
    }
}

/// The whole environment of the child (C1.9), ordered by name: passed, then set, then the verb's own (rendered; may
/// hold secrets), PATH as in [`Program::path`]. Nothing else.
///
/// # Errors
/// `NOT_ALLOWED`: a name of `never.env` would be in it. `UNAVAILABLE`: a folder of the user is named by no absolute
/// path, so that the program would take its place from the working directory.
pub fn environment(
    spec: &ProgramSpec,
    host: &Environment,
    verb: &[(String, String)],
    program: &Program,
) -> Result<Vec<(OsString, OsString)>, Failure> {
    let mut child: BTreeMap<OsString, OsString> = BTreeMap::new();
    for (name, value) in host.iter() {
        if name.to_str().is_some_and(|name| spec.env.pass.iter().any(|passed| passed.covers(name))) {
            child.insert(name.to_owned(), value.to_owned());
        }
    }
    for (name, value) in spec.env.set.iter() {
        child.insert((&**name).into(), (&**value).into());
    }
    for (name, value) in verb {
        child.insert(name.into(), value.into());
    }
    match &program.path {
        Some(path) => child.insert("PATH".into(), path.clone()),
        None => child.remove(OsStr::new("PATH")),
    };
    if let Some(name) = spec.never.env.iter().find(|name| child.contains_key(OsStr::new(&***name))) {
        return Err(Failure::new(
            Code::NotAllowed,
            format!("the program would get the variable `{name}`, which the manifest promises never to give it"),
            "report this as a fault of the manifest; nothing was run",
        ));
    }
    for name in FOLDERS {
        let Some(value) = child.get(OsStr::new(name)).filter(|value| !Path::new(value).is_absolute()) else { continue };
        return Err(Failure::new(
            Code::Unavailable,
            format!("{name} is `{}`, which is no absolute path", visible(&value.to_string_lossy())),
            format!("ask the user to set {name} to an absolute path, or not at all; nothing was run"),
        ));
    }
    Ok(child.into_iter().collect())
}

/// Variables that name a folder of the user's. Read as a relative path they would lead into the working directory, where
/// whoever writes there would choose the program's configuration (C1.9).
const FOLDERS: [&str; 2] = ["HOME", "TMPDIR"];

/// Looks for names that the program would obey in the session's folder. To be called before each run.
///
/// # Errors
/// `NOT_ALLOWED` with the manifest's words; also when the folder can't be listed.
pub fn refuse_files(spec: &ProgramSpec, settings: &FileSettings, workspace: &Workspace) -> Result<(), Failure> {
    let refused: Vec<_> = spec
        .refuse_files
        .iter()
        .enumerate()
        .filter(|(at, _)| !settings.files_allowed.get(*at).copied().unwrap_or(false))
        .map(|(_, file)| (sensitive::fold(&file.name), file))
        .collect();
    if refused.is_empty() {
        return Ok(());
    }
    let unknown = |error: std::io::Error| {
        Failure::new(
            Code::NotAllowed,
            format!("the working directory can't be searched for files that the program would obey: {error}"),
            "use a working directory that the user may read",
        )
    };
    for entry in std::fs::read_dir(&workspace.path).map_err(unknown)? {
        let entry = entry.map_err(unknown)?.file_name();
        let folded = sensitive::fold(&entry.to_string_lossy());
        if let Some((_, file)) = refused.iter().find(|(name, _)| *name == folded) {
            let path = workspace.path.join(&entry);
            return Err(Failure::new(
                Code::NotAllowed,
                format!("{}: `{}`", file.say, visible(&path.to_string_lossy())),
                file.hint.to_string(),
            ));
        }
    }
    Ok(())
}
