//! The compiled tools as a native addon for Node, made for the extension beside it (`extension.ts`) and nobody else.
//!
//! Everything crosses as text: arguments, results and configuration are JSON that JavaScript never looks into and that
//! one reader reads here (depth 32, 1 MiB). No export skips consent: a question goes out with the words that may be
//! chosen, and [`PiSession::answer`] takes the word that was chosen, of a question that is open.
//!
//! What Node demands decides the shape. An asynchronous function of napi registers a call too late for an abort in the
//! same tick, so [`PiSession::call`] registers it before it returns. A panic in a synchronous function would end the
//! process, so each catches it. JavaScript is told of things through one function that must never throw: a throw there
//! would end the process as well.
#![allow(unsafe_code)] // napi's macros expand to unsafe code; there is none of our own
#![allow(clippy::needless_pass_by_value)] // what crosses from JavaScript is owned

mod calls;
mod configuration;
mod table;

use std::sync::{Arc, PoisonError};

use napi::bindgen_prelude::{Function, Object};
use napi::{Env, Error, Result};
use napi_derive::napi;

use verbgate::output::shield;

use crate::calls::{Inner, Wanted};

/// Does its work, and lets no text of a panic out: neither to standard error nor into an error of JavaScript.
fn quiet<T>(work: impl FnOnce() -> T) -> Result<T> {
    shield(work).ok_or_else(|| Error::from_reason("a fault of the addon"))
}

/// What the table says of the tools and stages, as JSON.
#[napi(catch_unwind)]
pub fn table() -> Result<String> {
    quiet(|| table::of(&cgc_tools::CATALOGUE))
}

/// One session of Pi.
#[napi]
pub struct PiSession {
    inner: Arc<Inner>,
}

#[napi]
impl PiSession {
    /// A session.
    ///
    /// `options`: `{ guardian, user: {name, text} | null, settings: {...} | null, project: {name, text} | null }`, each
    /// text as it stands in its file. `tell` gets JSON texts while calls run: `{type: "ask" | "progress" | "log" |
    /// "observed", ...}`. It must not throw.
    ///
    /// # Errors
    /// The options are none, or a limit can't work.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env, options: String, tell: Function<'_, String, ()>) -> Result<Self> {
        let tell = tell.build_threadsafe_function().callee_handled::<false>().weak::<true>().build()?;
        let inner = Arc::new(quiet(|| Inner::new(&options, tell))?.map_err(Error::from_reason)?);
        // A worker thread that ends leaves the process behind, and in it what its calls have started.
        env.add_env_cleanup_hook(Arc::downgrade(&inner), |inner| {
            if let Some(inner) = inner.upgrade() {
                inner.abort_all();
            }
        })?;
        Ok(Self { inner })
    }

    /// Which tools are on, which stages run, and what of the configuration has no effect: JSON.
    #[napi(catch_unwind)]
    pub fn state(&self) -> Result<String> {
        quiet(|| self.inner.state())
    }

    /// Where calls come from, as it stands now: a call that comes back to another place is orphaned.
    #[napi(catch_unwind)]
    pub fn here(&self, session: String, workspace: String, epoch: u32) {
        *self.inner.now.lock().unwrap_or_else(PoisonError::into_inner) =
            calls::Now { session, workspace, epoch: u64::from(epoch) };
    }

    /// A turn of the agent begins (contract C2.8).
    #[napi(catch_unwind)]
    pub fn turn(&self) -> Result<()> {
        quiet(|| self.inner.session.turn())
    }

    /// Calls a tool. Gives a promise of the outcome as JSON: `{ok, code, text, details, fields}`. It never rejects.
    ///
    /// `id`: one that no running call has. `arguments`: JSON. `aborted`: the host has given up already.
    ///
    /// # Errors
    /// Node can't make a promise.
    #[napi(catch_unwind)]
    pub fn call<'env>(
        &self,
        env: &'env Env,
        id: String,
        tool: String,
        arguments: String,
        cwd: String,
        aborted: bool,
    ) -> Result<Object<'env>> {
        calls::start(&self.inner, env, Wanted { id, tool, arguments, cwd, aborted })
    }

    /// Ends a call. One that has ended, or never was, is no mistake.
    #[napi(catch_unwind)]
    pub fn abort(&self, id: String) -> Result<()> {
        quiet(|| self.inner.abort(&id))
    }

    /// The word that a person chose of those that a question offered; none: the dialog gave none, for the reason `why`.
    /// `shown`: milliseconds since the dialog opened. `terminal`: it stood in a terminal, where keys may have been typed
    /// before it opened.
    #[napi(catch_unwind)]
    pub fn answer(
        &self,
        ask: u32,
        chosen: Option<String>,
        why: Option<String>,
        shown: f64,
        terminal: bool,
    ) -> Result<()> {
        quiet(|| self.inner.answer(ask, chosen.as_deref(), why, shown, terminal))
    }

    /// Lets one result stage do its work on `{content, details}`: the result as it then is, or null for no change.
    #[napi(catch_unwind)]
    pub fn stage(&self, name: String, tool: String, delivered: Option<String>) -> Result<Option<String>> {
        quiet(|| self.inner.stage(&name, &tool, delivered.as_deref()))
    }

    /// Lets one provider stage do its work on a payload: the payload as it then is, or null for no change.
    #[napi(catch_unwind)]
    pub fn provider_stage(&self, name: String, payload: String) -> Result<Option<String>> {
        quiet(|| self.inner.provider_stage(&name, &payload))
    }

    /// The session has ended: its calls are ended, its files removed. Whatever still comes is orphaned.
    #[napi(catch_unwind)]
    pub fn end(&self) -> Result<()> {
        quiet(|| {
            self.inner.session.end();
            self.inner.abort_all();
        })
    }
}
