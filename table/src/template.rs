//! Texts with placeholders: `ask`, `say`, `hint`, `stdin`, `env` (LANGUAGE section 5).

use crate::args::{Refusal, Value, Values};
use crate::classify::GroupText;
use crate::secret::Secret;
use crate::{ArgKind, ArgSpec, Piece, VerbSpec, show};

/// A piece of a text that a person is shown. The consent layer quotes the values (contract C2.2).
#[derive(Clone, Copy, Debug)]
pub enum Shown<'a> {
    /// The manifest's words.
    Text(&'a str),
    /// A value, whole; [`Value::texts`] gives its items.
    Value {
        /// The argument.
        arg: &'a ArgSpec,
        /// Its value.
        value: &'a Value,
    },
}

/// The question's first sentence in pieces; empty with a class that does not ask.
pub fn ask<'a>(verb: &'a VerbSpec, values: &'a Values<'_>) -> Vec<Shown<'a>> {
    shown(&verb.ask, verb, values)
}

/// Standard input for the question, in pieces; [`Value::texts`] gives `(secret)` for a secret.
pub fn stdin_shown<'a>(verb: &'a VerbSpec, values: &'a Values<'_>) -> Option<Vec<Shown<'a>>> {
    verb.stdin.as_ref().map(|pieces| shown(pieces, verb, values))
}

fn shown<'a>(pieces: &'a [Piece], verb: &'a VerbSpec, values: &'a Values<'_>) -> Vec<Shown<'a>> {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Literal(text) | Piece::Group(text) => Shown::Text(text),
            Piece::Arg(name) => match (arg(verb, name), values.get(name)) {
                (Ok(arg), Some(value)) => Shown::Value { arg, value },
                _ => Shown::Text(name),
            },
        })
        .collect()
}

/// A row's `say` or `hint` as one line. An argument is shown on one line, cut at [`show::LINE_LIMIT`] characters,
/// controls as `\u{x}`, a list's items joined by `, `; a group of the row's pattern likewise, its line breaks as
/// blanks, since that is what they stand for in a pattern. Placeholders of arguments that are not known (no values, or
/// not given) stay as written.
pub fn line(pieces: &[Piece], values: Option<&Values<'_>>, groups: &[GroupText]) -> String {
    let mut line = String::new();
    for piece in pieces {
        match piece {
            Piece::Literal(text) => line.push_str(text),
            Piece::Arg(name) => match values.and_then(|values| values.get(name)) {
                Some(value) => line.push_str(&show::one_line(&value.texts().join(", "))),
                None => push_placeholder(&mut line, name),
            },
            Piece::Group(name) => match groups.iter().find(|group| group.name == *name) {
                Some(group) => line.push_str(&show::one_line(&group.text.replace('\n', " "))),
                None => push_placeholder(&mut line, name),
            },
        }
    }
    line
}

fn push_placeholder(line: &mut String, name: &str) {
    line.push('<');
    line.push_str(name);
    line.push('>');
}

/// What is given on standard input; none where the manifest declares nothing. (A [`Secret`], as it may hold one.)
///
/// # Errors
/// A placeholder without a value (the compiler refuses such a manifest).
pub fn stdin(verb: &VerbSpec, values: &Values<'_>) -> Result<Option<Secret>, Refusal> {
    verb.stdin.as_ref().map(|pieces| exposed(pieces, verb, values)).transpose()
}

/// The verb's own variables, in manifest order, without those whose argument is not given. (Each a [`Secret`], as it
/// may hold one.)
///
/// # Errors
/// As [`stdin`].
pub fn env<'a>(verb: &'a VerbSpec, values: &Values<'_>) -> Result<Vec<(&'a str, Secret)>, Refusal> {
    let given = |piece: &Piece| !matches!(piece, Piece::Arg(name) if !values.is_given(name));
    verb.env
        .iter()
        .filter(|(_, pieces)| pieces.iter().all(given))
        .map(|(name, pieces)| Ok((&**name, exposed(pieces, verb, values)?)))
        .collect()
}

/// The text with its values, secrets included: only for the child's environment and standard input.
fn exposed(pieces: &[Piece], verb: &VerbSpec, values: &Values<'_>) -> Result<Secret, Refusal> {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Literal(literal) => text.push_str(literal),
            Piece::Group(name) => return Err(no_value(name)),
            Piece::Arg(name) => match values.get(name) {
                Some(Value::Secret(secret)) => text.push_str(secret.expose()),
                Some(Value::List(items)) if items.iter().any(|item| matches!(item, Value::Secret(_))) => {
                    let ArgKind::Many { join: Some(join), .. } = &arg(verb, name)?.kind else {
                        return Err(no_value(name));
                    };
                    let secrets = items.iter().map(|item| match item {
                        Value::Secret(secret) => Ok(secret.expose()),
                        _ => Err(no_value(name)),
                    });
                    text.push_str(&secrets.collect::<Result<Vec<_>, _>>()?.join(join));
                }
                _ => text.push_str(&element_text(verb, values, &[], name)?),
            },
        }
    }
    Ok(Secret::new(text))
}

/// An item of a list, for which the list's name stands inside its condition.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a> {
    /// The list.
    pub(crate) name: &'a str,
    /// The item.
    pub(crate) item: &'a Value,
}

/// The text that `<name>` stands for in an argv. Never a secret, a truth value or an empty or unjoined list.
pub(crate) fn element_text(
    verb: &VerbSpec,
    values: &Values<'_>,
    items: &[Bound<'_>],
    name: &str,
) -> Result<String, Refusal> {
    let arg = arg(verb, name)?;
    let bound = items.iter().rev().find(|bound| bound.name == name).map(|bound| bound.item);
    let value = bound.or_else(|| values.get(name)).ok_or_else(|| no_value(name))?;
    let texts = value.argv_texts().ok_or_else(|| no_value(name))?;
    match (&arg.kind, value) {
        (_, Value::List(items)) if items.is_empty() => Err(Refusal {
            argument: Some(name.to_owned()),
            message: format!("`{name}` is an empty list"),
            hint: "give at least one item".to_owned(),
        }),
        (ArgKind::Many { join: Some(join), .. }, Value::List(_)) => Ok(texts.join(join)),
        (_, Value::List(_)) => Err(no_value(name)),
        _ => Ok(texts.concat()),
    }
}

pub(crate) fn arg<'a>(verb: &'a VerbSpec, name: &str) -> Result<&'a ArgSpec, Refusal> {
    verb.args.iter().find(|arg| arg.name == name).ok_or_else(|| no_value(name))
}

/// A template that asks for what is not there. The compiler refuses such a manifest; an error, not a panic, should it
/// ever miss one.
pub(crate) fn no_value(name: &str) -> Refusal {
    Refusal {
        argument: Some(name.to_owned()),
        message: format!("the manifest uses `{name}` where it has no value"),
        hint: format!("if `{name}` was left out, give it; else the manifest must be mended"),
    }
}
