//! `render` and `call`: one call, shown or made.

use std::path::PathBuf;

use serde_json::{Value as Json, json};
use verbgate::Code;
use verbgate::orphan::Dropped;
use verbgate::session::Session;
use verbgate::stages;
use verbgate::table::{Class, json as reader};

use super::{Tools, object};
use crate::answer::{Answer, Usage, note};
use crate::args::Call;
use crate::config;
use crate::terminal::Terminal;

/// What a call needs, read from the command line.
struct Wanted {
    session: Session,
    tool: &'static str,
    arguments: Json,
    host: Terminal,
}

/// Makes the call.
///
/// # Errors
/// The command line can't be understood; nothing was run.
pub(crate) fn call(call: &Call) -> Result<Answer, Usage> {
    let Wanted { session, tool, arguments, host } = wanted(call)?;
    host.end_on_signals().map_err(|error| Usage(format!("signals can't be waited for: {error}")))?;
    let mut outcome = session.call(tool, &arguments, &host);
    // No stage of another package is here: `downstream` and the enrichers are theirs.
    let delivered = stages::deliver(&session, &host, tool, &outcome, &[]);
    outcome.text = delivered.text();
    outcome.details = delivered.details.as_object().cloned().unwrap_or_default();
    // The session ends with its one call: what still comes is orphaned, and what it kept goes.
    let dropped = session.end();
    if dropped.results > 0 {
        let Dropped { results, bytes } = dropped;
        note(&format!("note: dropped, since their origin no longer stood: {results} results of {bytes} bytes"));
    }
    Ok(Answer { text: outcome.text.clone(), json: object(&outcome), status: u8::from(!outcome.is_ok()) })
}

/// Shows what the call would run and ask.
///
/// # Errors
/// As [`call`].
pub(crate) fn render(call: &Call) -> Result<Answer, Usage> {
    let Wanted { session, tool, arguments, host } = wanted(call)?;
    let rendered = session.render(tool, &arguments, &host);
    let code = rendered.failure.as_ref().map(|failure| failure.code);
    let argv = (!rendered.argv.is_empty()).then_some(&rendered.argv);
    let mut json = json!({
        "argv": argv,
        "question": rendered.question,
        "class": rendered.class.map(Class::as_str),
        "code": code.map_or("OK", Code::as_str),
    });
    let mut lines = Vec::new();
    if let (Some(failure), Some(object)) = (&rendered.failure, json.as_object_mut()) {
        lines.push(format!("{}: {}", failure.code, failure.message));
        object.insert("message".to_owned(), failure.message.clone().into());
        if !failure.hint.is_empty() {
            lines.push(format!("hint: {}", failure.hint));
        }
        object.insert("hint".to_owned(), failure.hint.clone().into());
    }
    if let Some(argv) = argv {
        lines.push(format!("argv: {}", json!(argv)));
    }
    if let Some(class) = rendered.class {
        lines.push(format!("class: {}{}", class.as_str(), if class.asks() { " (asks)" } else { "" }));
    }
    if let Some(question) = &rendered.question {
        lines.push(format!("question:\n{question}"));
    }
    // A program that is not there refuses no arguments: what would be run is shown all the same.
    let refused = code.is_some_and(|code| code != Code::Unavailable || argv.is_none());
    Ok(Answer { text: lines.join("\n"), json, status: u8::from(refused) })
}

fn wanted(call: &Call) -> Result<Wanted, Usage> {
    let arguments = reader::read(call.json.as_bytes()).map_err(|error| {
        Usage(format!("--json holds no JSON: line {}, column {}: {}", error.line, error.column, error.message))
    })?;
    let configuration = config::read(call.config.config.as_deref());
    let tools = Tools::read(&configuration)?;
    let tool = &tools.find(&call.tool)?.name;
    let host = Terminal::new(folder(call.cwd.as_ref()), configuration)
        .map_err(|error| Usage(format!("the call can't be prepared: {error}")))?;
    Ok(Wanted { session: tools.session, tool, arguments, host })
}

/// The session's folder, absolute. One that is gone is left to the runtime, which has the words for it.
fn folder(given: Option<&PathBuf>) -> PathBuf {
    let here = || std::env::current_dir().or_else(|_| std::env::var_os("PWD").map(PathBuf::from).ok_or(()));
    match given {
        Some(folder) if folder.is_absolute() => folder.clone(),
        Some(folder) => here().unwrap_or_default().join(folder),
        None => here().unwrap_or_default(),
    }
}
