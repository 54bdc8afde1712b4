//! `cargo xtask test`: the set-up, then every test.

use std::io::Write as _;

use crate::Failure;
use crate::{pi, run, setup};

/// Runs the tests; with `long` also those that are marked slow.
pub(crate) fn run(long: bool) -> Result<(), Failure> {
    room(&std::env::temp_dir())?;
    let mut left_out = Vec::new();
    let mut command = run::cargo();
    // One failure must not hide the next.
    command.args(["test", "--workspace", "--no-fail-fast"]);
    let cgc = setup::cgc();
    match &cgc {
        Ok(cgc) => {
            command.env("VERBGATE_CGC", &cgc.program).env("VERBGATE_PYTHON", &cgc.python);
        }
        Err(reason) => {
            // Empty: known to be missing, and said here.
            command.env("VERBGATE_CGC", "").env("VERBGATE_PYTHON", "");
            left_out.push(format!("the tests on the real cgc: {reason}"));
        }
    }
    let npm = pi::npm();
    match &npm {
        Ok(npm) => {
            command.env("VERBGATE_TSC", npm.join("node_modules/typescript/bin/tsc"));
        }
        Err(reason) => {
            command.env_remove("VERBGATE_TSC");
            left_out.push(format!("the tests in Pi, and of the emitted TypeScript: {reason}"));
        }
    }
    if npm.is_ok() && cgc.is_err() {
        left_out.push("the tests in Pi: they need the real cgc".to_owned());
    }
    // Slow tests look for this variable: an ignored test is one that nobody sees.
    if long {
        command.env("VERBGATE_LONG", "1");
    } else {
        command.env_remove("VERBGATE_LONG");
    }

    if long {
        let mut fuzz = run::cargo();
        fuzz.args(["check", "--manifest-path", "codegen/fuzz/Cargo.toml"]);
        fuzz.arg("--target-dir").arg(run::target().join("fuzz"));
        if !run::shown(&mut fuzz)?.success() {
            return Err("the fuzz target does not compile".to_owned());
        }
    }

    // Before the tests, so that theirs are the last lines.
    for line in &left_out {
        println!("does not run: {line}");
    }
    if !long {
        println!("left out: the slow tests (cargo xtask test --long)");
    }
    let _ = std::io::stdout().flush();
    let mut passed = run::shown(&mut command)?.success();
    if let (Ok(npm), Ok(cgc)) = (&npm, &cgc) {
        // One failure must not hide the next.
        if let Err(failure) = pi::test(npm, cgc, long) {
            println!("{failure}");
            passed = false;
        }
    }
    verdict(passed, &left_out, std::env::var_os("CI").is_some_and(|value| value == "true"))
}

/// On a disk that is nearly full the runtime keeps no output (C3.4), and the tests of what is kept would fail.
fn room(folder: &std::path::Path) -> Result<(), Failure> {
    let stat = rustix::fs::statvfs(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    enough(stat.f_bavail, stat.f_blocks).then_some(()).ok_or_else(|| {
        format!("less than 5 % of the disk of {} is free, where no output is kept (C3.4): make room", folder.display())
    })
}

fn enough(free: u64, all: u64) -> bool {
    u128::from(free) * 20 >= u128::from(all)
}

/// What comes of it all. Where `unread`, nobody reads what was left out: it is a failure.
fn verdict(passed: bool, left_out: &[String], unread: bool) -> Result<(), Failure> {
    if !passed {
        return Err("tests failed".to_owned());
    }
    if unread && !left_out.is_empty() {
        return Err(format!("CI=true, and something did not run: {}", left_out.join("; ")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twentieth_of_the_disk_must_be_free() {
        assert!(enough(5, 100) && enough(100, 100) && !enough(4, 100) && enough(0, 0));
    }

    #[test]
    fn what_did_not_run_fails_a_build_machine_and_nobody_else() {
        let left_out = ["the tests on the real cgc: no Python".to_owned()];
        assert_eq!(verdict(true, &[], true), Ok(()));
        assert_eq!(verdict(true, &left_out, false), Ok(()));
        let failure = verdict(true, &left_out, true).unwrap_err();
        assert!(failure.contains("no Python") && failure.contains("did not run"), "{failure}");
        assert_eq!(verdict(false, &left_out, false), Err("tests failed".to_owned()));
    }
}
