//! The runner: what runs at once, how much is kept, and who starts the programs.

use std::ffi::OsStr;
use std::fmt;
use std::os::fd::BorrowedFd;
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::sync::Arc;
use std::time::Instant;

use rustix::io::Errno;

use crate::abort::Abort;

use super::drive::Child;
#[cfg(target_os = "linux")]
use super::guarded::{self, Guardian};
use super::queue::{Aborted, Place, Queue};
use super::spawn::Image;
use super::{Job, Kept, SpawnFault, direct, fault, spawn};

/// What a runner is made with.
#[derive(Clone, Debug)]
pub struct RunnerOptions {
    /// Programs that run at once, 1 to 256. Further ones wait, first come, first served.
    pub at_once: usize,
    /// The absolute path of a program that calls [`super::guardian::main`] when it is given [`super::guardian::ARGUMENT`]:
    /// `verbgate-guardian`, or the host itself if that is a program of ours. None: programs are children of this
    /// process; then what leaves its session is not found, and nothing is ended when this process is killed. Elsewhere
    /// than on Linux that is the only way, and this is ignored.
    pub guardian: Option<PathBuf>,
    /// Bytes of head that are kept of each stream, and as many of tail: 64 KiB (C5.4) to 16 MiB.
    pub keep: usize,
}

impl Default for RunnerOptions {
    fn default() -> Self {
        Self { at_once: 16, guardian: None, keep: 64 * 1024 }
    }
}

/// A limit that is zero or absurd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitFault(pub(super) String);

impl fmt::Display for LimitFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LimitFault {}

/// Starts the programs of one session.
#[derive(Debug)]
pub struct Runner {
    keep: usize,
    queue: Queue,
    #[cfg(target_os = "linux")]
    guardian: Option<Arc<Guardian>>,
}

impl Runner {
    /// A runner. Nothing is started yet.
    ///
    /// # Errors
    /// A limit is zero or absurd.
    pub fn new(options: RunnerOptions) -> Result<Self, LimitFault> {
        if !(1..=256).contains(&options.at_once) {
            return Err(LimitFault(format!("{} programs at once is outside 1 to 256", options.at_once)));
        }
        let (min, max) = (64 * 1024, 16 * 1024 * 1024);
        if !(min..=max).contains(&options.keep) {
            return Err(LimitFault(format!("keeping {} bytes of a stream is outside {min} to {max}", options.keep)));
        }
        if let Some(path) = options.guardian.as_ref().filter(|path| !path.is_absolute()) {
            return Err(LimitFault(format!("the guardian's path `{}` is not absolute", path.display())));
        }
        Ok(Self {
            keep: options.keep,
            queue: Queue::new(options.at_once),
            #[cfg(target_os = "linux")]
            guardian: options.guardian.map(|path| Arc::new(Guardian::new(path))),
        })
    }

    pub(super) fn place(&self, abort: &Abort) -> Result<Place, Aborted> {
        self.queue.enter(abort)
    }

    pub(super) fn keep(&self) -> usize {
        self.keep
    }

    /// Starts a program: by the guardian, if there is one.
    pub(super) fn child(&self, job: &Job<'_>, fds: [BorrowedFd<'_>; 3]) -> Result<Child, SpawnFault> {
        #[cfg(target_os = "linux")]
        if let Some(guardian) = &self.guardian {
            return guarded::Child::start(guardian, job, fds).map(Child::Guarded);
        }
        let image = Image::new(
            job.file,
            job.argv.iter().map(AsRef::as_ref),
            job.env.iter().map(|(name, value)| (name.as_ref(), value.as_ref())),
            job.cwd,
        );
        let image = image.ok_or(SpawnFault::Other(Errno::INVAL.raw_os_error()))?;
        let started = Instant::now();
        let pid = spawn::spawn(&image, &fds).map_err(|errno| fault::explain(errno, job.file, job.cwd))?;
        Ok(Child::Direct(direct::Child::new(pid, started)))
    }

    /// Has the guardian, if there is one, remove the folder `name` of `parent` if this process dies. The folder need not
    /// be there yet.
    ///
    /// # Errors
    /// The guardian can't be started, or was lost: why.
    pub(crate) fn keep_clean(&self, parent: BorrowedFd<'_>, name: &OsStr) -> Result<Option<Kept>, String> {
        #[cfg(target_os = "linux")]
        return self.guardian.as_ref().map(|guardian| Kept::new(guardian, parent, name)).transpose();
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (parent, name);
            Ok(None)
        }
    }
}
