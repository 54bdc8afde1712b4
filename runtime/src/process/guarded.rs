//! The host's side of the guardian: starting it, its workers, and a program that a worker has.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid};

use crate::table::capture::Exit;

use super::drive::{Ended, How};
use super::spawn::{self, Image};
use super::tree::{self, Family};
use super::wire::{self, Draft, Frame, Inbox, Kind, Nothing};
use super::{Job, SpawnFault, ending, fault, guardian, pipes};

/// How long the guardian may take to greet, and to answer.
const ANSWER: Duration = Duration::from_secs(5);
/// How long a worker may take to end a program: its own times, and some for the way.
const END: Duration = Duration::from_millis(150);
/// How long the guardian may take to leave.
const LEAVE: Duration = Duration::from_secs(3);

/// The guardian of one session, started when it is first needed.
#[derive(Debug)]
pub(super) struct Guardian {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    Unstarted,
    Up(Up),
    /// It died. It is not started again: something kills it.
    Lost(String),
}

#[derive(Debug)]
struct Up {
    control: OwnedFd,
    inbox: Inbox,
    pid: Pid,
    process: OwnedFd,
    idle: Vec<Worker>,
    last_id: u64,
}

#[derive(Debug)]
struct Worker {
    socket: OwnedFd,
    inbox: Inbox,
    process: OwnedFd,
}

impl Guardian {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self { path, state: Mutex::new(State::Unstarted) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the running guardian, starting it if need be.
    fn with<T>(&self, act: impl FnOnce(&mut Up) -> Result<T, SpawnFault>) -> Result<T, SpawnFault> {
        let mut state = self.lock();
        if let State::Unstarted = *state {
            *state = State::Up(start(&self.path).map_err(SpawnFault::NoGuardian)?);
        }
        let up = match &mut *state {
            State::Up(up) => up,
            State::Lost(reason) => return Err(SpawnFault::NoGuardian(reason.clone())),
            State::Unstarted => return Err(SpawnFault::NoGuardian("it did not start".to_owned())),
        };
        let result =
            if is_dead(&up.process) { Err(SpawnFault::NoGuardian("it was killed".to_owned())) } else { act(up) };
        if result.is_err() && is_dead(&up.process) {
            let reason = "it died; a new session has a new one".to_owned();
            *state = State::Lost(reason.clone());
            return Err(SpawnFault::NoGuardian(reason));
        }
        result
    }

    fn worker(&self) -> Result<Worker, SpawnFault> {
        self.with(|up| {
            while let Some(worker) = up.idle.pop() {
                if !is_dead(&worker.process) {
                    return Ok(worker);
                }
            }
            let mut frame = up.ask(Draft::new(Kind::NewWorker), &[])?;
            match (frame.kind, frame.fds.pop_front(), frame.fds.pop_front()) {
                (Kind::Worker, Some(socket), Some(process)) => Ok(Worker { socket, inbox: Inbox::default(), process }),
                (Kind::Failed, ..) => Err(match frame.number().and_then(|it| i32::try_from(it).ok()) {
                    Some(errno) if Errno::from_raw_os_error(errno) == Errno::AGAIN => SpawnFault::NoMoreProcesses,
                    Some(errno) => fault::of_descriptors(Errno::from_raw_os_error(errno)),
                    None => SpawnFault::NoGuardian("its answer can't be read".to_owned()),
                }),
                _ => Err(SpawnFault::NoGuardian("its answer can't be read".to_owned())),
            }
        })
    }

    fn give_back(&self, worker: Worker) {
        if let State::Up(up) = &mut *self.lock() {
            up.idle.push(worker);
        }
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        let state = std::mem::replace(&mut *self.lock(), State::Lost(String::new()));
        if let State::Up(Up { control, idle, pid, process, .. }) = state {
            drop((control, idle));
            leave(pid, &process);
        }
    }
}

impl Up {
    fn ask(&mut self, draft: Draft, fds: &[BorrowedFd<'_>]) -> Result<Frame, SpawnFault> {
        let until = Instant::now() + ANSWER;
        let lost = |reason: String| SpawnFault::NoGuardian(reason);
        draft
            .send(self.control.as_fd(), fds, until)
            .map_err(|errno| lost(format!("nothing can be said to it: {errno}")))?;
        self.inbox.wait(self.control.as_fd(), until).map_err(|nothing| lost(no_answer(nothing)))
    }
}

fn no_answer(nothing: Nothing) -> String {
    match nothing {
        Nothing::Broken(Errno::TIMEDOUT) | Nothing::Yet => "it does not answer".to_owned(),
        Nothing::Closed => "it ended".to_owned(),
        Nothing::Broken(errno) => format!("its answer can't be read: {errno}"),
    }
}

fn start(path: &Path) -> Result<Up, String> {
    let name = path.display();
    let argv = [path.as_os_str(), OsStr::new(guardian::ARGUMENT)];
    let root = Path::new("/");
    let image = Image::new(path, argv.into_iter(), std::iter::empty(), root)
        .ok_or_else(|| format!("`{name}` is no absolute path"))?;
    let broken = |errno: Errno| format!("the system gives no descriptors: {errno}");
    let (control, theirs) = wire::pair().map_err(broken)?;
    let null = pipes::null().map_err(broken)?;
    let fds = [null.as_fd(), null.as_fd(), null.as_fd(), theirs.as_fd()];
    let pid = spawn::spawn(&image, &fds)
        .map_err(|errno| format!("`{name}` can't be run: {}", words(&fault::explain(errno, path, root))))?;
    drop(theirs);
    let process = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) => process,
        Err(errno) => {
            let _ = retry_on_intr(|| waitid(WaitId::Pid(pid), WaitIdOptions::EXITED));
            return Err(format!("the system is too old: {errno}"));
        }
    };
    let mut up = Up { control, inbox: Inbox::default(), pid, process, idle: Vec::new(), last_id: 0 };
    let greeting = up.inbox.wait(up.control.as_fd(), Instant::now() + ANSWER);
    let fault = match greeting {
        Ok(mut frame) if frame.kind == Kind::Hello => match frame.text() {
            Some(version) if version == guardian::VERSION.as_bytes() => return Ok(up),
            version => format!(
                "`{name}` is of another version: `{}` where `{}` is needed",
                String::from_utf8_lossy(version.unwrap_or_default()),
                guardian::VERSION
            ),
        },
        Ok(_) => format!("`{name}` is no guardian"),
        Err(nothing) => format!("`{name}` did not greet: {}", no_answer(nothing)),
    };
    let Up { control, pid, process, .. } = up;
    drop(control);
    let _ = pidfd_send_signal(&process, Signal::KILL);
    leave(pid, &process);
    Err(fault)
}

fn words(fault: &SpawnFault) -> &'static str {
    match fault {
        SpawnFault::NotFound => "there is no such file",
        SpawnFault::NotExecutable => "it is not executable",
        SpawnFault::NotAProgram => "it is no program",
        SpawnFault::BrokenInterpreter(_) => "its interpreter is missing",
        SpawnFault::NoMoreProcesses => "the system has no more processes",
        SpawnFault::NoMoreDescriptors => "the system has no more descriptors",
        _ => "the system refuses",
    }
}

/// Waits until the guardian has left, and reaps it; kills it if it does not leave.
fn leave(pid: Pid, process: &OwnedFd) {
    wait_for_end(process, LEAVE);
    if !is_dead(process) {
        let _ = pidfd_send_signal(process, Signal::KILL);
        wait_for_end(process, LEAVE);
    }
    // Where the host has its children reaped by the system there is nothing left to reap.
    let _ = retry_on_intr(|| waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG));
}

fn wait_for_end(process: &OwnedFd, time: Duration) {
    let until = Instant::now() + time;
    while !is_dead(process) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let _ = poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&super::timespec(left)));
    }
}

/// Whether the process behind a pidfd has ended.
fn is_dead(process: &OwnedFd) -> bool {
    let now = super::timespec(Duration::ZERO);
    retry_on_intr(|| poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&now))).is_ok_and(|count| count > 0)
}

/// A folder that the guardian removes if this process dies. Dropped once it is gone.
#[derive(Debug)]
pub struct Kept {
    guardian: Arc<Guardian>,
    id: u64,
}

impl Kept {
    pub(super) fn new(guardian: &Arc<Guardian>, parent: BorrowedFd<'_>, name: &OsStr) -> Result<Self, String> {
        let noted = guardian.with(|up| {
            up.last_id += 1;
            let draft = Draft::new(Kind::Keep).number(up.last_id).text(name.as_bytes());
            match up.ask(draft, &[parent])?.kind {
                Kind::Noted => Ok(up.last_id),
                _ => Err(SpawnFault::NoGuardian("its answer can't be read".to_owned())),
            }
        });
        match noted {
            Ok(id) => Ok(Self { guardian: Arc::clone(guardian), id }),
            Err(SpawnFault::NoGuardian(reason)) => Err(reason),
            Err(other) => Err(words(&other).to_owned()),
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let mut state = self.guardian.lock();
        if let State::Up(up) = &mut *state {
            let until = Instant::now() + ANSWER;
            let _ = Draft::new(Kind::Release).number(self.id).send(up.control.as_fd(), &[], until);
        }
    }
}

/// A program that a worker has.
#[derive(Debug)]
pub(super) struct Child {
    guardian: Arc<Guardian>,
    worker: Option<Worker>,
    started: Instant,
    /// The program's number and its pidfd, for when the worker dies.
    leader: Option<(i32, OwnedFd)>,
    answer_by: Option<Instant>,
}

impl Child {
    pub(super) fn start(guardian: &Arc<Guardian>, job: &Job<'_>, fds: [BorrowedFd<'_>; 3]) -> Result<Self, SpawnFault> {
        let worker = guardian.worker()?;
        let texts = |text: &OsStr| text.as_bytes().len() + 8;
        let size: usize = job.argv.iter().map(|it| texts(it)).sum::<usize>()
            + job.env.iter().map(|(name, value)| texts(name) + texts(value)).sum::<usize>();
        if size > wire::FRAME / 2 {
            guardian.give_back(worker);
            return Err(SpawnFault::TooLong);
        }
        let env: Vec<&[u8]> = job.env.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]).collect();
        let draft = Draft::new(Kind::Job)
            .text(job.file.as_os_str().as_bytes())
            .text(job.cwd.as_os_str().as_bytes())
            .texts(job.argv.iter().map(|it| it.as_bytes()))
            .texts(env.into_iter());
        let started = Instant::now();
        let mut all = fds.to_vec();
        all.extend(job.hold);
        draft
            .send(worker.socket.as_fd(), &all, started + ANSWER)
            .map_err(|errno| SpawnFault::NoGuardian(format!("its worker takes no job: {errno}")))?;
        Ok(Self { guardian: Arc::clone(guardian), worker: Some(worker), started, leader: None, answer_by: None })
    }

    pub(super) fn started(&self) -> Instant {
        self.started
    }

    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.worker.as_ref().map(|worker| worker.socket.as_fd())
    }

    pub(super) fn wake(&self) -> Option<Instant> {
        self.answer_by
    }

    pub(super) fn end(&mut self) {
        let now = Instant::now();
        self.answer_by = Some(now + ending::GRACE + ending::KILL_WAIT + END);
        if let Some(worker) = &self.worker {
            // If it can't be said, the worker is gone, and the next step says so.
            let _ = Draft::new(Kind::End).send(worker.socket.as_fd(), &[], now + END);
        }
    }

    pub(super) fn step(&mut self, now: Instant) -> Option<Ended> {
        loop {
            let Some(worker) = &mut self.worker else { return Some(self.lost("its worker is gone")) };
            match worker.inbox.next(worker.socket.as_fd()) {
                Ok(mut frame) => match frame.kind {
                    Kind::Started => {
                        let pid = frame.number().and_then(|pid| i32::try_from(pid).ok());
                        self.leader = pid.zip(frame.fds.pop_front());
                    }
                    Kind::Failed => {
                        let errno = frame.number().and_then(|it| i32::try_from(it).ok());
                        self.give_back();
                        return Some(Ended::without(How::NotStarted(errno.unwrap_or(0))));
                    }
                    Kind::Ended => return Some(self.ended(&mut frame)),
                    _ => return Some(self.lost("its worker can't be understood")),
                },
                Err(Nothing::Yet) => break,
                Err(Nothing::Closed) => return Some(self.lost("its worker was killed")),
                Err(Nothing::Broken(errno)) => return Some(self.lost(&format!("its worker can't be heard: {errno}"))),
            }
        }
        if self.answer_by.is_some_and(|by| now >= by) {
            return Some(self.lost("its worker does not answer"));
        }
        None
    }

    fn give_back(&mut self) {
        if let Some(worker) = self.worker.take() {
            self.guardian.give_back(worker);
        }
    }

    fn ended(&mut self, frame: &mut Frame) -> Ended {
        let text = |text: Vec<u8>| String::from_utf8_lossy(&text).into_owned();
        let mut read = || {
            let (kind, value) = (frame.number()?, u8::try_from(frame.number()?).ok()?);
            let (by_itself, lasted) = (frame.number()? != 0, Duration::from_nanos(frame.number()?));
            let escaped = frame.texts()?.into_iter().map(text).collect();
            let left: Vec<String> = frame.texts()?.into_iter().map(text).collect();
            let how = match kind {
                0 => How::Exit(Exit::Status(value)),
                1 => How::Exit(Exit::Signal(value)),
                _ => How::Lost("the program could not be ended".to_owned()),
            };
            Some(Ended { how, by_itself, elapsed: lasted, escaped, left })
        };
        match read() {
            Some(ended) => {
                if ended.left.is_empty() {
                    self.give_back();
                } else {
                    // The worker goes on trying, holds the lock meanwhile, and takes no other program.
                    self.worker = None;
                }
                ended
            }
            None => self.lost("its worker can't be understood"),
        }
    }

    /// The worker is gone or of no use: the guardian ends what it had, if it lives; what is known here is ended here.
    fn lost(&mut self, reason: &str) -> Ended {
        if let Some(worker) = self.worker.take() {
            let _ = pidfd_send_signal(&worker.process, Signal::KILL);
        }
        if let Some((leader, process)) = self.leader.take() {
            end_session(leader, &process);
        }
        let elapsed = self.started.elapsed();
        Ended { elapsed, ..Ended::without(How::Lost(format!("the guardian was lost: {reason}"))) }
    }
}

/// Ends a session through its leader's pidfd. The session's number is the leader's: it means this session only while
/// the leader is there. So the leader is stopped first, and ended last.
fn end_session(leader: i32, process: &OwnedFd) {
    if is_dead(process) || pidfd_send_signal(process, Signal::STOP).is_err() {
        return;
    }
    let family = Family::Session(leader);
    for _ in 0..20 {
        let others: Vec<_> = tree::members(family).into_iter().filter(|it| it.pid != leader).collect();
        if others.is_empty() || is_dead(process) {
            break;
        }
        for other in others {
            let _ = tree::signal(other.pid, family, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = pidfd_send_signal(process, Signal::KILL);
    wait_for_end(process, Duration::from_millis(200));
}
