//! `cargo xtask demo`: the three tools on the real program, as an agent would see them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use cgc_tools::{CATALOGUE, CgcBundleExport, CgcContext, CgcDoctor, cgc_context};
use verbgate::abort::Abort;
use verbgate::config::{Configuration, Environment};
use verbgate::host::{Answer, Host, Identity, Question, Reply};
use verbgate::outcome::Outcome;
use verbgate::serde_json::Value as Json;
use verbgate::session::{Session, SessionOptions};

use crate::sample::REPOSITORY;
use crate::{Failure, sample, setup};

/// Runs the demo.
///
/// # Errors
/// One line: what could not be installed, or which tool failed.
pub(crate) fn run() -> Result<(), Failure> {
    let cgc = setup::cgc()?;
    let sample = sample::make(&cgc)?;
    println!("indexed the sample repository: {} nodes", sample.nodes);

    let bin = cgc.program.parent().unwrap_or(Path::new("/")).display().to_string();
    let environment = Environment::default()
        .with("PATH", format!("{bin}:/usr/bin:/bin"))
        .with("HOME", &sample.home)
        .with("LANG", "C.UTF-8");
    let options = SessionOptions { environment: Some(environment), ..SessionOptions::default() };
    let session = Session::new(Cow::Borrowed(&CATALOGUE), options)?;
    let abort = Abort::new().map_err(|error| format!("no descriptors are left: {error}"))?;
    let host = Willing { folder: sample.workspace, configuration: Configuration::default(), abort };

    let name = || "demo".to_owned();
    announce(CgcDoctor::NAME, &CgcDoctor.arguments());
    shown(&CgcDoctor.call(&session, &host))?;
    for context in [
        CgcContext::Create { name: name(), database: Some(cgc_context::Database::Kuzudb) },
        CgcContext::SetDefault { name: name() },
        CgcContext::List,
        CgcContext::Delete { name: name() },
    ] {
        announce(CgcContext::NAME, &context.arguments());
        shown(&context.call(&session, &host))?;
    }
    let export = CgcBundleExport { repository: REPOSITORY.to_owned(), output: "library.cgc".to_owned() };
    announce(CgcBundleExport::NAME, &export.arguments());
    let exported = export.call(&session, &host);
    shown(&exported)?;
    match exported.fields.get("nodes").and_then(Json::as_u64) {
        Some(nodes) if nodes > 1 => Ok(()),
        found => Err(format!("the bundle should hold {} nodes, and says {found:?}", sample.nodes)),
    }
}

/// What an agent calls.
fn announce(tool: &str, arguments: &Json) {
    println!("\n=== {tool} {arguments}");
}

/// What it gets.
fn shown(outcome: &Outcome) -> Result<(), Failure> {
    println!("{}", outcome.text.trim_end());
    if outcome.is_ok() { Ok(()) } else { Err(format!("a call failed: {}", outcome.message)) }
}

/// The demo's host: shows each question and says yes. It stands here, and nowhere that is shipped, on purpose.
struct Willing {
    folder: PathBuf,
    configuration: Configuration,
    abort: Abort,
}

impl Host for Willing {
    fn ask(&self, question: &Question, reply: Reply) {
        println!("--- a person is asked\n{}\n--- and says yes", question.text);
        reply.answer(Answer::Yes);
    }

    fn cwd(&self) -> &Path {
        &self.folder
    }

    fn identity(&self) -> Identity {
        Identity { call: "demo".to_owned(), session: "demo".to_owned(), ..Identity::default() }
    }

    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn abort(&self) -> &Abort {
        &self.abort
    }

    fn log(&self, fault: &str) {
        println!("note: {fault}");
    }
}
