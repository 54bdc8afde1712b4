//! The call log: off unless the user names a place for it. One line of JSON per call, shapes instead of values.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value as Json, json};

use crate::config::Configuration;
use crate::outcome::Outcome;

/// The key of the user's own configuration that names the file, an absolute path. A project's is not read (C4.5).
pub(crate) const KEY: &str = "callLog";

/// Appends a call. What goes wrong is said, and changes nothing about the call.
///
/// # Errors
/// One line for the host's log: the place is no absolute path, is a link, or can't be written.
pub(crate) fn append(
    configuration: &Configuration,
    when: SystemTime,
    took: Duration,
    arguments: &Json,
    outcome: &Outcome,
) -> Result<(), String> {
    let place = match configuration.user.get(KEY) {
        None | Some(Json::Null) => return Ok(()),
        Some(Json::String(place)) if Path::new(place).is_absolute() => place,
        Some(_) => return Err(format!("`{KEY}` is no absolute path, so calls are not logged")),
    };
    let detail = |key: &str| outcome.details.get(key).cloned().unwrap_or(Json::Null);
    let when = when.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let answered = match (detail("asked"), detail("agreed")) {
        (Json::Bool(true), Json::Bool(agreed)) => json!(if agreed { "yes" } else { "no" }),
        _ => Json::Null,
    };
    let line = json!({
        "unixMilliseconds": u64::try_from(when.as_millis()).unwrap_or(u64::MAX),
        "tool": detail("tool"),
        "action": detail("action"),
        "code": detail("code"),
        "milliseconds": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "asked": detail("asked") == Json::Bool(true),
        "answered": answered,
        "arguments": shapes(arguments),
    });
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600);
    // A link there is not the place that the user named, and a pipe without a reader must not block a call.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.custom_flags(flags.bits().cast_signed());
    options
        .open(place)
        // One write of a whole line, so that two sessions do not mix theirs.
        .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
        .map_err(|error| format!("the call log can't be written: {}", error.kind()))
}

/// What was given, without a value: `{"name": "text of 5 characters"}`. A name that is too long to be one is left out.
fn shapes(arguments: &Json) -> Json {
    let Some(arguments) = arguments.as_object() else { return json!("no object") };
    let mut shapes = Map::new();
    for (name, value) in arguments.iter().take(64) {
        let known = name.len() <= 64
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if known {
            shapes.insert(name.clone(), json!(shape(value)));
        }
    }
    Json::Object(shapes)
}

fn shape(value: &Json) -> String {
    match value {
        Json::Null => String::from("null"),
        Json::Bool(_) => String::from("boolean"),
        Json::Number(_) => String::from("number"),
        Json::String(text) => format!("text of {} characters", text.chars().count()),
        Json::Array(items) => format!("list of {}", items.len()),
        Json::Object(members) => format!("object of {}", members.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome() -> Outcome {
        let details = json!({ "tool": "t", "action": "a", "code": "BUSY", "asked": true, "agreed": false });
        Outcome { details: details.as_object().cloned().unwrap(), ..Outcome::default() }
    }

    fn configured(place: &Json) -> Configuration {
        Configuration { user: json!({ KEY: place }), ..Configuration::default() }
    }

    fn log(configuration: &Configuration, arguments: &Json) -> Result<(), String> {
        let when = SystemTime::UNIX_EPOCH + Duration::from_millis(1_234);
        append(configuration, when, Duration::from_millis(56), arguments, &outcome())
    }

    #[test]
    fn a_line_holds_shapes_and_never_a_value() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("calls.jsonl");
        let arguments = json!({ "name": "hunter2", "list": ["hunter2"], "n": 7, "HUNTER2 as a key": 1 });
        log(&configured(&json!(place)), &arguments).unwrap();
        log(&configured(&json!(place)), &json!("hunter2")).unwrap();
        let text = std::fs::read_to_string(&place).unwrap();
        assert_eq!(
            text.lines().next().unwrap(),
            r#"{"unixMilliseconds":1234,"tool":"t","action":"a","code":"BUSY","milliseconds":56,"asked":true,"answered":"no","arguments":{"name":"text of 7 characters","list":"list of 1","n":"number"}}"#
        );
        assert_eq!(text.lines().count(), 2);
        assert!(!text.to_lowercase().contains("hunter2"));
        let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&place).unwrap());
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn without_the_key_nothing_is_written_and_a_projects_key_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("calls.jsonl");
        log(&Configuration::default(), &json!({})).unwrap();
        let project = Configuration { project: json!({ KEY: place }), ..Configuration::default() };
        log(&project, &json!({})).unwrap();
        assert!(!place.exists());
    }

    #[test]
    fn a_place_that_cannot_be_used_is_said_and_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(log(&configured(&json!(link)), &json!({})).is_err());
        assert!(!target.exists());
        assert!(log(&configured(&json!("relative")), &json!({})).unwrap_err().contains("no absolute path"));
        assert!(log(&configured(&json!(7)), &json!({})).is_err());
        assert!(log(&configured(&json!(folder.path().join("no/such/folder"))), &json!({})).is_err());
    }
}
