//! A run under way: one poll loop over both streams, standard input, the program's end, the abort and the clock.

use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};

use crate::abort::Abort;
use crate::table::Stream;
use crate::table::capture::{Captured, Exit};

use super::capture::{Capture, Read};
#[cfg(target_os = "linux")]
use super::guarded;
use super::queue::Place;
use super::runner::Runner;
use super::{End, Job, Run, Sink, direct, fault, pipes, timespec};

/// How long pipes are read after all of the program is gone: what holds them then is not of this run.
const DRAIN: Duration = Duration::from_millis(100);
/// What a pipe that is flooded holds.
#[cfg(target_os = "linux")]
const WIDE: usize = 256 * 1024;
/// Reads of one stream in a row, so that a flood on one does not starve the other, nor the clock.
const READS: usize = 16;

/// A started program and what it has printed so far.
pub(crate) struct Running {
    child: Child,
    file: PathBuf,
    cwd: PathBuf,
    stdout: Pipe,
    stderr: Pipe,
    stdin: Option<Feed>,
    ended: Option<(Ended, Instant)>,
    // Given back last, when nothing of the run is left.
    _place: Place,
}

/// How far [`Running::advance`] came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advance {
    /// The program has ended.
    Ended,
    /// The host aborted; the program still runs.
    Aborted,
    /// The time is up; the program still runs.
    TimeUp,
}

/// How a program ended, with all that it had started.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) how: How,
    /// It ended before it was asked to.
    pub(super) by_itself: bool,
    pub(super) elapsed: Duration,
    pub(super) escaped: Vec<String>,
    pub(super) left: Vec<String>,
}

/// How the program itself ended.
#[derive(Debug)]
pub(super) enum How {
    Exit(Exit),
    /// It was not started: the system's error number.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "said by a worker"))]
    NotStarted(i32),
    /// That is not known, for this reason.
    Lost(String),
}

impl Ended {
    /// Without anything that is known of the program.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "said by a worker"))]
    pub(super) const fn without(how: How) -> Self {
        Self { how, by_itself: true, elapsed: Duration::ZERO, escaped: Vec::new(), left: Vec::new() }
    }
}

/// Who has the program.
pub(super) enum Child {
    Direct(direct::Child),
    #[cfg(target_os = "linux")]
    Guarded(guarded::Child),
}

macro_rules! either {
    ($child:expr, $it:ident => $do:expr) => {
        match $child {
            Child::Direct($it) => $do,
            #[cfg(target_os = "linux")]
            Child::Guarded($it) => $do,
        }
    };
}

struct Pipe {
    stream: Stream,
    fd: Option<OwnedFd>,
    capture: Capture,
    widened: bool,
}

/// Standard input on its way to the program.
struct Feed {
    bytes: Vec<u8>,
    done: usize,
    write: OwnedFd,
    /// Kept open until all is written, so that a program that closes its end gets nobody a SIGPIPE.
    _read: OwnedFd,
}

impl Running {
    /// Spawns the program.
    pub(super) fn start(job: &Job<'_>, place: Place, runner: &Runner) -> Result<Self, End> {
        let pipes = Pipes::new(job).map_err(|errno| End::NotStarted(fault::of_descriptors(errno)))?;
        let fds = [pipes.stdin.as_fd(), pipes.stdout.1.as_fd(), pipes.stderr.1.as_fd()];
        let child = runner.child(job, fds).map_err(End::NotStarted)?;
        let keep = runner.keep();
        let pipe = |stream, fd| Pipe { stream, fd: Some(fd), capture: Capture::new(keep), widened: false };
        Ok(Self {
            child,
            file: job.file.to_owned(),
            cwd: job.cwd.to_owned(),
            stdout: pipe(Stream::Stdout, pipes.stdout.0),
            stderr: pipe(Stream::Stderr, pipes.stderr.0),
            stdin: pipes.feed,
            ended: None,
            _place: place,
        })
    }

    /// When the program was started.
    pub(crate) fn started(&self) -> Instant {
        either!(&self.child, child => child.started())
    }

    /// What has come until now. Its `end` says nothing.
    pub(crate) fn snapshot(&self) -> Run {
        Run {
            stdout: self.stdout.capture.clone().into_captured(),
            stderr: self.stderr.capture.clone().into_captured(),
            ..Run::ended_early(End::Cancelled, self.started().elapsed())
        }
    }

    /// Goes on until the program and all that it started has ended, the abort is raised, or the time is up. In the last
    /// two cases the program still runs, and this can be called again.
    pub(crate) fn advance(
        &mut self,
        abort: Option<&Abort>,
        until: Option<Instant>,
        sink: &mut Option<&mut dyn Sink>,
    ) -> Advance {
        loop {
            let now = Instant::now();
            if self.ended.is_none()
                && let Some(ended) = either!(&mut self.child, child => child.step(now))
            {
                self.stdin = None;
                self.ended = Some((ended, now + DRAIN));
            }
            if let Some((_, drained)) = self.ended {
                if now >= drained || (self.stdout.fd.is_none() && self.stderr.fd.is_none()) {
                    return Advance::Ended;
                }
            } else if abort.is_some_and(Abort::is_raised) {
                return Advance::Aborted;
            } else if until.is_some_and(|until| now >= until) {
                return Advance::TimeUp;
            }
            self.wait(now, abort, until);
            self.stdout.read(sink);
            self.stderr.read(sink);
            if self.stdin.as_mut().is_some_and(Feed::write) {
                self.stdin = None;
            }
        }
    }

    /// Waits until something happens or is due.
    fn wait(&self, now: Instant, abort: Option<&Abort>, until: Option<Instant>) {
        let due = match &self.ended {
            Some((_, drained)) => Some(*drained),
            None => [until, either!(&self.child, child => child.wake())].into_iter().flatten().min(),
        };
        let timeout = due.map(|due| timespec(due.saturating_duration_since(now)));
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(5);
        for pipe in [&self.stdout, &self.stderr] {
            fds.extend(pipe.fd.as_ref().map(|fd| PollFd::new(fd, PollFlags::IN)));
        }
        if self.ended.is_none() {
            fds.extend(either!(&self.child, child => child.fd()).map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
            fds.extend(abort.map(|abort| PollFd::from_borrowed_fd(abort.fd(), PollFlags::IN)));
            fds.extend(self.stdin.as_ref().map(|feed| PollFd::new(&feed.write, PollFlags::OUT)));
        }
        // An interrupted or failed wait is the same as a short one: the loop looks at everything anyway.
        let _ = poll(&mut fds, timeout.as_ref());
    }

    /// The answer. With an `end`, what still runs is ended first, and the answer says so unless the program ended by
    /// itself before.
    pub(crate) fn finish(mut self, end: Option<End>, sink: &mut Option<&mut dyn Sink>) -> Run {
        if self.ended.is_none() {
            either!(&mut self.child, child => child.end());
            self.advance(None, None, sink);
        }
        let captured = |pipe: Pipe| -> Captured { pipe.capture.into_captured() };
        let (stdout, stderr) = (captured(self.stdout), captured(self.stderr));
        let Some((ended, _)) = self.ended else {
            return Run { stdout, stderr, ..Run::ended_early(end.unwrap_or(End::Cancelled), Duration::ZERO) };
        };
        let end = match (end, ended.how) {
            (_, How::NotStarted(errno)) => End::NotStarted(fault::explain(errno, &self.file, &self.cwd)),
            (Some(end), How::Exit(_)) if !ended.by_itself => end,
            (_, How::Lost(reason)) => End::RunnerLost(reason),
            (None, _) if !ended.by_itself => End::RunnerLost("the guardian was lost: it died".to_owned()),
            (_, How::Exit(exit)) => End::Exited(exit),
        };
        Run { end, stdout, stderr, duration: ended.elapsed, escaped: ended.escaped, left: ended.left }
    }
}

impl Pipe {
    fn read(&mut self, sink: &mut Option<&mut dyn Sink>) {
        let Some(fd) = &self.fd else { return };
        if self.capture.overflows() && !self.widened {
            self.widened = true;
            // A flood: fewer turns of this loop. Refused where a user has too many; then it stays as it is.
            #[cfg(target_os = "linux")]
            let _ = rustix::pipe::fcntl_setpipe_size(fd, WIDE);
        }
        for _ in 0..READS {
            match self.capture.read(fd.as_fd()) {
                Read::Bytes(bytes) => {
                    if let Some(sink) = sink {
                        sink.chunk(self.stream, bytes);
                    }
                }
                Read::Nothing => return,
                Read::End => {
                    self.fd = None;
                    return;
                }
            }
        }
    }
}

impl Feed {
    /// Writes what the pipe takes. Whether it is done: all is written, or nothing more can be.
    fn write(&mut self) -> bool {
        while let Some(rest) = self.bytes.get(self.done..).filter(|rest| !rest.is_empty()) {
            match retry_on_intr(|| rustix::io::write(&self.write, rest)) {
                Ok(count) => self.done += count,
                Err(Errno::AGAIN) => return false,
                Err(_) => return true,
            }
        }
        true
    }
}

struct Pipes {
    stdin: OwnedFd,
    stdout: (OwnedFd, OwnedFd),
    stderr: (OwnedFd, OwnedFd),
    feed: Option<Feed>,
}

impl Pipes {
    fn new(job: &Job<'_>) -> Result<Self, Errno> {
        let (stdout, stderr) = (pipes::pair()?, pipes::pair()?);
        pipes::unblock(stdout.0.as_fd())?;
        pipes::unblock(stderr.0.as_fd())?;
        let (stdin, feed) = match &job.stdin {
            None => (pipes::null()?, None),
            Some(bytes) => {
                let (read, write) = pipes::pair()?;
                pipes::unblock(write.as_fd())?;
                let keep = rustix::io::fcntl_dupfd_cloexec(&read, 3)?;
                (read, Some(Feed { bytes: bytes.clone(), done: 0, write, _read: keep }))
            }
        };
        Ok(Self { stdin, stdout, stderr, feed })
    }
}
