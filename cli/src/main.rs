//! `verbgate`: shows, checks and calls the tools of a manifest.
//!
//! Thin on purpose: what a call does stands in the runtime, what a manifest means in the compiler. Here is only what a
//! terminal needs: a command line, a person to ask, and how answers are written.

mod answer;
mod args;
mod commands;
mod config;
mod terminal;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use serde_json::json;
#[cfg(target_os = "linux")]
use verbgate::process::guardian;

use crate::answer::{Answer, Usage, note};
use crate::args::{Command, CommandLine, Format};

/// Exit status for a command line that can't be understood.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    // The runtime starts this program once more as the guardian of a call; that is no command for people.
    #[cfg(target_os = "linux")]
    if std::env::args_os().nth(1).is_some_and(|first| first == guardian::ARGUMENT) {
        return guardian::main();
    }
    let line = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(error) => return not_parsed(&error),
    };
    match run(&line) {
        Ok(answer) => written(answer.write(line.format), answer.status),
        Err(Usage(reason)) => {
            note(&format!("error: {reason}"));
            // Whoever reads JSON gets some, whatever comes of it.
            if line.format == Format::Json {
                let answer = Answer { text: String::new(), json: json!({ "error": reason }), status: USAGE };
                let _ = answer.write(Format::Json);
            }
            ExitCode::from(USAGE)
        }
    }
}

/// The exit status, if standard output took what was written.
fn written(done: std::io::Result<()>, status: u8) -> ExitCode {
    match done {
        Ok(()) => ExitCode::from(status),
        Err(error) => {
            note(&format!("error: standard output can't be written: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(line: &CommandLine) -> Result<Answer, Usage> {
    match &line.command {
        Command::Tools { config } => commands::show::tools(config),
        Command::Schema { tool, config } => commands::show::schema(tool.as_deref(), config),
        Command::Render(call) => commands::call::render(call),
        Command::Call(call) => commands::call::call(call),
        Command::Check { file } => Ok(commands::manifest::check(file, line.format)),
        Command::Explain { code } => commands::manifest::explain(code),
        Command::Classify(run) => commands::classify::classify(run),
    }
}

/// Help and version go to standard output, mistakes to standard error. A reader that has gone away is no failure.
fn not_parsed(error: &clap::Error) -> ExitCode {
    let rendered = error.render();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let text = if may_colour(&std::io::stdout()) { rendered.ansi().to_string() } else { rendered.to_string() };
        return written(answer::print(&text), 0);
    }
    // Without styles, since it holds what was typed.
    let text = rendered.to_string();
    note(text.trim_end());
    ExitCode::from(USAGE)
}

/// Whether a stream shows colours: a terminal that knows them, and nobody has said no (<https://no-color.org>).
pub(crate) fn may_colour(stream: &impl IsTerminal) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
