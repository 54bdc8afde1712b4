//! What a result holds beside text (LANGUAGE section 10; issue "Part 4", item 4).
//!
//! A field never turns a success into a failure: what is not found is absent, and so is what is not of its declared
//! type. A list with one text of another type is absent as a whole: the rest would pass for all.

use std::cell::OnceCell;

use regex::{Captures, Regex};
use serde_json::{Map, Number, Value};

use crate::capture::Exit;
use crate::classify::RunView;
use crate::{FieldSource, FieldType, Streams, Text, VerbSpec, json};

/// Takes the fields of a run that succeeded, in manifest order.
///
/// `raw_stdout` is standard output as captured, for JSON sources; none if its middle was not kept: then they are
/// absent. JSON is read as strictly as an argument is, within [`json::OUTPUT`].
pub fn take(verb: &VerbSpec, run: &RunView, raw_stdout: Option<&[u8]>) -> Map<String, Value> {
    let stdout = Stdout { raw: raw_stdout, document: OnceCell::new(), lines: OnceCell::new() };
    let mut fields = Map::new();
    for field in verb.fields.iter() {
        if let Some(value) = one(&field.source, run, &stdout) {
            fields.insert(field.name.to_string(), value);
        }
    }
    fields
}

/// Standard output as JSON, read at most once each way.
struct Stdout<'a> {
    raw: Option<&'a [u8]>,
    document: OnceCell<Option<Value>>,
    lines: OnceCell<Option<Vec<Value>>>,
}

impl Stdout<'_> {
    fn document(&self) -> Option<&Value> {
        self.document.get_or_init(|| json::read_within(self.raw?, json::OUTPUT).ok()).as_ref()
    }

    fn lines(&self) -> Option<&[Value]> {
        let read = || {
            let lines = self.raw?.split(|byte| *byte == b'\n');
            lines
                .filter(|line| !line.iter().all(u8::is_ascii_whitespace))
                .map(|line| json::read_within(line, json::OUTPUT).ok())
                .collect()
        };
        self.lines.get_or_init(read).as_deref()
    }
}

fn one(source: &FieldSource, run: &RunView, stdout: &Stdout<'_>) -> Option<Value> {
    match source {
        FieldSource::Match { pattern, streams, kind } => {
            let found = pattern.regex().and_then(|regex| run.streams(*streams).find_map(|text| regex.captures(text)));
            match kind {
                FieldType::Boolean => Some(Value::Bool(found.is_some())),
                kind => of_text(first_group(&found?)?, *kind),
            }
        }
        FieldSource::Each { pattern, streams, kind } => {
            let regex = pattern.regex()?;
            let each = |found: Captures<'_>| match (first_group(&found), kind) {
                (group, FieldType::Boolean) => Some(Some(Value::Bool(group.is_some()))),
                (None, _) => None, // nothing to put on the list
                (Some(text), kind) => Some(of_text(text, *kind)),
            };
            all(regex, run, *streams).filter_map(each).collect::<Option<_>>().map(Value::Array)
        }
        FieldSource::EachNamed { pattern, streams, groups } => {
            let regex = pattern.regex()?;
            all(regex, run, *streams).map(|found| object(&found, groups)).collect::<Option<_>>().map(Value::Array)
        }
        FieldSource::Json { pointer, kind } => of_json(stdout.document()?.pointer(pointer)?, *kind),
        FieldSource::JsonLines { pointer, kind } => {
            let found = stdout.lines()?.iter().filter_map(|document| document.pointer(pointer));
            found.map(|value| of_json(value, *kind)).collect::<Option<_>>().map(Value::Array)
        }
        FieldSource::Exit(list) => {
            Some(Value::Bool(matches!(run.exit, Exit::Status(status) if list.contains(&status))))
        }
    }
}

fn all<'r>(regex: &'r Regex, run: &'r RunView, streams: Streams) -> impl Iterator<Item = Captures<'r>> {
    run.streams(streams).flat_map(|text| regex.captures_iter(text))
}

/// The first group that took part.
fn first_group<'r>(found: &Captures<'r>) -> Option<&'r str> {
    found.iter().skip(1).flatten().next().map(|group| group.as_str())
}

/// The named groups of one match; those that took no part are left out, or false.
fn object(found: &Captures<'_>, groups: &[(Text, FieldType)]) -> Option<Value> {
    let mut object = Map::new();
    for (name, kind) in groups {
        let group = found.name(name).map(|group| group.as_str());
        let value = match (group, kind) {
            (group, FieldType::Boolean) => Value::Bool(group.is_some()),
            (None, _) => continue,
            (Some(text), kind) => of_text(text, *kind)?,
        };
        object.insert(name.to_string(), value);
    }
    Some(Value::Object(object))
}

fn of_text(text: &str, kind: FieldType) -> Option<Value> {
    match kind {
        FieldType::String => Some(Value::from(text)),
        FieldType::Integer => integer(text).map(Value::from),
        FieldType::Number => number(text).map(Value::Number),
        FieldType::Boolean => Some(Value::Bool(true)), // the group took part
        FieldType::Json => None,                       // the compiler refuses it without a JSON source
    }
}

/// `-1,234`: digits, with `,` only between digits; within ±2^53, beyond which a JSON number is not exact everywhere.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digit_runs = |run: &str| !run.is_empty() && run.bytes().all(|byte| byte.is_ascii_digit());
    if !digits.split(',').all(digit_runs) {
        return None;
    }
    text.replace(',', "").parse().ok().filter(|number: &i64| number.unsigned_abs() <= json::EXACT.unsigned_abs())
}

/// A decimal number; a whole one stays whole, and none comes out rounded to another whole one.
fn number(text: &str) -> Option<Number> {
    let text = match text.strip_prefix('+') {
        Some(rest) if rest.starts_with(['+', '-']) => return None,
        Some(rest) => rest,
        None => text,
    };
    if let Ok(whole) = text.parse::<i64>() {
        return (whole.unsigned_abs() <= json::EXACT.unsigned_abs()).then(|| Number::from(whole));
    }
    if json::rounds(text).is_some() {
        return None;
    }
    // `parse` also reads `inf` and `nan`, which are no JSON numbers.
    Number::from_f64(text.parse().ok()?)
}

fn of_json(value: &Value, kind: FieldType) -> Option<Value> {
    match (kind, value) {
        (FieldType::Json, value)
        | (FieldType::String, value @ Value::String(_))
        | (FieldType::Number, value @ Value::Number(_))
        | (FieldType::Boolean, value @ Value::Bool(_)) => Some(value.clone()),
        (FieldType::Integer, Value::Number(number)) => {
            let whole = number.as_i64().or_else(|| number.as_f64().and_then(json::whole_number));
            whole.filter(|whole| whole.unsigned_abs() <= json::EXACT.unsigned_abs()).map(Value::from)
        }
        _ => None,
    }
}
