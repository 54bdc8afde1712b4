//! Calls in threads of their own, and the host that they see.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use napi::bindgen_prelude::Object;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, JsDeferred, Result, Status};
use serde_json::{Value as Json, json};
use verbgate::abort::Abort;
use verbgate::config::Configuration;
use verbgate::host::{Answer, Host, Identity, Question, Reply};
use verbgate::output::shield;
use verbgate::process::RunnerOptions;
use verbgate::session::{Session, SessionOptions};
use verbgate::stages::{Block, Delivered, Registration, registrations, withheld};
use verbgate::table::{StageKind, json as reader, show};

use crate::configuration::Options;

/// The word that refuses.
const NO: &str = "No";
/// A yes that comes sooner was typed before the question could be read.
const READ: f64 = 750.0;

/// Tells JavaScript something. Weak: it keeps no process alive.
pub(crate) type Tell = ThreadsafeFunction<String, (), String, Status, false, true>;

/// What a promise is resolved with.
type Resolver = Box<dyn FnOnce(Env) -> Result<String> + Send>;

/// Where calls come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Now {
    pub(crate) session: String,
    pub(crate) workspace: String,
    pub(crate) epoch: u64,
}

/// A question that waits for its answer.
struct Open {
    yes: String,
    reply: Reply,
}

#[derive(Default)]
struct Asks {
    last: u32,
    open: BTreeMap<u32, Open>,
}

/// All that a session's calls share.
pub(crate) struct Inner {
    pub(crate) session: Session,
    configuration: Configuration,
    /// What of the project's file has no effect.
    notes: Vec<String>,
    tell: Tell,
    pub(crate) now: Mutex<Now>,
    running: Mutex<BTreeMap<String, Abort>>,
    /// Of what is no call: never raised.
    idle: Abort,
    asks: Mutex<Asks>,
}

/// One call as JavaScript wants it.
pub(crate) struct Wanted {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) arguments: String,
    pub(crate) cwd: String,
    pub(crate) aborted: bool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inner {
    pub(crate) fn new(options: &str, tell: Tell) -> std::result::Result<Self, String> {
        let options: Options = serde_json::from_str(options).map_err(|error| format!("the options: {error}"))?;
        let (configuration, notes) = options.configuration(&cgc_tools::CATALOGUE);
        let runner = RunnerOptions { guardian: options.guardian, ..RunnerOptions::default() };
        let options = SessionOptions { runner, ..SessionOptions::default() };
        let session = Session::new(Cow::Borrowed(&cgc_tools::CATALOGUE), options)?;
        Ok(Self {
            session,
            configuration,
            notes,
            tell,
            now: Mutex::default(),
            running: Mutex::default(),
            idle: Abort::new().map_err(|error| error.to_string())?,
            asks: Mutex::default(),
        })
    }

    /// Whether JavaScript will hear of it.
    fn tell(&self, told: &Json) -> bool {
        self.tell.call(told.to_string(), ThreadsafeFunctionCallMode::NonBlocking) == Status::Ok
    }

    fn log(&self, text: &str) {
        self.tell(&json!({ "type": "log", "text": text }));
    }

    fn observed(&self, stage: &str, measured: &Json) {
        self.tell(&json!({ "type": "observed", "stage": stage, "measured": measured }));
    }

    pub(crate) fn state(&self) -> String {
        let tools: Vec<Json> = self
            .session
            .tools(&self.configuration)
            .into_iter()
            .map(|state| json!({ "name": state.name, "off": state.off }))
            .collect();
        let stages: Vec<Json> = registrations(&self.session, &self.configuration)
            .iter()
            .map(|stage| json!({ "name": stage.name, "on": stage.on }))
            .collect();
        let mut notes = self.notes.clone();
        notes.extend(self.configuration.broken.iter().map(|reason| format!("the user's configuration {reason}")));
        notes.extend(self.session.notes(&self.configuration, &[]));
        json!({ "tools": tools, "stages": stages, "notes": notes }).to_string()
    }

    pub(crate) fn abort(&self, id: &str) {
        if let Some(abort) = locked(&self.running).get(id) {
            abort.raise();
        }
    }

    pub(crate) fn abort_all(&self) {
        locked(&self.running).values().for_each(Abort::raise);
        // Whoever still shows a dialog has nobody left to answer.
        locked(&self.asks).open.clear();
    }

    pub(crate) fn answer(&self, ask: u32, chosen: Option<&str>, why: Option<String>, shown: f64, terminal: bool) {
        let Some(open) = locked(&self.asks).open.remove(&ask) else { return };
        let answer = match chosen {
            // Written so that a time that is no number counts as too soon.
            Some(word) if word == open.yes => {
                if !terminal || shown >= READ {
                    Answer::Yes
                } else {
                    Answer::NoAnswer("the answer came before the question could be read".to_owned())
                }
            }
            Some(NO) => Answer::No,
            Some(_) => Answer::NoAnswer("the dialog gave an answer that was not offered".to_owned()),
            None => Answer::NoAnswer(why.unwrap_or_else(|| "the question was dismissed".to_owned())),
        };
        open.reply.answer(answer);
    }

    fn registered(&self, named: &str) -> Option<Registration<'_>> {
        registrations(&self.session, &self.configuration).into_iter().find(|stage| stage.name == named)
    }

    pub(crate) fn stage(&self, name: &str, tool: &str, delivered: Option<&str>) -> Option<String> {
        let stage = self.registered(name).filter(|stage| stage.on)?;
        // A result that JSON can't say (it refers to itself, is too deep) can't be looked into.
        let Some(mut before) = delivered.and_then(|text| serde_json::from_str::<Json>(text).ok()) else {
            self.log(&format!("stage `{name}` can't look into a result of `{tool}`"));
            return (stage.kind == StageKind::Sanitise).then(|| result(&withheld(), &[]).to_string());
        };
        let blocks = match before.get_mut("content").map(Json::take) {
            Some(Json::Array(blocks)) => blocks,
            _ => Vec::new(),
        };
        let details = before.get_mut("details").map(Json::take).unwrap_or_default();
        let given = Delivered { content: blocks.iter().map(block).collect(), details };
        let host = StageHost(self);
        let after = stage.apply(&self.session, &host, tool, given.clone(), None);
        if after == given {
            return None;
        }
        Some(result(&after, &blocks).to_string())
    }

    pub(crate) fn provider_stage(&self, name: &str, payload: &str) -> Option<String> {
        // One switch for both tables: the redactor is one.
        let stage = self.registered(name).filter(|stage| stage.on && stage.kind == StageKind::Sanitise)?;
        let left_out = |why: &str| {
            self.log(&format!("provider stage `{name}` was left out: {why}"));
        };
        let Ok(payload) = serde_json::from_str::<Json>(payload) else {
            left_out("the payload can't be read");
            return None;
        };
        let given = Delivered { content: Vec::new(), details: payload };
        let after = stage.apply(&self.session, &StageHost(self), "", given.clone(), None);
        if after.details.get("withheld").is_some() && given.details.get("withheld").is_none() {
            left_out("the payload is too deep or too large to be looked through");
            return None;
        }
        (after.details != given.details).then(|| after.details.to_string())
    }
}

/// A result as Pi takes it. `before`: blocks as they came, of which those that are still the same keep all their keys.
pub(crate) fn result(delivered: &Delivered, before: &[Json]) -> Json {
    let content: Vec<Json> = delivered
        .content
        .iter()
        .enumerate()
        .map(|(at, shown)| match (before.get(at).filter(|before| block(before) == *shown), shown) {
            (Some(before), _) => before.clone(),
            (None, Block::Text(text)) => json!({ "type": "text", "text": text }),
            (None, Block::Other(other)) => other.clone(),
        })
        .collect();
    json!({ "content": content, "details": delivered.details })
}

fn block(json: &Json) -> Block {
    let text = (json.get("type").and_then(Json::as_str) == Some("text")).then(|| json.get("text")?.as_str()).flatten();
    text.map_or_else(|| Block::Other(json.clone()), |text| Block::Text(text.to_owned()))
}

/// Registers the call, starts its thread, and gives the promise.
pub(crate) fn start<'env>(inner: &Arc<Inner>, env: &'env Env, wanted: Wanted) -> Result<Object<'env>> {
    let (deferred, promise): (JsDeferred<String, Resolver>, _) = env.create_deferred()?;
    let abort = match Abort::new() {
        Ok(abort) => abort,
        Err(error) => {
            deferred.resolve(given(failed("UNAVAILABLE", &format!("the call can't be made: {error}"))));
            return Ok(promise);
        }
    };
    if wanted.aborted {
        abort.raise();
    }
    if locked(&inner.running).contains_key(&wanted.id) {
        deferred.resolve(given(failed("UNAVAILABLE", "a call of this id is running")));
        return Ok(promise);
    }
    locked(&inner.running).insert(wanted.id.clone(), abort.clone());
    // The promise must be settled even if there is no thread.
    let (send, receive) = mpsc::channel::<JsDeferred<String, Resolver>>();
    let (own, id) = (Arc::clone(inner), wanted.id.clone());
    let kept_id = id.clone();
    let thread = std::thread::Builder::new().name("verbgate-call".to_owned()).spawn(move || {
        let Ok(deferred) = receive.recv() else { return };
        // Whatever happens in there, the promise is settled, and no text of a panic leaves.
        let text = shield(|| run(&own, wanted, abort)).unwrap_or_else(broken);
        locked(&own.running).remove(&id);
        drop(own);
        deferred.resolve(given(text));
    });
    let kept = match thread {
        Ok(_) => send.send(deferred).err().map(|error| error.0),
        Err(_) => Some(deferred),
    };
    if let Some(deferred) = kept {
        locked(&inner.running).remove(&kept_id);
        deferred.resolve(given(failed("UNAVAILABLE", "there are no more threads for the call")));
    }
    Ok(promise)
}

fn given(text: String) -> Resolver {
    Box::new(move |_| Ok(text))
}

/// A call that did not come so far as to be one.
fn failed(code: &str, message: &str) -> String {
    settled(code, &format!("{code}: {message}\nhint: nothing was run; try again"))
}

fn broken() -> String {
    let hint = "look at what it may have changed, and report this";
    settled("UNAVAILABLE", &format!("UNAVAILABLE: a fault of the host ended the call\nhint: {hint}"))
}

/// An outcome that the runtime has not made.
fn settled(code: &str, text: &str) -> String {
    json!({ "ok": false, "code": code, "text": text, "details": { "code": code }, "fields": {} }).to_string()
}

fn run(inner: &Arc<Inner>, wanted: Wanted, abort: Abort) -> String {
    let arguments = match reader::read(wanted.arguments.as_bytes()) {
        Ok(arguments) => arguments,
        Err(error) => {
            let text = format!("the arguments are no JSON object that can be read: {}", show::one_line(&error.message));
            return failed("INVALID_ARGUMENT", &text);
        }
    };
    let host = CallHost { inner: Arc::clone(inner), id: wanted.id, cwd: PathBuf::from(wanted.cwd), abort };
    let outcome = inner.session.call(&wanted.tool, &arguments, &host);
    json!({
        "ok": outcome.is_ok(),
        "code": outcome.code.map(verbgate::Code::as_str),
        "text": outcome.text,
        "details": outcome.details,
        "fields": outcome.fields,
    })
    .to_string()
}

/// What a call sees of Pi.
struct CallHost {
    inner: Arc<Inner>,
    id: String,
    cwd: PathBuf,
    abort: Abort,
}

impl Host for CallHost {
    fn ask(&self, question: &Question, reply: Reply) {
        let yes = format!("Yes, {}", question.effect);
        let ask = {
            let mut asks = locked(&self.inner.asks);
            asks.last = asks.last.wrapping_add(1);
            let ask = asks.last;
            asks.open.insert(ask, Open { yes: yes.clone(), reply });
            ask
        };
        let within = u64::try_from(question.within.as_millis()).unwrap_or(u64::MAX);
        let told = json!({
            "type": "ask", "call": self.id, "ask": ask, "text": question.text, "options": [NO, yes], "within": within,
        });
        // Dropped, it is no yes (C2.3).
        if !self.inner.tell(&told) {
            locked(&self.inner.asks).open.remove(&ask);
        }
    }

    fn cwd(&self) -> &Path {
        &self.cwd
    }

    fn identity(&self) -> Identity {
        let now = locked(&self.inner.now).clone();
        Identity { call: self.id.clone(), session: now.session, workspace: now.workspace, attempt: 1, epoch: now.epoch }
    }

    fn configuration(&self) -> &Configuration {
        &self.inner.configuration
    }

    fn abort(&self) -> &Abort {
        &self.abort
    }

    fn wants_progress(&self) -> bool {
        true
    }

    fn progress(&self, line: &str) {
        self.inner.tell(&json!({ "type": "progress", "call": self.id, "line": line }));
    }

    fn log(&self, fault: &str) {
        self.inner.log(fault);
    }

    fn observed(&self, stage: &str, measured: &Json) {
        self.inner.observed(stage, measured);
    }
}

/// What a stage sees of Pi: where to tell of faults and measurements.
struct StageHost<'a>(&'a Inner);

impl Host for StageHost<'_> {
    fn ask(&self, _: &Question, reply: Reply) {
        drop(reply);
    }

    fn cwd(&self) -> &Path {
        Path::new("/")
    }

    fn identity(&self) -> Identity {
        Identity::default()
    }

    fn configuration(&self) -> &Configuration {
        &self.0.configuration
    }

    fn abort(&self) -> &Abort {
        &self.0.idle
    }

    fn log(&self, fault: &str) {
        self.0.log(fault);
    }

    fn observed(&self, stage: &str, measured: &Json) {
        self.0.observed(stage, measured);
    }
}
