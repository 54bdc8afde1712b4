//! What a person should hear of once: configuration that has no effect.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::outside::Outside;
use super::{Configuration, Narrow, Settings, Source, look_up, stage_narrows};
use crate::table::{Catalogue, Setting, StageKind, show};

/// Most notes: a host's whole settings file must not flood its log.
const MOST: usize = 32;

/// What a project may set a key to, for messages.
#[derive(Clone, Copy)]
enum May {
    /// Nothing.
    Nothing,
    /// This truth value.
    Only(bool),
    /// Something smaller.
    Lower,
}

impl From<Narrow> for May {
    fn from(narrow: Narrow) -> Self {
        May::Only(narrow == Narrow::ToTrue)
    }
}

impl Settings<'_> {
    /// Lines for the host's log, to be reported once: values of the project that only the user's own file may set or
    /// that do not narrow, keys that nothing reads, stages whose switch can't be read. `also`: keys that the host
    /// itself reads from the user's file, with all below them. Keys are named, values never.
    pub fn notes(&self, catalogue: &Catalogue, also: &[&str]) -> Vec<String> {
        let mut survey = Survey { settings: self, known: BTreeSet::new(), notes: Vec::new() };
        survey.catalogue(catalogue);
        let Survey { known, mut notes, .. } = survey;
        let Configuration { user, project, .. } = self.configuration;
        for key in leaves(user) {
            let read = known.iter().any(|known| *known == key)
                || also.iter().any(|also| key.strip_prefix(also).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
                // Named as unreadable by those who read below it.
                || known.iter().any(|known| known.strip_prefix(&key).is_some_and(|rest| rest.starts_with('.')));
            if !read {
                notes.push(format!("nothing reads {}; it is ignored", Source::User(key)));
            }
        }
        for key in leaves(project) {
            if !known.contains(&key) {
                notes.push(format!("nothing reads {}; it is ignored", Source::Project(key)));
            }
        }
        if !project.is_null() && !project.is_object() {
            notes.push("the project's configuration is no JSON object; it is ignored".to_owned());
        }
        if notes.len() > MOST {
            let more = notes.len() - MOST;
            notes.truncate(MOST);
            notes.push(format!("and {more} more keys that are ignored"));
        }
        // Keys are others' text, and a person's terminal is where this goes.
        notes.iter().map(|note| show::visible(note)).collect()
    }
}

/// The dotted keys that a catalogue reads, in their order: a host that shares its settings file with others looks for
/// these and no more.
pub fn keys(catalogue: &Catalogue) -> BTreeSet<String> {
    let (environment, configuration) = (super::Environment::default(), Configuration::default());
    let settings = Settings { environment: &environment, configuration: &configuration };
    let mut survey = Survey { settings: &settings, known: BTreeSet::new(), notes: Vec::new() };
    survey.catalogue(catalogue);
    survey.known.insert(crate::call::log::KEY.to_owned());
    survey.known
}

struct Survey<'a, 's> {
    settings: &'a Settings<'s>,
    known: BTreeSet<String>,
    notes: Vec<String>,
}

impl Survey<'_, '_> {
    fn catalogue(&mut self, catalogue: &Catalogue) {
        for file in catalogue.files.iter() {
            self.setting(&file.enabled, Narrow::ToFalse.into());
            self.setting(&file.program.executable, May::Nothing);
            self.setting(&file.program.timeout, May::Lower);
            for refused in file.program.refuse_files.iter() {
                self.setting(&refused.unless, Narrow::ToFalse.into());
            }
            for tool in file.tools.iter() {
                self.setting(&tool.enabled, Narrow::ToFalse.into());
            }
            // The agent is told at each call; the person should know before.
            if let Err(fault) = self.settings.try_file(catalogue, file) {
                let (source, what, takes) = (fault.source, fault.what, fault.takes);
                let name = &file.program.executable.default;
                let note = format!("{source} {what}, so no call of `{name}` runs; it takes {takes}");
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
            for row in file.groups.iter().flat_map(|group| group.rows.iter()) {
                if let Some(unless) = &row.unless {
                    self.setting(unless, Narrow::ToFalse.into());
                }
            }
        }
        let output = &catalogue.output;
        self.setting(&output.budget, May::Lower);
        self.setting(&output.error_tail, May::Lower);
        self.setting(&output.redact, Narrow::ToTrue.into());
        self.setting(&output.spill, Narrow::ToFalse.into());
        for stage in catalogue.result_stages.iter() {
            let read = if stage.kind == StageKind::Observe {
                self.settings.mode(&stage.enabled).err()
            } else {
                self.settings.flag(&stage.enabled, stage_narrows(stage.kind)).err()
            };
            if let Some(fault) = read {
                let (source, what, takes) = (fault.source, fault.what, fault.takes);
                self.notes.push(format!("{source} {what}, so the stage `{}` is off; it takes {takes}", stage.name));
            }
            if stage.kind == StageKind::Observe {
                let config = stage.enabled.config.clone();
                let setting = Setting { default: super::Mode::Off, config, env: None, min: None, max: None };
                self.setting(&setting, May::Only(false));
            } else {
                self.setting(&stage.enabled, stage_narrows(stage.kind).into());
            }
        }
    }

    /// Marks the setting's key as read, and looks at what the project says of it.
    fn setting<T: Outside>(&mut self, setting: &Setting<T>, may: May) {
        let Some(key) = &setting.config else { return };
        if !self.known.insert(key.to_string()) {
            return;
        }
        let Configuration { user, project, .. } = self.settings.configuration;
        let Ok(Some(value)) = look_up(project, key) else { return };
        let source = Source::Project(key.to_string());
        let Ok(value) = T::from_json(value) else {
            self.notes.push(format!("{source} is not {}; it is ignored", T::TAKES));
            return;
        };
        let shown = value.show();
        match may {
            May::Nothing => {
                self.notes.push(format!("{source} is ignored: only the user's own configuration can set it"));
            }
            May::Only(allowed) => {
                let wanted = matches!((shown.as_str(), allowed), ("true", true) | ("false" | "off", false));
                if !wanted {
                    self.notes.push(format!("{source} is ignored: a project can only set it to {allowed}"));
                }
            }
            May::Lower => {
                let own = look_up(user, key).ok().flatten().and_then(|own| T::from_json(own).ok());
                let most = own.unwrap_or_else(|| setting.default.clone());
                let least = setting.min.clone();
                if value > most || least.is_some_and(|least| value < least) {
                    self.notes.push(format!(
                        "{source} is ignored: a project can only lower it, and not below its smallest value"
                    ));
                }
            }
        }
    }
}

/// The dotted keys of everything that is no object, in order. An empty object is nothing.
fn leaves(json: &Json) -> Vec<String> {
    fn walk(json: &Json, key: &str, found: &mut Vec<String>) {
        match json {
            Json::Object(map) => {
                for (name, value) in map {
                    // A dot within a name is none between two: such a key is not the nested one, and nothing reads it.
                    let name = if name.contains('.') { format!("\"{name}\"") } else { name.clone() };
                    let below = if key.is_empty() { name } else { format!("{key}.{name}") };
                    walk(value, &below, found);
                }
            }
            Json::Null => {}
            _ if key.is_empty() => {}
            _ => found.push(key.to_owned()),
        }
    }
    let mut found = Vec::new();
    walk(json, "", &mut found);
    found
}
