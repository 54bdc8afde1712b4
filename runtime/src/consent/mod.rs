//! Consent (contract C2): the question, the wait, the yes that holds for exactly one plan, and the permit that only
//! this module makes and only the process layer takes.
//!
//! Invariants: no flag, setting or variable skips a question, in no build. Nothing is started, staged or locked here.

mod desk;
mod question;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::Code;
use crate::clock::Clock;
use crate::outcome::Failure;
use crate::plan::Plan;
use crate::table::Class;

pub use desk::Desk;
pub use question::{Draft, LONGEST, Shown, question, shown, shows_no_secret};

/// How long a yes is valid (C2.7).
pub const VALID: Duration = Duration::from_secs(5 * 60);

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
#[allow(dead_code)] // called by the way of a call
pub(crate) fn without_asking(class: Class) -> Option<Permit> {
    (!class.asks()).then_some(Permit(()))
}

/// A person's yes for one plan. Valid 5 minutes, once. Only [`Desk::ask`] makes one.
#[derive(Debug)]
#[must_use = "a yes is confirmed against the plan as it stands after lock and precondition"]
pub struct Approval {
    plan: Plan,
    given: Duration,
    clock: Clock,
}

impl Approval {
    /// Turns the yes into a permit, if the plan that was built anew is equal. `precondition_ran`: for the words.
    ///
    /// # Errors
    /// `DECLINED`: changed meanwhile, or the yes is too old.
    pub fn confirm(self, rebuilt: &Plan, precondition_ran: bool) -> Result<Permit, Failure> {
        let ran = if precondition_ran { "only the precondition was run" } else { "nothing was run" };
        if let Some(what) = self.plan.difference(rebuilt) {
            return Err(Failure::new(
                Code::Declined,
                format!("changed meanwhile: {what} is no longer what the person agreed to; {ran}"),
                "look at what changed, then call again: the person will be asked anew",
            ));
        }
        if self.clock.now().saturating_sub(self.given) > VALID {
            return Err(Failure::new(
                Code::Declined,
                format!("the yes is older than 5 minutes; {ran}"),
                "call again: the person will be asked anew",
            ));
        }
        Ok(Permit(()))
    }
}
