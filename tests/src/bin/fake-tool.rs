//! A program that misbehaves on demand. Its argv is a list of actions, each with its operands, done in order:
//!
//! ```text
//! out N, err N, both N     N bytes, in bursts        drip N       N bytes to standard output, one at a time
//! flood                    both streams, forever     say T, warn T   a line of text to either stream
//! hex H, hexerr H          any bytes                 controls     every kind of control sequence
//! sleep MS, forever        waits                     exit N, die SIGNAL, stop
//! cat                      standard input to standard output
//! child A, group A         starts another of itself with the actions A (blanks between them, `+` for a blank within),
//!                          which shares the streams; `group`: in a group of its own
//! leave A                  the same, in a session of its own
//! daemon A                 the same, by way of a process that ends at once
//! blank A                  as `daemon`, with an empty environment
//! wait A                   as `child`, and waits for it
//! storm N A                N children that are each left by their parents
//! deaf A                   becomes itself with the actions A, ignoring TERM, HUP and INT
//! closed A                 becomes itself with the actions A, all streams closed
//! mark T                   nothing: shows in the process table
//! write F N, append F N    a file of N bytes         touch F      an empty file
//! mkdir F, link T F, hard T F, fifo F, mode F OCTAL, remove F
//! env, argv, cwd, fds, ids, signals, umask           what it was given, one line each
//! tty T                    writes to the terminal, or says `no tty`
//! kill-parent              KILL to its parent
//! ```

use std::env;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio, exit};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, getpgrp, getpid, getppid, getsid, kill_process, setsid};

type Fault = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let mut actions = env::args().skip(1);
    while let Some(action) = actions.next() {
        if let Err(fault) = act(&action, &mut actions) {
            let _ = writeln!(io::stderr(), "fake-tool: {action}: {fault}");
            return ExitCode::from(99);
        }
    }
    ExitCode::SUCCESS
}

fn act(action: &str, rest: &mut impl Iterator<Item = String>) -> Result<(), Fault> {
    let mut next = || rest.next().ok_or("an operand is missing");
    match action {
        "out" => fill(&mut io::stdout(), next()?.parse()?)?,
        "err" => fill(&mut io::stderr(), next()?.parse()?)?,
        "both" => {
            let mut left: usize = next()?.parse()?;
            while left > 0 {
                let part = left.min(1000);
                fill(&mut io::stdout(), part)?;
                fill(&mut io::stderr(), part)?;
                left -= part;
            }
        }
        "drip" => {
            for _ in 0..next()?.parse::<usize>()? {
                print(b"x")?;
            }
        }
        "flood" => loop {
            fill(&mut io::stdout(), 1 << 16)?;
            fill(&mut io::stderr(), 1 << 16)?;
        },
        "say" => print(format!("{}\n", next()?).as_bytes())?,
        "warn" => io::stderr().write_all(format!("{}\n", next()?).as_bytes())?,
        "hex" => print(&unhex(&next()?)?)?,
        "hexerr" => io::stderr().write_all(&unhex(&next()?)?)?,
        "controls" => print(CONTROLS)?,
        "sleep" => sleep(Duration::from_millis(next()?.parse()?)),
        "forever" => loop {
            sleep(Duration::from_secs(3600));
        },
        "exit" => exit(next()?.parse()?),
        "die" => {
            let signal = next()?.parse().ok().and_then(Signal::from_named_raw).ok_or("no signal")?;
            kill_process(getpid(), signal)?;
        }
        "stop" => kill_process(getpid(), Signal::STOP)?,
        "cat" => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes)?;
            print(&bytes)?;
        }
        "child" => {
            itself(&next()?)?.spawn()?;
        }
        "group" => {
            itself(&next()?)?.process_group(0).spawn()?;
        }
        "leave" => {
            itself(&format!("setsid {}", next()?))?.spawn()?;
        }
        "daemon" => {
            itself(&format!("leave {}", next()?.replace('+', "++").replace(' ', "+")))?.spawn()?.wait()?;
        }
        "blank" => {
            let actions = next()?.replace('+', "++").replace(' ', "+");
            itself(&format!("leave {actions}"))?.env_clear().spawn()?.wait()?;
        }
        "wait" => {
            itself(&next()?)?.spawn()?.wait()?;
        }
        "storm" => {
            let (count, actions): (usize, _) = (next()?.parse()?, next()?);
            for _ in 0..count {
                itself(&format!("child {}", actions.replace('+', "++").replace(' ', "+")))?.spawn()?;
            }
        }
        "setsid" => {
            setsid()?;
        }
        "deaf" => return Err(by_shell("trap '' TERM HUP INT; exec \"$0\" \"$@\"", &next()?)?),
        "closed" => return Err(by_shell("exec \"$0\" \"$@\" <&- >&- 2>&-", &next()?)?),
        "mark" => {
            next()?;
        }
        "write" => {
            let (path, count) = (next()?, next()?.parse()?);
            fill(&mut File::create(path)?, count)?;
        }
        "append" => {
            let (path, count) = (next()?, next()?.parse()?);
            fill(&mut OpenOptions::new().append(true).create(true).open(path)?, count)?;
        }
        "touch" => {
            File::create(next()?)?;
        }
        "mkdir" => fs::create_dir(next()?)?,
        "link" => symlink(next()?, next()?)?,
        "hard" => fs::hard_link(next()?, next()?)?,
        "fifo" => {
            use rustix::fs::{CWD, Mode, mkfifoat};
            mkfifoat(CWD, next()?, Mode::RUSR | Mode::WUSR)?;
        }
        "mode" => {
            let path = next()?;
            fs::set_permissions(path, Permissions::from_mode(u32::from_str_radix(&next()?, 8)?))?;
        }
        "remove" => fs::remove_file(next()?)?,
        "env" => {
            for (name, value) in env::vars_os() {
                print(format!("{}={}\n", name.display(), value.display()).as_bytes())?;
            }
        }
        "argv" => print(format!("{:?}\n", env::args().collect::<Vec<_>>()).as_bytes())?,
        "cwd" => print(format!("{}\n", env::current_dir()?.display()).as_bytes())?,
        "fds" => descriptors()?,
        "ids" => {
            let number = |pid: Pid| pid.as_raw_nonzero();
            let parent = getppid().map_or(0, |pid| number(pid).get());
            let (me, session, group) = (number(getpid()), number(getsid(None)?), number(getpgrp()));
            print(format!("pid {me} session {session} group {group} parent {parent}\n").as_bytes())?;
        }
        "signals" | "umask" => {
            let wanted: &[&str] = if action == "umask" { &["Umask:"] } else { &["SigBlk:", "SigIgn:"] };
            for line in fs::read_to_string("/proc/self/status")?.lines() {
                if wanted.iter().any(|name| line.starts_with(name)) {
                    print(format!("{line}\n").as_bytes())?;
                }
            }
        }
        "tty" => {
            let text = next()?;
            match OpenOptions::new().write(true).open("/dev/tty") {
                Ok(mut tty) => tty.write_all(text.as_bytes())?,
                Err(_) => print(b"no tty\n")?,
            }
        }
        "kill-parent" => kill_process(getppid().ok_or("no parent")?, Signal::KILL)?,
        other => return Err(format!("no such action as {other}").into()),
    }
    Ok(())
}

/// Text, titles, hyperlinks, device control, C1 forms, unterminated ones.
const CONTROLS: &[u8] =
    b"\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\x1bPdcs\x1b\\\xc2\x9b31mc1\
\x9b1mraw\x1b[?25l\x1b(0\x08\x07\x0b\x0c\x00\x7f\r\n\x1b]52;c;AAAA";

fn print(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(bytes)?;
    out.flush()
}

fn fill(to: &mut impl Write, mut count: usize) -> io::Result<()> {
    let block = [b'x'; 1 << 16];
    while count > 0 {
        let part = count.min(block.len());
        to.write_all(block.get(..part).unwrap_or_default())?;
        count -= part;
    }
    to.flush()
}

fn unhex(text: &str) -> Result<Vec<u8>, Fault> {
    let digits = text.as_bytes().chunks(2);
    digits.map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?)).collect()
}

/// Another of this program. `+` in an operand stands for a blank, `++` for a `+` of the next level.
fn itself(actions: &str) -> Result<Command, Fault> {
    let mut command = Command::new(env::current_exe()?);
    for word in actions.split(' ') {
        command.arg(word.replace("++", "\0").replace('+', " ").replace('\0', "+"));
    }
    command.stdin(Stdio::null());
    Ok(command)
}

/// Becomes this program again, by way of a shell that arranges what safe code can't. Comes back only if that fails.
fn by_shell(script: &str, actions: &str) -> Result<Fault, Fault> {
    let words = actions.split(' ').map(|word| word.replace("++", "\0").replace('+', " ").replace('\0', "+"));
    Ok(Command::new("/bin/sh").args(["-c", script]).arg(env::current_exe()?).args(words).exec().into())
}

fn descriptors() -> Result<(), Fault> {
    let mut numbers: Vec<i32> = Vec::new();
    for entry in fs::read_dir("/proc/self/fd")? {
        let entry = entry?;
        // Not the one that this folder is read by.
        let target = fs::read_link(entry.path())?;
        if !target.to_string_lossy().ends_with("/fd") {
            numbers.push(entry.file_name().to_string_lossy().parse()?);
        }
    }
    numbers.sort_unstable();
    print(format!("{numbers:?}\n").as_bytes())?;
    Ok(())
}
