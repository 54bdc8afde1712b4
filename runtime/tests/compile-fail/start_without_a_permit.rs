//! The process layer starts nothing without a permit.

use verbgate::abort::Abort;
use verbgate::consent::Permit;
use verbgate::process::{Job, Runner, run};

fn without(job: &Job<'_>, abort: &Abort, runner: &Runner) {
    run(job, abort, None, runner);
}

fn twice(job: &Job<'_>, permit: Permit, abort: &Abort, runner: &Runner) {
    run(job, permit, abort, None, runner);
    run(job, permit, abort, None, runner);
}

fn main() {
    let _ = (without, twice);
}
