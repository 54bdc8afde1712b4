//! The way of a call (DESIGN section 4), in one readable function, and the two looks at it that start nothing.

mod conclude;
pub(crate) mod log;
mod one_run;
mod prepare;
mod words;

use std::time::SystemTime;

use serde_json::{Map, Value as Json};

use self::conclude::{Ended, Told};
use self::one_run::Landing;
use self::prepare::{Ground, Prepared, prepare, refused};
use crate::Code;
use crate::config::{Settings, ToolState};
use crate::consent::{self, Permit};
use crate::host::{Host, Question};
use crate::lock::Lock;
use crate::outcome::{Failure, Outcome};
use crate::session::Session;
use crate::table::args::{self, Values};
use crate::table::capture::{Captured, Exit};
use crate::table::{BeforeSpec, Class, FileSpec, ToolSpec, VerbSpec, show};

/// A tool that can be called now.
struct Found<'a> {
    file: &'a FileSpec,
    tool: &'a ToolSpec,
}

/// Finds a tool that is there and switched on.
fn find<'a>(session: &'a Session, settings: &Settings<'_>, name: &str) -> Result<Found<'a>, Failure> {
    let states = settings.tools(session.catalogue());
    let Some(state) = states.iter().find(|state| state.name == name) else {
        let names: Vec<_> =
            states.iter().filter(|state| state.off.is_none()).map(|state| state.name.as_str()).collect();
        return Err(Failure::new(
            Code::InvalidArgument,
            format!("there is no tool `{}`", show::one_line(name)),
            format!("call one of: {}", names.join(", ")),
        ));
    };
    let found = locate(session, state);
    match (found, &state.off) {
        (Some(found), None) => Ok(found),
        (_, Some(reason)) => {
            Err(Failure::new(Code::Unavailable, format!("the tool `{name}` is switched off"), reason.clone()))
        }
        (None, None) => Err(Failure::new(Code::Unavailable, format!("the tool `{name}` is not in the table"), "")),
    }
}

fn locate<'a>(session: &'a Session, state: &ToolState) -> Option<Found<'a>> {
    let file = session.catalogue().files.get(state.file)?;
    Some(Found { file, tool: file.tools.get(state.tool)? })
}

/// Calls a tool. Everything that happens is an [`Outcome`]; nothing is started that the table does not say, and nothing
/// is started, staged or locked before a needed yes (C2.4).
pub(crate) fn call(session: &Session, tool: &str, arguments: &Json, host: &dyn Host) -> Outcome {
    let (when, start) = (SystemTime::now(), session.clock().now());
    let outcome = called(session, tool, arguments, host);
    let elapsed = session.clock().now().saturating_sub(start);
    if let Err(fault) = log::append(host.configuration(), when, elapsed, arguments, &outcome) {
        host.log(&fault);
    }
    outcome
}

/// The outcome of a call in which the runtime or the host itself failed.
pub(crate) fn broken() -> Outcome {
    let (message, hint) = (
        String::from("the runtime itself failed while it served this call"),
        String::from("look at what may have been changed before calling again, and report the fault"),
    );
    Outcome {
        code: Some(Code::Unavailable),
        text: format!("{}: {message}\nhint: {hint}", Code::Unavailable),
        message,
        hint,
        ..Outcome::default()
    }
}

fn called(session: &Session, tool: &str, arguments: &Json, host: &dyn Host) -> Outcome {
    let origin = host.identity();
    let settings = Settings { environment: session.environment(), configuration: host.configuration() };
    let told = Told::new(session, tool, &origin);
    let ended = find(session, &settings, tool)
        .and_then(|found| {
            let file_settings = settings.file(session.catalogue(), found.file)?;
            let ground = Ground { session, host, origin: &origin, file: found.file, settings: &file_settings };
            Ok(through(&ground, found.tool, arguments))
        })
        .unwrap_or_else(Ended::refused);
    told.outcome(&ended, host)
}

/// The way itself. Each `?` ends it with nothing left running, locked or staged: permits, locks and stagings are values.
fn through<'a>(ground: &Ground<'a, '_>, tool: &'a ToolSpec, arguments: &Json) -> Ended<'a> {
    let values = match args::check(tool, arguments) {
        Ok(values) => values,
        Err(refusal) => return Ended::refused(refused(refusal)),
    };
    let verb = values.verb();
    let mut ended = Ended::of(ground, &values);
    match go(ground, tool, verb, values, arguments, &mut ended) {
        Ok(landing) => ended.landed(landing),
        Err(Stop::Failure(failure)) => ended.failed(failure),
        Err(Stop::Before(landing)) => ended.landed(*landing),
    }
}

/// Why the way ended before the verb itself was run.
enum Stop<'a> {
    Failure(Failure),
    /// The precondition did not succeed: its code and text are the call's (LANGUAGE section 8).
    Before(Box<Landing<'a>>),
}

impl From<Failure> for Stop<'_> {
    fn from(failure: Failure) -> Self {
        Stop::Failure(failure)
    }
}

fn go<'a>(
    ground: &Ground<'a, '_>,
    tool: &'a ToolSpec,
    verb: &'a VerbSpec,
    values: Values<'a>,
    arguments: &Json,
    ended: &mut Ended<'a>,
) -> Result<Landing<'a>, Stop<'a>> {
    may_go_on(ground)?;
    let prepared = prepare(ground, values.clone())?;
    ended.argv(&prepared.argv);
    let plan = prepared.plan(ground, tool)?;
    let approval = match ask_for(ground, verb, &prepared, &plan)? {
        Some(question) => {
            ended.asked(&question);
            let approval = ground.session.desk().ask(ground.host, plan, &question)?;
            ended.agreed();
            Some(approval)
        }
        None => None,
    };
    let lock = match &verb.lock {
        Some(name) => {
            let program = &ground.file.program.executable.default;
            Some(ground.session.locks().take(program, name, ground.host.abort())?)
        }
        None => None,
    };
    if let Some(before) = &verb.before {
        ended.before = precondition(ground, before, arguments, lock.as_ref())?;
    }
    let prepared = prepare(ground, values)?;
    let permit = match approval {
        Some(approval) => approval.confirm(&prepared.plan(ground, tool)?, verb.before.is_some())?,
        None => permit_without_asking(verb.class)?,
    };
    may_go_on(ground)?;
    Ok(one_run::run(ground, &prepared, &[], permit, lock.as_ref())?)
}

/// The question, where the class asks.
fn ask_for(
    ground: &Ground<'_, '_>,
    verb: &VerbSpec,
    prepared: &Prepared<'_>,
    plan: &crate::plan::Plan,
) -> Result<Option<Question>, Failure> {
    if !verb.class.asks() {
        return Ok(None);
    }
    let draft = consent::Draft {
        class: verb.class,
        ask: &verb.ask,
        values: &consent::shown(&prepared.values),
        plan,
        secret_stdin: one_run::secret_stdin(verb),
    };
    let question = consent::question(&draft)?;
    let redact = ground.settings.output.redact;
    let cleaner = one_run::cleaner(ground.session, Some(ground.file), Some(&prepared.values), redact, &[]);
    consent::shows_no_secret(&draft, &question, &cleaner)?;
    Ok(Some(question))
}

/// Runs the reading verb that must succeed first, with the arguments of the same names.
fn precondition<'a>(
    ground: &Ground<'a, '_>,
    before: &'a BeforeSpec,
    arguments: &Json,
    lock: Option<&Lock>,
) -> Result<Map<String, Json>, Stop<'a>> {
    let verb = ground
        .file
        .tools
        .get(usize::from(before.tool))
        .and_then(|tool| tool.verbs.get(usize::from(before.verb)))
        .ok_or_else(|| Failure::new(Code::Unavailable, "the table names a precondition that is not in it", ""))?;
    let values = args::check_before(verb, arguments).map_err(refused)?;
    may_go_on(ground)?;
    let prepared = prepare(ground, values)?;
    let landing = one_run::run(ground, &prepared, &before.groups, permit_without_asking(verb.class)?, lock)?;
    if landing.succeeded() { Ok(landing.fields) } else { Err(Stop::Before(Box::new(landing))) }
}

fn permit_without_asking(class: Class) -> Result<Permit, Failure> {
    consent::without_asking(class)
        .ok_or_else(|| Failure::new(Code::Declined, "this verb needs a person's yes, and none was given", ""))
}

/// Nothing is started for a host that aborted, nor for an origin that no longer stands: a yes that was given in another
/// session, or before a reload, is none.
fn may_go_on(ground: &Ground<'_, '_>) -> Result<(), Failure> {
    if ground.host.abort().is_raised() {
        return Err(words::cancelled_before_start());
    }
    if conclude::stands(ground.session, ground.origin, ground.host) { Ok(()) } else { Err(words::origin_gone()) }
}

/// What a call would run and ask. Starts nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The whole argv; the bare name first if the program is missing.
    pub argv: Vec<String>,
    /// What a person would be asked.
    pub question: Option<String>,
    /// The class; none if no verb was found.
    pub class: Option<Class>,
    /// What a call would end with before anything is started.
    pub failure: Option<Failure>,
}

/// Does all of a call up to the question, with the same codes.
pub(crate) fn render(session: &Session, tool: &str, arguments: &Json, host: &dyn Host) -> Rendered {
    let origin = host.identity();
    let settings = Settings { environment: session.environment(), configuration: host.configuration() };
    let mut rendered = Rendered { argv: Vec::new(), question: None, class: None, failure: None };
    let mut cleaner = one_run::cleaner(session, None, None, true, &[]);
    let done = (|| {
        let found = find(session, &settings, tool)?;
        let file_settings = settings.file(session.catalogue(), found.file)?;
        let ground = Ground { session, host, origin: &origin, file: found.file, settings: &file_settings };
        let values = args::check(found.tool, arguments).map_err(refused)?;
        let verb = values.verb();
        rendered.class = Some(verb.class);
        let prepared = prepare(&ground, values)?;
        let sketch = prepared.sketch(&ground, found.tool);
        let name = sketch.program.to_string_lossy().into_owned();
        let argv: Vec<String> = std::iter::once(name).chain(prepared.argv.iter().cloned()).collect();
        cleaner = one_run::cleaner(session, Some(found.file), Some(&prepared.values), file_settings.output.redact, &[]);
        rendered.argv = cleaner.lines(&argv);
        rendered.question = ask_for(&ground, verb, &prepared, &sketch)?.map(|question| question.text);
        prepared.plan(&ground, found.tool)?;
        Ok::<_, Failure>(())
    })();
    rendered.failure = done.err().map(|failure| Failure {
        code: failure.code,
        message: cleaner.line(&failure.message),
        hint: cleaner.line(&failure.hint),
    });
    rendered
}

/// A run that was captured elsewhere, as the table sees it. Starts nothing; arguments are not known, staged files count
/// as present, and the text has no marks.
pub(crate) fn classify(
    session: &Session,
    tool: &str,
    action: Option<&str>,
    exit: Exit,
    streams: (Captured, Captured),
    settings: &Settings<'_>,
) -> Result<Outcome, Failure> {
    let found = find(session, settings, tool)?;
    let verb = verb_of(found.tool, action)?;
    let file_settings = settings.file(session.catalogue(), found.file)?;
    let cleaner = one_run::cleaner(session, Some(found.file), None, file_settings.output.redact, &[]);
    let landing = one_run::land(found.file, verb, &file_settings, exit, streams, cleaner);
    Ok(conclude::captured(session, &found, verb, &file_settings, landing))
}

fn verb_of<'a>(tool: &'a ToolSpec, action: Option<&str>) -> Result<&'a VerbSpec, Failure> {
    let actions: Vec<&str> = tool.verbs.iter().filter_map(|verb| verb.action.as_deref()).collect();
    let verb = tool.verbs.iter().find(|verb| verb.action.as_deref() == action);
    verb.ok_or_else(|| {
        let hint = if actions.is_empty() {
            String::from("leave the action out")
        } else {
            format!("name one of: {}", actions.join(", "))
        };
        let message = match action {
            Some(action) => format!("the tool `{}` has no action `{}`", tool.name, show::one_line(action)),
            None => format!("the tool `{}` has actions, and none is named", tool.name),
        };
        Failure::new(Code::InvalidArgument, message, hint)
    })
}
