//! A session: what belongs to one conversation of one host, and nothing that two of them share.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::Value as Json;

use crate::call::{self, Rendered};
use crate::clock::Clock;
use crate::config::{Configuration, Environment, Settings, ToolState};
use crate::consent::Desk;
use crate::host::Host;
use crate::lock::Locks;
use crate::merge::Merger;
use crate::orphan::{Dropped, Orphan, Orphaned, Orphans};
use crate::outcome::{Failure, Outcome};
use crate::output::{self, Cleaner, Limits, Mask, Spill, SpillFault, Spilled, Stage};
use crate::process::{Runner, RunnerOptions};
use crate::table::Catalogue;
use crate::table::capture::{Captured, Exit};
use crate::table::secret::Secret;

/// How long a lock is waited for (C1.13).
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// Where random numbers come from: the digits of marks, and names that can't be guessed. Clones share the source.
#[derive(Clone)]
pub struct Random(Arc<dyn Fn() -> u32 + Send + Sync>);

impl Random {
    /// The system's own source.
    pub fn system() -> Self {
        Self::new(|| {
            // A refused read leaves zeros, which are as good as any four bytes for a mark; whatever has to be
            // unguessable is also created exclusively.
            let bytes = crate::random::bytes().unwrap_or_default();
            u32::from_ne_bytes(bytes)
        })
    }

    /// A source of one's own.
    pub fn new(next: impl Fn() -> u32 + Send + Sync + 'static) -> Self {
        Self(Arc::new(next))
    }

    /// The next number.
    pub fn next(&self) -> u32 {
        (self.0)()
    }
}

impl Default for Random {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}

/// Where output that does not fit into a delivered text is kept, if the table and the user's configuration want it kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SpillPlace {
    /// In the folder of contract C3.4.
    #[default]
    Usual,
    /// In this folder.
    In(PathBuf),
    /// Nowhere: the session ends with its first call, and what it keeps would be gone before anybody could read it.
    Nowhere,
}

/// What a session is made with, so that tests can fix all of it.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// The environment that settings, lookup and children read; none: the process's own, now.
    pub environment: Option<Environment>,
    /// Folder of lock files; none: the one of contract C1.13.
    pub locks: Option<PathBuf>,
    /// Where output that does not fit is kept while the session lives.
    pub spill: SpillPlace,
    /// Time.
    pub clock: Clock,
    /// Random numbers.
    pub random: Random,
    /// Limits of the runner, and its guardian.
    pub runner: RunnerOptions,
    /// Lets a stage of the output's pipeline panic, as a fault in it would. For tests of C3.5 from outside this crate.
    #[doc(hidden)]
    pub failing: Option<Stage>,
}

/// One session over one catalogue. Shared between threads; calls may run at the same time.
pub struct Session {
    catalogue: Cow<'static, Catalogue>,
    environment: Environment,
    locks: Locks,
    spill_place: SpillPlace,
    spill: OnceLock<Result<Spill, SpillFault>>,
    clock: Clock,
    random: Random,
    desk: Desk,
    runner: Runner,
    merger: Merger,
    orphans: Mutex<Orphans>,
    firewall: OnceLock<Cleaner>,
    failing: Option<Stage>,
}

impl Session {
    /// Makes a session. Nothing is started and nothing is written.
    ///
    /// # Errors
    /// A limit that can't work.
    pub fn new(catalogue: Cow<'static, Catalogue>, options: SessionOptions) -> Result<Self, String> {
        let runner = Runner::new(options.runner).map_err(|fault| fault.to_string())?;
        Ok(Self {
            catalogue,
            environment: options.environment.unwrap_or_else(Environment::of_process),
            locks: options.locks.map_or_else(Locks::new, |folder| Locks::within(folder, LOCK_WAIT)),
            spill_place: options.spill,
            spill: OnceLock::new(),
            random: options.random,
            desk: Desk::new(options.clock.clone()),
            clock: options.clock,
            runner,
            merger: Merger::default(),
            orphans: Mutex::default(),
            firewall: OnceLock::new(),
            failing: options.failing,
        })
    }

    /// The catalogue.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The environment as it was when the session was made.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Every tool with whether it is on (C4.2), in manifest order.
    pub fn tools(&self, configuration: &Configuration) -> Vec<ToolState> {
        self.settings(configuration).tools(&self.catalogue)
    }

    /// What is wrong with a configuration without stopping anything: ignored or unknown keys. To be shown once.
    pub fn notes(&self, configuration: &Configuration, also: &[&str]) -> Vec<String> {
        let also: Vec<&str> = also.iter().copied().chain([call::log::KEY]).collect();
        self.settings(configuration).notes(&self.catalogue, &also)
    }

    /// The settings under a configuration.
    pub fn settings<'a>(&'a self, configuration: &'a Configuration) -> Settings<'a> {
        Settings { environment: &self.environment, configuration }
    }

    /// The host says that a turn of the agent begins (C2.8).
    pub fn turn(&self) {
        self.desk.turn();
    }

    /// Calls a tool: the one way through, typed and dynamic. Blocks until the call has ended. Never panics: a fault of
    /// the runtime or of the host is `UNAVAILABLE`, and the text of a panic goes nowhere.
    pub fn call(&self, tool: &str, arguments: &Json, host: &dyn Host) -> Outcome {
        output::shield(|| call::call(self, tool, arguments, host)).unwrap_or_else(call::broken)
    }

    /// All of a call up to the question, with the same codes. Starts nothing.
    pub fn render(&self, tool: &str, arguments: &Json, host: &dyn Host) -> Rendered {
        call::render(self, tool, arguments, host)
    }

    /// What the table makes of a run that was captured elsewhere. Starts nothing.
    ///
    /// # Errors
    /// The tool or action is unknown or switched off.
    pub fn classify(
        &self,
        tool: &str,
        action: Option<&str>,
        exit: Exit,
        streams: (Captured, Captured),
        configuration: &Configuration,
    ) -> Result<Outcome, Failure> {
        call::classify(self, tool, action, exit, streams, &self.settings(configuration))
    }

    /// The host says that the session has ended: its spill goes with all orphans in it, and whatever still comes is
    /// orphaned and dropped (002, *Origin binding*). Says what was dropped in all. Running calls are ended by their
    /// host's abort, not by this.
    pub fn end(&self) -> Dropped {
        let mut orphans = self.orphans_mut();
        orphans.has_ended = true;
        for orphan in std::mem::take(&mut orphans.kept) {
            orphans.drop_one(orphan.output.bytes);
        }
        if let Some(Ok(spill)) = self.spill.get() {
            spill.end();
        }
        orphans.dropped
    }

    /// Whether the host has ended it.
    pub fn has_ended(&self) -> bool {
        self.orphans_mut().has_ended
    }

    /// Results of this session's calls that were not delivered, oldest first.
    pub fn orphans(&self) -> Vec<Orphan> {
        self.orphans_mut().kept.clone()
    }

    /// What of them was dropped so far.
    pub fn dropped(&self) -> Dropped {
        self.orphans_mut().dropped
    }

    /// Keeps an orphan's bytes: the file that holds the whole output already, else the text, if a spill was made for it.
    /// An error is how many bytes were dropped, and counted, instead.
    pub(crate) fn orphan(&self, orphaned: Orphaned<'_>) -> Result<Spilled, u64> {
        let Orphaned { origin, ended, text, whole, may_keep } = orphaned;
        let mut orphans = self.orphans_mut();
        let spill = self.spill.get().and_then(|made| made.as_ref().ok()).filter(|_| may_keep && !orphans.has_ended);
        let kept = spill.and_then(|spill| whole.cloned().or_else(|| spill.keep(text).ok()));
        if let Some(output) = kept {
            orphans.kept.push(Orphan { origin: origin.clone(), ended, output: output.clone() });
            return Ok(output);
        }
        let bytes = whole.map_or(text.len() as u64, |whole| whole.bytes);
        orphans.drop_one(bytes);
        Err(bytes)
    }

    fn orphans_mut(&self) -> MutexGuard<'_, Orphans> {
        self.orphans.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The redactor of `credential_firewall`: masks the variables that any file of the table names, and every variable
    /// whose name says that it is a secret. Made when it is first needed.
    pub(crate) fn firewall(&self) -> &Cleaner {
        self.firewall.get_or_init(|| {
            let files = self.catalogue.files.iter();
            let named: Vec<&str> = files.flat_map(|file| file.program.env.mask.iter().map(AsRef::as_ref)).collect();
            self.as_asked(Cleaner::new(self.masks(&named), true))
        })
    }

    /// With the stage failing that tests want to.
    pub(crate) fn as_asked(&self, cleaner: Cleaner) -> Cleaner {
        match self.failing {
            Some(stage) => cleaner.failing_at(stage),
            None => cleaner,
        }
    }

    /// The values of the environment that must not leave: of these names, and of every name that says so itself.
    pub(crate) fn masks(&self, named: &[&str]) -> Vec<Mask> {
        let variables = self.environment.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        variables
            .filter(|(name, _)| named.contains(name) || output::is_secret_name(name))
            .map(|(name, value)| Mask { name: name.to_owned(), value: Secret::new(value.to_owned()) })
            .collect()
    }

    pub(crate) fn desk(&self) -> &Desk {
        &self.desk
    }

    pub(crate) fn runner(&self) -> &Runner {
        &self.runner
    }

    pub(crate) fn merger(&self) -> &Merger {
        &self.merger
    }

    pub(crate) fn random(&self) -> &Random {
        &self.random
    }

    pub(crate) fn locks(&self) -> &Locks {
        &self.locks
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The session's spill, made when it is first needed, outside all roots (C3.4); none if nothing is kept.
    pub(crate) fn spill(&self, roots: &[PathBuf]) -> Option<Result<&Spill, SpillFault>> {
        let bases = match &self.spill_place {
            SpillPlace::Nowhere => return None,
            SpillPlace::In(base) => vec![base.clone()],
            SpillPlace::Usual => output::bases(|name| self.environment.get(name).map(ToOwned::to_owned)),
        };
        let made =
            self.spill.get_or_init(|| Spill::session(&bases, roots, Limits::default(), &mut || self.random.next()));
        Some(match made {
            // Made for another call's roots.
            Ok(spill) if !spill.lies_outside(roots) => {
                Err(SpillFault(String::from("its folder lies in a root of this call")))
            }
            made => made.as_ref().map_err(Clone::clone),
        })
    }
}
