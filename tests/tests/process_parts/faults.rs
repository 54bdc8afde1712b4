//! Programs that can't be started, told apart (part 3 item 3), and limits that are refused when they are made.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use crate::process::{Budget, End, Runner, RunnerOptions, SpawnFault};
use crate::support::{Call, runners};

fn file(dir: &Path, name: &str, content: &[u8], mode: u32) -> std::path::PathBuf {
    let path = dir.join(name);
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn each_fault_of_a_program_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let mut elf = fs::read("/bin/true").unwrap();
    let loader = b"/lib64/ld-linux";
    let place = elf.windows(loader.len()).position(|it| it == loader);
    if let Some(place) = place {
        elf[place..place + 6].copy_from_slice(b"/nosuc");
    }
    let broken = |name: &str| SpawnFault::BrokenInterpreter(name.to_owned());
    let mut cases = vec![
        ("missing", at.join("missing"), SpawnFault::NotFound),
        ("below a file", file(at, "plain", b"x", 0o755).join("x"), SpawnFault::NotFound),
        ("not executable", file(at, "mode", b"#!/bin/sh\n", 0o644), SpawnFault::NotExecutable),
        ("a folder", at.to_owned(), SpawnFault::NotExecutable),
        ("no program", file(at, "text", b"echo hello\n", 0o755), SpawnFault::NotAProgram),
        ("empty", file(at, "empty", b"", 0o755), SpawnFault::NotAProgram),
        ("no interpreter", file(at, "script", b"#!/no/such/python3 -u\nx\n", 0o755), broken("/no/such/python3")),
        ("interpreter not executable", file(at, "script2", b"#! /etc/passwd\n", 0o755), broken("/etc/passwd")),
    ];
    if place.is_some() {
        cases.push(("no loader", file(at, "elf", &elf, 0o755), broken("/nosuc/ld-linux-x86-64.so.2")));
    }
    for (who, runner) in runners() {
        for (what, path, fault) in &cases {
            let mut call = Call::new(&[]);
            call.file.clone_from(path);
            assert_eq!(call.run(&runner).end, End::NotStarted(fault.clone()), "{who}: {what}");
        }
    }
}

#[test]
fn a_missing_working_directory_is_said_first() {
    for (who, runner) in runners() {
        for cwd in ["/no/such/folder", "/etc/passwd"] {
            for file in [crate::support::TOOL, "/no/such/file"] {
                let mut call = Call::new(&["say", "x"]);
                (call.cwd, call.file) = (cwd.into(), file.into());
                assert_eq!(call.run(&runner).end, End::NotStarted(SpawnFault::NoWorkingDirectory), "{who} {cwd}");
            }
        }
    }
}

#[test]
fn an_argument_list_that_is_too_long_is_said() {
    for (who, runner) in runners() {
        for (count, size) in [(1, 1 << 20), (60_000, 100), (1_000_000, 60)] {
            let mut call = Call::new(&[]);
            call.argv.extend(std::iter::repeat_n("x".repeat(size).into(), count));
            assert_eq!(call.run(&runner).end, End::NotStarted(SpawnFault::TooLong), "{who} {count}");
            assert_eq!(crate::support::text(&Call::new(&["say", "x"]).run(&runner).stdout), "x\n", "{who}: the next");
        }
    }
}

#[test]
fn a_job_that_no_system_takes_is_refused() {
    for (who, runner) in runners() {
        let mut jobs: Vec<Call<'_>> = (0..5).map(|_| Call::new(&["say", "x"])).collect();
        jobs[0].argv.push("a\0b".into());
        jobs[1].argv.clear();
        jobs[2].file = "relative".into();
        jobs[3].env.push(("A=B".into(), "x".into()));
        jobs[4].env.push(("".into(), "x".into()));
        for call in jobs {
            assert!(matches!(call.run(&runner).end, End::NotStarted(SpawnFault::Other(_))), "{who}");
        }
    }
}

#[test]
fn limits_of_zero_or_of_absurd_size_are_errors_when_they_are_made() {
    for length in [Duration::ZERO, Duration::from_nanos(1), Duration::from_secs(86_401), Duration::MAX] {
        assert!(Budget::new(length).is_err(), "{length:?}");
    }
    let made = |options| Runner::new(options).is_ok();
    for at_once in [0, 257, usize::MAX] {
        assert!(!made(RunnerOptions { at_once, ..RunnerOptions::default() }), "{at_once}");
    }
    for keep in [0, 1, 64 * 1024 - 1, usize::MAX] {
        assert!(!made(RunnerOptions { keep, ..RunnerOptions::default() }), "{keep}");
    }
    assert!(!made(RunnerOptions { guardian: Some("guardian".into()), ..RunnerOptions::default() }));
}

#[test]
fn a_guardian_that_cannot_start_is_said_with_the_reason_and_nothing_runs() {
    let dir = tempfile::tempdir().unwrap();
    let made = dir.path().join("made");
    for (path, reason) in [
        (dir.path().join("missing"), "there is no such file"),
        (file(dir.path(), "text", b"x", 0o755), "it is no program"),
        (file(dir.path(), "mode", b"x", 0o600), "it is not executable"),
        ("/bin/true".into(), "did not greet"),
    ] {
        let runner = Runner::new(RunnerOptions { guardian: Some(path), ..RunnerOptions::default() }).unwrap();
        match Call::new(&["touch", made.to_str().unwrap()]).run(&runner).end {
            End::NotStarted(SpawnFault::NoGuardian(said)) => assert!(said.contains(reason), "{said}"),
            other => panic!("{other:?}"),
        }
        assert!(!made.exists());
    }
}
