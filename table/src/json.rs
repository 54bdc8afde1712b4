//! The one strict reader of JSON: arguments, configuration, and what programs print.
//!
//! `serde_json` alone keeps the last of two equal keys and rounds what does not fit; both would let the text that was
//! looked at and the value that is used differ.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::show;

/// What a text may be at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes.
    pub bytes: usize,
    /// Arrays and objects inside each other; not over 100 (the parser's own limit is 128).
    pub depth: usize,
}

/// Limits for arguments and configuration (issue "Part 1", decided: depth 32, 1 MiB).
pub const INPUT: Limits = Limits { bytes: 1 << 20, depth: 32 };

/// Limits for what a program prints: what is kept of a stream bounds the bytes.
pub const OUTPUT: Limits = Limits { bytes: usize::MAX, depth: 100 };

/// The largest whole number up to which a JSON number is exact everywhere: 2^53.
pub const EXACT: i64 = 1 << 53;

/// Why a text is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// One line: what is wrong.
    pub message: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (line {}, column {})", self.message, self.line, self.column)
    }
}

impl std::error::Error for JsonError {}

/// Reads one JSON document within [`INPUT`].
///
/// # Errors
/// See [`read_within`].
pub fn read(bytes: &[u8]) -> Result<Value, JsonError> {
    read_within(bytes, INPUT)
}

/// Reads one JSON document, UTF-8 without a byte order mark.
///
/// # Errors
/// It is no JSON, beyond the limits, holds a key twice or a lone surrogate, or a number that would come out rounded:
/// a whole number beyond 64 bits, or one with a fraction or exponent that would pass for another whole number.
pub fn read_within(bytes: &[u8], limits: Limits) -> Result<Value, JsonError> {
    if bytes.len() > limits.bytes {
        return Err(JsonError { message: format!("longer than {} bytes", limits.bytes), line: 1, column: 1 });
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| error_at(bytes, error.valid_up_to(), "not UTF-8".to_owned()))?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Document { limit: limits.depth, left: limits.depth }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value))
        .map_err(|error| parse_error(&error))?;
    match rounded_number(bytes) {
        Some((offset, message)) => Err(error_at(bytes, offset, message.to_owned())),
        None => Ok(value),
    }
}

fn error_at(bytes: &[u8], offset: usize, message: String) -> JsonError {
    let before = bytes.get(..offset).unwrap_or(bytes);
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    JsonError {
        message,
        line: memchr::memchr_iter(b'\n', before).count() + 1,
        column: before.len().saturating_sub(line_start) + 1,
    }
}

fn parse_error(error: &serde_json::Error) -> JsonError {
    let whole = error.to_string();
    let message = whole.rfind(" at line ").and_then(|at| whole.get(..at)).unwrap_or(&whole);
    let message = if error.is_eof() { "the text ends too early" } else { message };
    JsonError { message: message.to_owned(), line: error.line().max(1), column: error.column().max(1) }
}

/// One value, with what is left of the depth.
#[derive(Clone, Copy)]
struct Document {
    limit: usize,
    left: usize,
}

impl Document {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.left.checked_sub(1) {
            Some(left) => Ok(Self { left, ..self }),
            None => Err(E::custom(format_args!("more than {} arrays and objects inside each other", self.limit))),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Document {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key `{}` stands twice", show::one_line(&key))));
            }
            let value = entries.next_value_seed(inner)?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

/// The first number that the value can't hold as written, in a text that is known to be JSON: its offset and why.
fn rounded_number(bytes: &[u8]) -> Option<(usize, &'static str)> {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                loop {
                    match bytes.get(at)? {
                        b'"' => break,
                        b'\\' => at += 2,
                        _ => at += 1,
                    }
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let rest = bytes.get(at..)?;
                let in_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let length = rest.iter().position(|byte| !in_number(byte)).unwrap_or(rest.len());
                let literal = std::str::from_utf8(rest.get(..length)?).ok()?;
                if let Some(message) = rounds(literal) {
                    return Some((at, message));
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    None
}

/// Why the decimal number would come out as another whole number than it is; none if it does not.
pub(crate) fn rounds(literal: &str) -> Option<&'static str> {
    if !literal.contains(['.', 'e', 'E']) {
        let fits = literal.parse::<i64>().is_ok() || literal.parse::<u64>().is_ok();
        return (!fits).then_some("a whole number beyond 64 bits can't be held exactly");
    }
    let value: f64 = literal.parse().ok()?;
    let whole = whole_number(value)?;
    (Decimal::of(literal) != Decimal::of(&whole.to_string()))
        .then_some("this number can't be held exactly, it would become another whole number")
}

/// The whole number that `value` is, if it is one within ±2^53. (-0 is 0.)
pub(crate) fn whole_number(value: f64) -> Option<i64> {
    #[allow(clippy::cast_precision_loss)] // 2^53 is exact
    let limit = EXACT as f64;
    #[allow(clippy::cast_possible_truncation)] // whole and within ±2^53
    (value.fract() == 0.0 && value.abs() <= limit).then_some(value as i64)
}

/// The exact value of a decimal literal in one form: digits without zeros at the ends, times ten to a power.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(literal: &str) -> Self {
        let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
        let extreme = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
        let exponent: i64 = exponent.parse().unwrap_or(extreme);
        let (negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_end_matches('0');
        let zeros = all.len() - digits.len();
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() {
            return Self { negative: false, digits: String::new(), exponent: 0 };
        }
        let shift = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let exponent = exponent.saturating_sub(shift(fraction.len())).saturating_add(shift(zeros));
        Self { negative, digits: digits.to_owned(), exponent }
    }
}
