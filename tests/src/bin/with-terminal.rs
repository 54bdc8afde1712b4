//! Becomes another program, in a new session whose controlling terminal is standard input: `with-terminal FILE ARG...`.
//! So tests of terminals need no unsafe code.

use std::env;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut argv = env::args_os().skip(1);
    let Some(file) = argv.next() else { return ExitCode::from(2) };
    let fault = match rustix::process::setsid().and_then(|_| rustix::process::ioctl_tiocsctty(io::stdin())) {
        Ok(()) => Command::new(file).args(argv).exec(),
        Err(errno) => errno.into(),
    };
    let _ = writeln!(io::stderr(), "with-terminal: {fault}");
    ExitCode::from(99)
}
