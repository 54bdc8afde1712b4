//! Starts the tools that a developer has: cargo, Python, pip. (Contract C1.1 is about wrapped programs; xtask is
//! excepted.)

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};

use crate::Failure;

/// Runs to the end, showing what it prints.
#[expect(clippy::disallowed_methods, reason = "the one place of xtask that starts programs and shows them")]
pub(crate) fn shown(command: &mut Command) -> Result<ExitStatus, Failure> {
    command.status().map_err(|error| not_started(command, &error))
}

/// Runs to the end with no input, keeping what it prints.
#[expect(clippy::disallowed_methods, reason = "the one place of xtask that starts programs and keeps their output")]
pub(crate) fn kept(command: &mut Command) -> Result<Output, Failure> {
    command.stdin(Stdio::null()).output().map_err(|error| not_started(command, &error))
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    format!("`{}` could not be started: {error}", command.get_program().to_string_lossy())
}

/// The last line that says something: of pip or of a traceback, the reason.
pub(crate) fn last_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    errors
        .lines()
        .rev()
        .chain(text.lines().rev())
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with("[notice]"))
        .unwrap_or("it printed nothing")
        .to_owned()
}

/// The workspace's folder.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}

/// Cargo's target folder, as cargo itself finds it: the variable, else `target` in the workspace.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) if !folder.is_empty() => std::path::absolute(&folder).unwrap_or_else(|_| folder.into()),
        _ => root().join("target"),
    }
}

/// The cargo that runs this.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}
