//! From where a call ended to what the agent and the host get.

use serde_json::{Map, Value as Json, json};

use super::Found;
use super::one_run::{self, Landing};
use super::prepare::Ground;
use super::words;
use crate::Code;
use crate::config::{FileSettings, OutputSettings};
use crate::host::{Host, Identity, Question};
use crate::orphan::Orphaned;
use crate::outcome::{Failure, Outcome, Owner};
use crate::output::{Cleaner, Failure as Failed, Marking, Part, Spilled, Success};
use crate::session::Session;
use crate::stages::HostOwned;
use crate::table::args::Values;
use crate::table::capture::Exit;
use crate::table::classify::Verdict;
use crate::table::{Bytes, FileSpec, Stream, VerbSpec, show, template};

/// How a call ended, with what is known of it by then.
pub(crate) struct Ended<'a> {
    file: Option<&'a FileSpec>,
    verb: Option<&'a VerbSpec>,
    values: Option<Values<'a>>,
    output: Option<OutputSettings>,
    argv: Vec<String>,
    asked: bool,
    agreed: bool,
    pub(crate) before: Map<String, Json>,
    end: Result<Landing<'a>, Failure>,
}

impl<'a> Ended<'a> {
    /// It ended before there was a verb.
    pub(crate) fn refused(failure: Failure) -> Self {
        Self {
            file: None,
            verb: None,
            values: None,
            output: None,
            argv: Vec::new(),
            asked: false,
            agreed: false,
            before: Map::new(),
            end: Err(failure),
        }
    }

    /// A verb is known; nothing has happened.
    pub(crate) fn of(ground: &Ground<'a, '_>, values: &Values<'a>) -> Self {
        Self {
            file: Some(ground.file),
            verb: Some(values.verb()),
            values: Some(values.clone()),
            output: Some(ground.settings.output),
            ..Self::refused(words::cancelled_before_start())
        }
    }

    /// What would be run.
    pub(crate) fn argv(&mut self, argv: &[String]) {
        self.argv = argv.to_vec();
    }

    /// A person is asked.
    pub(crate) fn asked(&mut self, question: &Question) {
        self.asked = !question.text.is_empty();
    }

    /// A person said yes.
    pub(crate) fn agreed(&mut self) {
        self.agreed = true;
    }

    /// It ended with a run.
    pub(crate) fn landed(mut self, landing: Landing<'a>) -> Self {
        self.end = Ok(landing);
        self
    }

    /// The fields of the verb itself, and below `before` those of its precondition.
    fn fields(&self, mut own: Map<String, Json>) -> Map<String, Json> {
        if !self.before.is_empty() {
            own.insert("before".into(), Json::Object(self.before.clone()));
        }
        own
    }

    /// It ended without one.
    pub(crate) fn failed(mut self, failure: Failure) -> Self {
        self.end = Err(failure);
        self
    }
}

/// What is fixed before the first wait.
pub(crate) struct Told<'a> {
    session: &'a Session,
    tool: &'a str,
    origin: &'a Identity,
}

impl<'a> Told<'a> {
    pub(crate) fn new(session: &'a Session, tool: &'a str, origin: &'a Identity) -> Self {
        Self { session, tool, origin }
    }

    /// The outcome, if where the call came from still stands; else ORPHANED (C5.1).
    pub(crate) fn outcome(&self, ended: &Ended<'_>, host: &dyn Host) -> Outcome {
        let mut draw = || self.session.random().next();
        let Concluded { mut outcome, log, whole, may_keep } =
            conclude(self.session, self.tool, ended, Marking::Drawn(&mut draw));
        for fault in log {
            host.log(&fault);
        }
        if stands(self.session, self.origin, host) {
            outcome.owner = Owner(Some(HostOwned::of_call(self.origin.clone())));
            return outcome;
        }
        let ended = ended_as(&outcome);
        let whole = whole.as_ref();
        let kept = self.session.orphan(Orphaned { origin: self.origin, ended, text: &outcome.text, whole, may_keep });
        orphaned(&outcome, self.tool, &kept)
    }
}

/// Whether all five parts of the binding are still what they were, and the session lives. Which tab is in front, or which
/// runner runs, is not asked.
pub(crate) fn stands(session: &Session, origin: &Identity, host: &dyn Host) -> bool {
    !session.has_ended() && host.identity() == *origin
}

/// A run that was captured elsewhere: no marks, arguments not known.
pub(crate) fn captured(
    session: &Session,
    found: &Found<'_>,
    verb: &VerbSpec,
    settings: &FileSettings,
    landing: Landing<'_>,
) -> Outcome {
    let ended = Ended {
        file: Some(found.file),
        verb: Some(verb),
        output: Some(settings.output),
        end: Ok(landing),
        ..Ended::refused(words::cancelled_before_start())
    };
    conclude(session, &found.tool.name, &ended, Marking::None).outcome
}

struct Concluded {
    outcome: Outcome,
    /// What the host's log is to be told.
    log: Vec<String>,
    /// The file that holds the whole output, if the text does not.
    whole: Option<Spilled>,
    /// Whether a program ran, and the settings let its bytes be kept in the spill.
    may_keep: bool,
}

fn conclude(session: &Session, tool: &str, ended: &Ended<'_>, marking: Marking<'_>) -> Concluded {
    // A call that ends before its settings are read has own words only, and few of them.
    let output = ended.output.unwrap_or(UNREAD);
    let limits = Limits { budget: size(output.budget.0), error_tail: size(output.error_tail.0) };
    let cleaner = match &ended.end {
        Ok(landing) => &landing.cleaner,
        Err(_) => &one_run::cleaner(session, ended.file, ended.values.as_ref(), output.redact, &[]),
    };
    let program = ended.file.map_or("the program", |file| file.program.executable.default.as_ref());
    let mut details = ended.details(tool, cleaner);
    let said = match &ended.end {
        Ok(landing) => match &landing.verdict {
            Ok(Verdict::Success) => Said::Success,
            Ok(Verdict::Row(landed)) => Said::Failure {
                failure: Failure::new(
                    landed.row.code,
                    template::line(&landed.row.say, ended.values.as_ref(), &landed.texts),
                    template::line(&landed.row.hint, ended.values.as_ref(), &landed.texts),
                ),
                row: Some(format!("{}[{}]", landed.group.name, landed.index)),
            },
            Ok(Verdict::Unexplained(exit)) => Said::Failure {
                failure: ended
                    .file
                    .map_or_else(words::cancelled_before_start, |file| words::unexplained(*exit, &file.program)),
                row: None,
            },
            Err(failure) => Said::Failure { failure: failure.clone(), row: None },
        },
        Err(failure) => Said::Failure { failure: failure.clone(), row: None },
    };
    // The place of the capture seam (`stages::CaptureSeam`): what is cleaned here is not bounded yet.
    let part = |stream: Stream, landing: &Landing<'_>| Part {
        stream,
        text: cleaner.stream(match stream {
            Stream::Stdout => &landing.stdout,
            Stream::Stderr => &landing.stderr,
        }),
    };
    let landing = ended.end.as_ref().ok();
    let notes = landing.map(|landing| landing.notes.clone()).unwrap_or_default();
    let spilled = landing.and_then(|landing| landing.spilled.as_ref());
    let keep_file = |truncated: bool, details: &mut Map<String, Json>| {
        details.insert("truncated".into(), json!(truncated));
        match spilled {
            Some(spilled) if truncated => {
                let place = json!({ "path": spilled.path, "bytes": spilled.bytes, "cut": spilled.cut });
                details.insert("output".into(), place);
            }
            Some(spilled) => crate::output::remove(spilled),
            None => {}
        }
    };
    let outcome = match said {
        Said::Success => {
            let mut fields = ended.fields(landing.map(|landing| landing.fields.clone()).unwrap_or_default());
            cleaner.object(&mut fields);
            let artifacts: Vec<(String, u64)> = landing
                .map(|landing| landing.artifacts.as_slice())
                .unwrap_or_default()
                .iter()
                .map(|artifact| (cleaner.line(&artifact.path.to_string_lossy()), artifact.size))
                .collect();
            let body: Vec<Part> = match landing {
                Some(landing) => landing.verb.body.iter().map(|stream| part(*stream, landing)).collect(),
                None => Vec::new(),
            };
            let composed = cleaner.success(
                &Success {
                    program,
                    artifacts: &artifacts,
                    fields: &fields,
                    notes: &notes,
                    body: &body,
                    spilled,
                    budget: limits.budget,
                },
                marking,
            );
            details.insert("code".into(), json!("OK"));
            if !artifacts.is_empty() {
                let artifacts: Vec<_> =
                    artifacts.iter().map(|(path, size)| json!({ "path": path, "bytes": size })).collect();
                details.insert("artifacts".into(), Json::Array(artifacts));
            }
            fitting(&mut fields, limits.budget);
            details.insert("fields".into(), Json::Object(fields.clone()));
            keep_file(composed.truncated, &mut details);
            Outcome {
                code: None,
                message: String::from("ok"),
                hint: String::new(),
                row: None,
                fields,
                text: composed.text,
                details,
                owner: Owner::default(),
            }
        }
        Said::Failure { failure, row } => {
            // They may quote what an agent sent, and that may be megabytes.
            let line = |text: &str| shortened(cleaner.line(text), limits.budget / 4);
            let (message, hint) = (line(&failure.message), line(&failure.hint));
            let streams: Vec<Part> = landing
                .map(|landing| [Stream::Stdout, Stream::Stderr].map(|stream| part(stream, landing)).to_vec())
                .unwrap_or_default();
            let composed = cleaner.failure(
                &Failed {
                    program,
                    code: failure.code,
                    say: &message,
                    hint: &hint,
                    notes: &notes,
                    streams: &streams,
                    spilled,
                    error_tail: limits.error_tail,
                    budget: limits.budget,
                },
                marking,
            );
            // What was seen before is true whatever came of the verb.
            let mut fields = ended.fields(Map::new());
            cleaner.object(&mut fields);
            fitting(&mut fields, limits.budget);
            details.insert("code".into(), json!(failure.code.as_str()));
            if !fields.is_empty() {
                details.insert("fields".into(), Json::Object(fields.clone()));
            }
            keep_file(composed.truncated, &mut details);
            Outcome {
                code: Some(failure.code),
                message,
                hint,
                row,
                fields,
                text: composed.text,
                details,
                owner: Owner::default(),
            }
        }
    };
    let mut log = cleaner.take_faults();
    log.extend(cleaner.warnings().iter().cloned());
    let whole = spilled.filter(|_| outcome.details.contains_key("output")).cloned();
    Concluded { outcome: bounded(outcome, limits.budget), log, whole, may_keep: output.spill && landing.is_some() }
}

const UNREAD: OutputSettings =
    OutputSettings { budget: Bytes(16 << 10), error_tail: Bytes(4 << 10), redact: true, spill: false };

enum Said {
    Success,
    Failure { failure: Failure, row: Option<String> },
}

struct Limits {
    budget: usize,
    error_tail: usize,
}

fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// A line that is not longer than this, as it is or cut.
fn shortened(mut line: String, most: usize) -> String {
    if line.len() > most {
        let end = (0..=most.saturating_sub('…'.len_utf8())).rev().find(|at| line.is_char_boundary(*at));
        line.truncate(end.unwrap_or(0));
        line.push('…');
    }
    line
}

/// Fields are held to the budget like the text, which names those that are left out; a smaller one behind a larger one
/// still has its place.
fn fitting(fields: &mut Map<String, Json>, budget: usize) {
    let mut left = budget;
    fields.retain(|name, value| {
        let length = name.len() + value.to_string().len();
        let fits = length <= left;
        left -= if fits { length } else { 0 };
        fits
    });
}

/// Details are stored in the clear by hosts, so they are held to the budget like the text: the largest members go first.
fn bounded(mut outcome: Outcome, budget: usize) -> Outcome {
    for member in ["fields", "argv", "escaped", "left"] {
        if Json::Object(outcome.details.clone()).to_string().len() <= budget {
            break;
        }
        if outcome.details.contains_key(member) {
            outcome.details.insert(member.into(), json!("(left out: too long)"));
        }
    }
    outcome
}

impl Ended<'_> {
    /// What hosts keep beside the text: bounded, redacted, without the values of arguments but for the argv as shown.
    fn details(&self, tool: &str, cleaner: &Cleaner) -> Map<String, Json> {
        let mut details = Map::new();
        details.insert("tool".into(), json!(show::one_line(&cleaner.line(tool))));
        if let Some(action) = self.verb.and_then(|verb| verb.action.as_deref()) {
            details.insert("action".into(), json!(action));
        }
        // Keeps its place in the order; the value comes with the outcome.
        details.insert("code".into(), Json::Null);
        if !self.argv.is_empty() {
            details.insert("argv".into(), json!(cleaner.lines(&self.argv)));
        }
        if self.asked {
            details.insert("asked".into(), json!(true));
            details.insert("agreed".into(), json!(self.agreed));
        }
        if let Ok(landing) = &self.end {
            match landing.exit {
                Some(Exit::Status(status)) => details.insert("exit".into(), json!(status)),
                Some(Exit::Signal(signal)) => details.insert("signal".into(), json!(signal)),
                None => None,
            };
            if !landing.duration.is_zero() {
                details.insert(
                    "milliseconds".into(),
                    json!(size(landing.duration.as_millis().try_into().unwrap_or(u64::MAX))),
                );
            }
            for (name, processes) in [("escaped", &landing.escaped), ("left", &landing.left)] {
                if !processes.is_empty() {
                    let names: Vec<_> = processes.iter().map(|process| cleaner.line(process)).collect();
                    details.insert(name.into(), json!(names));
                }
            }
        }
        details
    }
}

fn ended_as(outcome: &Outcome) -> &'static str {
    outcome.code.map_or("OK", Code::as_str)
}

/// It ran (or did not), but where it came from no longer stands (002, *Origin binding*): never a success. Its bytes stay
/// in the session's spill while that lives; nothing of them is delivered, nor where they are.
fn orphaned(outcome: &Outcome, tool: &str, kept: &Result<Spilled, u64>) -> Outcome {
    let ended = ended_as(outcome);
    let message =
        String::from("the session, workspace, attempt or runtime that made this call is no longer the one that stands");
    let hint = format!("the call of `{tool}` itself ended with {ended}; look at what it changed before calling again");
    let mut details = Map::new();
    for key in ["tool", "action", "argv", "exit", "signal", "milliseconds"] {
        if let Some(value) = outcome.details.get(key) {
            details.insert(key.into(), value.clone());
        }
    }
    details.insert("code".into(), json!(Code::Orphaned.as_str()));
    details.insert("ended".into(), json!(ended));
    match kept {
        Ok(kept) => details.insert("kept".into(), json!(kept.bytes)),
        Err(bytes) => details.insert("dropped".into(), json!(bytes)),
    };
    Outcome {
        code: Some(Code::Orphaned),
        text: format!("{}: {message}\nhint: {hint}", Code::Orphaned),
        message,
        hint,
        row: None,
        fields: Map::new(),
        details,
        owner: Owner::default(),
    }
}
