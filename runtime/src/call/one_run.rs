//! One run of a program: staged, run, captured, classified, its artifacts moved, its fields taken.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value as Json};

use super::prepare::{Ground, Prepared, refused};
use super::words;
use crate::artifact::{Artifact, Staging};
use crate::config::FileSettings;
use crate::consent::Permit;
use crate::lock::Lock;
use crate::outcome::Failure;
use crate::output::{Cleaner, Mask, Progress, SpillWriter, Spilled};
use crate::process::{self, Budget, End, Job, Run, Sink};
use crate::program::Program;
use crate::session::Session;
use crate::table::args::{Value, Values};
use crate::table::capture::{Captured, Exit};
use crate::table::classify::{RunView, Verdict, classify};
use crate::table::{
    Access, ArgKind, Class, FileSpec, Index, Piece, Scalar, Setting, Stream, VerbSpec, argv, fields, lines,
};

/// Where a run has landed.
pub(crate) struct Landing<'a> {
    pub(crate) verb: &'a VerbSpec,
    /// What the table makes of it, or how the runtime ended it.
    pub(crate) verdict: Result<Verdict<'a>, Failure>,
    pub(crate) exit: Option<Exit>,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
    pub(crate) fields: Map<String, Json>,
    pub(crate) artifacts: Vec<Artifact>,
    pub(crate) duration: Duration,
    pub(crate) escaped: Vec<String>,
    pub(crate) left: Vec<String>,
    /// Makes this run's strings fit to leave: it knows the call's secrets and the staged names.
    pub(crate) cleaner: Cleaner,
    /// Where all of the output is, if it did not fit.
    pub(crate) spilled: Option<Spilled>,
    /// What went wrong beside the outcome.
    pub(crate) notes: Vec<String>,
}

impl Landing<'_> {
    pub(crate) fn succeeded(&self) -> bool {
        matches!(self.verdict, Ok(Verdict::Success))
    }
}

/// Runs one prepared verb.
///
/// # Errors
/// It could not be staged or found; nothing was started.
pub(crate) fn run<'a>(
    ground: &Ground<'a, '_>,
    prepared: &Prepared<'a>,
    first_groups: &[Index],
    permit: Permit,
    lock: Option<&Lock>,
) -> Result<Landing<'a>, Failure> {
    let program = prepared.program.as_ref().map_err(Clone::clone)?;
    let env = prepared.env.as_ref().map_err(Clone::clone)?;
    let verb = prepared.values.verb();
    let output = ground.settings.output;
    let mut stagings = Vec::new();
    for destination in &prepared.destinations {
        stagings.push(Staging::begin(destination, ground.session.runner())?);
    }
    let renamed: Vec<(String, String)> = stagings
        .iter()
        .zip(&prepared.destinations)
        .map(|(staging, destination)| (text_of(staging.staged_path()), text_of(&destination.path)))
        .collect();
    let shown: Vec<_> = stagings.iter().flat_map(Staging::shown_as).collect();
    let cleaner = cleaner(ground.session, Some(ground.file), Some(&prepared.values), output.redact, &shown);
    let mut notes = Vec::new();
    let spill = match output.spill.then(|| ground.session.spill(&prepared.roots)).flatten() {
        Some(Ok(spill)) => Some(spill),
        Some(Err(fault)) => {
            notes.push(format!("the whole output was not kept: {}", fault.0));
            None
        }
        None => None,
    };
    let mut watch = Watch {
        spill: spill.map(|spill| spill.begin_call(&cleaner)),
        progress: ground.host.wants_progress().then(|| Progress::new(&cleaner, ground.session.clock(), ground.host)),
    };
    let run = spawn(ground, prepared, (program, env), &renamed, (permit, lock), &mut watch)?;
    let Run { end, stdout, stderr, duration, escaped, left } = run;
    // Only what does not fit in the delivered text is worth a file.
    let fits = stdout.total + stderr.total <= output.error_tail.0;
    let spilled = match watch.spill {
        Some(writer) if fits => {
            writer.discard();
            None
        }
        Some(writer) => writer.finish().unwrap_or_else(|fault| {
            notes.push(format!("the whole output was not kept: {}", fault.0));
            None
        }),
        None => None,
    };
    let mut landing = match end {
        End::Exited(exit) => {
            let present = stagings.iter().all(Staging::is_there);
            classified(ground.file, verb, first_groups, ground.settings, exit, (stdout, stderr), present, cleaner)
        }
        ended => {
            let failure = words::ended(&ended, &ground.file.program, duration);
            Landing { verdict: Err(failure), ..empty(verb, (stdout, stderr), cleaner) }
        }
    };
    landing.duration = duration;
    landing.escaped = escaped;
    landing.left = left;
    landing.spilled = spilled;
    landing.notes = notes;
    if landing.succeeded() {
        for staging in stagings {
            match staging.finish() {
                Ok(artifact) => landing.artifacts.push(artifact),
                Err(failure) => {
                    landing.verdict = Err(failure);
                    landing.fields = Map::new();
                    break;
                }
            }
        }
    }
    Ok(landing)
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Sees the output while it comes: for the spill file and the host's progress.
struct Watch<'a> {
    spill: Option<SpillWriter<'a>>,
    progress: Option<Progress<'a>>,
}

impl Sink for Watch<'_> {
    fn chunk(&mut self, stream: Stream, bytes: &[u8]) {
        if let Some(spill) = &mut self.spill {
            spill.push(stream, bytes);
        }
        if let Some(progress) = &mut self.progress {
            progress.push(stream, bytes);
        }
    }
}

/// The exit for one run: masks the call's secret arguments, the variables that the table names, and every variable of
/// the session whose name says that it is a secret, passed on or not.
pub(crate) fn cleaner(
    session: &Session,
    file: Option<&FileSpec>,
    values: Option<&Values<'_>>,
    redact: bool,
    renamed: &[(String, String)],
) -> Cleaner {
    let mut masks = values.map(secrets).unwrap_or_default();
    let named = file.map(|file| file.program.env.mask.iter().map(AsRef::as_ref).collect::<Vec<&str>>());
    masks.extend(session.masks(&named.unwrap_or_default()));
    session.as_asked(Cleaner::with_renames(masks, redact, renamed))
}

fn spawn(
    ground: &Ground<'_, '_>,
    prepared: &Prepared<'_>,
    (program, env): (&Program, &[(OsString, OsString)]),
    renamed: &[(String, String)],
    (permit, lock): (Permit, Option<&Lock>),
    watch: &mut Watch<'_>,
) -> Result<Run, Failure> {
    let verb = prepared.values.verb();
    // The one permitted difference to the plan (C2.7): the staged name stands in a write path's place.
    let mut values = prepared.values.clone();
    values.try_map_paths(|argument, path| {
        let staged = renamed.iter().find(|(_, destination)| argument.access == Access::Write && destination == path);
        Ok::<_, Failure>(staged.map_or_else(|| path.to_owned(), |(staged, _)| staged.clone()))
    })?;
    let rest = argv::render(&ground.file.program, verb, &values).map_err(refused)?;
    let first = program.found.clone().into_os_string();
    let budget = verb.timeout.unwrap_or(ground.settings.timeout);
    let budget = Budget::new(Duration::from_millis(budget.0))
        .map_err(|fault| Failure::new(crate::Code::Unavailable, fault.to_string(), "correct the time budget"))?;
    let job = Job {
        file: &program.file,
        argv: std::iter::once(first).chain(rest.into_iter().map(OsString::from)).collect(),
        env: env.to_vec(),
        cwd: &prepared.workspace.path,
        stdin: prepared.stdin.as_ref().map(|text| text.expose().as_bytes().to_vec()),
        budget,
        hold: lock.map(Lock::fd),
    };
    let (abort, runner, merger) = (ground.host.abort(), ground.session.runner(), ground.session.merger());
    Ok(if verb.class == Class::Read {
        merger.run((&ground.origin.session, ground.origin.epoch), &job, permit, abort, Some(watch), runner)
    } else {
        let _writing = merger.writing();
        process::run(&job, permit, abort, Some(watch), runner)
    })
}

/// A run that was captured elsewhere: staged files count as present.
pub(crate) fn land<'a>(
    file: &'a FileSpec,
    verb: &'a VerbSpec,
    settings: &FileSettings,
    exit: Exit,
    streams: (Captured, Captured),
    cleaner: Cleaner,
) -> Landing<'a> {
    classified(file, verb, &[], settings, exit, streams, true, cleaner)
}

#[allow(clippy::too_many_arguments)] // one caller with a staging, one without
fn classified<'a>(
    file: &'a FileSpec,
    verb: &'a VerbSpec,
    first_groups: &[Index],
    settings: &FileSettings,
    exit: Exit,
    streams: (Captured, Captured),
    staged_present: bool,
    cleaner: Cleaner,
) -> Landing<'a> {
    let view = RunView { exit, stdout: lines::view(&streams.0), stderr: lines::view(&streams.1) };
    // The settings were read before anything was started; a row's own is found by its place in the table.
    let allowed = |setting: &Setting<bool>| {
        file.groups.iter().zip(&settings.rows_allowed).any(|(group, allowed)| {
            let mut rows = group.rows.iter().zip(allowed);
            rows.any(|(row, allowed)| *allowed && row.unless.as_ref().is_some_and(|own| std::ptr::eq(own, setting)))
        })
    };
    let verdict = classify(file, verb, first_groups, &view, staged_present, &allowed);
    let mut landing = empty(verb, streams, cleaner);
    landing.exit = Some(exit);
    if matches!(verdict, Verdict::Success) {
        let stdout = &landing.stdout;
        let raw = (stdout.omitted() == 0).then(|| [stdout.head.as_slice(), &stdout.tail].concat());
        landing.fields = fields::take(verb, &view, raw.as_deref());
    }
    landing.verdict = Ok(verdict);
    landing
}

fn empty(verb: &VerbSpec, (stdout, stderr): (Captured, Captured), cleaner: Cleaner) -> Landing<'_> {
    Landing {
        verb,
        verdict: Ok(Verdict::Success),
        exit: None,
        stdout,
        stderr,
        fields: Map::new(),
        artifacts: Vec::new(),
        duration: Duration::ZERO,
        escaped: Vec::new(),
        left: Vec::new(),
        cleaner,
        spilled: None,
        notes: Vec::new(),
    }
}

/// Whether what is given on standard input holds a secret.
pub(crate) fn secret_stdin(verb: &VerbSpec) -> bool {
    verb.stdin.iter().flat_map(|pieces| pieces.iter()).any(|piece| match piece {
        Piece::Arg(name) => verb.args.iter().any(|arg| arg.name == *name && is_secret(&arg.kind)),
        Piece::Literal(_) | Piece::Group(_) => false,
    })
}

fn is_secret(kind: &ArgKind) -> bool {
    matches!(kind, ArgKind::One(Scalar::Secret { .. }) | ArgKind::Many { of: Scalar::Secret { .. }, .. })
}

/// The values that must never show up: secret arguments with their names.
fn secrets(values: &Values<'_>) -> Vec<Mask> {
    let mut found = Vec::new();
    for (arg, value) in values.iter() {
        collect(&arg.name, value, &mut found);
    }
    found
}

fn collect(name: &str, value: &Value, found: &mut Vec<Mask>) {
    match value {
        Value::Secret(secret) => found.push(Mask { name: name.to_owned(), value: secret.clone() }),
        Value::List(items) => items.iter().for_each(|item| collect(name, item, found)),
        Value::Text(_) | Value::Integer(_) | Value::Number(_) | Value::Boolean(_) => {}
    }
}
