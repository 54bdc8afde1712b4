//! A private file with the whole of a call's output, cleaned (contract C3.4).
//!
//! The folder is made anew for each session: in `XDG_RUNTIME_DIR`, else in the temporary folder, outside all roots, with
//! mode 0700 and a name that nobody can guess, and is checked to be ours and no link. A lock on a file in it, which the
//! kernel releases when its holder dies, tells a live session's folder from a dead one's, which the next session removes.
//!
//! A spill never changes an outcome: when it can't be written, it is left out, and says so.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;

use rustix::fs::{FlockOperation, flock, fstatvfs};

use super::compose::Spilled;
use super::pipeline::Flow;
use super::{Cleaner, WITHHELD};
use crate::table::Stream;

/// Most bytes of one call.
const PER_CALL: u64 = 64 << 20;
/// Most bytes of a session.
const PER_SESSION: u64 = 256 << 20;
/// Nothing is written when less than this part of the disk is free, in percent.
const FREE_PERCENT: u64 = 5;
/// How much is written between two looks at the free space.
const LOOK_EVERY: u64 = 4 << 20;

const PREFIX: &str = "verbgate-spill-";
const LOCK: &str = "lock";

/// Why there is no spill. One clean line, lower case, for a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpillFault(pub String);

/// The spill folder of one session. Dropping it removes the folder.
pub struct Spill {
    folder: PathBuf,
    /// Held for the session's life.
    _lock: File,
    state: Mutex<State>,
    limits: Limits,
    /// [`has_room`], but for tests: whose disk fills up meanwhile can't be arranged.
    has_room: fn(&File, u64) -> bool,
}

#[derive(Default)]
struct State {
    calls: u64,
    bytes: u64,
}

/// How much may be written.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one call: 64 MiB.
    pub call: u64,
    /// Bytes of a session: 256 MiB.
    pub session: u64,
    /// Part of the disk that must be free, in percent: 5.
    pub free: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { call: PER_CALL, session: PER_SESSION, free: FREE_PERCENT }
    }
}

impl Spill {
    /// Makes the session's folder in the first of `bases` that is absolute, there, outside all roots, and in which nobody
    /// else can put another folder in the place of one of ours; removes the folders of sessions that died. Usual bases:
    /// [`bases`].
    ///
    /// # Errors
    /// No base can be used, or the folder can't be made safely.
    pub fn session(
        bases: &[PathBuf],
        roots: &[PathBuf],
        limits: Limits,
        random: &mut dyn FnMut() -> u32,
    ) -> Result<Self, SpillFault> {
        let base = bases
            .iter()
            .filter(|base| base.is_absolute())
            .filter_map(|base| base.canonicalize().ok())
            .find(|base| is_kept_apart(base) && outside(base, roots))
            .ok_or_else(|| SpillFault(String::from("no folder for it outside the roots")))?;
        remove_dead(&base);
        for _ in 0..16 {
            let folder = base.join(format!("{PREFIX}{:08x}{:08x}{:08x}", random(), random(), random()));
            match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => return Self::in_folder(folder, limits),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(fault("its folder can't be made", &error)),
            }
        }
        Err(SpillFault(String::from("its folder can't be made")))
    }

    fn in_folder(folder: PathBuf, limits: Limits) -> Result<Self, SpillFault> {
        let made = is_private_folder(&folder).then(|| lock(&folder.join(LOCK), true)).transpose();
        match made {
            Ok(Some(Some(lock))) => Ok(Self { folder, _lock: lock, state: Mutex::default(), limits, has_room }),
            other => {
                let _ = std::fs::remove_dir_all(&folder);
                Err(match other {
                    Err(error) => fault("its folder can't be locked", &error),
                    Ok(_) => SpillFault(String::from("its folder is not private")),
                })
            }
        }
    }

    /// Begins a call. Nothing is written before the first byte comes.
    pub fn begin_call<'a>(&'a self, cleaner: &'a Cleaner) -> SpillWriter<'a> {
        SpillWriter {
            path: self.next_path(),
            spill: self,
            stdout: Some(Flow::new(cleaner)),
            stderr: Some(Flow::new(cleaner)),
            file: None,
            last: None,
            bytes: 0,
            unlooked: LOOK_EVERY,
            cut: false,
            fault: None,
        }
    }

    /// Keeps a text that is clean already: of a call whose origin no longer stands.
    ///
    /// # Errors
    /// It was not kept; nothing is left of it.
    pub(crate) fn keep(&self, text: &str) -> Result<Spilled, SpillFault> {
        let path = self.next_path();
        let mut file = private_file(&path)?;
        let allowed = (text.len() as u64).min(self.limits.call);
        let granted = usize::try_from(self.take(allowed)).unwrap_or(usize::MAX);
        let part = super::visible::floor(text, granted);
        let written = if (self.has_room)(&file, self.limits.free) {
            file.write_all(part.as_bytes()).map_err(|error| fault("it can't be written", &error))
        } else {
            Err(no_room(self.limits.free))
        };
        if let Err(fault) = written {
            let _ = std::fs::remove_file(&path);
            return Err(fault);
        }
        let cut = part.len() < text.len();
        Ok(Spilled { path: path.display().to_string(), bytes: part.len() as u64, cut })
    }

    /// Ends it before the value is dropped: nothing of it is left, and nothing more is kept.
    pub(crate) fn end(&self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }

    fn next_path(&self) -> PathBuf {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.calls += 1;
        self.folder.join(format!("{}.txt", state.calls))
    }

    /// Whether its folder lies outside these roots.
    pub(crate) fn lies_outside(&self, roots: &[PathBuf]) -> bool {
        outside(&self.folder, roots)
    }

    /// The session's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes bytes from what the session may still write; gives how many.
    fn take(&self, wanted: u64) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let granted = wanted.min(self.limits.session.saturating_sub(state.bytes));
        state.bytes += granted;
        granted
    }
}

impl Drop for Spill {
    fn drop(&mut self) {
        // A folder that can't be removed now is removed by the next session.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The bases that C3.4 names: `XDG_RUNTIME_DIR`, then the temporary folder. Both come from the host's environment.
pub fn bases(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Vec<PathBuf> {
    let mut bases: Vec<PathBuf> =
        ["XDG_RUNTIME_DIR", "TMPDIR"].into_iter().filter_map(variable).map(Into::into).collect();
    bases.push(PathBuf::from("/tmp"));
    bases
}

/// Removes a finished file: the output fitted into the delivered text after all.
pub fn remove(spilled: &Spilled) {
    // What can't be removed now goes with the session's folder.
    let _ = std::fs::remove_file(&spilled.path);
}

/// Receives a call's output while it comes, and writes it cleaned.
///
/// Standard output and standard error stand in one file, in the order in which they come, whole lines at a time where the
/// stream has lines; where it changes, a line names the stream.
pub struct SpillWriter<'a> {
    spill: &'a Spill,
    path: PathBuf,
    stdout: Option<Flow<'a>>,
    stderr: Option<Flow<'a>>,
    file: Option<File>,
    last: Option<Stream>,
    bytes: u64,
    /// Bytes since the free space was looked at.
    unlooked: u64,
    cut: bool,
    fault: Option<SpillFault>,
}

impl SpillWriter<'_> {
    /// The next bytes of a stream. Never fails: a fault is said by [`SpillWriter::finish`].
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        if self.cut || self.fault.is_some() {
            return;
        }
        let flow = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let mut text = String::new();
        let fine = flow.as_mut().is_some_and(|flow| flow.push(bytes, &mut text));
        self.write(stream, &text);
        if !fine {
            self.fault = Some(SpillFault(String::from(WITHHELD)));
        }
    }

    /// Ends the call. None if nothing was printed.
    ///
    /// # Errors
    /// The spill was left out; what was written of it is removed.
    pub fn finish(mut self) -> Result<Option<Spilled>, SpillFault> {
        for (stream, flow) in [(Stream::Stdout, self.stdout.take()), (Stream::Stderr, self.stderr.take())] {
            let mut text = String::new();
            if let Some(flow) = flow.filter(|_| !self.cut && self.fault.is_none()) {
                if flow.finish(&mut text) {
                    self.write(stream, &text);
                } else {
                    self.fault = Some(SpillFault(String::from(WITHHELD)));
                }
            }
        }
        if let Some(fault) = self.fault.take() {
            self.discard();
            return Err(fault);
        }
        let path = self.path.display().to_string();
        Ok(self.file.is_some().then_some(Spilled { path, bytes: self.bytes, cut: self.cut }))
    }

    /// Removes what was written: the output fitted, or there was a fault.
    pub fn discard(mut self) {
        if self.file.take().is_some() {
            let _ = std::fs::remove_file(&self.path);
        }
    }

    fn write(&mut self, stream: Stream, text: &str) {
        if text.is_empty() {
            return;
        }
        if let Err(fault) = self.try_write(stream, text) {
            self.fault = Some(fault);
        }
    }

    fn try_write(&mut self, stream: Stream, text: &str) -> Result<(), SpillFault> {
        let mut whole = String::new();
        if self.last != Some(stream) {
            let name = if stream == Stream::Stdout { "standard output" } else { "standard error" };
            whole = format!("{}--- {name} ---\n", if self.last.is_some() { "\n" } else { "" });
            self.last = Some(stream);
        }
        whole.push_str(text);
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(private_file(&self.path)?),
        };
        let wanted = whole.len() as u64;
        self.unlooked = self.unlooked.saturating_add(wanted);
        if self.unlooked >= LOOK_EVERY {
            self.unlooked = 0;
            if !(self.spill.has_room)(file, self.spill.limits.free) {
                return Err(no_room(self.spill.limits.free));
            }
        }
        let allowed = wanted.min(self.spill.limits.call.saturating_sub(self.bytes));
        let granted = usize::try_from(self.spill.take(allowed)).unwrap_or(usize::MAX);
        let part = super::visible::floor(&whole, granted);
        file.write_all(part.as_bytes()).map_err(|error| fault("it can't be written", &error))?;
        self.bytes += part.len() as u64;
        self.cut |= part.len() < whole.len();
        Ok(())
    }
}

impl crate::process::Sink for SpillWriter<'_> {
    fn chunk(&mut self, stream: Stream, bytes: &[u8]) {
        self.push(stream, bytes);
    }
}

/// A file for this user alone: never through a link, and never one that is there.
fn private_file(path: &Path) -> Result<File, SpillFault> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    made.map_err(|error| fault("its file can't be made", &error))
}

fn no_room(free: u64) -> SpillFault {
    SpillFault(format!("less than {free} % of its disk is free"))
}

fn fault(what: &str, error: &std::io::Error) -> SpillFault {
    SpillFault(format!("{what}: {}", error.kind()))
}

fn has_room(file: &File, free: u64) -> bool {
    // A file system that can't say has room until a write fails.
    fstatvfs(file).map_or(true, |disk| disk.f_bavail >= disk.f_blocks / 100 * free)
}

/// Not in a root. One that lies around a root will do: the folder in it is another than the root.
fn outside(base: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().all(|root| {
        let root = root.canonicalize().unwrap_or_else(|_| root.clone());
        !base.starts_with(root)
    })
}

/// A folder in which only its owner, ourselves or root, can rename what is ours: it is not writable by others, or it is
/// sticky, as a system's temporary folder is.
fn is_kept_apart(base: &Path) -> bool {
    let (me, root) = (rustix::process::geteuid().as_raw(), 0);
    std::fs::metadata(base).is_ok_and(|found| {
        let others_write = found.mode() & 0o002 != 0 || (found.mode() & 0o020 != 0 && found.gid() != found.uid());
        found.is_dir() && [me, root].contains(&found.uid()) && (!others_write || found.mode() & 0o1000 != 0)
    })
}

/// A folder, no link, ours, and nobody else may enter.
fn is_private_folder(folder: &Path) -> bool {
    std::fs::symlink_metadata(folder).is_ok_and(|found| {
        found.is_dir() && found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o777 == 0o700
    })
}

/// Opens the lock file and takes the lock; none if another holds it.
fn lock(path: &Path, make: bool) -> std::io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(make).mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    let file = options.open(path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Removes the folders of sessions that died: ours, private, and with a lock that nobody holds. A folder without a lock
/// file is left for a minute: its session may be about to make it.
fn remove_dead(base: &Path) {
    let Ok(entries) = std::fs::read_dir(base) else { return };
    for entry in entries.flatten() {
        let folder = entry.path();
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) || !is_private_folder(&folder) {
            continue;
        }
        let dead = match lock(&folder.join(LOCK), false) {
            Ok(lock) => lock.is_some(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let age = std::fs::metadata(&folder).and_then(|found| found.modified()).map(|made| made.elapsed());
                age.is_ok_and(|age| age.is_ok_and(|age| age.as_secs() > 60))
            }
            Err(_) => false,
        };
        if dead {
            let _ = std::fs::remove_dir_all(&folder);
        }
    }
}

#[cfg(test)]
#[path = "spill_tests.rs"]
mod tests;
