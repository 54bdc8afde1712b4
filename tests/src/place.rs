//! A place to run in: a HOME, a workspace and a PATH of its own, and a record of every start of the program.

use std::borrow::Cow;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use cgc_tools::CATALOGUE;
use tempfile::TempDir;
use verbgate::config::Environment;
use verbgate::session::{Session, SessionOptions, SpillPlace};

use crate::program::Cgc;

/// Name of the sample repository's copy in the workspace.
pub const REPOSITORY: &str = "library";

/// A private place. Everything in it goes when it is dropped.
pub struct Place {
    _folder: TempDir,
    root: PathBuf,
    cgc: Option<Cgc>,
}

impl Place {
    /// A place where `cgc` is the real program. Each start of it leaves a line in a record, and it uses kuzu.
    ///
    /// # Panics
    /// The place can't be made.
    pub fn with(cgc: &Cgc) -> Self {
        let mut place = Self::without_program();
        let state = place.home().join(".codegraphcontext");
        fs::create_dir_all(&state).expect("a folder in HOME");
        write(&state.join(".env"), "DEFAULT_DATABASE=kuzudb\n");
        place.install(&place.bin(), &format!("exec '{}' \"$@\"", cgc.program.display()));
        place.cgc = Some(cgc.clone());
        place
    }

    /// A place with an empty HOME, an empty workspace, and no program.
    ///
    /// # Panics
    /// The place can't be made.
    pub fn without_program() -> Self {
        let folder = TempDir::with_prefix("verbgate-").expect("a temporary folder");
        let root = folder.path().canonicalize().expect("its real path");
        for name in ["home", "workspace", "bin", "run"] {
            fs::create_dir(root.join(name)).expect("a folder");
        }
        Self { _folder: folder, root, cgc: None }
    }

    /// Puts a script named `cgc` into a folder. It leaves its arguments in the record, then does `then`.
    ///
    /// # Panics
    /// It can't be written.
    pub fn install(&self, folder: &Path, then: &str) {
        fs::create_dir_all(folder).expect("a folder");
        let file = folder.join("cgc");
        let record = self.root.join("record");
        write(&file, &format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\n{then}\n", record.display()));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("its mode");
    }

    /// The HOME.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The session's folder.
    pub fn workspace(&self) -> PathBuf {
        self.root.join("workspace")
    }

    /// The folder on PATH that holds the program.
    pub fn bin(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// A folder for the session's own files, outside all roots.
    pub fn run(&self) -> PathBuf {
        self.root.join("run")
    }

    /// The folder that holds all of it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The embedded database of global mode.
    pub fn database(&self) -> PathBuf {
        self.home().join(".codegraphcontext/global/db/kuzudb")
    }

    /// The host's environment: nothing of the one that the tests run in.
    pub fn environment(&self) -> Environment {
        let path = format!("{}:/usr/bin:/bin", self.bin().display());
        [("PATH", path.as_str()), ("LANG", "C.UTF-8")]
            .into_iter()
            .collect::<Environment>()
            .with("HOME", self.home())
            .with("XDG_RUNTIME_DIR", self.run())
    }

    /// A session in this place's environment.
    ///
    /// # Panics
    /// It can't be made.
    pub fn session(&self) -> Session {
        self.session_in(self.environment())
    }

    /// A session in another environment, its own files in this place.
    ///
    /// # Panics
    /// It can't be made.
    pub fn session_in(&self, environment: Environment) -> Session {
        let options = SessionOptions {
            environment: Some(environment),
            locks: Some(self.run().join("locks")),
            spill: SpillPlace::In(self.run().join("spill")),
            ..SessionOptions::default()
        };
        Session::new(Cow::Borrowed(&CATALOGUE), options).expect("a session")
    }

    /// Every start of a `cgc` of this place so far: its file and its arguments.
    pub fn starts(&self) -> Vec<String> {
        let record = fs::read_to_string(self.root.join("record")).unwrap_or_default();
        record.lines().map(str::to_owned).collect()
    }

    /// The arguments of every start so far.
    pub fn ran(&self) -> Vec<String> {
        self.starts().iter().filter_map(|line| Some(line.split_once(' ')?.1.to_owned())).collect()
    }

    /// Processes that are alive with this place's HOME, as the system's table lists them.
    pub fn alive(&self) -> Vec<String> {
        let home = format!("HOME={}", self.home().display());
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let pids =
            entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.join("environ").exists());
        pids.filter(|pid| {
            let environment = fs::read(pid.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == home.as_bytes())
        })
        .map(|pid| {
            let line = fs::read(pid.join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).replace('\0', " ")
        })
        .collect()
    }

    /// The real program, started past the runner, for what comes before a test.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.environment().iter()).env("COLUMNS", "5000").env("NO_COLOR", "1");
        command.current_dir(self.workspace());
        command
    }

    fn cgc(&self) -> &Cgc {
        self.cgc.as_ref().expect("a place with the real program")
    }

    /// Runs the real program and forgets that it did: for what must be there before a test.
    ///
    /// # Panics
    /// It fails.
    #[expect(clippy::disallowed_methods, reason = "what comes before a test is no call")]
    pub fn prepare(&self, arguments: &[&str]) {
        let mut command = self.command(&self.cgc().program);
        let output = command.args(arguments).stdin(Stdio::null()).output().expect("cgc starts");
        let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "cgc {arguments:?} failed: {printed}");
    }

    /// Copies the sample repository into the workspace and indexes it. Gives its path.
    ///
    /// # Panics
    /// The index holds a single node, which is what `cgc` makes, and calls a success, without parsers.
    #[expect(clippy::disallowed_methods, reason = "what comes before a test is no call")]
    pub fn index(&self) -> PathBuf {
        let repository = self.workspace().join(REPOSITORY);
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample-repo"), &repository);
        self.prepare(&["index", REPOSITORY]);
        let count = "import kuzu, sys\n\
                     graph = kuzu.Connection(kuzu.Database(sys.argv[1], read_only=True))\n\
                     print(graph.execute('MATCH (n) RETURN count(n)').get_next()[0])";
        let mut command = self.command(&self.cgc().python);
        let output = command.args(["-c", count]).arg(self.database()).output().expect("python starts");
        let nodes: u64 = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number of nodes");
        assert!(nodes > 1, "the index has {nodes} node");
        repository
    }

    /// Holds the embedded database, as any other process of the program would, until the value is dropped.
    ///
    /// # Panics
    /// It can't be held.
    #[expect(clippy::disallowed_methods, reason = "a process of a person's own is no call")]
    pub fn hold_database(&self) -> Held {
        fs::create_dir_all(self.database().parent().expect("a folder")).expect("the database's folder");
        let script = "import kuzu, sys, time\n\
                    held = kuzu.Database(sys.argv[1])\n\
                    print('held', flush=True)\n\
                    time.sleep(600)";
        let mut command = self.command(&self.cgc().python);
        command.args(["-c", script]).arg(self.database()).env("HOME", self.root()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("python starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut line).expect("its first line");
        let held = Held(child);
        assert_eq!(line, "held\n");
        held
    }
}

/// A process that holds the database. Ended when dropped.
pub struct Held(Child);

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes a file.
///
/// # Panics
/// It can't be written.
#[expect(clippy::disallowed_methods, reason = "tests write into their own place")]
pub fn write(file: &Path, text: &str) {
    fs::write(file, text).expect("a file of the test's own");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder of the project") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("its kind").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}
