//! The guardian: one small process per session that starts the programs, and ends them when the host dies in any way
//! (docs/adr/0004-guardian.md).
//!
//! It forks a worker for each program that runs at once ([`super::worker`]), and is the subreaper of the workers: what a
//! worker that is killed leaves behind comes to the guardian, and is ended. When the guardian is killed, the workers see
//! it and end their programs. Both see the host's end by a pidfd, so a copy of the socket elsewhere keeps nothing alive.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, getppid, kill_process, pidfd_open, set_child_subreaper, wait,
};

use super::signals::{self, Fork};
use super::tree::{self, Family};
use super::wire::{self, Draft, Frame, Inbox, Kind, Nothing};
use super::{remove, worker};

/// The first argument that makes a program the guardian: `main` of whatever serves as one calls [`main`] if it is given,
/// before anything else.
pub const ARGUMENT: &str = "verbgate-guardian-of-a-session";

/// The descriptor of the socket to the host.
pub(super) const SOCKET: i32 = 3;
/// What both ends must agree on.
pub(super) const VERSION: &str = concat!("verbgate ", env!("CARGO_PKG_VERSION"), " guardian 1");

/// How long an answer may take to be taken.
const SEND: Duration = Duration::from_secs(5);
/// Between two looks at what is left.
const TICK: Duration = Duration::from_millis(10);
/// When workers that have not ended after the host's death are killed, and when all is given up.
const LAST: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(10));

struct Guardian {
    host: OwnedFd,
    host_process: OwnedFd,
    inbox: Inbox,
    signals: OwnedFd,
    me: i32,
    workers: BTreeSet<i32>,
    /// A worker died: what it had is being ended.
    sweeping: bool,
    /// Folders that go with the host: their parent and their name.
    folders: BTreeMap<u64, (OwnedFd, OsString)>,
    host_is_dead: Option<Instant>,
}

/// The guardian's whole life. To be called first thing in `main`, before any thread is made, if the first argument is
/// [`ARGUMENT`]. Gives the exit status: 2 if this process was not started by a runner.
pub fn main() -> ExitCode {
    let Some(host) = signals::inherited_socket(SOCKET) else { return ExitCode::from(2) };
    let Ok(guardian) = Guardian::new(host) else { return ExitCode::from(2) };
    let hello = Draft::new(Kind::Hello).text(VERSION.as_bytes());
    if hello.send(guardian.host.as_fd(), &[], Instant::now() + SEND).is_err() {
        return ExitCode::FAILURE;
    }
    guardian.live()
}

/// What a turn of the loop led to.
enum Turn {
    On,
    Over,
    /// This is a new worker's process.
    Worker(OwnedFd, OwnedFd),
}

impl Guardian {
    fn new(host: OwnedFd) -> Result<Self, Errno> {
        let me = getpid();
        set_child_subreaper(Some(me))?;
        let signals = signals::watch_children()?;
        let peer = rustix::net::sockopt::socket_peercred(&host)?.pid;
        let host_process = pidfd_open(peer, PidfdFlags::empty())?;
        // If it is still the parent now, the pidfd is the parent's.
        if getppid() != Some(peer) {
            return Err(Errno::SRCH);
        }
        // Without /proc nothing could be found.
        if !tree::works() {
            return Err(Errno::NOENT);
        }
        Ok(Self {
            host,
            host_process,
            inbox: Inbox::default(),
            signals,
            me: me.as_raw_nonzero().get(),
            workers: BTreeSet::new(),
            sweeping: false,
            folders: BTreeMap::new(),
            host_is_dead: None,
        })
    }

    fn live(mut self) -> ExitCode {
        loop {
            match self.turn() {
                Turn::On => {}
                Turn::Over => break,
                Turn::Worker(socket, guardian) => {
                    // A worker must not keep the guardian's end of the host's socket open, nor its folders.
                    let Self { host, host_process, inbox, signals, folders, .. } = self;
                    drop((host, inbox, signals, folders));
                    return worker::run(socket, host_process.as_fd(), guardian.as_fd());
                }
            }
        }
        for (parent, name) in self.folders.values() {
            let _ = remove::folder(parent.as_fd(), name);
        }
        ExitCode::SUCCESS
    }

    fn turn(&mut self) -> Turn {
        let now = Instant::now();
        let any = self.reap();
        if self.sweeping {
            self.sweep();
        }
        if let Some(since) = self.host_is_dead {
            if !any || now >= since + LAST.1 {
                return Turn::Over;
            }
            if now >= since + LAST.0 {
                for pid in self.workers.iter().filter_map(|pid| Pid::from_raw(*pid)) {
                    // Not yet reaped, so the number is still this worker's.
                    let _ = kill_process(pid, Signal::KILL);
                }
            }
            self.sweeping = true;
        }
        self.wait();
        self.listen()
    }

    /// Reaps what has ended. Whether any child is left.
    fn reap(&mut self) -> bool {
        loop {
            match retry_on_intr(|| wait(WaitOptions::NOHANG)) {
                Ok(Some((pid, _))) => self.sweeping |= self.workers.remove(&pid.as_raw_nonzero().get()),
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Ends what belongs to no worker.
    fn sweep(&mut self) {
        let family = Family::Strays { of: self.me, workers: &self.workers };
        let strays = tree::members(family);
        self.sweeping = !strays.is_empty();
        for stray in strays {
            let _ = tree::signal(stray.pid, family, Signal::KILL);
        }
    }

    fn wait(&mut self) {
        let mut fds = vec![PollFd::new(&self.signals, PollFlags::IN)];
        if self.host_is_dead.is_none() {
            fds.push(PollFd::new(&self.host, PollFlags::IN));
            fds.push(PollFd::new(&self.host_process, PollFlags::IN));
        }
        let tick = super::timespec(TICK);
        let _ = poll(&mut fds, self.sweeping.then_some(&tick));
        let happened = |index: usize| fds.get(index).is_some_and(|fd| fd.revents().contains(PollFlags::IN));
        let (children, host_died) = (happened(0), happened(2));
        if children {
            signals::drain(&self.signals);
        }
        if host_died {
            self.host_is_dead.get_or_insert(Instant::now());
        }
    }

    fn listen(&mut self) -> Turn {
        while self.host_is_dead.is_none() {
            let turn = match self.inbox.next(self.host.as_fd()) {
                Ok(frame) => self.obey(frame),
                Err(Nothing::Yet) => return Turn::On,
                Err(Nothing::Closed | Nothing::Broken(_)) => Err(Errno::PIPE),
            };
            match turn {
                Ok(None) => {}
                Ok(Some(worker)) => return worker,
                Err(_) => self.host_is_dead = Some(Instant::now()),
            }
        }
        Turn::On
    }

    fn obey(&mut self, mut frame: Frame) -> Result<Option<Turn>, Errno> {
        let until = Instant::now() + SEND;
        match frame.kind {
            Kind::NewWorker => match self.fork_worker() {
                Ok(Forked::Worker(turn)) => return Ok(Some(turn)),
                Ok(Forked::Here { socket, process }) => {
                    Draft::new(Kind::Worker).send(self.host.as_fd(), &[socket.as_fd(), process.as_fd()], until)?;
                }
                Err(errno) => {
                    let number = u64::try_from(errno.raw_os_error()).unwrap_or(0);
                    Draft::new(Kind::Failed).number(number).send(self.host.as_fd(), &[], until)?;
                }
            },
            Kind::Keep => {
                let id = frame.number().ok_or(Errno::BADMSG)?;
                let name = frame.text().map(|name| OsStr::from_bytes(name).to_owned()).ok_or(Errno::BADMSG)?;
                let parent = frame.fds.pop_front().ok_or(Errno::BADMSG)?;
                self.folders.insert(id, (parent, name));
                Draft::new(Kind::Noted).send(self.host.as_fd(), &[], until)?;
            }
            Kind::Release => {
                self.folders.remove(&frame.number().ok_or(Errno::BADMSG)?);
            }
            _ => return Err(Errno::BADMSG),
        }
        Ok(None)
    }

    fn fork_worker(&mut self) -> Result<Forked, Errno> {
        let (ours, theirs) = wire::pair()?;
        let guardian = pidfd_open(getpid(), PidfdFlags::empty())?;
        match signals::fork()? {
            Fork::Child => Ok(Forked::Worker(Turn::Worker(theirs, guardian))),
            Fork::Parent(pid) => {
                self.workers.insert(pid.as_raw_nonzero().get());
                Ok(Forked::Here { socket: ours, process: pidfd_open(pid, PidfdFlags::empty())? })
            }
        }
    }
}

enum Forked {
    Worker(Turn),
    Here { socket: OwnedFd, process: OwnedFd },
}
