//! Arguments, checked against a verb. Both ways in (typed and dynamic) and the compiler's examples pass here.

use std::fmt;

use serde_json::{Map, Value as Json};

use crate::pattern::ValuePattern;
use crate::secret::Secret;
use crate::{Access, ArgKind, ArgSpec, DefaultValue, MustBe, Presence, Scalar, Text, ToolSpec, VerbSpec};
use crate::{json, show};

/// The value of an argument, checked.
#[derive(Clone)]
pub enum Value {
    /// Text: of a string, of a choice (already the program's word), or of a path (as given, until it is resolved).
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A truth value.
    Boolean(bool),
    /// A secret.
    Secret(Secret),
    /// Items.
    List(Vec<Value>),
}

/// The checked arguments of one verb.
#[derive(Clone)]
pub struct Values<'a> {
    verb: &'a VerbSpec,
    values: Vec<Option<Value>>,
}

/// Arguments that can't work (`INVALID_ARGUMENT`): found before anything runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The argument, if it is about one.
    pub argument: Option<String>,
    /// One line that names the argument, and what is wrong. Never a secret's value.
    pub message: String,
    /// One line: what it takes.
    pub hint: String,
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.texts().join(", "))
    }
}

impl fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(arg, value)| (&arg.name, value))).finish()
    }
}

/// Where a value of kind path stands, for [`Values::try_map_paths`].
#[derive(Clone, Copy, Debug)]
pub struct PathArg<'a> {
    /// The argument.
    pub name: &'a str,
    /// What the program does there.
    pub access: Access,
    /// What must be there before.
    pub must_be: Option<MustBe>,
    /// Sensitive components that are allowed.
    pub sensitive: &'a [Text],
}

impl Value {
    /// The value, or each item, as an argv holds it; `(secret)` for secrets.
    pub fn texts(&self) -> Vec<String> {
        match self {
            Value::List(items) => items.iter().map(Value::text).collect(),
            one => vec![one.text()],
        }
    }

    /// [`Value::texts`] for an argv; none for what never stands in one: truth values and secrets.
    pub(crate) fn argv_texts(&self) -> Option<Vec<String>> {
        let never = |value: &Value| matches!(value, Value::Boolean(_) | Value::Secret(_));
        let any = match self {
            Value::List(items) => items.iter().any(never),
            one => never(one),
        };
        (!any).then(|| self.texts())
    }

    /// One value as an argv holds it: numbers decimal without exponent (LANGUAGE section 4); a list's items side by
    /// side.
    fn text(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Number(0.0) => "0".to_owned(), // else -0
            Value::Number(number) => number.to_string(),
            Value::Boolean(truth) => truth.to_string(),
            Value::Secret(_) => "(secret)".to_owned(),
            Value::List(_) => self.texts().join(", "),
        }
    }
}

impl<'a> Values<'a> {
    /// The verb that these values belong to.
    pub fn verb(&self) -> &'a VerbSpec {
        self.verb
    }

    /// The value of an argument; none if it is not given and has no default. A boolean that is not given is false.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let at = self.verb.args.iter().position(|arg| arg.name == name)?;
        self.values.get(at)?.as_ref()
    }

    /// All arguments that have a value, in manifest order.
    pub fn iter(&self) -> impl Iterator<Item = (&'a ArgSpec, &Value)> {
        self.verb.args.iter().zip(&self.values).filter_map(|(arg, value)| Some((arg, value.as_ref()?)))
    }

    /// Whether a condition on the argument holds: it has a value; a boolean that is true; a list that is not empty.
    pub fn is_given(&self, name: &str) -> bool {
        match self.get(name) {
            None | Some(Value::Boolean(false)) => false,
            Some(Value::List(items)) => !items.is_empty(),
            Some(_) => true,
        }
    }

    /// The secrets among the values, items of lists included, in manifest order: what is masked in all output.
    pub fn secrets(&self) -> impl Iterator<Item = (&'a ArgSpec, &Secret)> {
        self.iter().flat_map(|(arg, value)| {
            let items = match value {
                Value::List(items) => items.as_slice(),
                one => std::slice::from_ref(one),
            };
            items.iter().filter_map(move |item| match item {
                Value::Secret(secret) => Some((arg, secret)),
                _ => None,
            })
        })
    }

    /// Puts another text in place of each path, items of lists included, in manifest order.
    ///
    /// # Errors
    /// The first that `map` gives; the values are then half changed.
    pub fn try_map_paths<E>(&mut self, mut map: impl FnMut(PathArg<'_>, &str) -> Result<String, E>) -> Result<(), E> {
        for (arg, value) in self.verb.args.iter().zip(&mut self.values) {
            let (ArgKind::One(scalar) | ArgKind::Many { of: scalar, .. }) = &arg.kind;
            let Scalar::Path { access, must_be, sensitive, .. } = scalar else { continue };
            let path = PathArg { name: &arg.name, access: *access, must_be: *must_be, sensitive };
            let items = match value {
                Some(Value::List(items)) => items.as_mut_slice(),
                Some(one) => std::slice::from_mut(one),
                None => continue,
            };
            for item in items {
                if let Value::Text(text) = item {
                    *text = map(path, text)?;
                }
            }
        }
        Ok(())
    }
}

/// Finds the verb that a call means and checks its arguments (LANGUAGE section 4).
///
/// `null` counts as not given, for arguments that may be left out and for those of other actions: clients that fill in
/// every argument of a tool send it.
///
/// # Errors
/// The call is no object; no such action; the first argument that the verb does not take; then the first, in manifest
/// order, whose value can't work; then the first that can't stand beside (or without) another.
pub fn check<'a>(tool: &'a ToolSpec, arguments: &Json) -> Result<Values<'a>, Refusal> {
    let arguments = object(arguments)?;
    let verb = find_verb(tool, arguments)?;
    for (name, value) in arguments {
        let is_action = verb.action.is_some() && name == ACTION;
        if is_action || verb.args.iter().any(|arg| arg.name == *name) {
            continue;
        }
        let takers: Vec<_> = actions(tool, |other| other.args.iter().any(|arg| arg.name == *name)).collect();
        match &verb.action {
            Some(_) if !takers.is_empty() && value.is_null() => {}
            Some(action) if !takers.is_empty() => {
                let name = show::one_line(name);
                return Err(Refusal {
                    message: format!("`{name}` does not go with the action `{action}`"),
                    hint: format!("leave it out: it is an argument of {}", show::names(takers)),
                    argument: Some(name),
                });
            }
            _ => return Err(unknown(verb, name)),
        }
    }
    check_verb(verb, arguments)
}

/// Checks the arguments of a `before` verb: those of the same names, out of the arguments of the call.
///
/// # Errors
/// As [`check`], but for arguments that the verb does not take: they belong to the call.
pub fn check_before<'a>(verb: &'a VerbSpec, arguments: &Json) -> Result<Values<'a>, Refusal> {
    check_verb(verb, object(arguments)?)
}

/// The argument that picks the verb of a tool with actions.
const ACTION: &str = "action";

fn object(arguments: &Json) -> Result<&Map<String, Json>, Refusal> {
    arguments.as_object().ok_or_else(|| Refusal {
        argument: None,
        message: format!("the arguments are {}, not an object", describe(arguments)),
        hint: "give an object with one key for each argument".to_owned(),
    })
}

fn actions(tool: &ToolSpec, keep: impl Fn(&VerbSpec) -> bool) -> impl Iterator<Item = &str> {
    tool.verbs.iter().filter(move |verb| keep(verb)).filter_map(|verb| verb.action.as_deref())
}

fn find_verb<'a>(tool: &'a ToolSpec, arguments: &Map<String, Json>) -> Result<&'a VerbSpec, Refusal> {
    if let Some(only) = tool.verbs.iter().find(|verb| verb.action.is_none()) {
        return Ok(only);
    }
    let refuse = |message: String| Refusal {
        argument: Some(ACTION.to_owned()),
        message,
        hint: format!("it takes one of {}", show::names(actions(tool, |_| true))),
    };
    match arguments.get(ACTION) {
        None | Some(Json::Null) => Err(refuse(format!("`{ACTION}` is missing"))),
        Some(Json::String(word)) => {
            let found = tool.verbs.iter().find(|verb| verb.action.as_deref() == Some(word));
            found.ok_or_else(|| {
                let meant = did_you_mean(word, actions(tool, |_| true));
                refuse(format!("there is no action `{}`{meant}", show::one_line(word)))
            })
        }
        Some(other) => Err(refuse(format!("`{ACTION}` is {}, not text", describe(other)))),
    }
}

fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    show::nearest(word, known).map_or_else(String::new, |known| format!(" (did you mean `{known}`?)"))
}

fn unknown(verb: &VerbSpec, name: &str) -> Refusal {
    let known = || verb.action.iter().map(|_| ACTION).chain(verb.args.iter().map(|arg| &*arg.name));
    let meant = did_you_mean(name, known());
    let name = show::one_line(name);
    let names = show::names(known());
    Refusal {
        message: format!("there is no argument `{name}`{meant}"),
        hint: if names.is_empty() { "this takes no arguments".to_owned() } else { format!("this takes {names}") },
        argument: Some(name),
    }
}

fn check_verb<'a>(verb: &'a VerbSpec, arguments: &Map<String, Json>) -> Result<Values<'a>, Refusal> {
    let mut values = Vec::with_capacity(verb.args.len());
    let mut given = Vec::with_capacity(verb.args.len());
    for arg in verb.args.iter() {
        let json = arguments.get(&*arg.name).filter(|json| !json.is_null());
        let value = match (json, &arg.presence) {
            (Some(json), _) => Some(value(arg, json)?),
            (None, Presence::Default(default)) => Some(value(arg, &default_json(default))?),
            (None, _) if matches!(arg.kind, ArgKind::One(Scalar::Boolean)) => Some(Value::Boolean(false)),
            (None, Presence::Optional) => None,
            (None, Presence::Required) => return Err(refuse(arg, format!("`{}` is missing", arg.name))),
        };
        given.push(json.is_some());
        values.push(value);
    }
    let values = Values { verb, values };
    let given = |name: &str| {
        let at = verb.args.iter().position(|arg| arg.name == name);
        at.and_then(|at| given.get(at)).is_some_and(|given| *given) && values.is_given(name)
    };
    relations(verb, &given, &values)?;
    Ok(values)
}

/// `requires`, `conflicts`, `one_of`. What only a default gives is not "given", but is enough for `requires`.
fn relations(verb: &VerbSpec, given: &dyn Fn(&str) -> bool, values: &Values<'_>) -> Result<(), Refusal> {
    for arg in verb.args.iter().filter(|arg| given(&arg.name)) {
        let name = &arg.name;
        if let Some(missing) = arg.requires.iter().find(|other| !values.is_given(other)) {
            return Err(Refusal {
                argument: Some(name.to_string()),
                message: format!("`{name}` is given without `{missing}`"),
                hint: format!("give `{missing}` too, or leave `{name}` out"),
            });
        }
        if let Some(other) = arg.conflicts.iter().find(|other| given(other)) {
            return Err(Refusal {
                argument: Some(name.to_string()),
                message: format!("`{name}` can't be given together with `{other}`"),
                hint: format!("leave `{name}` or `{other}` out"),
            });
        }
    }
    for members in verb.one_of.iter() {
        let names = || show::names(members.iter().map(|name| &**name));
        let mut found = members.iter().filter(|name| given(name));
        let refusal = |argument: Option<&Text>, message| Refusal {
            argument: argument.map(ToString::to_string),
            message,
            hint: format!("give exactly one of {}", names()),
        };
        match (found.next(), found.next()) {
            (Some(_), None) => {}
            (None, _) => return Err(refusal(members.first(), format!("one of {} is missing", names()))),
            (Some(first), Some(second)) => {
                let message = format!("`{first}` can't be given together with `{second}`");
                return Err(refusal(Some(second), message));
            }
        }
    }
    Ok(())
}

fn refuse(arg: &ArgSpec, message: String) -> Refusal {
    Refusal { argument: Some(arg.name.to_string()), message, hint: format!("it takes {}", takes(&arg.kind)) }
}

fn default_json(default: &DefaultValue) -> Json {
    match default {
        DefaultValue::Text(text) => Json::from(&**text),
        DefaultValue::Integer(number) => Json::from(*number),
        DefaultValue::Number(number) => Json::from(*number),
        DefaultValue::Boolean(truth) => Json::from(*truth),
        DefaultValue::List(items) => Json::Array(items.iter().map(default_json).collect()),
    }
}

fn value(arg: &ArgSpec, json: &Json) -> Result<Value, Refusal> {
    let name = &arg.name;
    let (of, min, max, join) = match &arg.kind {
        ArgKind::One(scalar) => {
            return one(scalar, json).map_err(|problem| refuse(arg, format!("`{name}` {problem}")));
        }
        ArgKind::Many { of, min, max, join } => (of, *min, *max, join),
    };
    let Json::Array(items) = json else {
        let split = if json.is_string() { "; text is not split into items" } else { "" };
        return Err(refuse(arg, format!("`{name}` is {}, not a list{split}", describe(json))));
    };
    let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
    if count < min || count > max {
        let bound = if count < min { format!("fewer than {min}") } else { format!("more than {max}") };
        return Err(refuse(arg, format!("`{name}` holds {bound} items")));
    }
    let mut values = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let item = one(of, item).map_err(|problem| refuse(arg, format!("item {} of `{name}` {problem}", at + 1)))?;
        values.push(item);
    }
    match join {
        Some(join) if !joins(&values, join) => {
            let join = show::one_line(join);
            Err(refuse(arg, format!("an item of `{name}` holds `{join}`, with which the items are joined")))
        }
        _ => Ok(Value::List(values)),
    }
}

/// Whether the joined items come apart again as they were. (Two harmless items can hold the separator between them,
/// if it is longer than one character.)
fn joins(items: &[Value], join: &str) -> bool {
    if items.is_empty() {
        return true;
    }
    let texts: Vec<_> = items
        .iter()
        .map(|item| match item {
            Value::Secret(secret) => secret.expose().to_owned(),
            other => other.text(),
        })
        .collect();
    texts.join(join).split(join).eq(texts.iter().map(String::as_str))
}

/// One value; the error is what is wrong with it, to be put behind its name.
fn one(scalar: &Scalar, json: &Json) -> Result<Value, String> {
    let wrong_type = || format!("is {}, not {}", describe(json), takes_one(scalar));
    match scalar {
        Scalar::Boolean => json.as_bool().map(Value::Boolean).ok_or_else(wrong_type),
        Scalar::Integer { min, max } => {
            let Json::Number(number) = json else { return Err(wrong_type()) };
            let exact = number.as_i64().or_else(|| number.as_f64().and_then(json::whole_number));
            let number = match exact {
                Some(number) if number.unsigned_abs() <= json::EXACT.unsigned_abs() => number,
                _ if number.as_f64().is_some_and(|number| number.fract() != 0.0) => {
                    return Err("has a fraction".to_owned());
                }
                _ => return Err("is beyond ±2^53, where whole numbers are not exact".to_owned()),
            };
            match number {
                _ if number < *min => Err(format!("is less than {min}")),
                _ if number > *max => Err(format!("is more than {max}")),
                _ => Ok(Value::Integer(number)),
            }
        }
        Scalar::Number { min, max } => {
            let Json::Number(number) = json else { return Err(wrong_type()) };
            let number = exact_number(number).ok_or("can't be held exactly")?;
            match (min, max) {
                (Some(min), _) if number < *min => Err(format!("is less than {min}")),
                (_, Some(max)) if number > *max => Err(format!("is more than {max}")),
                _ => Ok(Value::Number(number)),
            }
        }
        Scalar::String { pattern, min, max, multiline } => {
            let text = json.as_str().ok_or_else(wrong_type)?;
            bounds(text.chars().count(), *min, *max, "characters")?;
            characters(text, *multiline)?;
            matches(pattern.as_ref(), text)?;
            Ok(Value::Text(text.to_owned()))
        }
        Scalar::Choice(choices) => {
            let word = json.as_str().ok_or_else(wrong_type)?;
            let choice = choices.iter().find(|choice| choice.word == word);
            choice.map(|choice| Value::Text(choice.program.to_string())).ok_or_else(|| {
                let meant = did_you_mean(word, choices.iter().map(|choice| &*choice.word));
                format!("can't be `{}`{meant}", show::one_line(word))
            })
        }
        Scalar::Path { pattern, max, .. } => {
            let text = json.as_str().ok_or_else(wrong_type)?;
            bounds(text.len(), 1, *max, "bytes")?;
            characters(text, false)?;
            matches(pattern.as_ref(), text)?;
            Ok(Value::Text(text.to_owned()))
        }
        Scalar::Secret { pattern, min, max } => {
            let text = json.as_str().ok_or_else(wrong_type)?;
            bounds(text.chars().count(), *min, *max, "characters")?;
            // Which character it is would show a piece of the secret.
            characters(text, false).map_err(|_| "holds a control or format character")?;
            matches(pattern.as_ref(), text)?;
            Ok(Value::Secret(Secret::new(text.to_owned())))
        }
    }
}

/// A number as `f64`; none if a whole number would come out rounded.
fn exact_number(number: &serde_json::Number) -> Option<f64> {
    let float = number.as_f64().filter(|float| float.is_finite())?;
    let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    #[allow(clippy::cast_possible_truncation)] // a float that came from 64 bits fits into 128
    whole.is_none_or(|whole| float as i128 == whole).then_some(float)
}

fn bounds(length: usize, min: u32, max: u32, unit: &str) -> Result<(), String> {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    match length {
        0 if min > 0 => Err("is empty".to_owned()),
        _ if length < min => Err(format!("is shorter than {min} {unit}")),
        _ if length > max => Err(format!("is longer than {max} {unit}")),
        _ => Ok(()),
    }
}

fn characters(text: &str, multiline: bool) -> Result<(), String> {
    let allowed = |c| multiline && matches!(c, '\n' | '\t');
    match text.chars().enumerate().find(|&(_, c)| show::is_hidden(c) && !allowed(c)) {
        None => Ok(()),
        Some((at, c)) => {
            Err(format!("holds the control or format character U+{:04X} (character {})", u32::from(c), at + 1))
        }
    }
}

fn matches(pattern: Option<&ValuePattern>, text: &str) -> Result<(), String> {
    match pattern {
        Some(pattern) if !pattern.matches(text) => Err("does not match its pattern as a whole".to_owned()),
        _ => Ok(()),
    }
}

fn describe(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a truth value",
        Json::Number(_) => "a number",
        Json::String(_) => "text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

/// What an argument takes, in words: `text of 1 to 64 characters that matches [a-z]+`.
pub fn takes(kind: &ArgKind) -> String {
    match kind {
        ArgKind::One(scalar) => takes_one(scalar),
        ArgKind::Many { of, min, max, join } => {
            let join = join.as_ref().map(|join| format!(", none of which holds `{}`", show::one_line(join)));
            format!("a list of {min} to {max} items, each {}{}", takes_one(of), join.unwrap_or_default())
        }
    }
}

fn takes_one(scalar: &Scalar) -> String {
    let matching = |pattern: &Option<ValuePattern>| match pattern {
        Some(pattern) => format!(" that matches `{}` as a whole", show::one_line(pattern.source())),
        None => String::new(),
    };
    match scalar {
        Scalar::Boolean => "true or false".to_owned(),
        Scalar::Integer { min, max } if (*min, *max) == (-json::EXACT, json::EXACT) => "a whole number".to_owned(),
        Scalar::Integer { min, max } if *max == json::EXACT => format!("a whole number from {min}"),
        Scalar::Integer { min, max } if *min == -json::EXACT => format!("a whole number up to {max}"),
        Scalar::Integer { min, max } => format!("a whole number from {min} to {max}"),
        Scalar::Number { min, max } => {
            let min = min.map_or_else(String::new, |min| format!(" from {min}"));
            let max = max.map_or_else(String::new, |max| format!(" up to {max}"));
            format!("a number{min}{max}")
        }
        Scalar::String { pattern, min, max, multiline } => {
            let controls = if *multiline { ", line breaks and tabs allowed" } else { "" };
            format!("text of {min} to {max} characters{}{controls}", matching(pattern))
        }
        Scalar::Choice(choices) => format!("one of {}", show::names(choices.iter().map(|choice| &*choice.word))),
        Scalar::Path { pattern, max, .. } => format!("a path of 1 to {max} bytes{}", matching(pattern)),
        Scalar::Secret { pattern, min, max } => {
            format!("a secret text of {min} to {max} characters{}", matching(pattern))
        }
    }
}
