//! What the runner costs, as ratios within one run: `cargo bench -p verbgate-tests --bench process`.
//! Results and machine: docs/benchmarks.md.

#[path = "../../runtime/src/abort.rs"]
pub mod abort;
#[path = "../../runtime/src/process/mod.rs"]
#[allow(dead_code, unused_imports, reason = "parts of it are used by the runtime only")]
pub mod process;

pub use verbgate_table as table;

/// A consent layer that says yes to everything: see tests/process.rs.
pub mod consent {
    /// See the runtime's.
    #[derive(Debug)]
    pub struct Permit;

    impl Permit {
        /// See the runtime's.
        pub fn spend(self) {}
    }
}

mod measure;

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use abort::Abort;
use consent::Permit;
use measure::{memory, ms, time};
use process::{Budget, Job, Runner, RunnerOptions, run};

const TOOL: &str = env!("CARGO_BIN_EXE_fake-tool");
const GUARDIAN: &str = env!("CARGO_BIN_EXE_test-guardian");
const FLOOD: &str = "200000000";

fn main() {
    let direct = runner(false);
    let guarded = runner(true);

    println!("first call of a session (starts the guardian and a worker), median of 50:");
    let first: Vec<Duration> = (0..50).map(|_| time(|| call(&runner(true), "/bin/true", &[]))).collect();
    println!("  {:.3} ms", ms(quantile(first, 50)));

    println!("/bin/true, 3000 of each, by turns of 100:");
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..30 {
        times[0].extend((0..100).map(|_| time(|| bare("/bin/true", &[]))));
        times[2].extend((0..100).map(|_| time(|| call(&guarded, "/bin/true", &[]))));
        times[1].extend((0..100).map(|_| time(|| call(&direct, "/bin/true", &[]))));
    }
    let base = ms(quantile(times[0].clone(), 50));
    for (name, times) in ["bare posix_spawn + wait", "without a guardian", "with a guardian"].iter().zip(times) {
        let (p50, p90) = (ms(quantile(times.clone(), 50)), ms(quantile(times, 90)));
        println!("  {name:24} p50 {p50:.3} ms ({:.2} times), p90 {p90:.3} ms", p50 / base);
    }

    println!("10,000 calls, by thousands:");
    let thousands: Vec<f64> =
        (0..10).map(|_| ms(time(|| (0..1000).for_each(|_| call(&guarded, "/bin/true", &[]))))).collect();
    println!("  {thousands:.0?} ms");

    println!("200 MB to standard output, 7 of each by turns:");
    let idle = memory("VmRSS:");
    let mut times = [const { Vec::new() }; 2];
    let mut peak = 0;
    for _ in 0..7 {
        times[0].push(time(|| bare(TOOL, &["out", FLOOD])));
        let _ = fs::write("/proc/self/clear_refs", "5");
        times[1].push(time(|| call(&guarded, TOOL, &["out", FLOOD])));
        peak = peak.max(memory("VmHWM:"));
    }
    let [plain, ours] = times.map(|times| ms(quantile(times, 50)));
    println!("  read and drop {plain:.0} ms, captured {ours:.0} ms ({:.2} times)", ours / plain);
    println!("  peak memory above idle: {} KiB", peak.saturating_sub(idle));
}

fn runner(with_guardian: bool) -> Runner {
    let guardian = with_guardian.then(|| GUARDIAN.into());
    Runner::new(RunnerOptions { guardian, ..RunnerOptions::default() }).unwrap()
}

fn call(runner: &Runner, file: &str, arguments: &[&str]) {
    let job = Job {
        file: Path::new(file),
        argv: [file].iter().chain(arguments).map(Into::into).collect(),
        env: Vec::new(),
        cwd: Path::new("/"),
        stdin: None,
        budget: Budget::new(Duration::from_secs(60)).unwrap(),
        hold: None,
    };
    let got = run(&job, Permit, &Abort::new().unwrap(), None, runner);
    assert_eq!(got.end, process::End::Exited(table::capture::Exit::Status(0)));
}

/// The standard library's fast path, with one pipe.
#[allow(clippy::disallowed_methods, reason = "what the runner is compared with")]
fn bare(file: &str, arguments: &[&str]) {
    let mut command = Command::new(file);
    command.args(arguments).env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut buffer = vec![0; 1 << 16];
    while stdout.read(&mut buffer).unwrap() > 0 {}
    assert!(child.wait().unwrap().success());
}

fn quantile(mut times: Vec<Duration>, percent: usize) -> Duration {
    times.sort_unstable();
    times[times.len() * percent / 100]
}
