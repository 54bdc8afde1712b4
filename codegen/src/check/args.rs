//! Arguments and types: `VG02xx` (LANGUAGE section 4), lowered to [`ArgSpec`].

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Number, Value as Json};
use verbgate_table::{
    Access, ArgKind, ArgSpec, Choice, Class, DefaultValue, MustBe, Presence, Scalar, Text, ToolSpec, VerbSpec,
    sensitive,
};

use super::names::{self, What};
use super::{File, Out, owned, patterns};
use crate::codes::args::{
    VG0201, VG0212, VG0213, VG0214, VG0215, VG0216, VG0217, VG0218, VG0219, VG0220, VG0221, VG0229, VG0230, VG0231,
    VG0232,
};
use crate::codes::consent::{VG0302, VG0309, VG0310};
use crate::diag::{Diagnostic, Span};
use crate::model::{AccessWord, At, Choices, MustBeWord, Type, Verb};

const BUILT_IN: &[&str] = &["string", "integer", "number", "boolean", "choice", "path", "secret", "list"];
const EXACT: i64 = 1 << 53;

/// A type after its names were followed, with the places of its keys.
struct Resolved<'a> {
    merged: Type,
    /// From the use to the built-in type.
    places: Vec<At<'a>>,
}

impl Resolved<'_> {
    fn at(&self, key: &str) -> Span {
        self.places.iter().map(|at| at.key(key)).find(|at| at.exists()).map_or_else(|| self.here(), At::span)
    }

    fn at_key(&self, key: &str) -> Span {
        self.places.iter().map(|at| at.key(key)).find(|at| at.exists()).map_or_else(|| self.here(), At::key_span)
    }

    fn here(&self) -> Span {
        self.places.first().map_or_else(
            || Span { file: crate::diag::FileId(0), bytes: 0..0 },
            |at| if at.exists() { at.key_span() } else { at.span() },
        )
    }
}

/// The types of a file: which are used, and what they say.
pub(super) struct Types<'a> {
    file: &'a File<'a>,
    used: BTreeSet<&'a str>,
}

impl<'a> Types<'a> {
    pub(super) fn new(file: &'a File<'a>, out: &mut Out) -> Self {
        for (name, _) in file.model.types.iter() {
            if BUILT_IN.contains(&name) {
                let span = file.at.key("types").key(name).key_span();
                out.push(
                    Diagnostic::new(&VG0215, span, format!("`{name}` is a built-in type")).help("choose another name"),
                );
            }
        }
        let types = Self { file, used: BTreeSet::new() };
        let mut told = BTreeSet::new();
        for (name, _) in file.model.types.iter() {
            types.cycle(name, &mut told, out);
        }
        types
    }

    /// Whether a type leads back to itself, by `type` or `of`.
    fn cycle(&self, start: &'a str, told: &mut BTreeSet<&'a str>, out: &mut Out) {
        let mut at = start;
        let mut path = vec![start];
        while let Some(found) = self.file.model.types.get(at) {
            let next = match &found.of {
                Some(of) if found.r#type == "list" => of.r#type.as_str(),
                _ => found.r#type.as_str(),
            };
            if next == start {
                if path.iter().any(|name| told.contains(name)) {
                    return;
                }
                told.extend(&path);
                let span = self.file.at.key("types").key(start).key("type").span();
                out.push(
                    Diagnostic::new(&VG0213, span, format!("the type `{start}` leads back to itself"))
                        .help(format!("`{}`", [path.as_slice(), &[start]].concat().join("` is `"))),
                );
                return;
            }
            if path.contains(&next) || BUILT_IN.contains(&next) {
                return;
            }
            let Some((next, _)) = self.file.model.types.0.iter().find(|(name, _)| name == next) else { return };
            path.push(next);
            at = next;
        }
    }

    /// Types that no argument has.
    pub(super) fn unused(&self, out: &mut Out) {
        for (name, _) in self.file.model.types.iter() {
            if !self.used.contains(name) && !BUILT_IN.contains(&name) {
                let span = self.file.at.key("types").key(name).key_span();
                out.push(
                    Diagnostic::new(&VG0214, span, format!("no argument has the type `{name}`")).help("delete it"),
                );
            }
        }
    }

    fn resolve(&mut self, own: &Type, at: At<'a>, out: &mut Out) -> Option<Resolved<'a>> {
        let mut merged = own.clone();
        let mut places = vec![at];
        for _ in 0..64 {
            let name = merged.r#type.clone();
            if BUILT_IN.contains(&name.as_str()) {
                return Some(Resolved { merged, places });
            }
            let Some((key, base)) = self.file.model.types.0.iter().find(|(known, _)| *known == name) else {
                let span = places.last().map_or_else(|| at.span(), |place| place.key("type").span());
                let known = BUILT_IN.iter().copied().chain(self.file.model.types.iter().map(|(name, _)| name));
                let mut found = Diagnostic::new(&VG0212, span.clone(), format!("there is no type `{name}`"));
                match super::nearest(&name, known) {
                    Some(near) => found = found.help(format!("did you mean `{near}`?")).mend(span, near),
                    None => found = found.help(format!("built-in types: `{}`", BUILT_IN.join("`, `"))),
                }
                out.push(found);
                return None;
            };
            self.used.insert(key);
            places.push(self.file.at.key("types").key(key));
            merged = overlay(base, &merged);
        }
        None // a cycle, reported once for the type
    }

    /// Lowers the arguments of a verb.
    pub(super) fn args(&mut self, verb: &Verb, class: Option<Class>, at: At<'a>, out: &mut Out) -> Vec<ArgSpec> {
        let args_at = at.key("args");
        names::all(What::Argument, verb.args.iter().map(|(name, _)| name), args_at, out);
        let mut specs = Vec::new();
        for (name, own) in verb.args.iter() {
            if let Some(resolved) = self.resolve(own, args_at.key(name), out) {
                specs.extend(self.arg(name, &resolved, class, out));
            }
        }
        relations(verb, &specs, at, out);
        specs
    }

    fn arg(&mut self, name: &str, resolved: &Resolved<'a>, class: Option<Class>, out: &mut Out) -> Option<ArgSpec> {
        let own = &resolved.merged;
        let description = own.description.clone().unwrap_or_default();
        if description.trim().is_empty() {
            out.push(
                Diagnostic::new(&VG0217, resolved.here(), format!("the argument `{name}` has no description"))
                    .help("add `description`: it is all that an agent knows of it"),
            );
        }
        let kind = self.kind(name, resolved, class, out)?;
        let is_boolean = matches!(kind, ArgKind::One(Scalar::Boolean));
        let optional = own.optional == Some(true);
        if optional && is_boolean {
            out.push(
                Diagnostic::new(
                    &VG0218,
                    resolved.at_key("optional"),
                    format!("`{name}` is a boolean, which is false when absent"),
                )
                .help("delete `optional`"),
            );
        }
        if optional && own.default.is_some() {
            out.push(
                Diagnostic::new(
                    &VG0218,
                    resolved.at_key("optional"),
                    format!("`{name}` is optional and has a default"),
                )
                .also(resolved.at_key("default"), "with this, it is never absent")
                .help("delete one of them"),
            );
        }
        let presence = match &own.default {
            Some(default) => match default_value(&kind, default) {
                Ok(value) => Presence::Default(value),
                Err(why) => {
                    out.push(
                        Diagnostic::new(
                            &VG0219,
                            resolved.at("default"),
                            format!("the default of `{name}` does not satisfy its type"),
                        )
                        .label(why),
                    );
                    Presence::Required
                }
            },
            None if optional || is_boolean => Presence::Optional,
            None => Presence::Required,
        };
        Some(ArgSpec {
            name: owned(name),
            description: description.into(),
            kind,
            presence,
            requires: own.requires.iter().map(|name| owned(name)).collect(),
            conflicts: own.conflicts.iter().map(|name| owned(name)).collect(),
        })
    }

    fn kind(&mut self, name: &str, resolved: &Resolved<'a>, class: Option<Class>, out: &mut Out) -> Option<ArgKind> {
        let own = &resolved.merged;
        unfit_keys(name, resolved, out);
        if own.r#type != "list" {
            return scalar(name, resolved, class, out).map(ArgKind::One);
        }
        let Some(of) = &own.of else {
            out.push(
                Diagnostic::new(&VG0217, resolved.here(), format!("the list `{name}` says nothing of its items"))
                    .help("add `of: { type: ... }`"),
            );
            return None;
        };
        let of_at = resolved.places.iter().map(|at| at.key("of")).find(|at| at.exists())?;
        let item = self.resolve(of, of_at, out)?;
        if matches!(item.merged.r#type.as_str(), "list" | "boolean" | "secret") {
            out.push(
                Diagnostic::new(
                    &VG0231,
                    item.at("type"),
                    format!("the items of `{name}` can't be of type `{}`", item.merged.r#type),
                )
                .help("a list holds texts, numbers, words or paths"),
            );
            return None;
        }
        unfit_keys(name, &item, out);
        let of = scalar(name, &item, class, out)?;
        if own.join.as_deref() == Some("") {
            out.push(
                Diagnostic::new(
                    &VG0231,
                    resolved.at("join"),
                    format!("the items of `{name}` would be joined without a separator"),
                )
                .help("nobody could tell them apart: give one character at least"),
            );
        }
        let min = bound(resolved, "min", own.min.as_ref(), 0, out);
        let max = bound(resolved, "max", own.max.as_ref(), 100, out);
        ordered(name, resolved, u64::from(min) <= u64::from(max), out);
        if max == 0 {
            out.push(Diagnostic::new(
                &VG0220,
                resolved.at("max"),
                format!("the list `{name}` could never hold an item"),
            ));
        }
        Some(ArgKind::Many { of, min, max, join: own.join.clone().map(Text::from) })
    }
}

/// Keys of the use replace those of the named type; `optional` and `default` replace each other.
fn overlay(base: &Type, own: &Type) -> Type {
    let own = own.clone();
    let mut optional = own.optional.or(base.optional);
    let mut default = own.default.clone().or_else(|| base.default.clone());
    if own.default.is_some() && own.optional.is_none() {
        optional = None;
    }
    if own.optional.is_some() && own.default.is_none() {
        default = None;
    }
    let list = |own: Vec<String>, base: &[String]| if own.is_empty() { base.to_vec() } else { own };
    Type {
        r#type: base.r#type.clone(),
        description: own.description.or_else(|| base.description.clone()),
        optional,
        default,
        requires: list(own.requires, &base.requires),
        conflicts: list(own.conflicts, &base.conflicts),
        pattern: own.pattern.or_else(|| base.pattern.clone()),
        min: own.min.or_else(|| base.min.clone()),
        max: own.max.or_else(|| base.max.clone()),
        multiline: own.multiline.or(base.multiline),
        choices: own.choices.or_else(|| base.choices.clone()),
        access: own.access.or(base.access),
        must_be: own.must_be.or(base.must_be),
        sensitive: list(own.sensitive, &base.sensitive),
        of: own.of.or_else(|| base.of.clone()),
        join: own.join.or_else(|| base.join.clone()),
    }
}

/// Keys that another type has.
fn unfit_keys(name: &str, resolved: &Resolved<'_>, out: &mut Out) {
    let own = &resolved.merged;
    let fits: &[&str] = match own.r#type.as_str() {
        "string" => &["pattern", "min", "max", "multiline"],
        "integer" | "number" => &["min", "max"],
        "choice" => &["choices"],
        "path" => &["access", "must_be", "pattern", "max", "sensitive"],
        "secret" => &["pattern", "min", "max"],
        "list" => &["of", "min", "max", "join"],
        _ => &[],
    };
    let there = [
        ("pattern", own.pattern.is_some()),
        ("min", own.min.is_some()),
        ("max", own.max.is_some()),
        ("multiline", own.multiline.is_some()),
        ("choices", own.choices.is_some()),
        ("access", own.access.is_some()),
        ("must_be", own.must_be.is_some()),
        ("sensitive", !own.sensitive.is_empty()),
        ("of", own.of.is_some()),
        ("join", own.join.is_some()),
    ];
    for (key, is_there) in there {
        if is_there && !fits.contains(&key) {
            let help = if fits.is_empty() {
                "it has no keys of its own".to_owned()
            } else {
                format!("its own keys: `{}`", fits.join("`, `"))
            };
            out.push(
                Diagnostic::new(
                    &VG0216,
                    resolved.at_key(key),
                    format!("`{name}` is of type `{}`, which has no `{key}`", own.r#type),
                )
                .help(help),
            );
        }
    }
}

fn ordered(name: &str, resolved: &Resolved<'_>, is_ordered: bool, out: &mut Out) {
    if !is_ordered {
        out.push(
            Diagnostic::new(&VG0220, resolved.at("min"), format!("`min` of `{name}` is over its `max`"))
                .also(resolved.at("max"), "the `max`"),
        );
    }
}

/// A bound of lengths: a whole number from 0 to 2^32 - 1.
fn bound(resolved: &Resolved<'_>, key: &str, given: Option<&Number>, default: u32, out: &mut Out) -> u32 {
    let Some(number) = given else { return default };
    number.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or_else(|| {
        out.push(Diagnostic::new(
            &VG0220,
            resolved.at(key),
            format!("`{key}` counts: it must be a whole number, not `{number}`"),
        ));
        default
    })
}

fn whole(number: &Number) -> Option<i64> {
    let value = number.as_i64().or_else(|| {
        let value = number.as_f64()?;
        #[allow(clippy::cast_possible_truncation)] // checked: whole and small enough
        (value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0).then_some(value as i64)
    })?;
    (-EXACT..=EXACT).contains(&value).then_some(value)
}

fn scalar(name: &str, resolved: &Resolved<'_>, class: Option<Class>, out: &mut Out) -> Option<Scalar> {
    let own = &resolved.merged;
    let pattern = own.pattern.as_ref().and_then(|text| {
        patterns::value(text, resolved.places.iter().map(|at| at.key("pattern")).find(|at| at.exists()), out)
    });
    Some(match own.r#type.as_str() {
        "string" | "secret" => {
            let min = bound(resolved, "min", own.min.as_ref(), 1, out);
            let max = bound(resolved, "max", own.max.as_ref(), 4096, out);
            ordered(name, resolved, min <= max, out);
            if own.r#type == "secret" {
                Scalar::Secret { pattern, min, max }
            } else {
                Scalar::String { pattern, min, max, multiline: own.multiline.unwrap_or(false) }
            }
        }
        "integer" => {
            let mut read = |key: &str, number: Option<&Number>, default: i64| {
                let Some(number) = number else { return default };
                whole(number).unwrap_or_else(|| {
                    out.push(Diagnostic::new(
                        &VG0220,
                        resolved.at(key),
                        format!("`{number}` is no whole number within ±2^53"),
                    ));
                    default
                })
            };
            let (min, max) = (read("min", own.min.as_ref(), -EXACT), read("max", own.max.as_ref(), EXACT));
            ordered(name, resolved, min <= max, out);
            Scalar::Integer { min, max }
        }
        "number" => {
            let (min, max) = (own.min.as_ref().and_then(Number::as_f64), own.max.as_ref().and_then(Number::as_f64));
            ordered(name, resolved, !matches!((min, max), (Some(min), Some(max)) if min > max), out);
            Scalar::Number { min, max }
        }
        "boolean" => Scalar::Boolean,
        "choice" => Scalar::Choice(choices(name, resolved, out)?.into()),
        "path" => path(name, resolved, pattern, class, out)?,
        _ => return None,
    })
}

fn choices(name: &str, resolved: &Resolved<'_>, out: &mut Out) -> Option<Vec<Choice>> {
    let Some(choices) = &resolved.merged.choices else {
        out.push(Diagnostic::new(&VG0217, resolved.here(), format!("the choice `{name}` has no `choices`")));
        return None;
    };
    let pairs = choices.pairs();
    if pairs.is_empty() {
        out.push(Diagnostic::new(
            &VG0221,
            resolved.at("choices"),
            format!("the choice `{name}` has no word to choose"),
        ));
        return None;
    }
    let at = resolved.places.iter().map(|at| at.key("choices")).find(|at| at.exists())?;
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for (index, (word, _)) in pairs.iter().enumerate() {
        let place = if matches!(choices, Choices::List(_)) { at.index(index) } else { at.key(word) };
        let span = if matches!(choices, Choices::List(_)) { place.span() } else { place.key_span() };
        if word.is_empty() {
            out.push(
                Diagnostic::new(&VG0221, span.clone(), format!("the choice `{name}` has an empty word"))
                    .help("providers refuse it in a schema"),
            );
        }
        if let Some(first) = seen.insert(word, span.clone()) {
            out.push(
                Diagnostic::new(&VG0221, span, format!("the word `{word}` is there twice"))
                    .also(first, "the first is here"),
            );
        }
    }
    Some(pairs.into_iter().map(|(word, program)| Choice { word: owned(word), program: owned(program) }).collect())
}

fn path(
    name: &str,
    resolved: &Resolved<'_>,
    pattern: Option<verbgate_table::pattern::ValuePattern>,
    class: Option<Class>,
    out: &mut Out,
) -> Option<Scalar> {
    let own = &resolved.merged;
    let Some(AccessWord(access)) = own.access else {
        out.push(
            Diagnostic::new(
                &VG0217,
                resolved.here(),
                format!("the path `{name}` does not say what the program does there"),
            )
            .help("add `access: read`, `create`, `write` or `update`"),
        );
        return None;
    };
    let must_be = own.must_be.map(|MustBeWord(must_be)| must_be);
    if must_be == Some(MustBe::Absent) && matches!(access, Access::Read | Access::Update) {
        out.push(
            Diagnostic::new(
                &VG0309,
                resolved.at("must_be"),
                format!("`{name}` must be absent, but is to be read or changed"),
            )
            .also(resolved.at("access"), "this needs something that is there"),
        );
    }
    let allowed = match class {
        Some(Class::Read) => Access::Read,
        Some(Class::Additive) => Access::Create,
        _ => Access::Update,
    };
    if let Some(class) = class
        && access > allowed
    {
        let word = match access {
            Access::Read => "read",
            Access::Create => "create",
            Access::Write => "write",
            Access::Update => "update",
        };
        out.push(
            Diagnostic::new(
                &VG0302,
                resolved.at("access"),
                format!("`{name}` is of access `{word}`, which consent class `{}` does not allow", class.as_str()),
            )
            .help(if access == Access::Create {
                "a verb that creates is at least `additive`"
            } else {
                "a verb that writes is `file_write`, `registry_mutation` or `replace`: a person is asked"
            }),
        );
    }
    if !own.sensitive.is_empty() && access == Access::Read {
        out.push(
            Diagnostic::new(
                &VG0310,
                resolved.at_key("sensitive"),
                format!("`{name}` is only read, which no component forbids"),
            )
            .help("delete `sensitive`"),
        );
    }
    for component in &own.sensitive {
        if !sensitive::is_sensitive(component) {
            out.push(
                Diagnostic::new(&VG0310, resolved.at("sensitive"), format!("`{component}` is no sensitive component"))
                    .help(format!("sensitive are `{}`", sensitive::names().collect::<Vec<_>>().join("`, `"))),
            );
        }
    }
    let max = bound(resolved, "max", own.max.as_ref(), 4096, out);
    if max == 0 {
        out.push(Diagnostic::new(&VG0220, resolved.at("max"), format!("the path `{name}` could never be given")));
    }
    Some(Scalar::Path {
        access,
        must_be,
        pattern,
        max,
        sensitive: own.sensitive.iter().map(|text| owned(text)).collect(),
    })
}

/// A default, checked as an agent's value would be.
fn default_value(kind: &ArgKind, json: &Json) -> Result<DefaultValue, String> {
    let arg = ArgSpec {
        name: "value".into(),
        description: Text::default(),
        kind: kind.clone(),
        presence: Presence::Required,
        requires: Vec::new().into(),
        conflicts: Vec::new().into(),
    };
    if matches!(kind, ArgKind::One(Scalar::Secret { .. })) {
        return Err("a secret has no default: it would stand in the manifest".into());
    }
    let tool = super::verbs::probe(arg);
    if let Err(refusal) = verbgate_table::args::check(&tool, &serde_json::json!({ "value": json })) {
        return Err(format!("{}; {}", refusal.message, refusal.hint));
    }
    read_default(kind, json).ok_or_else(|| "not a value of this type".into())
}

fn read_default(kind: &ArgKind, json: &Json) -> Option<DefaultValue> {
    match (kind, json) {
        (ArgKind::Many { of, .. }, Json::Array(items)) => {
            let items: Option<Vec<_>> = items.iter().map(|item| read_scalar(of, item)).collect();
            Some(DefaultValue::List(items?.into()))
        }
        (ArgKind::One(of), json) => read_scalar(of, json),
        (ArgKind::Many { .. }, _) => None,
    }
}

fn read_scalar(of: &Scalar, json: &Json) -> Option<DefaultValue> {
    match (of, json) {
        (Scalar::Integer { .. }, Json::Number(number)) => whole(number).map(DefaultValue::Integer),
        (Scalar::Number { .. }, Json::Number(number)) => number.as_f64().map(DefaultValue::Number),
        (Scalar::Boolean, Json::Bool(value)) => Some(DefaultValue::Boolean(*value)),
        (Scalar::String { .. } | Scalar::Choice(_) | Scalar::Path { .. }, Json::String(text)) => {
            Some(DefaultValue::Text(owned(text)))
        }
        _ => None,
    }
}

/// `requires`, `conflicts`, `one_of`.
fn relations(verb: &Verb, specs: &[ArgSpec], at: At<'_>, out: &mut Out) {
    let find = |name: &str| specs.iter().find(|spec| spec.name == name);
    let unknown = |name: &str, span: Span, out: &mut Out| {
        if verb.args.get(name).is_none() {
            let mut found = Diagnostic::new(&VG0201, span.clone(), format!("there is no argument `{name}`"));
            if let Some(near) = super::nearest(name, verb.args.iter().map(|(name, _)| name)) {
                found = found.help(format!("did you mean `{near}`?")).mend(span, near);
            }
            out.push(found);
        }
    };
    for spec in specs {
        let args = at.key("args");
        for (key, list) in [("requires", &spec.requires), ("conflicts", &spec.conflicts)] {
            for (index, other) in list.iter().enumerate() {
                let own = args.key(&spec.name).key(key);
                let span = if own.exists() { own.index(index).span() } else { args.key(&spec.name).key_span() };
                unknown(other, span.clone(), out);
                if *other == spec.name {
                    out.push(Diagnostic::new(
                        &VG0229,
                        span.clone(),
                        format!("`{}` stands in its own `{key}`", spec.name),
                    ));
                }
                let excludes = |spec: &ArgSpec, other: &str| spec.conflicts.iter().any(|name| *name == other);
                if key == "requires"
                    && (excludes(spec, other) || find(other).is_some_and(|other| excludes(other, &spec.name)))
                {
                    out.push(
                        Diagnostic::new(
                            &VG0229,
                            span.clone(),
                            format!("`{}` requires `{other}`, and the two conflict", spec.name),
                        )
                        .help("it could never be given: delete one of the two"),
                    );
                }
                let required = |spec: &ArgSpec| matches!(spec.presence, Presence::Required);
                if key == "conflicts" && required(spec) && find(other).is_some_and(required) {
                    out.push(
                        Diagnostic::new(
                            &VG0229,
                            span,
                            format!("`{}` and `{other}` conflict, and both are required", spec.name),
                        )
                        .help("make one of them optional, or use `one_of`"),
                    );
                }
            }
        }
    }
    for (index, members) in verb.one_of.iter().enumerate() {
        let at = at.key("one_of").index(index);
        if members.len() < 2 {
            out.push(
                Diagnostic::new(&VG0230, at.span(), "a choice among fewer than two arguments")
                    .help("name two arguments at least, or make the one required"),
            );
        }
        for (place, name) in members.iter().enumerate() {
            let span = at.index(place).span();
            unknown(name, span.clone(), out);
            if find(name).is_some_and(|spec| !matches!(spec.presence, Presence::Optional)) {
                out.push(
                    Diagnostic::new(
                        &VG0230,
                        span.clone(),
                        format!("`{name}` is always given, so no other of this list could be"),
                    )
                    .help("add `optional: true` to it"),
                );
            }
            if members.iter().take(place).any(|before| before == name) {
                out.push(Diagnostic::new(&VG0230, span, format!("`{name}` is there twice")));
            }
        }
    }
}

/// Arguments that several actions share must be alike but for `optional` and `default`.
pub(super) fn shared(tool: &ToolSpec, at: At<'_>, out: &mut Out) {
    let mut first: BTreeMap<&str, (&VerbSpec, &ArgSpec)> = BTreeMap::new();
    for verb in tool.verbs.iter() {
        for arg in verb.args.iter() {
            let Some(&(before, other)) = first.get(arg.name.as_ref()) else {
                first.insert(&arg.name, (verb, arg));
                continue;
            };
            let alike =
                format!("{:?}", (&arg.kind, &arg.description)) == format!("{:?}", (&other.kind, &other.description));
            if !alike {
                let place = |verb: &VerbSpec| {
                    at.key("actions")
                        .key(verb.action.as_deref().unwrap_or_default())
                        .key("args")
                        .key(&arg.name)
                        .key_span()
                };
                out.push(
                    Diagnostic::new(
                        &VG0232,
                        place(verb),
                        format!("`{}` differs from that of another action", arg.name),
                    )
                    .also(place(before), "it is this there")
                    .help("the tool has one argument of that name: name a type under `types`, or choose another name"),
                );
            }
        }
    }
}
