//! What a command gives, and how it is written.

use std::io::{self, Write};

use serde_json::Value as Json;
use verbgate::table::show;

use crate::args::Format;

/// An answer: written to standard output, then the process ends with the status.
#[derive(Debug)]
pub(crate) struct Answer {
    /// For a person; a line end is added.
    pub(crate) text: String,
    /// For a program.
    pub(crate) json: Json,
    /// The exit status.
    pub(crate) status: u8,
}

/// Why there is no answer (exit status 2): one line, with text of others already made visible.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl Answer {
    /// Writes the answer.
    ///
    /// # Errors
    /// As [`print`].
    pub(crate) fn write(&self, format: Format) -> io::Result<()> {
        let mut text = match format {
            Format::Text => self.text.clone(),
            Format::Json => self.json.to_string(),
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        print(&text)
    }
}

/// Writes text to standard output. A reader that has gone away is no mistake: it has what it wanted.
///
/// # Errors
/// Standard output can't be written for another reason.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// A text of our own on standard error, line by line: what it quotes of others is made visible here, whoever made it.
/// If that is closed there is nobody to tell.
pub(crate) fn note(text: &str) {
    let lines: Vec<String> = text.lines().map(show::visible).collect();
    report(&lines.join("\n"));
}

/// The compiler's report on standard error: visible already, and perhaps coloured.
pub(crate) fn report(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
