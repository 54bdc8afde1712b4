//! What Pi's files and settings say (contract C4.5).

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use verbgate::config::{Configuration, keys, look_up};
use verbgate::table::{Catalogue, json, show};

/// A file as it was read: its text, or why there is none.
#[derive(Debug, Deserialize)]
pub(crate) struct File {
    name: String,
    text: Option<String>,
    fault: Option<String>,
}

/// What a session is made with.
#[derive(Debug, Deserialize)]
pub(crate) struct Options {
    /// The guardian's program, absolute.
    pub(crate) guardian: Option<std::path::PathBuf>,
    /// The user's own file.
    user: Option<File>,
    /// Pi's settings, of which only this project's keys are read.
    settings: Option<Json>,
    /// The file of a trusted project.
    project: Option<File>,
}

impl Options {
    /// The configuration, and what a person should hear of the project's part.
    pub(crate) fn configuration(&self, catalogue: &Catalogue) -> (Configuration, Vec<String>) {
        let mut notes = Vec::new();
        let mut configuration = Configuration::default();
        match self.user.as_ref().map(object) {
            None => {}
            Some(Ok(user)) => configuration.user = user,
            Some(Err(reason)) => configuration.broken = Some(reason),
        }
        match self.project.as_ref().map(object) {
            None => {}
            Some(Ok(project)) => configuration.project = project,
            Some(Err(reason)) => notes.push(format!("the project's configuration {reason}; it is ignored")),
        }
        if let Some(settings) = &self.settings {
            for key in keys(catalogue) {
                // What others keep under such a name is theirs.
                if let Ok(Some(value)) = look_up(settings, &key) {
                    put(&mut configuration.user, &key, value.clone());
                }
            }
        }
        (configuration, notes)
    }
}

fn object(file: &File) -> Result<Json, String> {
    let name = show::one_line(&file.name);
    let Some(text) = &file.text else {
        let fault = file.fault.as_deref().unwrap_or("nobody has read it");
        return Err(format!("`{name}` can't be read: {}", show::one_line(fault)));
    };
    match json::read(text.as_bytes()) {
        Ok(object @ Json::Object(_)) => Ok(object),
        Ok(_) => Err(format!("`{name}` is no JSON object")),
        Err(error) => {
            let (line, column) = (error.line, error.column);
            Err(format!("`{name}` is no JSON: line {line}, column {column}: {}", error.message))
        }
    }
}

/// Sets the value at a dotted key; what stands in the way gives way.
fn put(json: &mut Json, key: &str, value: Json) {
    let mut at = json;
    for part in key.split('.') {
        if !at.is_object() {
            *at = Json::Object(Map::new());
        }
        let Json::Object(members) = at else { return };
        at = members.entry(part).or_insert(Json::Null);
    }
    *at = value;
}
