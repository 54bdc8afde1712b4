//! Configuration that a host has read, and how settings get their value from it (LANGUAGE section 1, contracts C4.2
//! and C4.5).

mod environment;
mod notes;
mod outside;
#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value as Json;

use crate::Code;
use crate::outcome::Failure;
use crate::table::{Bytes, Catalogue, FileSpec, Millis, ResultStage, Setting, StageKind, Text};

pub use environment::Environment;
pub use notes::keys;
use outside::Outside;

/// What a host has read. The project's part may only narrow (C4.5).
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// The user's own; an object, or null.
    pub user: Json,
    /// The project's; an object, or null.
    pub project: Json,
    /// The user's file is there but can't be read: the tools count as off, for this reason.
    pub broken: Option<String>,
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The manifest.
    Default,
    /// This key of the user's configuration.
    User(String),
    /// This key of the project's configuration, which narrowed.
    Project(String),
    /// This variable of the host's environment.
    Variable(String),
}

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved<T> {
    /// The value in force.
    pub value: T,
    /// Where it came from.
    pub source: Source,
}

/// A value from outside that can't be used. Names key or variable and what it takes, never the value itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Where the value stands.
    pub source: Source,
    /// What is wrong, without naming the place: `is no truth value`.
    pub what: String,
    /// What it takes: `true or false`.
    pub takes: String,
}

/// What a project may do to a truth value (C4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// Set it to false: `enabled`, `spill`, `unless`.
    ToFalse,
    /// Set it to true: `redact`, the `enabled` of a `sanitise` stage.
    ToTrue,
}

/// All that settings are read from, for one call.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The environment as the session fixed it.
    pub environment: &'a Environment,
    /// What the host has read.
    pub configuration: &'a Configuration,
}

/// The settings of one file, all read before anything is done.
#[derive(Clone, Debug)]
pub struct FileSettings {
    /// Name or absolute path of the program.
    pub executable: Resolved<String>,
    /// Budget of verbs without their own.
    pub timeout: Millis,
    /// Beside [`crate::table::ProgramSpec::refuse_files`]: the user allows this name.
    pub files_allowed: Vec<bool>,
    /// Beside the rows of [`FileSpec::groups`]: the user allows what this row refuses, so it is left out.
    pub rows_allowed: Vec<Vec<bool>>,
    /// Limits of what is delivered.
    pub output: OutputSettings,
}

/// [`crate::table::OutputSpec`], read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputSettings {
    /// Most bytes of delivered text.
    pub budget: Bytes,
    /// Most bytes of the error output's end; at most half of `budget`.
    pub error_tail: Bytes,
    /// Whether secrets are masked.
    pub redact: bool,
    /// Whether what does not fit is kept in a private file.
    pub spill: bool,
}

/// Whether a tool is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolState {
    /// Index into [`Catalogue::files`].
    pub file: usize,
    /// Index into [`FileSpec::tools`].
    pub tool: usize,
    /// The tool's name.
    pub name: String,
    /// Why it is off, in words for a person; none: it is on.
    pub off: Option<String>,
}

/// How an `observe` stage is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum Mode {
    /// It does not run.
    Off,
    /// It runs.
    Observe,
}

/// The record's reason for which `enforce` does not exist (002, *Decision*).
pub const NO_ENFORCE: &str = "`enforce` is not supported: without a store and a coordinator a later handler can put \
                              raw content back, so nothing could be enforced";

/// Bounds of the language, which hold where a setting names none of its own.
const BUDGET: (Bytes, Bytes) = (Bytes(1024), Bytes(1024 * 1024));
const ERROR_TAIL: (Bytes, Bytes) = (Bytes(1), Bytes(512 * 1024));
const TIMEOUT: (Millis, Millis) = (Millis(1000), Millis(24 * 60 * 60 * 1000));

impl Settings<'_> {
    /// A truth value: true/false, 1/0, yes/no, on/off.
    ///
    /// # Errors
    /// The value from outside is none.
    pub fn flag(&self, setting: &Setting<bool>, narrow: Narrow) -> Result<Resolved<bool>, Unreadable> {
        self.read(setting, &(None, None), |new, _| *new == (narrow == Narrow::ToTrue))
    }

    /// A duration: `90 s`, or a whole number of milliseconds.
    ///
    /// # Errors
    /// The value from outside is none, or lies beyond the setting's bounds or `bounds`.
    pub fn duration(
        &self,
        setting: &Setting<Millis>,
        bounds: (Millis, Millis),
    ) -> Result<Resolved<Millis>, Unreadable> {
        self.read(setting, &(Some(bounds.0), Some(bounds.1)), |new, old| new <= old)
    }

    /// A size: `16 KiB`, or a whole number of bytes.
    ///
    /// # Errors
    /// As [`Settings::duration`].
    pub fn size(&self, setting: &Setting<Bytes>, bounds: (Bytes, Bytes)) -> Result<Resolved<Bytes>, Unreadable> {
        self.read(setting, &(Some(bounds.0), Some(bounds.1)), |new, old| new <= old)
    }

    /// A text, not empty and without control characters. A project can't set one.
    ///
    /// # Errors
    /// The value from outside is none.
    pub fn text(&self, setting: &Setting<Text>) -> Result<Resolved<String>, Unreadable> {
        let found = self.read(setting, &(None, None), |_, _| false)?;
        Ok(Resolved { value: found.value.into_owned(), source: found.source })
    }

    /// Whether an `observe` stage runs: a truth value, or the words `off` and `observe`.
    ///
    /// # Errors
    /// The value from outside is none of these; for `enforce` with the record's reason (002).
    pub fn mode(&self, setting: &Setting<bool>) -> Result<Resolved<Mode>, Unreadable> {
        let setting = Setting {
            default: Mode::from(setting.default),
            config: setting.config.clone(),
            env: setting.env.clone(),
            min: None,
            max: None,
        };
        self.read(&setting, &(None, None), |new, _| *new == Mode::Off)
    }

    /// Whether a stage runs. One that can't be read counts as off; [`Settings::notes`] names it.
    pub fn stage(&self, stage: &ResultStage) -> bool {
        if self.broken().is_some() {
            return false;
        }
        match stage.kind {
            StageKind::Observe => self.mode(&stage.enabled).is_ok_and(|found| found.value == Mode::Observe),
            kind => self.flag(&stage.enabled, stage_narrows(kind)).is_ok_and(|found| found.value),
        }
    }

    /// The state of every tool of the catalogue, in manifest order.
    pub fn tools(&self, catalogue: &Catalogue) -> Vec<ToolState> {
        let broken = self.broken();
        let mut states = Vec::new();
        for (file, spec) in catalogue.files.iter().enumerate() {
            let file_off = broken.clone().or_else(|| self.off(&spec.enabled));
            for (tool, tool_spec) in spec.tools.iter().enumerate() {
                let off = file_off.clone().or_else(|| self.off(&tool_spec.enabled));
                states.push(ToolState { file, tool, name: tool_spec.name.to_string(), off });
            }
        }
        states
    }

    /// Every setting of a file.
    ///
    /// # Errors
    /// `UNAVAILABLE`, naming the key or variable that can't be read.
    pub fn file(&self, catalogue: &Catalogue, file: &FileSpec) -> Result<FileSettings, Failure> {
        self.try_file(catalogue, file).map_err(|fault| {
            Failure::new(
                Code::Unavailable,
                format!("{} {}", fault.source, fault.what),
                format!("ask the user to set it to {}, or to remove it", fault.takes),
            )
        })
    }

    fn try_file(&self, catalogue: &Catalogue, file: &FileSpec) -> Result<FileSettings, Unreadable> {
        let program = &file.program;
        let allowed = |setting| Ok(self.flag(setting, Narrow::ToFalse)?.value);
        let files_allowed = program.refuse_files.iter().map(|file| allowed(&file.unless)).collect::<Result<_, _>>()?;
        let mut rows_allowed = Vec::new();
        for group in file.groups.iter() {
            let of_rows = group.rows.iter().map(|row| row.unless.as_ref().map_or(Ok(false), allowed));
            rows_allowed.push(of_rows.collect::<Result<_, _>>()?);
        }
        let output = &catalogue.output;
        let budget = self.size(&output.budget, BUDGET)?.value;
        let error_tail = self.size(&output.error_tail, ERROR_TAIL)?.value;
        Ok(FileSettings {
            executable: self.text(&program.executable)?,
            timeout: self.duration(&program.timeout, TIMEOUT)?.value,
            files_allowed,
            rows_allowed,
            output: OutputSettings {
                budget,
                // A smaller budget alone must not make every call fail.
                error_tail: error_tail.min(Bytes(budget.0 / 2)),
                redact: self.flag(&output.redact, Narrow::ToTrue)?.value,
                spill: self.flag(&output.spill, Narrow::ToFalse)?.value,
            },
        })
    }

    /// Why everything is off, whatever the settings say.
    fn broken(&self) -> Option<String> {
        if let Some(reason) = &self.configuration.broken {
            return Some(format!("the user's configuration can't be read: {reason}"));
        }
        let user = &self.configuration.user;
        (!user.is_null() && !user.is_object()).then(|| "the user's configuration is no JSON object".to_owned())
    }

    /// Why this switch is off; none: it is on.
    fn off(&self, setting: &Setting<bool>) -> Option<String> {
        match self.flag(setting, Narrow::ToFalse) {
            Ok(Resolved { value: true, .. }) => None,
            Ok(Resolved { source, .. }) => Some(format!("switched off by {source}")),
            Err(fault) => Some(format!("{} {} and counts as off; it takes {}", fault.source, fault.what, fault.takes)),
        }
    }

    /// Reads a setting: the variable, else the key as the project narrows it, else the default as the project narrows
    /// it. A value of the project that does not narrow is passed over here and named by [`Settings::notes`].
    fn read<T: Outside>(
        &self,
        setting: &Setting<T>,
        bounds: &(Option<T>, Option<T>),
        narrows: impl Fn(&T, &T) -> bool,
    ) -> Result<Resolved<T>, Unreadable> {
        let check = |value: Result<T, String>, source: &Source| match value {
            Err(what) => Err(Unreadable { source: source.clone(), what, takes: T::TAKES.to_owned() }),
            Ok(value) => within(value, setting, bounds).map_err(|(what, takes)| Unreadable {
                source: source.clone(),
                what,
                takes,
            }),
        };
        if let Some((name, value)) = setting.env.as_ref().and_then(|name| Some((name, self.environment.get(&**name)?)))
        {
            let source = Source::Variable(name.to_string());
            let value = value.to_str().ok_or_else(|| "is not UTF-8".to_owned()).and_then(T::from_text);
            return check(value, &source).map(|value| Resolved { value, source });
        }
        let mut found = Resolved { value: setting.default.clone(), source: Source::Default };
        let Some(key) = &setting.config else { return Ok(found) };
        match look_up(&self.configuration.user, key) {
            Ok(None) => {}
            Ok(Some(value)) => {
                let source = Source::User(key.to_string());
                found = Resolved { value: check(T::from_json(value), &source)?, source };
            }
            Err(part) => {
                let what = "holds no object".to_owned();
                return Err(Unreadable { source: Source::User(part), what, takes: "an object".to_owned() });
            }
        }
        if let Ok(Some(value)) = look_up(&self.configuration.project, key) {
            let source = Source::Project(key.to_string());
            if let Ok(value) = check(T::from_json(value), &source)
                && narrows(&value, &found.value)
                && value != found.value
            {
                found = Resolved { value, source };
            }
        }
        Ok(found)
    }
}

/// What a project may do to the switch of a stage.
fn stage_narrows(kind: StageKind) -> Narrow {
    if kind == StageKind::Sanitise { Narrow::ToTrue } else { Narrow::ToFalse }
}

/// Holds a value from outside to the bounds of the setting, else to those of the language. An error says what is wrong
/// and what it takes.
fn within<T: Outside>(value: T, setting: &Setting<T>, bounds: &(Option<T>, Option<T>)) -> Result<T, (String, String)> {
    let min = setting.min.as_ref().or(bounds.0.as_ref());
    let max = setting.max.as_ref().or(bounds.1.as_ref());
    if let Some(min) = min.filter(|min| value < **min) {
        return Err(("is too small".to_owned(), format!("at least {}", min.show())));
    }
    if let Some(max) = max.filter(|max| value > **max) {
        return Err(("is too large".to_owned(), format!("at most {}", max.show())));
    }
    Ok(value)
}

/// The value at a dotted key; null is not set.
///
/// # Errors
/// The part of the key that holds no object.
pub fn look_up<'j>(json: &'j Json, key: &str) -> Result<Option<&'j Json>, String> {
    let mut at = json;
    let mut passed = String::new();
    for part in key.split('.') {
        match at {
            Json::Null => return Ok(None),
            Json::Object(map) => at = map.get(part).unwrap_or(&Json::Null),
            _ => return Err(passed),
        }
        if !passed.is_empty() {
            passed.push('.');
        }
        passed.push_str(part);
    }
    Ok(Some(at).filter(|value| !value.is_null()))
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Default => f.write_str("the manifest"),
            Source::User(key) => write!(f, "the user's configuration `{key}`"),
            Source::Project(key) => write!(f, "the project's configuration `{key}`"),
            Source::Variable(name) => write!(f, "the variable `{name}`"),
        }
    }
}
