//! Consent (contract C2): the question, the wait, the yes that holds for exactly one plan, and the permit that only
//! this module makes and only the process layer takes.

use crate::clock::Clock;
use crate::host::{Host, Question};
use crate::outcome::Failure;
use crate::plan::Plan;
use crate::table::args::Values;
use crate::table::{Class, Piece};

/// The right to start one program once. Nothing outside this module can make one, and the process layer consumes it:
/// a call that needs consent and lacks it does not compile.
#[derive(Debug)]
#[must_use = "a permit is given to the process layer, which starts nothing without one"]
pub struct Permit(());

impl Permit {
    /// Uses the permit up.
    pub(crate) fn spend(self) {
        let Self(()) = self;
    }
}

/// A permit for a verb whose class does not ask (C2.1); none for one that does.
pub(crate) fn without_asking(class: Class) -> Option<Permit> {
    (!class.asks()).then_some(Permit(()))
}

/// The value of an argument, as a question shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Whole text: of a path the absolute one.
    Text(String),
    /// Items, on one line.
    Items(Vec<String>),
    /// Never shown.
    Secret,
}

/// What a question is built from.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// The verb's class; one that asks.
    pub class: Class,
    /// The manifest's sentence.
    pub ask: &'a [Piece],
    /// The values that were given, by argument, in manifest order. A boolean only when it is true.
    pub values: &'a [(String, Shown)],
    /// What will be run.
    pub plan: &'a Plan,
    /// The standard input holds a secret.
    pub secret_stdin: bool,
}

/// The values of a call for [`Draft::values`]. `path` gives the located path for a path's text as given.
pub fn shown(values: &Values<'_>, path: impl Fn(&str) -> String) -> Vec<(String, Shown)> {
    let _ = (values, path);
    todo!()
}

/// Builds the question (C2.2). Pure.
///
/// # Errors
/// `INVALID_ARGUMENT`: it would be longer than 2,000 characters.
pub fn question(draft: &Draft<'_>) -> Result<Question, Failure> {
    let _ = draft;
    todo!()
}

/// Where a session asks: one question at a time, in order; remembers each no (C2.8).
#[derive(Debug)]
pub struct Desk {
    clock: Clock,
}

impl Desk {
    /// A desk where nothing was asked yet.
    pub fn new(clock: Clock) -> Self {
        Self { clock }
    }

    /// The host knows where a turn begins, and one begins: declined plans may be asked again. Until this is called
    /// for the first time a declined plan is declined for 60 s.
    pub fn turn(&self) {}

    /// Asks for one plan and waits: for the answer, 120 s at most, or for the host's abort. Nothing is locked or
    /// started meanwhile.
    ///
    /// # Errors
    /// `DECLINED`: a no, no answer, a no from before. `CANCELLED`: aborted. Both say that nothing was run.
    pub fn ask(&self, host: &dyn Host, plan: Plan, question: &Question) -> Result<Approval, Failure> {
        let _ = (host, question);
        Ok(Approval { plan, given: self.clock.now(), clock: self.clock.clone() }).and_then(|_: Approval| todo!())
    }
}

/// A person's yes for one plan. Valid 5 minutes, once.
#[derive(Debug)]
#[must_use = "a yes is confirmed against the plan as it stands after lock and precondition"]
pub struct Approval {
    plan: Plan,
    given: std::time::Duration,
    clock: Clock,
}

impl Approval {
    /// Turns the yes into a permit, if the plan that was built anew is equal. `precondition_ran`: for the words.
    ///
    /// # Errors
    /// `DECLINED`: changed meanwhile, or the yes is too old.
    pub fn confirm(self, rebuilt: &Plan, precondition_ran: bool) -> Result<Permit, Failure> {
        let _ = (rebuilt, precondition_ran, &self.plan, self.given, &self.clock);
        todo!()
    }
}
