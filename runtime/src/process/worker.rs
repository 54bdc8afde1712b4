//! A worker: a process of the guardian's that has one program at a time, and is the subreaper of exactly that one.
//!
//! So whatever descends from a worker belongs to its program, whether it left the session, forked twice, or blanked its
//! environment: nothing else could be there. And when a worker has no children left, nothing of the program is left.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, PidfdFlags, WaitOptions, getpid, pidfd_open, set_child_subreaper, wait};

use crate::table::capture::Exit;

use super::ending::{Ending, Progress};
use super::signals;
use super::spawn::{self, Image};
use super::wire::{Draft, Frame, Inbox, Kind, Nothing};

/// When the host is told that the program was started: it needs that only to end the program itself if this worker is
/// killed, and for a program that has ended before, the message would cost more than the rest of this module.
const ANNOUNCE: Duration = Duration::from_millis(2);
/// How long an answer may take to be taken.
const SEND: Duration = Duration::from_secs(5);
/// Between two looks at what could not be ended.
const LINGER: Duration = Duration::from_secs(1);
/// How long is tried to end the rest once the host is dead.
const LAST: Duration = Duration::from_secs(5);

struct Worker<'a> {
    host: OwnedFd,
    inbox: Inbox,
    signals: OwnedFd,
    /// Readable when the host has died.
    host_process: BorrowedFd<'a>,
    /// Readable when the guardian has died.
    guardian: BorrowedFd<'a>,
    program: Option<Program>,
    host_is_dead: Option<Instant>,
    guardian_is_dead: bool,
}

struct Program {
    leader: i32,
    started: Instant,
    exit: Option<(Exit, Duration, bool)>,
    asked: bool,
    answered: bool,
    announce: Option<Instant>,
    ending: Ending,
    wake: Option<Instant>,
    /// What must stay open until all is gone.
    _hold: Option<OwnedFd>,
}

/// A worker's life, after the fork.
pub(super) fn run(host: OwnedFd, host_process: BorrowedFd<'_>, guardian: BorrowedFd<'_>) -> ExitCode {
    let ready = || -> Result<OwnedFd, Errno> {
        // A group of its own, so that a signal to the guardian's does not take all of them.
        rustix::process::setsid()?;
        set_child_subreaper(Some(getpid()))?;
        signals::watch_children()
    };
    let Ok(signals) = ready() else { return ExitCode::FAILURE };
    let mut worker = Worker {
        host,
        inbox: Inbox::default(),
        signals,
        host_process,
        guardian,
        program: None,
        host_is_dead: None,
        guardian_is_dead: false,
    };
    while worker.turn() {}
    ExitCode::SUCCESS
}

impl Worker<'_> {
    /// One turn of the loop. Whether there is another.
    fn turn(&mut self) -> bool {
        let now = Instant::now();
        if self.program.is_some() {
            self.look(now);
        }
        if let Some(since) = self.host_is_dead
            && (self.program.is_none() || now >= since + LAST)
        {
            return false;
        }
        if self.guardian_is_dead && self.program.is_none() {
            return false;
        }
        self.wait(now);
        self.listen();
        true
    }

    /// Reaps what has ended, and goes on with the ending.
    fn look(&mut self, now: Instant) {
        let Some(program) = &mut self.program else { return };
        let any = program.reap();
        if program.announce.is_some_and(|at| now >= at) && any && !program.answered {
            program.announce = None;
            if program.announce(self.host.as_fd()).is_err() {
                self.host_is_dead.get_or_insert(now);
                program.asked = true;
            }
        }
        if any && program.exit.is_none() && !program.asked {
            program.wake = program.announce;
            return;
        }
        let left = if any {
            match program.ending.step(now) {
                Progress::Wait(until) => {
                    program.wake = Some(until);
                    return;
                }
                // Zombies whose parent lives still, or one that has just appeared.
                Progress::Gone => {
                    program.wake = Some(now + Duration::from_millis(5));
                    return;
                }
                Progress::GivenUp(left) => left,
            }
        } else {
            Vec::new()
        };
        if !program.answered {
            program.answered = true;
            let answer = program.answer(&left, now);
            if answer.send(self.host.as_fd(), &[], Instant::now() + SEND).is_err() {
                self.host_is_dead.get_or_insert(now);
            }
        }
        if any {
            program.wake = Some(now + LINGER);
        } else {
            self.program = None;
        }
    }

    fn wait(&mut self, now: Instant) {
        // What is known to be dead stays readable, so it is asked for nothing.
        let asked = |wanted: bool| if wanted { PollFlags::IN } else { PollFlags::empty() };
        let host = asked(self.host_is_dead.is_none());
        let mut fds = [
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::from_borrowed_fd(self.host_process, host),
            PollFd::from_borrowed_fd(self.guardian, asked(!self.guardian_is_dead)),
            PollFd::new(&self.host, host),
        ];
        // A closed socket can't be asked for nothing: it always says that it is closed.
        let fds = if self.host_is_dead.is_some() { fds.split_at_mut(3).0 } else { &mut fds[..] };
        let wake = self.program.as_ref().and_then(|program| program.wake);
        let timeout = wake.map(|wake| super::timespec(wake.saturating_duration_since(now)));
        let _ = poll(fds, timeout.as_ref());
        let happened = |index: usize| fds.get(index).is_some_and(|fd| fd.revents().contains(PollFlags::IN));
        let (children, host_died, guardian_died) = (happened(0), happened(1), happened(2));
        if children {
            signals::drain(&self.signals);
        }
        if host_died {
            self.host_is_dead.get_or_insert(now);
            self.end();
        }
        if guardian_died {
            // The host is told in the answer.
            self.guardian_is_dead = true;
            self.end();
        }
    }

    /// Takes what the host says.
    fn listen(&mut self) {
        if self.host_is_dead.is_some() {
            return;
        }
        loop {
            match self.inbox.next(self.host.as_fd()) {
                Ok(frame) if frame.kind == Kind::Job && self.program.is_none() => self.start(frame),
                Ok(frame) if frame.kind == Kind::End => self.end(),
                Err(Nothing::Yet) => return,
                Err(Nothing::Broken(Errno::MFILE)) if self.program.is_none() => self.refuse(Errno::MFILE),
                // Anything else is no host to go on with.
                Ok(_) | Err(Nothing::Closed | Nothing::Broken(_)) => {
                    self.host_is_dead = Some(Instant::now());
                    self.end();
                    return;
                }
            }
        }
    }

    fn end(&mut self) {
        if let Some(program) = &mut self.program {
            program.asked = true;
            program.wake = Some(Instant::now());
        }
    }

    fn start(&mut self, mut frame: Frame) {
        let started = Instant::now();
        let spawned = Self::spawn(&mut frame);
        let hold = if frame.fds.len() > 3 { frame.fds.pop_back() } else { None };
        drop(frame);
        match spawned {
            Ok(pid) => {
                let number = pid.as_raw_nonzero().get();
                self.program = Some(Program {
                    leader: number,
                    started,
                    exit: None,
                    asked: false,
                    answered: false,
                    announce: Some(started + ANNOUNCE),
                    ending: Ending::of_descendants(getpid().as_raw_nonzero().get(), number),
                    wake: Some(started + ANNOUNCE),
                    _hold: hold,
                });
            }
            Err(errno) => self.refuse(Errno::from_raw_os_error(errno)),
        }
    }

    fn refuse(&mut self, errno: Errno) {
        let errno = u64::try_from(errno.raw_os_error()).unwrap_or(0);
        let answer = Draft::new(Kind::Failed).number(errno);
        if answer.send(self.host.as_fd(), &[], Instant::now() + SEND).is_err() {
            self.host_is_dead.get_or_insert(Instant::now());
        }
    }

    fn spawn(frame: &mut Frame) -> Result<Pid, i32> {
        let bad = || Errno::BADMSG.raw_os_error();
        let (file, cwd) = (frame.text().map(<[u8]>::to_vec), frame.text().map(<[u8]>::to_vec));
        let (argv, env) = (frame.texts(), frame.texts());
        let (Some(file), Some(cwd), Some(argv), Some(env)) = (file, cwd, argv, env) else { return Err(bad()) };
        let path = |bytes: &'_ [u8]| Path::new(OsStr::from_bytes(bytes)).to_owned();
        let image = Image::new(
            &path(&file),
            argv.iter().map(|it| OsStr::from_bytes(it)),
            // Name and value, by turns.
            env.chunks_exact(2).filter_map(|pair| match pair {
                [name, value] => Some((OsStr::from_bytes(name), OsStr::from_bytes(value))),
                _ => None,
            }),
            &path(&cwd),
        )
        .ok_or(Errno::INVAL.raw_os_error())?;
        let mut fds = frame.fds.iter().map(AsFd::as_fd);
        let (Some(stdin), Some(stdout), Some(stderr)) = (fds.next(), fds.next(), fds.next()) else { return Err(bad()) };
        spawn::spawn(&image, &[stdin, stdout, stderr])
    }
}

impl Program {
    /// Reaps all that has ended. Whether any child is left.
    fn reap(&mut self) -> bool {
        loop {
            match retry_on_intr(|| wait(WaitOptions::NOHANG)) {
                Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == self.leader && self.exit.is_none() => {
                    let byte = |it: i32| u8::try_from(it).unwrap_or(u8::MAX);
                    let exit = match status.exit_status() {
                        Some(code) => Exit::Status(byte(code)),
                        None => Exit::Signal(byte(status.terminating_signal().unwrap_or(i32::MAX))),
                    };
                    self.exit = Some((exit, self.started.elapsed(), !self.asked));
                }
                Ok(Some(_)) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Tells the host which process it is; nothing, if it has just been reaped.
    fn announce(&self, host: BorrowedFd<'_>) -> Result<(), Errno> {
        // Only this process reaps it, and it has not: the number is still its own.
        let Some(pid) = Pid::from_raw(self.leader).filter(|_| self.exit.is_none()) else { return Ok(()) };
        let process = pidfd_open(pid, PidfdFlags::empty())?;
        let number = u64::try_from(self.leader).unwrap_or(0);
        Draft::new(Kind::Started).number(number).send(host, &[process.as_fd()], Instant::now() + SEND)
    }

    fn answer(&self, left: &[String], now: Instant) -> Draft {
        let lasted = now.saturating_duration_since(self.started);
        let (kind, value, lasted, by_itself) = match self.exit {
            Some((Exit::Status(status), lasted, by_itself)) => (0, status, lasted, by_itself),
            Some((Exit::Signal(signal), lasted, by_itself)) => (1, signal, lasted, by_itself),
            // The program itself can't be ended.
            None => (2, 0, lasted, false),
        };
        Draft::new(Kind::Ended)
            .number(kind)
            .number(u64::from(value))
            .number(u64::from(by_itself))
            .number(u64::try_from(lasted.as_nanos()).unwrap_or(u64::MAX))
            .texts(self.ending.names.iter().map(String::as_bytes))
            .texts(left.iter().map(String::as_bytes))
    }
}
