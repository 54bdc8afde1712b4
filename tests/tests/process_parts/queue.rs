//! A limit on what runs at once, first come, first served.

use std::fs;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use crate::abort::Abort;
use crate::process::{End, Runner, RunnerOptions};
use crate::support::{Call, GUARDIAN, filled, until};

#[test]
fn no_more_run_at_once_than_the_limit_and_those_who_wait_are_served_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let options = RunnerOptions { at_once: 1, guardian: Some(GUARDIAN.into()), ..RunnerOptions::default() };
    let runner = Runner::new(options).unwrap();
    let order = Mutex::new(Vec::new());
    let log = dir.path().join("log");
    thread::scope(|scope| {
        let mut calls = Vec::new();
        for index in 0..6_usize {
            let (runner, order, log) = (&runner, &order, log.to_str().unwrap().to_owned());
            calls.push(scope.spawn(move || {
                // Two at once would both find the file missing.
                let lock = format!("{log}.running");
                let call = Call::new(&["mkdir", &lock, "append", &log, "1", "sleep", "150"]);
                assert_eq!(call.run(runner).end, End::Exited(crate::table::capture::Exit::Status(0)), "{index}");
                fs::remove_dir(lock).unwrap_or(());
                order.lock().unwrap().push(index);
            }));
            if index == 0 {
                until("the first runs", || filled(log_path(&dir)));
            }
            thread::sleep(Duration::from_millis(40));
        }
        calls.into_iter().for_each(|call| call.join().unwrap());
    });
    assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4, 5]);
}

fn log_path(dir: &tempfile::TempDir) -> &'static std::path::Path {
    Box::leak(dir.path().join("log").into_boxed_path())
}

#[test]
fn an_abort_while_waiting_for_a_place_starts_nothing_and_keeps_the_queue_going() {
    let dir = tempfile::tempdir().unwrap();
    let (up, never) = (dir.path().join("up"), dir.path().join("never"));
    let runner = Runner::new(RunnerOptions { at_once: 1, ..RunnerOptions::default() }).unwrap();
    let (first, second) = (Abort::new().unwrap(), Abort::new().unwrap());
    thread::scope(|scope| {
        let (runner, up, never) = (&runner, up.to_str().unwrap(), never.to_str().unwrap());
        let (first, second) = (&first, &second);
        let one = scope.spawn(move || Call::new(&["write", up, "1", "forever"]).run_with(runner, first, None));
        until("the first runs", || filled(up.as_ref()));
        let two = scope.spawn(move || Call::new(&["touch", never]).run_with(runner, second, None));
        let three = scope.spawn(move || Call::new(&["say", "x"]).run(runner));
        thread::sleep(Duration::from_millis(100));
        second.raise();
        assert_eq!(two.join().unwrap().end, End::Cancelled);
        first.raise();
        assert_eq!(one.join().unwrap().end, End::Cancelled);
        assert_eq!(three.join().unwrap().stdout.total, 2);
    });
    assert!(!never.exists());
}
