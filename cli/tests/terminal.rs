//! A person at a terminal: only the word `yes`, typed after the question, is a yes; a signal ends everything.
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test that can't go on says why

#[path = "terminal/typing.rs"]
mod typing;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use verbgate_tests::Place;

/// How long anything may take on a busy machine before a test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Becomes the binary with a controlling terminal; built with the workspace's tests, beside it.
fn with_terminal() -> PathBuf {
    let file = Path::new(env!("CARGO_BIN_EXE_verbgate")).with_file_name("with-terminal");
    assert!(file.exists(), "{} is missing: run the tests of the whole workspace", file.display());
    file
}

/// A call with a person at its terminal.
struct Call {
    child: Child,
    terminal: File,
    /// What the terminal has shown so far.
    shown: String,
}

impl Call {
    /// Starts a call; `typed` is on its way before the program has begun. Whoever runs the tests may ignore a signal
    /// (`nohup`, `&`), which the program would go on ignoring.
    fn start(place: &Place, tool: &str, arguments: &str, typed: &str) -> Self {
        Self::start_with("--default-signal=INT,TERM,HUP", place, tool, arguments, typed)
    }

    /// As [`Call::start`], with another word to `env` on signals.
    #[expect(clippy::disallowed_methods, reason = "the binary under test")]
    fn start_with(signals: &str, place: &Place, tool: &str, arguments: &str, typed: &str) -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
        grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("its other end");
        let name = ptsname(&terminal, Vec::new()).expect("its name");
        let other = File::options().read(true).write(true).open(Path::new(name.to_str().expect("UTF-8")));
        let mut command = Command::new("/usr/bin/env");
        command.arg(signals).arg(with_terminal());
        command.arg(env!("CARGO_BIN_EXE_verbgate")).args(["call", tool, "--json", arguments, "--format", "json"]);
        command.env_clear().envs(place.environment().iter()).current_dir(place.workspace());
        command.stdin(OwnedFd::from(other.expect("the other end"))).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut terminal = File::from(terminal);
        terminal.write_all(typed.as_bytes()).expect("typed ahead");
        Self { child: command.spawn().expect("it starts"), terminal, shown: String::new() }
    }

    /// Reads the terminal until this stands there.
    fn wait_for(&mut self, words: &str) {
        let mut bytes = [0; 4096];
        while !self.shown.contains(words) {
            let read = self.terminal.read(&mut bytes).expect("the terminal can be read");
            assert!(read > 0, "the terminal was closed: {}", self.shown);
            self.shown.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
    }

    fn types(&mut self, text: &str) {
        self.terminal.write_all(text.as_bytes()).expect("typed");
    }

    fn gets(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, signal).expect("the signal");
    }

    fn ends(mut self) -> (ExitStatus, String) {
        // The terminal stays open until then: closing it would be one more signal.
        let mut out = String::new();
        self.child.stdout.take().expect("its output").read_to_string(&mut out).expect("UTF-8");
        (self.child.wait().expect("its end"), out)
    }
}

fn code(answer: &str) -> String {
    let json: serde_json::Value = serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
    json["code"].as_str().expect("a code").to_owned()
}

const DELETE: (&str, &str) = ("cgc_context", r#"{"action": "delete", "name": "a"}"#);

/// A place with a program that lists and deletes, and leaves a trace.
fn place() -> Place {
    let place = Place::without_program();
    place.install(
        &place.bin(),
        "if [ \"$2\" = list ]; then printf 'Current Mode: named\\n' >&2; else read answer; echo \"✅ Deleted context 'a'\"; fi",
    );
    place
}

#[test]
fn the_word_yes_is_a_yes() {
    let place = place();
    let mut call = Call::start(&place, DELETE.0, DELETE.1, "");
    call.wait_for("Type yes to ");
    assert_eq!(place.starts(), Vec::<String>::new(), "nothing is started before the yes");
    assert!(call.shown.contains(r#"["context", "delete", "--", "a"]"#), "{}", call.shown);
    call.types("yes\n");
    let (status, answer) = call.ends();
    assert_eq!((status.code(), code(&answer).as_str()), (Some(0), "OK"), "{answer}");
    assert_eq!(place.ran(), ["context list", "context delete -- a"]);
}

#[test]
fn anything_else_is_a_no() {
    // The last is the end of input.
    for typed in
        ["no\n", "\n", "y\n", "Yes\n", "YES\n", "yes please\n", "yesyes\n", "\"yes\"\n", "yes \n", " yes\n", "\u{4}"]
    {
        let place = place();
        let mut call = Call::start(&place, DELETE.0, DELETE.1, "");
        call.wait_for("Type yes to ");
        call.types(typed);
        let (status, answer) = call.ends();
        assert_eq!((status.code(), code(&answer).as_str()), (Some(1), "DECLINED"), "{typed:?}: {answer}");
        assert_eq!(place.starts(), Vec::<String>::new(), "{typed:?}");
    }
}

#[test]
fn a_yes_that_was_typed_before_the_question_is_none() {
    let place = place();
    let mut call = Call::start(&place, DELETE.0, DELETE.1, "yes\nyes\n");
    call.wait_for("Type yes to ");
    call.types("no\n");
    let (_, answer) = call.ends();
    assert_eq!(code(&answer), "DECLINED", "{answer}");
    assert_eq!(place.starts(), Vec::<String>::new());
}

#[test]
fn a_signal_while_the_question_stands_cancels_the_call() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let place = place();
        let mut call = Call::start(&place, DELETE.0, DELETE.1, "");
        call.wait_for("Type yes to ");
        call.gets(signal);
        let (status, answer) = call.ends();
        assert_eq!((status.code(), code(&answer).as_str()), (Some(1), "CANCELLED"), "{signal:?}: {answer}");
        assert_eq!(place.starts(), Vec::<String>::new());
    }
}

#[test]
fn a_signal_that_whoever_started_it_ignores_ends_nothing() {
    for (name, signal) in [("HUP", Signal::HUP), ("INT", Signal::INT)] {
        let place = place();
        let ignore = format!("--ignore-signal={name}");
        let mut call = Call::start_with(&ignore, &place, DELETE.0, DELETE.1, "");
        call.wait_for("Type yes to ");
        call.gets(signal);
        call.types("yes\n");
        let (status, answer) = call.ends();
        assert_eq!((status.code(), code(&answer).as_str()), (Some(0), "OK"), "{name}: {answer}");
    }
}

/// A call that runs until it is ended, and is deaf to TERM.
fn endless(place: &Place) -> Call {
    place.install(&place.bin(), "trap '' TERM; sleep 600 & touch \"$HOME/began\"; wait; sleep 600");
    let call = Call::start(place, "cgc_context", r#"{"action": "list"}"#, "");
    let began = Instant::now();
    while fs::metadata(place.home().join("began")).is_err() {
        assert!(began.elapsed() < PATIENCE, "the program did not begin");
        sleep(Duration::from_millis(10));
    }
    call
}

#[test]
fn a_process_that_is_killed_leaves_nothing_behind() {
    let place = Place::without_program();
    let mut call = endless(&place);
    call.child.kill().expect("killed");
    call.child.wait().expect("its end");
    let began = Instant::now();
    while !place.alive().is_empty() {
        assert!(began.elapsed() < PATIENCE, "{:?}", place.alive());
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_signal_during_the_call_ends_everything_that_it_started() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let place = Place::without_program();
        let call = endless(&place);
        call.gets(signal);
        let (status, answer) = call.ends();
        assert_eq!((status.code(), code(&answer).as_str()), (Some(1), "CANCELLED"), "{signal:?}: {answer}");
        assert_eq!(place.alive(), Vec::<String>::new(), "{signal:?}");
    }
}
