//! When the host dies, or the guardian (report 14; part 3 item 2).
//!
//! The host is this test binary, started again with one test to run that plays the host.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use rustix::fs::FlockOperation;
use rustix::process::{Pid, Signal, kill_process};

use crate::abort::Abort;
use crate::process::{End, SpawnFault};
use crate::support::{Call, assert_gone, children, filled, guarded, mark, marked, parent, until};

const MARK: &str = "PROCESS_TEST_MARK";
const UP: &str = "PROCESS_TEST_UP";
const KEPT: &str = "PROCESS_TEST_KEPT";

/// Not a test of its own: the host that is killed. It has a program, a grandchild and a daemon in flight, and a folder
/// that goes with it.
#[test]
fn host_for_the_others() {
    let (Ok(mark), Ok(up), Ok(kept)) = (env::var(MARK), env::var(UP), env::var(KEPT)) else { return };
    let runner = guarded();
    let parent = fs::File::open(&kept).unwrap();
    let folder = runner.keep_clean(parent.as_fd(), OsStr::new("staging")).unwrap();
    fs::create_dir_all(Path::new(&kept).join("staging/deeper")).unwrap();
    fs::write(Path::new(&kept).join("staging/deeper/half"), "half").unwrap();
    let quiet = format!("mark {mark} forever");
    let deaf = format!("deaf mark+{mark}+forever");
    let words = ["mark", &mark, "child", &deaf, "blank", &quiet, "leave", &deaf, "write", &up, "1", "forever"];
    let lock = fs::File::create(Path::new(&kept).join("lock")).unwrap();
    rustix::fs::flock(&lock, FlockOperation::LockExclusive).unwrap();
    let mut call = Call::new(&words);
    call.hold = Some(lock.as_fd());
    call.run(&runner);
    drop(folder);
}

struct Host {
    process: Child,
    mark: String,
    dir: tempfile::TempDir,
}

#[allow(clippy::disallowed_methods, reason = "the host under test is no program of the runner's")]
fn host() -> Host {
    let dir = tempfile::tempdir().unwrap();
    let mark = mark();
    let up = dir.path().join("up");
    // Whoever runs the tests may ignore a signal (`nohup`, a shell's `&`), and a host that inherits that is not ended by it.
    let process = Command::new("/usr/bin/env")
        .arg("--default-signal=INT,TERM,HUP")
        .arg(env::current_exe().unwrap())
        .args(["--exact", "host_death::host_for_the_others", "--nocapture"])
        .envs([(MARK, mark.as_str()), (UP, up.to_str().unwrap()), (KEPT, dir.path().to_str().unwrap())])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("the host has all in flight", || filled(&up) && marked(&mark).len() == 4);
    Host { process, mark, dir }
}

fn pid(number: i32) -> Pid {
    Pid::from_raw(number).unwrap()
}

#[test]
fn report_14_nothing_survives_the_host_whatever_ends_it() {
    for signal in [Signal::KILL, Signal::TERM, Signal::HUP, Signal::INT] {
        let mut host = host();
        let number = i32::try_from(host.process.id()).unwrap();
        let guardians = children(number);
        assert_eq!(guardians.len(), 1, "one guardian for one session");
        kill_process(pid(number), signal).unwrap();
        host.process.wait().unwrap();
        // The lock of the call is held until all of the program is gone, though its holder is (C1.13).
        let lock = fs::File::open(host.dir.path().join("lock")).unwrap();
        let free = || rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok();
        until("the lock is free", free);
        assert_gone(&host.mark, "when the lock is free");
        let leaving = || guardians.iter().all(|it| crate::support::state(*it).is_none_or(|state| state == 'Z'));
        until("the guardian is gone", leaving);
        assert!(!host.dir.path().join("staging").exists(), "{signal:?}");
    }
}

#[test]
fn a_copy_of_the_hosts_socket_elsewhere_keeps_nothing_alive() {
    // What a host forks and does not exec has all its descriptors; here a child that is given them by /proc stands for
    // it: the guardian sees the host's end by its pidfd.
    let mut host = host();
    let number = i32::try_from(host.process.id()).unwrap();
    let handle = rustix::process::pidfd_open(pid(number), rustix::process::PidfdFlags::empty()).unwrap();
    let copies: Vec<_> = (3..64)
        .filter_map(|fd| rustix::process::pidfd_getfd(&handle, fd, rustix::process::PidfdGetfdFlags::empty()).ok())
        .collect();
    assert!(!copies.is_empty(), "no descriptor could be copied, so this test could not fail");
    host.process.kill().unwrap();
    host.process.wait().unwrap();
    until("all programs are gone", || marked(&host.mark).is_empty());
    drop(copies);
}

#[test]
fn when_the_guardian_is_killed_running_calls_end_and_no_new_ones_start() {
    let runner = guarded();
    let dir = tempfile::tempdir().unwrap();
    let (mark, up) = (mark(), dir.path().join("up"));
    thread::scope(|scope| {
        let daemon = format!("mark {mark} forever");
        let words = ["mark", &mark, "daemon", &daemon, "child", &daemon, "write", up.to_str().unwrap(), "1", "forever"];
        let call = Call::new(&words);
        let runner = &runner;
        let running = scope.spawn(move || call.run(runner));
        until("all run", || filled(&up) && marked(&mark).len() == 3);
        let leader = leader(&mark);
        let worker = parent(leader).unwrap();
        let guardian = parent(worker).unwrap();
        assert_eq!(parent(guardian), i32::try_from(std::process::id()).ok());
        kill_process(pid(guardian), Signal::KILL).unwrap();
        match running.join().unwrap().end {
            End::RunnerLost(_) => {}
            other => panic!("{other:?}"),
        }
    });
    assert_gone(&mark, "guardian killed");
    match Call::new(&["say", "x"]).run(&runner).end {
        End::NotStarted(SpawnFault::NoGuardian(_)) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn when_a_worker_is_killed_its_call_ends_with_all_that_it_had_and_the_session_goes_on() {
    let runner = guarded();
    let dir = tempfile::tempdir().unwrap();
    let (mark, up) = (mark(), dir.path().join("up"));
    thread::scope(|scope| {
        let daemon = format!("deaf mark+{mark}+forever");
        let words = ["mark", &mark, "daemon", &daemon, "child", &daemon, "write", up.to_str().unwrap(), "1", "forever"];
        let call = Call::new(&words);
        let runner = &runner;
        let running = scope.spawn(move || call.run(runner));
        until("all run", || filled(&up) && marked(&mark).len() == 3);
        kill_process(pid(parent(leader(&mark)).unwrap()), Signal::KILL).unwrap();
        assert!(matches!(running.join().unwrap().end, End::RunnerLost(_)));
    });
    until("all is ended", || marked(&mark).is_empty());
    assert_eq!(crate::support::text(&Call::new(&["say", "x"]).run(&runner).stdout), "x\n");
}

#[test]
fn a_program_that_kills_its_parent_gains_nothing() {
    let runner = guarded();
    let mark = mark();
    let got = Call::new(&["mark", &mark, "daemon", &format!("mark {mark} forever"), "kill-parent", "forever"]);
    assert!(matches!(got.run(&runner).end, End::RunnerLost(_)));
    until("all is ended", || marked(&mark).is_empty());
    assert_eq!(crate::support::text(&Call::new(&["say", "x"]).run(&runner).stdout), "x\n");
}

#[test]
fn a_worker_that_hangs_does_not_hang_the_call() {
    let runner = guarded();
    let dir = tempfile::tempdir().unwrap();
    let (mark, up) = (mark(), dir.path().join("up"));
    let abort = Abort::new().unwrap();
    thread::scope(|scope| {
        let call = Call::new(&["mark", &mark, "write", up.to_str().unwrap(), "1", "forever"]);
        let (runner, abort) = (&runner, &abort);
        let running = scope.spawn(move || call.run_with(runner, abort, None));
        until("it runs", || filled(&up));
        kill_process(pid(parent(leader(&mark)).unwrap()), Signal::STOP).unwrap();
        abort.raise();
        assert!(matches!(running.join().unwrap().end, End::RunnerLost(_)));
    });
    until("all is ended", || marked(&mark).is_empty());
}

#[test]
fn a_session_that_ends_leaves_no_guardian() {
    let runner = guarded();
    let ids = crate::support::text(&Call::new(&["ids"]).run(&runner).stdout);
    let worker: i32 = ids.split_ascii_whitespace().last().unwrap().parse().unwrap();
    let guardian = parent(worker).unwrap();
    drop(runner);
    assert!(crate::support::state(guardian).is_none(), "not reaped");
    until("the worker is gone", || crate::support::state(worker).is_none_or(|state| state == 'Z'));
}

#[test]
fn what_is_held_is_not_the_programs_and_no_copy_outlives_the_call() {
    // A pipe, whose other end sees when the last copy is closed.
    let (read, write) = std::io::pipe().unwrap();
    let runner = guarded();
    let mut call = Call::new(&["fds"]);
    call.hold = Some(write.as_fd());
    assert_eq!(crate::support::text(&call.run(&runner).stdout), "[0, 1, 2]\n");
    drop(call);
    drop(write);
    let mut read = read;
    assert_eq!(std::io::Read::read(&mut read, &mut [0]).unwrap(), 0, "a copy is left");
}

/// The marked process that is the leader of its session and has a parent that is none of them.
fn leader(mark: &str) -> i32 {
    let all = marked(mark);
    let first = all.iter().copied().find(|pid| {
        crate::support::session(*pid) == Some(*pid)
            && fs::read(format!("/proc/{pid}/cmdline"))
                .is_ok_and(|argv| argv.ends_with(b"forever\0") && String::from_utf8_lossy(&argv).contains("write"))
    });
    first.unwrap()
}
