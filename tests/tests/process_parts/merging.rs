//! Equal read calls in flight are one run (C1.7).

use std::fs;
use std::path::Path;
use std::thread::{self, sleep};
use std::time::Duration;

use crate::abort::Abort;
use crate::consent::Permit;
use crate::merge::Merger;
use crate::process::{End, Run, Runner, RunnerOptions, Sink};
use crate::support::{Call, direct, filled, guarded, mark, marked, text, until};
use crate::table::Stream;
use crate::table::capture::Exit;

const OK: End = End::Exited(Exit::Status(0));

fn merged(merger: &Merger, call: &Call<'_>, abort: &Abort, runner: &Runner) -> Run {
    merger.run(("s", 1), &call.job(), Permit, abort, None, runner)
}

/// A call that leaves one byte in the log for each run, says something, and takes a while.
fn logging<'a>(log: &Path, rest: &[&str]) -> Call<'a> {
    Call::new(&[&["append", log.to_str().unwrap(), "1", "say", "x", "sleep", "500"], rest].concat())
}

fn runs(log: &Path) -> u64 {
    fs::metadata(log).map_or(0, |it| it.len())
}

/// Starts `first`, and `second` once it runs; gives both, and how many runs there were.
fn two(first: impl FnOnce(&Path) -> Run + Send, second: impl FnOnce(&Path) -> Run + Send) -> (Run, Run, u64) {
    let dir = tempfile::tempdir().unwrap();
    let log = &dir.path().join("log");
    let (one, two) = thread::scope(|scope| {
        let one = scope.spawn(|| first(log));
        until("the first runs", || filled(log));
        let two = scope.spawn(|| second(log));
        (one.join().unwrap(), two.join().unwrap())
    });
    (one, two, runs(log))
}

#[test]
fn equal_calls_at_once_are_one_run_and_each_has_its_own_copy() {
    let (merger, runner, abort) = (Merger::default(), guarded(), Abort::new().unwrap());
    let run = |log: &Path| merged(&merger, &logging(log, &[]), &abort, &runner);
    let (one, two, count) = two(run, run);
    assert_eq!((text(&one.stdout).as_str(), &one.end, count), ("x\n", &OK, 1));
    assert_eq!(one, two);
}

#[test]
fn calls_that_differ_in_anything_are_runs_of_their_own() {
    let (merger, runner, abort) = (Merger::default(), direct(), Abort::new().unwrap());
    #[allow(clippy::type_complexity)] // one table of one test
    let change: [(&str, fn(&mut Call<'_>)); 4] = [
        ("argv", |call| call.argv.push("fds".into())),
        ("env", |call| call.env.push(("A".into(), "b".into()))),
        ("cwd", |call| call.cwd = "/usr".into()),
        ("stdin", |call| call.stdin = Some(Vec::new())),
    ];
    for (what, change) in change {
        let first = |log: &Path| merged(&merger, &logging(log, &[]), &abort, &runner);
        let second = |log: &Path| {
            let mut call = logging(log, &[]);
            change(&mut call);
            merged(&merger, &call, &abort, &runner)
        };
        assert_eq!(two(first, second).2, 2, "{what}");
    }
    for origin in [("other", 1), ("s", 2)] {
        let first = |log: &Path| merged(&merger, &logging(log, &[]), &abort, &runner);
        let second = |log: &Path| merger.run(origin, &logging(log, &[]).job(), Permit, &abort, None, &runner);
        assert_eq!(two(first, second).2, 2, "{origin:?}");
    }
}

#[test]
fn none_joins_a_run_that_was_begun_before_the_last_write() {
    let (merger, runner, abort) = (Merger::default(), direct(), Abort::new().unwrap());
    let run = |log: &Path| merged(&merger, &logging(log, &[]), &abort, &runner);
    let after_a_write = |log: &Path| {
        drop(merger.writing());
        run(log)
    };
    assert_eq!(two(run, after_a_write).2, 2);
    // Begun while the write was under way, joined after it.
    let mut writing = Some(merger.writing());
    let after_its_end = |log: &Path| {
        writing.take();
        run(log)
    };
    assert_eq!(two(run, after_its_end).2, 2);
}

#[test]
fn who_aborts_is_cancelled_alone_whether_it_drives_or_waits() {
    for driver_leaves in [true, false] {
        let (merger, runner) = (Merger::default(), guarded());
        let (leaver, stayer) = (Abort::new().unwrap(), Abort::new().unwrap());
        let aborts = if driver_leaves { (&leaver, &stayer) } else { (&stayer, &leaver) };
        let (one, two, count) = thread::scope(|scope| {
            scope.spawn(|| {
                sleep(Duration::from_millis(250));
                leaver.raise();
            });
            let slow = |log: &Path| logging(log, &["sleep", "600", "say", "end"]);
            two(
                |log| merged(&merger, &slow(log), aborts.0, &runner),
                |log| merged(&merger, &slow(log), aborts.1, &runner),
            )
        });
        let (left, stayed) = if driver_leaves { (one, two) } else { (two, one) };
        assert_eq!((left.end, count), (End::Cancelled, 1), "driver leaves: {driver_leaves}");
        assert_eq!((stayed.end, text(&stayed.stdout).as_str()), (OK, "x\nend\n"), "driver leaves: {driver_leaves}");
    }
}

#[test]
fn each_has_its_own_budget() {
    for driver_is_short in [true, false] {
        let (merger, runner, abort) = (Merger::default(), guarded(), Abort::new().unwrap());
        let run = |short: bool, log: &Path| {
            let call = logging(log, &["sleep", "1000"]);
            merged(&merger, &if short { call.within(300) } else { call }, &abort, &runner)
        };
        let (one, two, count) = two(|log| run(driver_is_short, log), |log| run(!driver_is_short, log));
        let (short, long) = if driver_is_short { (one, two) } else { (two, one) };
        assert_eq!((short.end, long.end, count), (End::TimedOut, OK, 1), "driver is short: {driver_is_short}");
    }
}

#[test]
fn when_all_have_left_the_program_is_ended() {
    let (merger, runner, mark) = (Merger::default(), guarded(), mark());
    let (first, second) = (Abort::new().unwrap(), Abort::new().unwrap());
    let slow = |log: &Path| logging(log, &["mark", &mark, "forever"]);
    let (one, two, count) = thread::scope(|scope| {
        scope.spawn(|| {
            sleep(Duration::from_millis(300));
            first.raise();
            second.raise();
        });
        two(|log| merged(&merger, &slow(log), &first, &runner), |log| merged(&merger, &slow(log), &second, &runner))
    });
    assert_eq!((one.end, two.end, count), (End::Cancelled, End::Cancelled, 1));
    assert!(marked(&mark).is_empty());
}

#[test]
fn who_waits_for_a_call_that_is_aborted_before_its_start_starts_it() {
    let dir = tempfile::tempdir().unwrap();
    let (up, log) = (dir.path().join("up"), dir.path().join("log"));
    let runner = Runner::new(RunnerOptions { at_once: 1, ..RunnerOptions::default() }).unwrap();
    let (merger, blocker, first, second) =
        (Merger::default(), Abort::new().unwrap(), Abort::new().unwrap(), Abort::new().unwrap());
    thread::scope(|scope| {
        let (up, runner, merger, log) = (up.to_str().unwrap(), &runner, &merger, &log);
        let (blocker, first, second) = (&blocker, &first, &second);
        let other = scope.spawn(move || Call::new(&["write", up, "1", "forever"]).run_with(runner, blocker, None));
        until("the place is taken", || filled(up.as_ref()));
        let one = scope.spawn(move || merged(merger, &logging(log, &[]), first, runner));
        sleep(Duration::from_millis(100));
        let two = scope.spawn(move || merged(merger, &logging(log, &[]), second, runner));
        sleep(Duration::from_millis(100));
        first.raise();
        assert_eq!(one.join().unwrap().end, End::Cancelled);
        blocker.raise();
        other.join().unwrap();
        assert_eq!(two.join().unwrap().end, OK);
    });
    assert_eq!(runs(&log), 1);
}

#[derive(Default)]
struct Seen(u64);

impl Sink for Seen {
    fn chunk(&mut self, _: Stream, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
    }
}

#[test]
fn a_sink_sees_all_bytes_of_a_joined_run_or_the_run_is_its_own() {
    for (size, expected_runs) in [("1000", 1), ("1000000", 2)] {
        let (merger, runner, abort) = (Merger::default(), direct(), Abort::new().unwrap());
        let run = |log: &Path| {
            let mut seen = Seen::default();
            let call = logging(log, &["out", size]);
            let got = merger.run(("s", 1), &call.job(), Permit, &abort, Some(&mut seen), &runner);
            assert_eq!(seen.0, got.stdout.total);
            got
        };
        let (one, two, count) = two(run, run);
        assert_eq!((one.stdout.total, count), (two.stdout.total, expected_runs), "{size}");
    }
}
