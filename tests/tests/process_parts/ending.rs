//! How programs are ended (C1.4, C1.5; reports 12, 13).

use std::thread;
use std::time::{Duration, Instant};

use crate::abort::Abort;
use crate::process::End;
use crate::support::{Call, assert_gone, mark, marked, runners, text, until};
use crate::table::capture::Exit;

/// The contract's bound, which is no measure of speed: nothing here comes near it unless it hangs.
fn in_time(started: Instant, limit: Duration, who: &str) {
    assert!(started.elapsed() < limit + Duration::from_secs(1), "{who}: answered after {:?}", started.elapsed());
}

#[test]
fn a_program_that_takes_too_long_is_ended_and_the_answer_comes_within_a_second() {
    for (who, runner) in runners() {
        for actions in ["forever", "deaf forever", "closed forever", "stop forever", "deaf flood"] {
            let mark = mark();
            let words: Vec<String> = match actions.split_once(' ') {
                Some((how @ ("deaf" | "closed"), rest)) => vec![how.into(), format!("mark {mark} {rest}")],
                _ => ["mark", &mark].into_iter().chain(actions.split(' ')).map(String::from).collect(),
            };
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let started = Instant::now();
            let got = Call::new(&words).within(300).run(&runner);
            in_time(started, Duration::from_millis(300), who);
            assert_eq!(got.end, End::TimedOut, "{who} {actions}");
            assert_gone(&mark, who);
        }
    }
}

#[test]
fn report_12_grandchildren_that_hold_the_pipe_are_ended_with_the_program() {
    for (who, runner) in runners() {
        for how in ["child", "group"] {
            let mark = mark();
            let started = Instant::now();
            let got = Call::new(&[how, &format!("forever mark {mark}"), "forever"]).within(300).run(&runner);
            in_time(started, Duration::from_millis(300), who);
            assert_eq!(got.end, End::TimedOut, "{who} {how}");
            assert_gone(&mark, who);
        }
    }
}

#[test]
fn when_the_leader_ends_its_session_is_ended_and_its_own_end_is_the_answer() {
    for (who, runner) in runners() {
        for how in ["child", "group"] {
            for stubborn in ["mark M forever", "deaf mark+M+forever"] {
                let mark = mark();
                let actions = stubborn.replace('M', &mark);
                let got = Call::new(&[how, &actions, "say", "done", "exit", "3"]).run(&runner);
                assert_eq!(got.end, End::Exited(Exit::Status(3)), "{who} {how} {stubborn}");
                assert_eq!(text(&got.stdout), "done\n");
                assert_eq!((got.escaped.len(), got.left.len()), (0, 0), "{who}");
                assert_gone(&mark, who);
            }
        }
    }
}

#[test]
fn what_a_program_prints_while_it_is_being_ended_is_captured() {
    for (who, runner) in runners() {
        let mut call = Call::new(&[]).within(300);
        call.file = "/bin/sh".into();
        let script = "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.01; done";
        call.argv = ["sh", "-c", script].map(Into::into).to_vec();
        call.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
        let got = call.run(&runner);
        assert_eq!((got.end, text(&got.stdout).as_str()), (End::TimedOut, "up\nbye\n"), "{who}");
    }
}

#[test]
fn report_13_an_abort_ends_the_program_and_is_never_a_time_out() {
    for (who, runner) in runners() {
        let (mark, abort) = (mark(), Abort::new().unwrap());
        thread::scope(|scope| {
            let call = Call::new(&["child", &format!("forever mark {mark}"), "mark", &mark, "forever"]);
            let (runner, abort) = (&runner, &abort);
            let running = scope.spawn(move || call.run_with(runner, abort, None));
            until("both run", || marked(&mark).len() == 2);
            let raised = Instant::now();
            abort.raise();
            assert_eq!(running.join().unwrap().end, End::Cancelled, "{who}");
            in_time(raised, Duration::ZERO, who);
        });
        assert_gone(&mark, who);
        // And the next call is served.
        assert_eq!(text(&Call::new(&["say", "next"]).run(&runner).stdout), "next\n", "{who}");
    }
}

#[test]
fn an_abort_before_the_start_starts_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("made");
    for (who, runner) in runners() {
        let abort = Abort::new().unwrap();
        abort.raise();
        let got = Call::new(&["touch", file.to_str().unwrap()]).run_with(&runner, &abort, None);
        assert_eq!(got.end, End::Cancelled, "{who}");
        assert!(!file.exists(), "{who}");
    }
}

#[test]
fn an_abort_at_any_moment_loses_nothing() {
    for (who, runner) in runners() {
        let mark = mark();
        for delay in 0..40 {
            let abort = Abort::new().unwrap();
            let got = thread::scope(|scope| {
                let (abort, runner, mark) = (&abort, &runner, &mark);
                let call = Call::new(&["mark", mark, "say", "x"]);
                let running = scope.spawn(move || call.run_with(runner, abort, None));
                thread::sleep(Duration::from_micros(delay * 100));
                abort.raise();
                running.join().unwrap()
            });
            match got.end {
                End::Cancelled => {}
                End::Exited(Exit::Status(0)) => assert_eq!(text(&got.stdout), "x\n", "{who}"),
                other => panic!("{who}: {other:?}"),
            }
            assert_gone(&mark, who);
        }
    }
}

#[test]
fn output_that_something_outside_holds_open_is_not_waited_for() {
    // A process of another program has the pipe: it was handed over, say, through a socket. Here: this process opens
    // the program's pipe by /proc.
    for (who, runner) in runners() {
        let dir = tempfile::tempdir().unwrap();
        let ready = dir.path().join("ready");
        let mark = mark();
        thread::scope(|scope| {
            let call = Call::new(&["mark", &mark, "write", ready.to_str().unwrap(), "1", "sleep", "400"]);
            let runner = &runner;
            let started = Instant::now();
            let running = scope.spawn(move || call.run(runner));
            until("it runs", || crate::support::filled(&ready));
            let pid = marked(&mark)[0];
            let held = std::fs::OpenOptions::new().write(true).open(format!("/proc/{pid}/fd/1")).unwrap();
            assert_eq!(running.join().unwrap().end, End::Exited(Exit::Status(0)), "{who}");
            in_time(started, Duration::from_secs(5), who);
            drop(held);
        });
    }
}
