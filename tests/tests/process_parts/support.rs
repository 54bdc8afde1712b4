//! Running fake-tool, and looking at what is left.

use std::ffi::OsString;
use std::fs;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::abort::Abort;
use crate::consent::Permit;
use crate::process::{Budget, Job, Run, Runner, RunnerOptions, Sink, run};

pub(crate) const TOOL: &str = env!("CARGO_BIN_EXE_fake-tool");
pub(crate) const GUARDIAN: &str = env!("CARGO_BIN_EXE_test-guardian");

/// With and without a guardian: what does not need one holds for both.
pub(crate) fn runners() -> [(&'static str, Runner); 2] {
    [("direct", direct()), ("guarded", guarded())]
}

pub(crate) fn direct() -> Runner {
    Runner::new(RunnerOptions::default()).unwrap()
}

pub(crate) fn guarded() -> Runner {
    Runner::new(RunnerOptions { guardian: Some(GUARDIAN.into()), ..RunnerOptions::default() }).unwrap()
}

/// A call of fake-tool.
pub(crate) struct Call<'a> {
    pub(crate) file: PathBuf,
    pub(crate) argv: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) cwd: PathBuf,
    pub(crate) stdin: Option<Vec<u8>>,
    pub(crate) budget: Duration,
    pub(crate) hold: Option<BorrowedFd<'a>>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(actions: &[&str]) -> Self {
        Self {
            file: TOOL.into(),
            argv: ["fake-tool"].iter().chain(actions).map(OsString::from).collect(),
            env: Vec::new(),
            cwd: "/".into(),
            stdin: None,
            budget: Duration::from_secs(30),
            hold: None,
        }
    }

    pub(crate) fn within(mut self, milliseconds: u64) -> Self {
        self.budget = Duration::from_millis(milliseconds);
        self
    }

    pub(crate) fn job(&self) -> Job<'_> {
        Job {
            file: &self.file,
            argv: self.argv.clone(),
            env: self.env.clone(),
            cwd: &self.cwd,
            stdin: self.stdin.clone(),
            budget: Budget::new(self.budget).unwrap(),
            hold: self.hold,
        }
    }

    pub(crate) fn run(&self, runner: &Runner) -> Run {
        self.run_with(runner, &Abort::new().unwrap(), None)
    }

    pub(crate) fn run_with(&self, runner: &Runner, abort: &Abort, sink: Option<&mut dyn Sink>) -> Run {
        run(&self.job(), Permit, abort, sink, runner)
    }
}

/// What was kept, as text.
pub(crate) fn text(captured: &crate::table::capture::Captured) -> String {
    String::from_utf8_lossy(&[captured.head.as_slice(), &captured.tail].concat()).into_owned()
}

/// A word that no other process has in its argv.
pub(crate) fn mark() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("mark-{}-{}-{:?}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed), Instant::now())
        .replace([' ', '{', '}', ',', ':'], "")
}

/// Numbers of the living processes whose argv holds the mark; zombies don't count: not every init reaps.
pub(crate) fn marked(mark: &str) -> Vec<i32> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes
        .filter(|pid: &i32| {
            let argv = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&argv).contains(mark) && state(*pid).is_some_and(|state| state != 'Z')
        })
        .collect()
}

pub(crate) fn state(pid: i32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

/// The session of a process; 0 if its leader lies outside the PID namespace, which `getsid` of rustix can't say.
pub(crate) fn session(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(3)?.parse().ok()
}

/// Waits until something holds; a test that waits in vain fails.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// That nothing marked lives, now: nobody has more time.
pub(crate) fn assert_gone(mark: &str, who: &str) {
    assert_eq!(marked(mark), Vec::<i32>::new(), "left behind ({who})");
}

/// The children of a process.
pub(crate) fn children(of: i32) -> Vec<i32> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes.filter(|pid: &i32| parent(*pid) == Some(of) && state(*pid).is_some_and(|it| it != 'Z')).collect()
}

pub(crate) fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Whether a file is there, with something in it.
pub(crate) fn filled(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| it.len() > 0)
}
