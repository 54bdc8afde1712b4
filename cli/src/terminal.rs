//! The host: a person at a terminal.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use verbgate::abort::Abort;
use verbgate::config::Configuration;
use verbgate::host::{Answer, Host, Identity, Question, Reply};

use crate::answer;

/// How often a waiting dialog looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(100);
/// Longest line that is read as an answer.
const LINE: usize = 4096;

/// One call from the command line.
pub(crate) struct Terminal {
    cwd: PathBuf,
    configuration: Configuration,
    abort: Abort,
}

impl Terminal {
    /// A host whose call ends when this process is told to (SIGINT, SIGTERM, SIGHUP).
    ///
    /// # Errors
    /// No descriptors or threads are left.
    pub(crate) fn new(cwd: PathBuf, configuration: Configuration) -> io::Result<Self> {
        Ok(Self { cwd, configuration, abort: Abort::new()? })
    }

    /// From now on a signal that would end this process ends the call instead, with everything that it started.
    pub(crate) fn end_on_signals(&self) -> io::Result<()> {
        // One that is ignored stays so: whoever started this process (`nohup`) has said that it goes on.
        let ignored = ignored();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP].into_iter().filter(|it| !ignored.contains(it)))?;
        let abort = self.abort.clone();
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for _ in signals.forever() {
                abort.raise();
            }
        })?;
        Ok(())
    }
}

/// The signals that this process ignores, as far as the system says it.
fn ignored() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    (1..=64).filter(|signal| mask.unwrap_or(0) >> (signal - 1) & 1 == 1).collect()
}

impl Host for Terminal {
    fn ask(&self, question: &Question, reply: Reply) {
        let text = format!("{}\n\n", question.text);
        let prompt = format!("Type yes to {}: ", question.effect);
        let abort = self.abort.clone();
        // In a thread of its own, so that the runtime can stop waiting.
        let asked = std::thread::Builder::new().name("question".to_owned()).spawn(move || {
            let given = ask(&text, &prompt, &reply, &abort);
            reply.answer(given);
        });
        if let Err(error) = asked {
            // The reply went with the closure, and a dropped reply is a no.
            answer::note(&format!("note: the question can't be asked: {error}"));
        }
    }

    fn cwd(&self) -> &Path {
        &self.cwd
    }

    fn identity(&self) -> Identity {
        Identity {
            call: "1".to_owned(),
            session: "cli".to_owned(),
            workspace: self.cwd.to_string_lossy().into_owned(),
            attempt: 1,
            epoch: 1,
        }
    }

    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn abort(&self) -> &Abort {
        &self.abort
    }

    fn log(&self, fault: &str) {
        answer::note(&format!("note: {fault}"));
    }

    /// Beside the answer, never in it.
    fn observed(&self, stage: &str, measured: &serde_json::Value) {
        answer::note(&format!("note: `{stage}` measured {measured}"));
    }
}

/// Asks on the controlling terminal, whatever standard input and output are.
fn ask(text: &str, prompt: &str, reply: &Reply, abort: &Abort) -> Answer {
    let opened = File::options().read(true).write(true).open("/dev/tty");
    let Ok(mut tty) = opened else { return Answer::NoAnswer("there is no terminal to ask on".to_owned()) };
    // What was typed before the question stood there is no answer to it; the prompt comes after that is thrown away.
    let asked = tty
        .write_all(text.as_bytes())
        .and_then(|()| Ok(tcflush(&tty, QueueSelector::IFlush)?))
        .and_then(|()| tty.write_all(prompt.as_bytes()));
    if let Err(error) = asked {
        return Answer::NoAnswer(format!("the terminal can't be used: {error}"));
    }
    match line(&mut tty, reply, abort) {
        Ok(Some(line)) if line == "yes" => Answer::Yes,
        Ok(Some(_)) => Answer::No,
        Ok(None) => Answer::NoAnswer("the question was left without an answer".to_owned()),
        Err(error) => Answer::NoAnswer(format!("the terminal can't be read: {error}")),
    }
}

/// One line without blanks around it; none at the end of input, or when nobody waits any more.
fn line(tty: &mut File, reply: &Reply, abort: &Abort) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let look = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    while reply.is_open() && !abort.is_raised() {
        let mut ready = [PollFd::new(tty, PollFlags::IN)];
        match poll(&mut ready, Some(&look)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let mut bytes = [0; 256];
        let read = tty.read(&mut bytes)?;
        let Some(bytes) = bytes.get(..read).filter(|bytes| !bytes.is_empty()) else { return Ok(None) };
        line.extend_from_slice(bytes);
        if line.contains(&b'\n') || line.len() > LINE {
            return Ok(Some(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned()));
        }
    }
    // Ends the half line that stands on the terminal.
    let _ = tty.write_all(b"\n");
    Ok(None)
}
