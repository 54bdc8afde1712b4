//! A yes comes from a question that was asked, and is used once.

use std::time::Duration;

use verbgate::clock::Clock;
use verbgate::consent::Approval;
use verbgate::plan::Plan;

fn made(plan: Plan) -> Approval {
    Approval { plan, given: Duration::ZERO, clock: Clock::monotonic() }
}

fn twice(approval: Approval, plan: &Plan) {
    let _ = approval.confirm(plan, false);
    let _ = approval.confirm(plan, false);
}

fn main() {
    let _ = (made, twice);
}
