//! How a value from outside is read: from a variable's text or from JSON.

use serde_json::Value as Json;

use super::{Mode, NO_ENFORCE};
use crate::table::{Bytes, Millis, Text};

/// A type that a setting can have. Errors say what is wrong, never the value: it may be a secret in the wrong place.
pub(super) trait Outside: Clone + PartialOrd + 'static {
    /// What it takes, for messages.
    const TAKES: &'static str;

    /// From a variable, or from a JSON string.
    fn from_text(text: &str) -> Result<Self, String>;

    /// From a JSON value that is not null.
    fn from_json(json: &Json) -> Result<Self, String> {
        json.as_str().ok_or_else(|| format!("is not {}", Self::TAKES)).and_then(Self::from_text)
    }

    /// As a person writes it.
    fn show(&self) -> String;
}

impl Outside for bool {
    const TAKES: &'static str = "true or false";

    fn from_text(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "false" | "0" | "no" | "off" => Ok(false),
            _ => Err("is no truth value".to_owned()),
        }
    }

    fn from_json(json: &Json) -> Result<Self, String> {
        match json {
            Json::Bool(value) => Ok(*value),
            Json::Number(number) => Self::from_text(&number.to_string()),
            Json::String(text) => Self::from_text(text),
            _ => Err("is no truth value".to_owned()),
        }
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl Outside for Mode {
    const TAKES: &'static str = "`off` or `observe`";

    fn from_text(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "observe" => Ok(Mode::Observe),
            "enforce" => Err(format!("can't be used: {NO_ENFORCE}")),
            _ => bool::from_text(text).map(Mode::from).map_err(|_| "is no mode".to_owned()),
        }
    }

    fn from_json(json: &Json) -> Result<Self, String> {
        match json {
            Json::String(text) => Self::from_text(text),
            other => bool::from_json(other).map(Mode::from).map_err(|_| "is no mode".to_owned()),
        }
    }

    fn show(&self) -> String {
        match self {
            Mode::Off => "off".to_owned(),
            Mode::Observe => "observe".to_owned(),
        }
    }
}

impl From<bool> for Mode {
    fn from(on: bool) -> Self {
        if on { Mode::Observe } else { Mode::Off }
    }
}

impl Outside for Millis {
    const TAKES: &'static str = "a duration such as `90 s`, or a whole number of milliseconds";

    fn from_text(text: &str) -> Result<Self, String> {
        amount(text, &[("ms", 1), ("s", 1000), ("min", 60_000), ("h", 3_600_000)])
            .map(Millis)
            .ok_or_else(|| "is no duration".to_owned())
    }

    fn from_json(json: &Json) -> Result<Self, String> {
        json.as_u64().map(Millis).map_or_else(|| Self::from_text(json.as_str().unwrap_or_default()), Ok)
    }

    fn show(&self) -> String {
        show(self.0, &[("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1)])
    }
}

impl Outside for Bytes {
    const TAKES: &'static str = "a size such as `16 KiB`, or a whole number of bytes";

    fn from_text(text: &str) -> Result<Self, String> {
        amount(text, &[("B", 1), ("KiB", 1024), ("MiB", 1024 * 1024)]).map(Bytes).ok_or_else(|| "is no size".to_owned())
    }

    fn from_json(json: &Json) -> Result<Self, String> {
        json.as_u64().map(Bytes).map_or_else(|| Self::from_text(json.as_str().unwrap_or_default()), Ok)
    }

    fn show(&self) -> String {
        show(self.0, &[("MiB", 1024 * 1024), ("KiB", 1024), ("B", 1)])
    }
}

impl Outside for Text {
    const TAKES: &'static str = "a text in one line";

    fn from_text(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("is empty".to_owned());
        }
        if text.chars().any(char::is_control) {
            return Err("holds a control character".to_owned());
        }
        Ok(Text::Owned(text.to_owned()))
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// A whole number, alone or with one space and a unit (LANGUAGE section 1).
fn amount(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, factor) = match text.split_once(' ') {
        None => (text, 1),
        Some((number, unit)) => (number, units.iter().find(|(name, _)| *name == unit)?.1),
    };
    // `parse` would also take a plus sign.
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    number.parse::<u64>().ok()?.checked_mul(factor)
}

fn show(value: u64, units: &[(&str, u64)]) -> String {
    let fits = units.iter().find(|(_, factor)| value != 0 && value.is_multiple_of(*factor)).or(units.last());
    fits.map_or_else(|| value.to_string(), |(name, factor)| format!("{} {name}", value / factor))
}
