//! Where a session asks: one question at a time, in order, and no question again that was answered with no (C2.3, C2.8).

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Approval;
use crate::Code;
use crate::clock::Clock;
use crate::host::{Answer, Host, Question, Reply};
use crate::outcome::Failure;
use crate::plan::Plan;

/// How long the runtime waits for an answer (C2.3).
pub(super) const WITHIN: Duration = Duration::from_secs(120);
/// How long a no holds where turns are unknown (C2.8).
const REMEMBERED: Duration = Duration::from_secs(60);
/// So many times no in a row ...
const IN_A_ROW: u32 = 3;
/// ... and nothing is asked for this long.
const PAUSE: Duration = Duration::from_secs(5 * 60);
/// Most plans that are remembered; the oldest is forgotten first.
const MOST_REMEMBERED: usize = 64;
/// How often the wait looks at the clock and at the host's abort.
const STEP: Duration = Duration::from_millis(10);

/// Where a session asks: one question at a time, in order; remembers each no (C2.8).
#[derive(Debug)]
pub struct Desk {
    clock: Clock,
    state: Mutex<State>,
    next: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Who waits, in order; the first one asks.
    queue: VecDeque<u64>,
    last_ticket: u64,
    declined: VecDeque<(Plan, Duration)>,
    /// The host has said where a turn begins.
    knows_turns: bool,
    /// Answers of no since the last yes.
    in_a_row: u32,
    /// Nothing is asked before this time.
    paused_until: Option<Duration>,
}

impl Desk {
    /// A desk where nothing was asked yet.
    pub fn new(clock: Clock) -> Self {
        Self { clock, state: Mutex::default(), next: Condvar::new() }
    }

    /// The host knows where a turn begins, and one begins: declined plans may be asked again. Until this is called
    /// for the first time a declined plan is declined for 60 s.
    pub fn turn(&self) {
        let mut state = self.lock();
        state.knows_turns = true;
        state.declined.clear();
    }

    /// Asks for one plan and waits: for the answer, 120 s at most, or for the host's abort. Nothing is locked or
    /// started meanwhile. A host that panics, drops the reply or answers too late has not said yes.
    ///
    /// # Errors
    /// `DECLINED`: a no, no answer, a no from before. `CANCELLED`: aborted. Both say that nothing was run.
    pub fn ask(&self, host: &dyn Host, plan: Plan, question: &Question) -> Result<Approval, Failure> {
        let _place = self.wait_in_line(host)?;
        // Looked at only now: whoever stood before may have been told no.
        self.decline_unasked(&plan)?;
        let answer = self.answer(host, question)?;
        let now = self.clock.now();
        let mut state = self.lock();
        match answer {
            Answer::Yes => {
                state.in_a_row = 0;
                drop(state);
                Ok(Approval { plan, given: now, clock: self.clock.clone() })
            }
            Answer::No => {
                state.remember(plan, now);
                Err(declined(
                    "a person said no",
                    "don't call this again unless the user asks for it; ask what to do instead",
                ))
            }
            Answer::NoAnswer(why) => Err(declined(&why, "a confirmation needs an interactive session with a person")),
        }
    }

    /// Waits for all questions before this one. Leaves the line when it is dropped, on every way out.
    fn wait_in_line(&self, host: &dyn Host) -> Result<Place<'_>, Failure> {
        let mut state = self.lock();
        state.last_ticket = state.last_ticket.wrapping_add(1);
        let ticket = state.last_ticket;
        state.queue.push_back(ticket);
        let place = Place { desk: self, ticket };
        loop {
            if host.abort().is_raised() {
                drop(state);
                return Err(cancelled("while it waited for another question to be answered"));
            }
            if state.queue.front() == Some(&ticket) {
                drop(state);
                return Ok(place);
            }
            state = self.next.wait_timeout(state, STEP).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A no from before.
    fn decline_unasked(&self, plan: &Plan) -> Result<(), Failure> {
        let now = self.clock.now();
        let mut state = self.lock();
        if state.paused_until.is_some_and(|until| now < until) {
            return Err(declined(
                "a person has said no three times in a row, so for 5 minutes no question is asked",
                "stop calling tools that need a confirmation; tell the user what you wanted to do and wait",
            ));
        }
        state.paused_until = None;
        if !state.knows_turns {
            state.declined.retain(|(_, at)| now.saturating_sub(*at) < REMEMBERED);
        }
        if state.declined.iter().any(|(declined, _)| declined == plan) {
            return Err(declined(
                "a person has just said no to exactly this, so it was not asked again",
                "don't call this again unless the user asks for it; ask what to do instead",
            ));
        }
        Ok(())
    }

    /// Shows the question and waits for the answer.
    fn answer(&self, host: &dyn Host, question: &Question) -> Result<Answer, Failure> {
        let asked = self.clock.now();
        let (sender, receiver) = mpsc::channel();
        let open = Arc::new(());
        let reply = Reply { sender, open: Arc::downgrade(&open) };
        // The host's dialog may be anybody's code: one that panics has not said yes (C2.3).
        if catch_unwind(AssertUnwindSafe(|| host.ask(question, reply))).is_err() {
            host.log("the host's dialog panicked");
            return Ok(Answer::NoAnswer("the host's dialog failed".to_owned()));
        }
        let answer = self.wait(host, &receiver, asked, question.within.min(WITHIN));
        drop(open);
        answer
    }

    fn wait(
        &self,
        host: &dyn Host,
        receiver: &Receiver<Answer>,
        asked: Duration,
        within: Duration,
    ) -> Result<Answer, Failure> {
        let too_late = || Ok(Answer::NoAnswer(format!("nobody answered within {} s", within.as_secs())));
        loop {
            let came = receiver.recv_timeout(STEP);
            // Before the answer: a yes that comes with the abort, or after the time, counts no more.
            if host.abort().is_raised() {
                return Err(cancelled("while a person was asked"));
            }
            if self.clock.now().saturating_sub(asked) >= within {
                return too_late();
            }
            match came {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok(Answer::NoAnswer("the question was closed without an answer".to_owned()));
                }
            }
        }
    }

    /// How many ask or stand in the line.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.lock().queue.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change of the state is whole: what another thread left when it panicked can be used.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn remember(&mut self, plan: Plan, now: Duration) {
        if self.declined.len() == MOST_REMEMBERED {
            self.declined.pop_front();
        }
        self.declined.push_back((plan, now));
        self.in_a_row += 1;
        if self.in_a_row >= IN_A_ROW {
            self.in_a_row = 0;
            self.paused_until = Some(now.saturating_add(PAUSE));
        }
    }
}

/// A place in the line.
struct Place<'a> {
    desk: &'a Desk,
    ticket: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.desk.lock().queue.retain(|ticket| *ticket != self.ticket);
        self.desk.next.notify_all();
    }
}

fn declined(why: &str, hint: &str) -> Failure {
    Failure::new(Code::Declined, format!("not confirmed: {why}; nothing was run"), hint)
}

fn cancelled(when: &str) -> Failure {
    Failure::new(
        Code::Cancelled,
        format!("aborted by the host {when}; nothing was run"),
        "call again if it is still wanted",
    )
}
