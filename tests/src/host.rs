//! A host that follows a script and remembers what it was asked.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value as Json, json};
use verbgate::abort::Abort;
use verbgate::config::Configuration;
use verbgate::host::{Answer, Host, Identity, Question, Reply};

/// Runs while a question is open.
type Hook = Box<dyn Fn(&Question) + Send + Sync>;

/// A host without a person: each question gets the next answer of the script, and none when that has ended.
pub struct Recorder {
    cwd: PathBuf,
    configuration: Configuration,
    abort: Abort,
    answers: Mutex<VecDeque<Answer>>,
    asked: Mutex<Vec<Question>>,
    logged: Mutex<Vec<String>>,
    /// None: not wanted.
    progressed: Option<Mutex<Vec<String>>>,
    hook: Option<Hook>,
    /// Where the host is once a question was asked.
    then: Option<(PathBuf, Identity)>,
}

fn of<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Recorder {
    /// A host in a folder, with no answers.
    ///
    /// # Panics
    /// No descriptors are left.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            configuration: Configuration::default(),
            abort: Abort::new().expect("two descriptors"),
            answers: Mutex::default(),
            asked: Mutex::default(),
            logged: Mutex::default(),
            progressed: None,
            hook: None,
            then: None,
        }
    }

    /// The next question gets this answer.
    #[must_use]
    pub fn answering(self, answer: Answer) -> Self {
        of(&self.answers).push_back(answer);
        self
    }

    /// The user's own configuration holds this value at a dotted key.
    #[must_use]
    pub fn user(mut self, key: &str, value: impl Into<Json>) -> Self {
        set(&mut self.configuration.user, key, value.into());
        self
    }

    /// The project's configuration holds this value at a dotted key.
    #[must_use]
    pub fn project(mut self, key: &str, value: impl Into<Json>) -> Self {
        set(&mut self.configuration.project, key, value.into());
        self
    }

    /// Runs this while a question is open, before it is answered.
    #[must_use]
    pub fn while_asking(mut self, hook: impl Fn(&Question) + Send + Sync + 'static) -> Self {
        self.hook = Some(Box::new(hook));
        self
    }

    /// The user's own configuration can't be read, for this reason.
    #[must_use]
    pub fn broken(mut self, reason: &str) -> Self {
        self.configuration.broken = Some(reason.to_owned());
        self
    }

    /// Ends the call, as a host does.
    pub fn abort_now(&self) {
        self.abort.raise();
    }

    /// The program's lines are wanted while it runs.
    #[must_use]
    pub fn wanting_progress(mut self) -> Self {
        self.progressed = Some(Mutex::default());
        self
    }

    /// Once a question was asked the host is in this folder, and calls come from there.
    #[must_use]
    pub fn then_at(mut self, cwd: impl Into<PathBuf>, identity: Identity) -> Self {
        self.then = Some((cwd.into(), identity));
        self
    }

    /// The lines that came while a program ran.
    pub fn progressed(&self) -> Vec<String> {
        self.progressed.as_ref().map(|lines| of(lines).clone()).unwrap_or_default()
    }

    fn moved(&self) -> Option<&(PathBuf, Identity)> {
        self.then.as_ref().filter(|_| !of(&self.asked).is_empty())
    }

    /// The questions so far.
    pub fn asked(&self) -> Vec<Question> {
        of(&self.asked).clone()
    }

    /// The faults that were logged so far.
    pub fn logged(&self) -> Vec<String> {
        of(&self.logged).clone()
    }
}

/// Where the calls of a [`Recorder`] come from.
pub fn identity() -> Identity {
    Identity { call: "call".into(), session: "session".into(), workspace: "workspace".into(), attempt: 1, epoch: 1 }
}

fn set(object: &mut Json, key: &str, value: Json) {
    if !object.is_object() {
        *object = json!({});
    }
    match key.split_once('.') {
        Some((first, rest)) => set(&mut object[first], rest, value),
        None => object[key] = value,
    }
}

impl Host for Recorder {
    fn ask(&self, question: &Question, reply: Reply) {
        of(&self.asked).push(question.clone());
        if let Some(hook) = &self.hook {
            hook(question);
        }
        let answer = of(&self.answers).pop_front();
        reply.answer(answer.unwrap_or_else(|| Answer::NoAnswer("the script has no answer".to_owned())));
    }

    fn cwd(&self) -> &Path {
        self.moved().map_or(&self.cwd, |(cwd, _)| cwd)
    }

    fn identity(&self) -> Identity {
        self.moved().map_or_else(identity, |(_, identity)| identity.clone())
    }

    fn wants_progress(&self) -> bool {
        self.progressed.is_some()
    }

    fn progress(&self, line: &str) {
        if let Some(lines) = &self.progressed {
            of(lines).push(line.to_owned());
        }
    }

    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn abort(&self) -> &Abort {
        &self.abort
    }

    fn log(&self, fault: &str) {
        of(&self.logged).push(fault.to_owned());
    }
}
