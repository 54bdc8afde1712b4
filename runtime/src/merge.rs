//! Equal read calls that are in flight at once are one run (C1.7).
//!
//! Whoever comes first drives the run, on its own thread. Who comes later waits, with an abort and a budget of its own.
//! When the driver leaves before the end, the next one drives on; when the last one leaves, the program is ended.

use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;

use crate::abort::Abort;
use crate::consent::Permit;
use crate::process::{self, Advance, End, Job, Run, Runner, Running, Sink};
use crate::table::Stream;

/// What must be equal. No `Debug`: environment and standard input may hold secrets.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    session: String,
    epoch: u64,
    file: PathBuf,
    argv: Vec<OsString>,
    cwd: PathBuf,
    env: Vec<(OsString, OsString)>,
    stdin: Option<Vec<u8>>,
}

/// The read runs of a session that are in flight.
#[derive(Default)]
pub struct Merger {
    runs: Arc<Mutex<Runs>>,
}

#[derive(Default)]
struct Runs {
    /// Grows when a write begins and when it ends.
    writes: u64,
    shared: HashMap<Key, Arc<Shared>>,
}

struct Shared {
    /// [`Runs::writes`] when it began.
    writes: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<OwnedFd>>,
    started: Option<Instant>,
    /// The driver has left: whoever takes this is the next.
    parked: Option<Parked>,
    done: Option<Run>,
}

enum Parked {
    Running(Box<Running>),
    /// The driver left before the start.
    Unstarted,
}

/// A write under way: until it is dropped, and from then on, no read joins a run that was begun before.
pub struct Writing(Arc<Mutex<Runs>>);

impl Drop for Writing {
    fn drop(&mut self) {
        lock(&self.0).writes += 1;
    }
}

/// How a wait ended.
enum Waited {
    Done(Run),
    Drive(Parked),
    Left(End),
}

impl Merger {
    /// Says that a write begins. To be held from before its program is started until after it has ended.
    #[must_use]
    pub fn writing(&self) -> Writing {
        lock(&self.runs).writes += 1;
        Writing(Arc::clone(&self.runs))
    }

    /// Runs a job of class `read`, or joins an equal one that is in flight. Everybody gets the same run, but who
    /// aborts, or whose budget runs out, gets that, with what had come until then.
    ///
    /// `session` and `epoch` are of the call's origin. A budget counts from the start of the program, or from joining it.
    /// A sink sees all bytes: of a joined run once it has ended. If more was printed than is kept, the job is run again
    /// for who joined with a sink.
    pub fn run(
        &self,
        (session, epoch): (&str, u64),
        job: &Job<'_>,
        permit: Permit,
        abort: &Abort,
        mut sink: Option<&mut dyn Sink>,
        runner: &Runner,
    ) -> Run {
        let key = Key {
            session: session.to_owned(),
            epoch,
            file: job.file.to_owned(),
            argv: job.argv.clone(),
            cwd: job.cwd.to_owned(),
            env: job.env.clone(),
            stdin: job.stdin.clone(),
        };
        let mut member = Member { merger: self, key, job, permit: Some(permit), abort, runner, joined: Instant::now() };
        let Some((shared, first)) = self.join(&member.key) else {
            // No descriptor to wait by.
            return member.alone(&mut sink);
        };
        let Some(ticket) = first else {
            return member.drive(&shared, Parked::Unstarted, &mut sink);
        };
        match member.wait(&shared, &ticket) {
            Waited::Left(end) => Run::ended_early(end, member.joined.elapsed()),
            Waited::Drive(parked) => member.drive(&shared, parked, &mut sink),
            Waited::Done(run) => {
                if feed(&run, &mut sink) {
                    run
                } else {
                    member.alone(&mut sink)
                }
            }
        }
    }

    /// The run in flight with a ticket to wait by, or a new one to drive.
    fn join(&self, key: &Key) -> Option<(Arc<Shared>, Option<Ticket>)> {
        let mut runs = lock(&self.runs);
        let writes = runs.writes;
        if let Some(shared) = runs.shared.get(key).filter(|shared| shared.writes == writes) {
            let ticket = Ticket::new()?;
            lock(&shared.state).waiting.push_back(Arc::clone(&ticket.write));
            return Some((Arc::clone(shared), Some(ticket)));
        }
        let shared = Arc::new(Shared { writes, state: Mutex::default() });
        // One that was begun before a write goes on for those who wait for it.
        runs.shared.insert(key.clone(), Arc::clone(&shared));
        Some((shared, None))
    }

    /// Nobody can join any more.
    fn close(&self, key: &Key, shared: &Arc<Shared>) {
        let mut runs = lock(&self.runs);
        if runs.shared.get(key).is_some_and(|it| Arc::ptr_eq(it, shared)) {
            runs.shared.remove(key);
        }
    }
}

/// One call.
struct Member<'a> {
    merger: &'a Merger,
    key: Key,
    job: &'a Job<'a>,
    permit: Option<Permit>,
    abort: &'a Abort,
    runner: &'a Runner,
    joined: Instant,
}

impl Member<'_> {
    /// When this call's budget runs out.
    fn until(&self, started: Instant) -> Instant {
        started.max(self.joined) + self.job.budget.length()
    }

    /// Without anybody else.
    fn alone(&mut self, sink: &mut Option<&mut dyn Sink>) -> Run {
        match self.permit.take() {
            Some(permit) => process::run_with(self.job, permit, self.abort, sink, self.runner),
            // Used up by a start for all; can't come about, since who drives does not run alone.
            None => Run::ended_early(End::Cancelled, Duration::ZERO),
        }
    }

    fn drive(&mut self, shared: &Arc<Shared>, parked: Parked, sink: &mut Option<&mut dyn Sink>) -> Run {
        let mut running = match parked {
            Parked::Running(running) => running,
            Parked::Unstarted => {
                let Some(permit) = self.permit.take() else { return Run::ended_early(End::Cancelled, Duration::ZERO) };
                match process::start(self.job, permit, self.abort, self.runner) {
                    Ok(running) => {
                        let mut state = lock(&shared.state);
                        state.started = Some(running.started());
                        state.wake_all();
                        Box::new(running)
                    }
                    Err(End::Cancelled) => {
                        self.leave(shared, Parked::Unstarted);
                        return Run::ended_early(End::Cancelled, Duration::ZERO);
                    }
                    Err(end) => {
                        let run = Run::ended_early(end, Duration::ZERO);
                        self.publish(shared, &run);
                        return run;
                    }
                }
            }
        };
        // A sink that was not there from the beginning is given what came before; if that was not kept, it waits for
        // the end and then sees all of a run of its own.
        let late = running.snapshot();
        let follows = feed(&late, sink);
        let mut none = None;
        let end = match running.advance(
            Some(self.abort),
            Some(self.until(running.started())),
            if follows { &mut *sink } else { &mut none },
        ) {
            Advance::Ended => {
                let run = running.finish(None, &mut none);
                self.publish(shared, &run);
                return if follows { run } else { self.alone(sink) };
            }
            Advance::Aborted => End::Cancelled,
            Advance::TimeUp => End::TimedOut,
        };
        let seen = Run { end: end.clone(), ..running.snapshot() };
        match self.leave(shared, Parked::Running(running)) {
            Some(Parked::Running(running)) => running.finish(Some(end), if follows { sink } else { &mut none }),
            Some(Parked::Unstarted) | None => seen,
        }
    }

    /// Hands the run over to the next who waits; gives it back if there is none, and then nobody can join any more.
    fn leave(&self, shared: &Arc<Shared>, parked: Parked) -> Option<Parked> {
        // In this order everywhere: who joins holds the first lock while it takes the second.
        let mut runs = lock(&self.merger.runs);
        let mut state = lock(&shared.state);
        if state.waiting.is_empty() {
            if runs.shared.get(&self.key).is_some_and(|it| Arc::ptr_eq(it, shared)) {
                runs.shared.remove(&self.key);
            }
            return Some(parked);
        }
        state.parked = Some(parked);
        state.wake_all();
        None
    }

    fn publish(&self, shared: &Arc<Shared>, run: &Run) {
        self.merger.close(&self.key, shared);
        let mut state = lock(&shared.state);
        state.done = Some(run.clone());
        state.wake_all();
    }

    fn wait(&self, shared: &Arc<Shared>, ticket: &Ticket) -> Waited {
        loop {
            let started = {
                let mut state = lock(&shared.state);
                if let Some(run) = &state.done {
                    return Waited::Done(run.clone());
                }
                if let Some(parked) = state.parked.take() {
                    state.forget(ticket);
                    return Waited::Drive(parked);
                }
                state.started
            };
            let until = started.map(|started| self.until(started));
            let end = if self.abort.is_raised() {
                Some(End::Cancelled)
            } else if until.is_some_and(|until| Instant::now() >= until) {
                Some(End::TimedOut)
            } else {
                None
            };
            if let Some(end) = end {
                // Under the lock again: the run may just have been handed over, and then this call must not be the one
                // that lets it lie.
                let mut state = lock(&shared.state);
                state.forget(ticket);
                return match state.parked.take() {
                    Some(parked) => Waited::Drive(parked),
                    None => Waited::Left(end),
                };
            }
            let timeout = until.map(|until| process::timespec(until.saturating_duration_since(Instant::now())));
            let mut fds =
                [PollFd::from_borrowed_fd(self.abort.fd(), PollFlags::IN), PollFd::new(&ticket.read, PollFlags::IN)];
            let _ = poll(&mut fds, timeout.as_ref());
            ticket.drain();
        }
    }
}

impl State {
    fn wake_all(&self) {
        for ticket in &self.waiting {
            // A full pipe wakes as well as one byte more.
            let _ = retry_on_intr(|| rustix::io::write(ticket.as_fd(), &[1]));
        }
    }

    fn forget(&mut self, ticket: &Ticket) {
        self.waiting.retain(|it| !Arc::ptr_eq(it, &ticket.write));
    }
}

/// What one who waits is woken by.
struct Ticket {
    read: OwnedFd,
    write: Arc<OwnedFd>,
}

impl Ticket {
    fn new() -> Option<Self> {
        let (read, write) = process::wake_pipe().ok()?;
        Some(Self { read, write: Arc::new(write) })
    }

    fn drain(&self) {
        let mut bytes = [0_u8; 16];
        while rustix::io::read(&self.read, &mut bytes[..]).is_ok_and(|count| count > 0) {}
    }
}

/// Gives a sink all that was printed, if all was kept. Whether it was, or nobody asked.
fn feed(run: &Run, sink: &mut Option<&mut dyn Sink>) -> bool {
    let Some(sink) = sink else { return true };
    if run.stdout.omitted() > 0 || run.stderr.omitted() > 0 {
        return false;
    }
    for (stream, captured) in [(Stream::Stdout, &run.stdout), (Stream::Stderr, &run.stderr)] {
        for bytes in [&captured.head, &captured.tail] {
            if !bytes.is_empty() {
                sink.chunk(stream, bytes);
            }
        }
    }
    true
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
