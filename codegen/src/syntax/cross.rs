//! One reading of the file: the tree of nodes is compared with what `serde_yaml` reads in the same text.

use serde_yaml::Value;

use super::{Node, NodeKind, Style};
use crate::codes::syntax as codes;
use crate::diag::{Diagnostic, FileId, Span};

/// What a plain scalar is in the core schema of YAML 1.2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Plain {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`, in three spellings.
    Boolean(bool),
    /// A whole number that fits.
    Integer(i128),
    /// Any other number.
    Float(f64),
    /// Text.
    Text,
}

/// Resolves a plain scalar (YAML 1.2, chapter 10.3).
pub fn resolve(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Plain::Null,
        "true" | "True" | "TRUE" => return Plain::Boolean(true),
        "false" | "False" | "FALSE" => return Plain::Boolean(false),
        ".nan" | ".NaN" | ".NAN" => return Plain::Float(f64::NAN),
        _ => {}
    }
    let digits = |text: &str, radix: u32| !text.is_empty() && text.chars().all(|character| character.is_digit(radix));
    for (prefix, radix) in [("0o", 8), ("0x", 16)] {
        if let Some(rest) = text.strip_prefix(prefix)
            && digits(rest, radix)
        {
            return i128::from_str_radix(rest, radix).map_or(Plain::Float(f64::INFINITY), Plain::Integer);
        }
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits(unsigned, 10) {
        return text.parse().map_or(Plain::Float(f64::INFINITY), Plain::Integer);
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Plain::Float(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    if is_float(unsigned) { text.parse().map_or(Plain::Text, Plain::Float) } else { Plain::Text }
}

/// `( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && digits(fraction),
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => !mantissa.is_empty() && digits(mantissa),
    };
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits_of = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits_of.is_empty() && digits(digits_of)
    });
    mantissa_fits && exponent_fits
}

/// The tree as serde's value. Equal to what `serde_yaml` itself reads once [`compare`] found no difference.
pub fn value(node: &Node) -> Value {
    match &node.kind {
        NodeKind::Scalar { text, style } => scalar(text, *style),
        NodeKind::Sequence(items) => Value::Sequence(items.iter().map(value).collect()),
        NodeKind::Mapping(entries) => {
            Value::Mapping(entries.iter().map(|(key, item)| (key_value(key), value(item))).collect())
        }
    }
}

fn scalar(text: &str, style: Style) -> Value {
    if style != Style::Plain {
        return Value::String(text.to_owned());
    }
    match resolve(text) {
        Plain::Null => Value::Null,
        Plain::Boolean(boolean) => Value::Bool(boolean),
        Plain::Integer(number) => match (i64::try_from(number), u64::try_from(number)) {
            (Ok(number), _) => Value::Number(number.into()),
            (_, Ok(number)) => Value::Number(number.into()),
            #[allow(clippy::cast_precision_loss)] // refused in the walk over shapes
            _ => Value::Number((number as f64).into()),
        },
        Plain::Float(number) => Value::Number(number.into()),
        Plain::Text => Value::String(text.to_owned()),
    }
}

/// A key is always text, whatever it looks like; so is it for serde when a field's name or a map's key is wanted.
fn key_value(node: &Node) -> Value {
    match &node.kind {
        NodeKind::Scalar { text, .. } => Value::String(text.clone()),
        _ => value(node),
    }
}

/// Reads the text with `serde_yaml` and gives every place where the two readings differ.
///
/// `byte` turns an index of characters behind the byte order mark into one of bytes.
pub(super) fn compare(
    file: FileId,
    text: &str,
    skip: usize,
    node: &Node,
    byte: impl Fn(usize) -> usize,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    beyond(node, &mut found);
    if !found.is_empty() {
        return found;
    }
    match serde_yaml::from_str::<Value>(text.get(skip..).unwrap_or_default()) {
        Ok(other) => differences(node, &other, &mut found),
        Err(error) => {
            let start = error.location().map_or(skip, |location| byte(location.index()));
            let end = text.get(start..).and_then(|rest| rest.chars().next()).map_or(start, |c| start + c.len_utf8());
            found.push(special(text, node, start).unwrap_or_else(|| {
                let span = Span { file, bytes: start..end };
                Diagnostic::new(&codes::VG0014, span, format!("a second YAML reader refuses this: {error}"))
                    .help("quote the text that stands here")
            }));
        }
    }
    found
}

/// The unquoted text that begins at a place with a character that only one reader takes for text.
fn special(text: &str, node: &Node, start: usize) -> Option<Diagnostic> {
    match &node.kind {
        NodeKind::Scalar { style: Style::Plain, .. } if node.span.bytes.start == start => {
            let raw = text.get(node.span.bytes.clone())?;
            let first = raw.chars().next().filter(char::is_ascii_punctuation)?;
            (!raw.contains('\n')).then(|| {
                let message = format!("unquoted text can't begin with `{first}`");
                Diagnostic::new(&codes::VG0001, node.span.clone(), message)
                    .help("quote it")
                    .mend(node.span.clone(), super::single_quoted(raw))
            })
        }
        NodeKind::Scalar { .. } => None,
        NodeKind::Sequence(items) => items.iter().find_map(|item| special(text, item, start)),
        NodeKind::Mapping(entries) => {
            entries.iter().flat_map(|(key, item)| [key, item]).find_map(|node| special(text, node, start))
        }
    }
}

/// Whole numbers that do not fit in 64 bits: no reader keeps them.
fn beyond(node: &Node, found: &mut Vec<Diagnostic>) {
    match &node.kind {
        NodeKind::Scalar { text, style: Style::Plain } => {
            let fits = |number: i128| i64::try_from(number).is_ok() || u64::try_from(number).is_ok();
            let digits = text.trim_start_matches(['+', '-']).bytes().all(|byte| byte.is_ascii_digit());
            if matches!(resolve(text), Plain::Integer(number) if !fits(number))
                || digits && resolve(text) == Plain::Float(f64::INFINITY)
            {
                let message = "no reader keeps a number of this size";
                found.push(
                    Diagnostic::new(&crate::codes::shape::VG0107, node.span.clone(), message)
                        .help("quote it if text is meant"),
                );
            }
        }
        NodeKind::Scalar { .. } => {}
        NodeKind::Sequence(items) => items.iter().for_each(|item| beyond(item, found)),
        NodeKind::Mapping(entries) => entries.iter().for_each(|(_, item)| beyond(item, found)),
    }
}

fn differences(node: &Node, other: &Value, found: &mut Vec<Diagnostic>) {
    match (&node.kind, other) {
        (NodeKind::Sequence(items), Value::Sequence(others)) if items.len() == others.len() => {
            for (item, other) in items.iter().zip(others) {
                differences(item, other, found);
            }
        }
        (NodeKind::Mapping(entries), Value::Mapping(others)) if entries.len() == others.len() => {
            for ((key, item), (other_key, other)) in entries.iter().zip(others) {
                let same = match (&key.kind, other_key) {
                    (NodeKind::Scalar { text, .. }, Value::String(other)) => text == other,
                    (NodeKind::Scalar { text, style }, other) => &scalar(text, *style) == other,
                    _ => false,
                };
                if !same {
                    found.push(difference(key, other_key));
                }
                differences(item, other, found);
            }
        }
        (NodeKind::Scalar { text, style }, other) if same_scalar(&scalar(text, *style), other) => {}
        _ => found.push(difference(node, other)),
    }
}

fn same_scalar(ours: &Value, other: &Value) -> bool {
    match (ours, other) {
        // Not-a-number equals itself here.
        (Value::Number(ours), Value::Number(other)) => ours == other || (ours.is_nan() && other.is_nan()),
        _ => ours == other,
    }
}

fn difference(node: &Node, other: &Value) -> Diagnostic {
    let reads = match other {
        Value::Null => "null".to_owned(),
        Value::Bool(boolean) => format!("the boolean {boolean}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text `{text}`"),
        Value::Sequence(_) => "a list".to_owned(),
        Value::Mapping(_) => "a mapping".to_owned(),
        Value::Tagged(_) => "a tagged value".to_owned(),
    };
    let diagnostic = Diagnostic::new(&codes::VG0014, node.span.clone(), "two YAML readers see different values here")
        .label(format!("the other reader sees {reads}"));
    match &node.kind {
        NodeKind::Scalar { text, style: Style::Plain } if !text.contains('\n') => diagnostic
            .help("quote it: in quotes every reader sees the text that is written")
            .mend(node.span.clone(), super::single_quoted(text)),
        _ => diagnostic.help("write this part in another way, with the texts in single quotes"),
    }
}
