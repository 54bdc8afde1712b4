//! What leaves the session is found, ended and reported, under the right call (C1.4, Linux).

use std::thread;

use crate::process::End;
use crate::support::{Call, assert_gone, guarded, mark};
use crate::table::capture::Exit;

const WAYS: [&str; 3] = ["leave", "daemon", "blank"];

#[test]
fn what_leaves_the_session_is_ended_and_reported_after_a_good_run() {
    let runner = guarded();
    for way in WAYS {
        for stubborn in ["mark M forever", "deaf mark+M+forever"] {
            let mark = mark();
            // It needs a moment to leave; a call that ends before ends it in the session.
            let got = Call::new(&[way, &stubborn.replace('M', &mark), "sleep", "300", "exit", "4"]).run(&runner);
            assert_eq!(got.end, End::Exited(Exit::Status(4)), "{way}");
            assert_eq!(got.escaped, ["fake-tool"], "{way} {stubborn}");
            assert_gone(&mark, way);
        }
    }
}

#[test]
fn what_leaves_the_session_is_ended_and_reported_after_a_time_out() {
    let runner = guarded();
    for way in WAYS {
        let mark = mark();
        let got = Call::new(&[way, &format!("mark {mark} forever"), "forever"]).within(400).run(&runner);
        assert_eq!((got.end, got.escaped.len()), (End::TimedOut, 1), "{way}");
        assert_gone(&mark, way);
    }
}

#[test]
fn with_many_calls_at_once_each_reports_its_own() {
    let runner = guarded();
    thread::scope(|scope| {
        let calls: Vec<_> = (0..12)
            .map(|index| {
                let runner = &runner;
                scope.spawn(move || {
                    let mark = mark();
                    let daemons = index % 3;
                    let actions = format!("mark {mark} forever");
                    let mut words = Vec::new();
                    for _ in 0..daemons {
                        words.extend(["blank", actions.as_str()]);
                    }
                    let quiet = format!("{}", 200 + 40 * index);
                    words.extend(["sleep", &quiet]);
                    let got = Call::new(&words).run(runner);
                    assert_eq!(got.escaped.len(), daemons, "call {index}");
                    assert_gone(&mark, "parallel");
                })
            })
            .collect();
        calls.into_iter().for_each(|call| call.join().unwrap());
    });
}

#[test]
fn orphans_of_the_session_that_come_in_numbers_are_all_ended() {
    let runner = guarded();
    let mark = mark();
    let got = Call::new(&["storm", "40", &format!("mark {mark} forever"), "sleep", "300"]).run(&runner);
    assert_eq!((got.end, got.escaped.len()), (End::Exited(Exit::Status(0)), 0));
    assert_gone(&mark, "storm");
}

#[test]
fn what_escapes_one_call_does_not_show_up_in_the_next() {
    let runner = guarded();
    let first = Call::new(&["daemon", "forever", "sleep", "200"]).run(&runner);
    let second = Call::new(&["say", "x"]).run(&runner);
    assert_eq!((first.escaped.len(), second.escaped.len()), (1, 0));
}
