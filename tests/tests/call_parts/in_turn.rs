//! What runs at once, and what does not: locks across processes, preconditions inside them, merged reads.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value as Json, json};
use verbgate::Code;
use verbgate::config::Environment;
use verbgate::host::Answer;

use crate::support::{Stand, host, session, write};

fn drop_it(state: &str) -> Json {
    json!({ "action": "drop", "name": "a", "flag": "flag", "record": "record", "state": state })
}

fn bytes(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |it| it.len())
}

/// The other process of the test below; does nothing when it is run as a test.
#[test]
fn the_other_process() {
    let Some(root) = env::var_os("VERBGATE_TEST_ROOT").map(PathBuf::from) else { return };
    let environment = Environment::of_process().with("HOME", root.join("home"));
    let session = session(&root.join("run"), environment);
    for _ in 0..3 {
        let host = host(&root.join("workspace"), &root.join("bin/cgc")).answering(Answer::Yes);
        let outcome = session.call("fake_change", &drop_it("good"), &host);
        assert!(outcome.is_ok(), "{}", outcome.text);
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a host of its own is no call")]
fn writers_with_one_lock_run_one_at_a_time_in_two_processes_with_their_preconditions() {
    let stand = Stand::new();
    let session = stand.session();
    // The program fails if another one is between its two ends, and so does its precondition.
    let mut other = Command::new(env::current_exe().expect("this program"))
        .args(["--exact", "in_turn::the_other_process", "--nocapture"])
        .env("VERBGATE_TEST_ROOT", stand.place.root())
        .stdout(Stdio::null())
        .spawn()
        .expect("another process");
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..2 {
                    let outcome = session.call("fake_change", &drop_it("good"), &stand.willing());
                    assert!(outcome.is_ok(), "{}", outcome.text);
                    assert_eq!(outcome.fields["before"], json!({ "looked": "it" }));
                }
            });
        }
    });
    assert!(other.wait().expect("its end").success());
    // Each of seven calls and its precondition.
    assert_eq!(bytes(&stand.inside("record")), 14);
    stand.nothing_is_left("in turn");
}

#[test]
fn a_precondition_runs_after_the_yes_and_its_failure_is_the_calls_own() {
    let stand = Stand::new();
    let record = stand.inside("record");
    let seen = record.clone();
    let host = stand.willing().while_asking(move |_| assert_eq!(bytes(&seen), 0));
    let outcome = stand.session().call("fake_change", &drop_it("bad"), &host);
    assert_eq!(outcome.code, Some(Code::CommandFailed), "{}", outcome.text);
    assert!(outcome.text.contains("exit status 7"), "{}", outcome.text);
    assert_eq!(bytes(&record), 1, "only the precondition ran");
    assert_eq!(stand.place.starts().len(), 1);
    stand.nothing_is_left("precondition");

    let outcome = stand.session().call("fake_change", &drop_it("bad"), &stand.host());
    assert_eq!(outcome.code, Some(Code::Declined), "{}", outcome.text);
    assert_eq!(bytes(&record), 1, "without a yes not even that");
}

#[test]
fn equal_reads_at_once_are_one_run_and_different_ones_are_not() {
    let stand = Stand::new();
    write(&stand.inside("one"), "");
    write(&stand.inside("two"), "");
    let (session, host) = (stand.session(), stand.host());
    let barrier = std::sync::Barrier::new(5);
    thread::scope(|scope| {
        for record in ["one", "one", "one", "one", "two"] {
            let (session, host, barrier) = (&session, &host, &barrier);
            scope.spawn(move || {
                barrier.wait();
                let outcome = session.call("fake_look", &json!({ "action": "counted", "record": record }), host);
                assert!(outcome.is_ok() && outcome.text.contains("done"), "{}", outcome.text);
            });
        }
    });
    // On a machine so busy that one of them comes a second late it runs by itself.
    assert!(bytes(&stand.inside("one")) < 4, "nothing was merged");
    assert_eq!(bytes(&stand.inside("two")), 1);
}

#[test]
fn writes_are_never_merged() {
    let stand = Stand::new();
    let (session, host) = (stand.session(), stand.host());
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| session.call("fake_change", &json!({ "action": "add", "name": "a" }), &host));
        }
    });
    assert_eq!(stand.place.starts().len(), 3);
}
