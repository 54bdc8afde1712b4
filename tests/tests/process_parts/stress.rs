//! Ten thousand calls with mixed faults, sixteen at a time. Slow: only with `VERBGATE_LONG=1`.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::abort::Abort;
use crate::process::End;
use crate::support::{Call, guarded, mark, marked, until};

#[test]
fn ten_thousand_calls_with_mixed_faults_leave_nothing_behind() {
    if std::env::var_os("VERBGATE_LONG").is_none_or(|it| it != "1") {
        println!("left out: set VERBGATE_LONG=1 to run it");
        return;
    }
    let runner = guarded();
    let mark = mark();
    let next = AtomicUsize::new(0);
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let threads = || fs::read_dir("/proc/self/task").unwrap().count();
    let memory = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_ascii_whitespace().nth(1).unwrap().parse::<usize>().unwrap()
    };
    let round = |calls: usize| {
        next.store(0, Ordering::SeqCst);
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::SeqCst);
                        if index >= calls {
                            break;
                        }
                        one(index, &mark, &runner);
                    }
                });
            }
        });
    };
    // As many workers as there can be, so that it does not count how many happen to be there.
    let fill = || {
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| Call::new(&["sleep", "1000"]).run(&runner));
            }
        });
    };
    round(500);
    fill();
    let before = (open(), threads(), memory());
    round(10_000);
    until("all is gone", || marked(&mark).is_empty());
    fill();
    // A joined thread may stand in the table for a moment yet.
    until("no thread is left", || threads() <= before.1);
    let after = (open(), memory());
    assert!(after.0 <= before.0 && after.1 < before.2 + 8 * 1024, "{before:?} {after:?}");
}

fn one(index: usize, mark: &str, runner: &crate::process::Runner) {
    let forever = format!("mark {mark} forever");
    let kill = index % 200 == 199;
    let words: Vec<&str> = match index % 10 {
        _ if kill => vec!["mark", mark, "kill-parent", "forever"],
        0 => vec!["child", &forever, "say", "x"],
        1 => vec!["blank", &forever, "say", "x"],
        2 => vec!["out", "300000"],
        3 => vec!["die", "9"],
        4 | 5 => vec!["mark", mark, "forever"],
        6 => vec!["cat"],
        _ => vec!["say", "x"],
    };
    let mut call = Call::new(&words);
    let abort = Abort::new().unwrap();
    match index % 10 {
        4 => call.budget = Duration::from_millis(20),
        6 => call.stdin = Some(vec![b'x'; 100_000]),
        7 => call.file = "/no/such/file".into(),
        _ => {}
    }
    let got = thread::scope(|scope| {
        if index % 10 == 5 {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(u64::try_from(index % 30).unwrap()));
                abort.raise();
            });
        }
        call.run_with(runner, &abort, None)
    });
    match (index % 10, got.end) {
        (_, End::RunnerLost(_)) if kill => {}
        (4, End::TimedOut) | (5, End::Cancelled) | (7, End::NotStarted(_)) => {}
        (0..=3 | 6 | 8 | 9, End::Exited(_)) if !kill => {}
        (_, other) => panic!("{index}: {other:?}"),
    }
}
