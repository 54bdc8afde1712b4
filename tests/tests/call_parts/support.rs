//! A table over fake-tool, a place to run it in, and hosts that say yes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use verbgate::config::Environment;
use verbgate::host::Answer;
use verbgate::outcome::Outcome;
use verbgate::output::Stage;
use verbgate::process::RunnerOptions;
use verbgate::session::{Session, SessionOptions, SpillPlace};
use verbgate_codegen::{Options, compile_sources};
use verbgate_table::Catalogue;
use verbgate_tests::captured::Folder;
use verbgate_tests::{Place, Recorder};

pub(crate) const TOOL: &str = env!("CARGO_BIN_EXE_fake-tool");
const GUARDIAN: &str = env!("CARGO_BIN_EXE_test-guardian");

/// The checked table is the one that calls run on: no generated code is needed.
pub(crate) static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let manifest = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/data/fake-tool.yaml")).expect("a manifest");
    let files = BTreeMap::from([("fake-tool.yaml".to_owned(), manifest)]);
    match compile_sources("fake-tool.yaml", &files, &Options::default()) {
        Ok(compiled) => compiled.catalogue,
        Err(report) => panic!("{:?}", report.diagnostics),
    }
});

/// A place where fake-tool is the program, and each start of it leaves a line in a record.
pub(crate) struct Stand {
    pub(crate) place: Place,
}

impl Stand {
    pub(crate) fn new() -> Self {
        let place = Place::without_program();
        place.install(&place.bin(), &format!("exec '{TOOL}' \"$@\""));
        Self { place }
    }

    /// The file that is run: a script of this place that becomes fake-tool.
    pub(crate) fn program(&self) -> PathBuf {
        self.place.bin().join("cgc")
    }

    pub(crate) fn session(&self) -> Session {
        session(&self.place.run(), self.place.environment())
    }

    pub(crate) fn session_with(&self, more: &[(&str, &str)]) -> Session {
        self.session_failing(more, None)
    }

    /// A session in which a stage of the output's pipeline panics.
    pub(crate) fn session_failing(&self, more: &[(&str, &str)], failing: Option<Stage>) -> Session {
        let all = more.iter().fold(self.place.environment(), |all, (name, value)| all.with(name, value));
        session_of(SessionOptions { failing, ..options(&self.place.run(), all) })
    }

    /// A host in the workspace that has no answer.
    pub(crate) fn host(&self) -> Recorder {
        host(&self.place.workspace(), &self.program())
    }

    /// A host that says yes to everything.
    pub(crate) fn willing(&self) -> Recorder {
        (0..8).fold(self.host(), |host, _| host.answering(Answer::Yes))
    }

    pub(crate) fn inside(&self, name: &str) -> PathBuf {
        self.place.workspace().join(name)
    }

    /// Everything that a call could have touched.
    pub(crate) fn seen(&self) -> Folder {
        Folder::of(self.place.root())
    }

    /// That nothing is left of a call: no process, no lock, no private folder, no spill.
    pub(crate) fn nothing_is_left(&self, who: &str) {
        assert_eq!(self.place.alive(), Vec::<String>::new(), "left alive ({who})");
        let names = self.seen().names();
        let left = |name: &&String| name.contains(".verbgate-") || name.contains("locks/");
        assert_eq!(names.iter().find(left), None, "left behind ({who})");
    }
}

pub(crate) fn session(run: &Path, environment: Environment) -> Session {
    session_of(options(run, environment))
}

fn options(run: &Path, environment: Environment) -> SessionOptions {
    SessionOptions {
        environment: Some(environment),
        locks: Some(run.join("locks")),
        spill: SpillPlace::In(run.to_owned()),
        runner: RunnerOptions { guardian: Some(GUARDIAN.into()), ..RunnerOptions::default() },
        ..SessionOptions::default()
    }
}

fn session_of(options: SessionOptions) -> Session {
    Session::new(Cow::Owned(CATALOGUE.clone()), options).expect("a session")
}

pub(crate) fn host(workspace: &Path, program: &Path) -> Recorder {
    Recorder::new(workspace).user("fake.executable", program.to_str().expect("UTF-8"))
}

/// Everything that leaves with an outcome, as one text: JSON as it is sent, and each of its strings as it is read.
pub(crate) fn all(outcome: &Outcome) -> String {
    let details = Json::Object(outcome.details.clone());
    let fields = Json::Object(outcome.fields.clone());
    let mut text = format!("{}\n{}\n{}\n{fields}\n{details}\n", outcome.text, outcome.message, outcome.hint);
    strings(&fields, &mut text);
    strings(&details, &mut text);
    text
}

fn strings(value: &Json, all: &mut String) {
    match value {
        Json::String(text) => all.extend([text.as_str(), "\n"]),
        Json::Array(items) => items.iter().for_each(|item| strings(item, all)),
        Json::Object(members) => members.values().for_each(|member| strings(member, all)),
        _ => {}
    }
}

pub(crate) fn hex(text: impl AsRef<[u8]>) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    text.as_ref().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Waits until something holds; a test that waits in vain fails.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn write(file: &Path, text: &str) {
    verbgate_tests::place::write(file, text);
}

pub(crate) fn set_mode(file: &Path, mode: u32) {
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).expect("its mode");
}
