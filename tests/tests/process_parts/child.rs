//! What a program is given, and what it is not (C1.2 to C1.4, C1.9, C1.10; reports 3, 4, 11, 19).

use std::ffi::OsString;
use std::fs;

use crate::process::End;
use crate::support::{Call, direct, runners, text};
use crate::table::capture::Exit;

#[test]
fn each_argument_arrives_as_one_element_and_no_shell_sees_it() {
    let dir = tempfile::tempdir().unwrap();
    let planted = dir.path().join("planted");
    let hostile = [
        "argv".to_owned(),
        "say".to_owned(),
        format!("$(touch {0}) `touch {0}` ;touch {0}\ntouch {0} & | > * ~ \"c d\" 'x' \\", planted.display()),
    ];
    let hostile: Vec<&str> = hostile.iter().map(String::as_str).collect();
    for (who, runner) in runners() {
        let got = Call::new(&hostile).run(&runner);
        let expected: Vec<&str> = ["fake-tool"].iter().chain(&hostile).copied().collect();
        assert_eq!(text(&got.stdout), format!("{expected:?}\n{}\n", hostile[2]), "{who}");
        assert!(!planted.exists());
    }
}

#[test]
fn report_19_the_environment_is_what_the_job_says_and_nothing_else() {
    for (who, runner) in runners() {
        let mut call = Call::new(&["env"]);
        assert_eq!(text(&call.run(&runner).stdout), "", "{who}");
        call.env = vec![("A".into(), "b=c".into()), ("EMPTY".into(), OsString::new())];
        assert_eq!(text(&call.run(&runner).stdout), "A=b=c\nEMPTY=\n", "{who}");
    }
}

#[test]
fn the_working_directory_is_the_jobs() {
    let dir = tempfile::tempdir().unwrap();
    for (who, runner) in runners() {
        let mut call = Call::new(&["cwd"]);
        call.cwd = fs::canonicalize(dir.path()).unwrap();
        assert_eq!(text(&call.run(&runner).stdout), format!("{}\n", call.cwd.display()), "{who}");
    }
}

#[test]
fn descriptors_0_1_2_and_no_other_even_if_this_process_has_unmarked_ones() {
    let file = tempfile::tempfile().unwrap();
    let unmarked = rustix::io::fcntl_dupfd_cloexec(&file, 100).unwrap();
    rustix::io::fcntl_setfd(&unmarked, rustix::io::FdFlags::empty()).unwrap();
    for (who, runner) in runners() {
        assert_eq!(text(&Call::new(&["fds"]).run(&runner).stdout), "[0, 1, 2]\n", "{who}");
    }
}

#[test]
fn a_session_of_its_own_without_a_terminal() {
    for (who, runner) in runners() {
        let got = text(&Call::new(&["ids", "tty", "yes\n"]).run(&runner).stdout);
        let numbers: Vec<i32> = got.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
        assert!(numbers[0] == numbers[1] && numbers[1] == numbers[2], "{who}: {got}");
        assert!(got.ends_with("no tty\n"), "{who}: {got}");
    }
}

#[test]
fn no_signal_is_blocked_or_ignored() {
    // 32 and 33 are the C library's own, which ignores them in what it spawns.
    const INTERNAL: u64 = 3 << 31;
    for (who, runner) in runners() {
        let mut call = Call::new(&[]);
        call.file = "/bin/cat".into();
        call.argv = ["cat", "/proc/self/status"].map(OsString::from).to_vec();
        let got = text(&call.run(&runner).stdout);
        let masks: Vec<u64> = got
            .lines()
            .filter_map(|line| line.strip_prefix("SigIgn:").or(line.strip_prefix("SigBlk:")))
            .map(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & !INTERNAL)
            .collect();
        assert_eq!(masks, [0, 0], "{who}");
    }
}

#[test]
fn report_11_standard_input_is_the_null_device_and_a_program_that_reads_it_ends_at_once() {
    for (who, runner) in runners() {
        let got = Call::new(&["cat", "say", "end"]).run(&runner);
        assert_eq!((text(&got.stdout).as_str(), got.end), ("end\n", End::Exited(Exit::Status(0))), "{who}");
    }
}

#[test]
fn given_input_arrives_whole_and_ends() {
    for (who, runner) in runners() {
        for length in [0, 2, 1 << 16, 3 << 20] {
            let mut call = Call::new(&["cat"]);
            call.stdin = Some(vec![b'y'; length]);
            let got = call.run(&runner);
            assert_eq!((got.stdout.total, got.end), (length as u64, End::Exited(Exit::Status(0))), "{who}");
        }
    }
}

#[test]
fn a_program_that_never_reads_its_input_does_not_block() {
    for (who, runner) in runners() {
        for actions in [&["say", "done"][..], &["closed", "exit 0"]] {
            let mut call = Call::new(actions);
            call.stdin = Some(vec![b'y'; 1 << 20]);
            assert_eq!(call.run(&runner).end, End::Exited(Exit::Status(0)), "{who} {actions:?}");
        }
        let mut call = Call::new(&["forever"]).within(100);
        call.stdin = Some(vec![b'y'; 1 << 20]);
        assert_eq!(call.run(&runner).end, End::TimedOut, "{who}");
    }
}

#[test]
fn exit_statuses_and_signals_come_back_exactly() {
    for (who, runner) in runners() {
        for status in [0, 1, 2, 127, 255] {
            let got = Call::new(&["exit", &status.to_string()]).run(&runner);
            assert_eq!(got.end, End::Exited(Exit::Status(status)), "{who}");
        }
        for signal in [1, 9, 15] {
            let got = Call::new(&["die", &signal.to_string()]).run(&runner);
            assert_eq!(got.end, End::Exited(Exit::Signal(signal)), "{who}");
        }
    }
}

#[test]
fn no_descriptor_outlives_a_call() {
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let runner = direct();
    let before = open();
    for actions in [&["both", "1000"][..], &["no-such-action"], &["child", "forever"]] {
        let mut call = Call::new(actions);
        call.stdin = Some(b"x".to_vec());
        call.run(&runner);
    }
    // Other tests of this process open and close theirs meanwhile: only growth with every call is a leak.
    let mut fewest = usize::MAX;
    for _ in 0..50 {
        Call::new(&["say", "x"]).run(&runner);
        fewest = fewest.min(open());
    }
    assert!(fewest <= before + 20, "{before} before, {fewest} after");
}
