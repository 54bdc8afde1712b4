//! A table of one tool that reads a file of the workspace with `/bin/cat`, and a host whose origin can change in the
//! middle of a call.

use std::borrow::Cow;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Value as Json, json};
use verbgate::abort::Abort;
use verbgate::config::{Configuration, Environment};
use verbgate::host::{Answer, Host, Identity, Question, Reply};
use verbgate::session::{Session, SessionOptions, SpillPlace};
use verbgate::table::{
    Annotations, ArgKind, ArgSpec, Bytes, Catalogue, Class, Element, EnvSpec, FileSpec, List, Millis, NeverSpec,
    OutputSpec, Piece, Presence, ProgramSpec, ResultStage, Root, Scalar, Setting, StageKind, Stream, Streams,
    SuccessSpec, ToolSpec, VerbSpec,
};

fn list<T: Clone>(items: impl IntoIterator<Item = T>) -> List<T> {
    Cow::Owned(items.into_iter().collect())
}

fn switch(default: bool, key: &'static str) -> Setting<bool> {
    Setting { default, config: Some(key.into()), env: None, min: None, max: None }
}

fn stage(name: &'static str, kind: StageKind, enabled: Setting<bool>) -> ResultStage {
    ResultStage { name: name.into(), kind, enabled, tools: list([]) }
}

/// The tool is `show`; its argument is `file`. The stages are those of the decision record.
pub(crate) fn catalogue() -> Catalogue {
    let verb = VerbSpec {
        action: None,
        description: "".into(),
        class: Class::Read,
        ask: list([]),
        args: list([ArgSpec {
            name: "file".into(),
            description: "The file.".into(),
            kind: ArgKind::One(Scalar::String { pattern: None, min: 1, max: 100, multiline: false }),
            presence: Presence::Required,
            requires: list([]),
            conflicts: list([]),
        }]),
        one_of: list([]),
        argv: list([Element::One(list([Piece::Arg("file".into())]))]),
        env: list([]),
        stdin: None,
        before: None,
        lock: None,
        timeout: None,
        success: SuccessSpec { exit: list([0]), pattern: None, streams: Streams::Both },
        groups: list([]),
        body: list([Stream::Stdout]),
        fields: list([]),
        notes: list([]),
    };
    let tool = ToolSpec {
        name: "show".into(),
        description: "Shows a file.".into(),
        enabled: Setting::fixed(true),
        verbs: list([verb]),
        input_schema: "{}".into(),
        output_schema: "{}".into(),
        annotations: Annotations { read_only: true, destructive: false, idempotent: true, open_world: false },
        notes: list([]),
    };
    let program = ProgramSpec {
        executable: Setting::fixed("/bin/cat".into()),
        argv: list([]),
        install: "install it".into(),
        version: None,
        timeout: Setting::fixed(Millis(60_000)),
        refuse_files: list([]),
        roots: list([Root::Workspace]),
        env: EnvSpec { pass: list([]), set: list([]), mask: list([]) },
        never: NeverSpec::default(),
        help: None,
        network: false,
        notes: list([]),
    };
    let file = FileSpec { enabled: Setting::fixed(true), program, tools: list([tool]), groups: list([]) };
    Catalogue {
        files: list([file]),
        output: OutputSpec {
            budget: Setting::fixed(Bytes(16 << 10)),
            error_tail: Setting::fixed(Bytes(4 << 10)),
            redact: Setting::fixed(true),
            spill: switch(true, "output.spill"),
        },
        result_stages: list([
            stage("lsp_diagnostics", StageKind::Enrich, Setting::fixed(true)),
            stage("comment_checker", StageKind::Enrich, Setting::fixed(true)),
            stage("context_gateway", StageKind::Observe, switch(false, "stages.context_gateway")),
            stage(
                "truncation_metadata_normalizer",
                StageKind::Normalise,
                switch(false, "stages.truncation_metadata_normalizer"),
            ),
            stage("downstream", StageKind::Downstream, Setting::fixed(true)),
            stage("credential_firewall", StageKind::Sanitise, switch(false, "stages.credential_firewall")),
        ]),
        provider_stages: list([]),
        capabilities: list([]),
    }
}

/// A workspace with a pipe that a call waits at, and a folder for what a session keeps.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["workspace", "spill"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    pub(crate) fn session(&self) -> Session {
        let options = SessionOptions {
            environment: Some([("API_TOKEN", "hunter2hunter2")].into_iter().collect::<Environment>()),
            spill: SpillPlace::In(self.folder.path().join("spill")),
            ..SessionOptions::default()
        };
        Session::new(Cow::Owned(catalogue()), options).unwrap()
    }

    /// Makes a pipe of this name that `cat` will wait at.
    pub(crate) fn pipe(&self, name: &str) -> PathBuf {
        let path = self.workspace().join(name);
        let _ = std::fs::remove_file(&path); // of a call before
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        path
    }
}

/// Lets `meanwhile` happen while the program runs, then gives it `text` and its end. Opening the pipe waits for `cat`.
pub(crate) fn feed(pipe: &Path, text: &str, meanwhile: impl FnOnce()) {
    let mut end = OpenOptions::new().write(true).open(pipe).unwrap();
    meanwhile();
    end.write_all(text.as_bytes()).unwrap();
}

/// A host without a person.
pub(crate) struct Tab {
    cwd: PathBuf,
    identity: Mutex<Identity>,
    configuration: Configuration,
    abort: Abort,
    pub(crate) observed: Mutex<Vec<(String, Json)>>,
    pub(crate) logged: Mutex<Vec<String>>,
}

pub(crate) fn identity() -> Identity {
    Identity { call: "call-1".into(), session: "s".into(), workspace: "w".into(), attempt: 1, epoch: 1 }
}

impl Tab {
    pub(crate) fn new(place: &Place, identity: Identity) -> Self {
        Self {
            cwd: place.workspace(),
            identity: Mutex::new(identity),
            configuration: Configuration::default(),
            abort: Abort::new().unwrap(),
            observed: Mutex::default(),
            logged: Mutex::default(),
        }
    }

    /// The user's own configuration of a stage.
    pub(crate) fn stage(mut self, name: &str, value: Json) -> Self {
        if !self.configuration.user.is_object() {
            self.configuration.user = json!({ "stages": {} });
        }
        self.configuration.user["stages"][name] = value;
        self
    }

    pub(crate) fn without_spill(mut self) -> Self {
        self.configuration.user = json!({ "output": { "spill": false } });
        self
    }

    pub(crate) fn becomes(&self, change: impl FnOnce(&mut Identity)) {
        change(&mut self.identity.lock().unwrap());
    }
}

impl Host for Tab {
    fn ask(&self, _: &Question, reply: Reply) {
        reply.answer(Answer::NoAnswer("nobody is here".to_owned()));
    }

    fn cwd(&self) -> &Path {
        &self.cwd
    }

    fn identity(&self) -> Identity {
        self.identity.lock().unwrap().clone()
    }

    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn abort(&self) -> &Abort {
        &self.abort
    }

    fn log(&self, fault: &str) {
        self.logged.lock().unwrap().push(fault.to_owned());
    }

    fn observed(&self, stage: &str, measured: &Json) {
        self.observed.lock().unwrap().push((stage.to_owned(), measured.clone()));
    }
}
