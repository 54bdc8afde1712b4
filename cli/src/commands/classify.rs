//! `classify`: what a captured run means.

use std::io::{self, Read};
use std::path::Path;

use verbgate::config::Configuration;
use verbgate::process::RunnerOptions;
use verbgate::table::capture::{Captured, Exit, SIGNALS};
use verbgate::table::show;

use super::{Tools, object};
use crate::answer::{Answer, Usage};
use crate::args::Classify;
use crate::config;

/// Classifies a run by the same function that a call uses.
///
/// # Errors
/// Tool, action, exit or a file can't be read.
pub(crate) fn classify(run: &Classify) -> Result<Answer, Usage> {
    let exit = exit(&run.exit)?;
    let configuration = Configuration::default();
    let tools = Tools::read(&configuration)?;
    let tool = tools.find(&run.tool)?;
    let streams = (captured(&run.stdout)?, captured(&run.stderr)?);
    let outcome = tools
        .session
        .classify(&tool.name, run.action.as_deref(), exit, streams, &configuration)
        .map_err(|failure| Usage(format!("{}: {}", failure.message, failure.hint)))?;
    let row = outcome.row.as_deref().unwrap_or("none");
    Ok(Answer { text: format!("row: {row}\n{}", outcome.text), json: object(&outcome), status: 0 })
}

/// An exit status, a signal's name, or a negative number for a signal as Python and Node write it.
fn exit(text: &str) -> Result<Exit, Usage> {
    if let Ok(status) = text.parse() {
        return Ok(Exit::Status(status));
    }
    let signal = match text.strip_prefix('-').and_then(|number| number.parse::<u8>().ok()) {
        Some(number) => (1..=64).contains(&number).then_some(number),
        None => SIGNALS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, number)| *number),
    };
    signal.map(Exit::Signal).ok_or_else(|| {
        Usage(format!("--exit takes a status from 0 to 255 or a signal as SIGKILL, not `{}`", show::one_line(text)))
    })
}

/// A stream with what the runner would have kept of it: a file of any size is seen as in a call.
fn captured(file: &Path) -> Result<Captured, Usage> {
    kept(file, RunnerOptions::default().keep)
        .map_err(|error| Usage(format!("`{}` can't be read: {error}", show::one_line(&file.to_string_lossy()))))
}

fn kept(file: &Path, keep: usize) -> io::Result<Captured> {
    let mut file = config::open(file)?;
    let mut captured = Captured::default();
    let mut chunk = vec![0; keep];
    loop {
        let read = match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => chunk.get(..read).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        captured.total += read.len() as u64;
        let (head, rest) = read.split_at(read.len().min(keep - captured.head.len()));
        captured.head.extend_from_slice(head);
        captured.tail.extend_from_slice(rest);
        let surplus = captured.tail.len().saturating_sub(keep);
        captured.tail.drain(..surplus);
    }
    Ok(captured)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_is_kept_of_a_file_is_its_head_and_its_tail_whatever_its_length() {
        for length in [0, 1, 7, 8, 9, 15, 16, 17, 40, 100_u8] {
            let bytes: Vec<u8> = (0..length).collect();
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(&bytes).unwrap();
            let captured = kept(file.path(), 8).unwrap();
            let split = bytes.len().min(8);
            assert_eq!(captured.head, bytes[..split]);
            assert_eq!(captured.tail, bytes[bytes.len().saturating_sub(8).max(split)..]);
            assert_eq!(captured.total, bytes.len() as u64);
        }
        assert!(kept(std::path::Path::new("/"), 8).is_err(), "a folder is no stream");
    }

    #[test]
    fn an_exit_is_a_status_or_a_signal() {
        assert_eq!(exit("255").unwrap(), Exit::Status(255));
        assert_eq!(exit("-15").unwrap(), Exit::Signal(15));
        assert_eq!(exit("sigkill").unwrap(), Exit::Signal(9));
        for text in ["256", "-0", "-65", "", "SIG", "1.0", "--1", "+-1"] {
            assert!(exit(text).is_err(), "{text}");
        }
    }
}
