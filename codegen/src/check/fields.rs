//! Fields: VG0418 to VG0421 (LANGUAGE section 10).

use verbgate_table::{FieldSource, FieldSpec, FieldType};

use super::names::{self, What};
use super::outcome::{field_type, streams};
use super::{Out, owned, patterns};
use crate::codes::limits::VG0804;
use crate::codes::outcome::{VG0418, VG0419, VG0420, VG0421};
use crate::diag::Diagnostic;
use crate::model::{self, At, Verb};
use crate::pattern::Line;

/// The fields of a verb.
pub(super) fn lower(verb: &Verb, exits: &[u8], at: At<'_>, out: &mut Out) -> Vec<FieldSpec> {
    let at = at.key("fields");
    names::all(What::Field, verb.fields.iter().map(|(name, _)| name), at, out);
    let mut specs = Vec::new();
    for (name, field) in verb.fields.iter() {
        let at = at.key(name);
        if name == "before" && verb.before.is_some() {
            out.push(
                Diagnostic::new(&VG0804, at.key_span(), "the fields of the verb before stand under `before`")
                    .help("choose another name"),
            );
        }
        if let Some(source) = source(name, field, exits, at, out) {
            specs.push(FieldSpec { name: owned(name), source });
        }
    }
    specs
}

fn source(name: &str, field: &model::Field, exits: &[u8], at: At<'_>, out: &mut Out) -> Option<FieldSource> {
    let there = [
        ("match", field.r#match.is_some()),
        ("each", field.each.is_some()),
        ("json", field.json.is_some()),
        ("json_lines", field.json_lines.is_some()),
        ("exit", field.exit.is_some()),
    ];
    let sources: Vec<&str> = there.iter().filter(|(_, there)| *there).map(|(key, _)| *key).collect();
    let [key] = sources.as_slice() else {
        let (span, message) = match sources.as_slice() {
            [first, second, ..] => {
                out.push(
                    Diagnostic::new(&VG0418, at.key(second).key_span(), format!("the field `{name}` has two sources"))
                        .also(at.key(first).key_span(), "the other is here")
                        .help("make two fields"),
                );
                return None;
            }
            _ => (at.key_span(), format!("the field `{name}` has no source")),
        };
        out.push(Diagnostic::new(&VG0418, span, message).help("one of `match`, `each`, `json`, `json_lines`, `exit`"));
        return None;
    };
    let mut misplaced = |other: &str, why: &str| {
        out.push(
            Diagnostic::new(&VG0418, at.key(other).key_span(), format!("`{other}` does not go with `{key}`"))
                .help(why.to_owned()),
        );
    };
    let is_pattern = matches!(*key, "match" | "each");
    if field.r#in.is_some() && !is_pattern {
        misplaced("in", "it says where `match` and `each` look");
    }
    if !field.types.is_empty() && *key != "each" {
        misplaced("types", "it gives types to the named groups of `each`");
    }
    if *key == "exit" && field.r#type.is_some() {
        misplaced("type", "such a field is true or false");
    }
    let kind = field_type(field.r#type);
    if kind == FieldType::Json && is_pattern {
        misplaced("type", "only `json` and `json_lines` give JSON");
    }
    match *key {
        "match" => {
            let line = patterns::line(field.r#match.as_deref()?, at.key("match"), out)?;
            let place = at.key("match");
            if !line.named.is_empty() {
                out.push(
                    Diagnostic::new(
                        &VG0419,
                        patterns::within(place, &line.named.first()?.1),
                        "`match` gives one text: its groups have no names",
                    )
                    .help("write `(...)`, or use `each`"),
                );
            } else if line.unnamed == 0 && kind != FieldType::Boolean {
                out.push(
                    Diagnostic::new(&VG0419, place.span(), "the pattern has no group that holds the text")
                        .help("put what is wanted in `( )`"),
                );
            }
            Some(FieldSource::Match { pattern: patterns::lowered(&line), streams: streams(field.r#in), kind })
        }
        "each" => {
            let line = patterns::line(field.each.as_deref()?, at.key("each"), out)?;
            each(field, &line, kind, at, out)
        }
        "json" | "json_lines" => {
            let pointer = field.json.as_ref().or(field.json_lines.as_ref())?;
            let escaped = pointer.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
            if (!pointer.is_empty() && !pointer.starts_with('/')) || !escaped {
                let mut found = Diagnostic::new(&VG0420, at.key(key).span(), format!("`{pointer}` is no JSON Pointer"))
                    .help("`''` is the whole document, `/head/sha` a member of a member, `/0` the first item");
                if escaped {
                    found = found
                        .mend(at.key(key).span(), format!("/{}", pointer.trim_start_matches("$.").replace('.', "/")));
                }
                out.push(found);
            }
            let pointer = owned(pointer);
            Some(if *key == "json" {
                FieldSource::Json { pointer, kind }
            } else {
                FieldSource::JsonLines { pointer, kind }
            })
        }
        _ => {
            let list = field.exit.clone()?;
            for (index, status) in list.iter().enumerate() {
                if !exits.contains(status) {
                    out.push(
                        Diagnostic::new(
                            &VG0421,
                            at.key("exit").index(index).span(),
                            format!("{status} is no exit status of a success"),
                        )
                        .help("fields are taken on success only: add it to `success.exit`, or leave it out"),
                    );
                }
            }
            if list.is_empty() {
                out.push(Diagnostic::new(&VG0421, at.key("exit").span(), "this field would always be false"));
            }
            Some(FieldSource::Exit(list.into()))
        }
    }
}

fn each(field: &model::Field, line: &Line, kind: FieldType, at: At<'_>, out: &mut Out) -> Option<FieldSource> {
    let place = at.key("each");
    for (group, _) in field.types.iter() {
        if !line.named.iter().any(|(name, _)| name == group) {
            let mut found = Diagnostic::new(
                &VG0419,
                at.key("types").key(group).key_span(),
                format!("the pattern has no group `{group}`"),
            );
            if let Some(near) = super::nearest(group, line.named.iter().map(|(name, _)| name.as_str())) {
                found = found.help(format!("did you mean `{near}`?"));
            }
            out.push(found);
        }
    }
    for (group, span) in field.types.iter().map(|(group, word)| ((group, word), at.key("types").key(group).span())) {
        if group.1.0 == FieldType::Json {
            out.push(Diagnostic::new(&VG0418, span, "only `json` and `json_lines` give JSON"));
        }
    }
    match (line.named.is_empty(), line.unnamed) {
        (true, 0) => {
            out.push(
                Diagnostic::new(&VG0419, place.span(), "the pattern has no group that holds the text")
                    .help("put what is wanted in `( )`"),
            );
            None
        }
        (false, 1..) => {
            out.push(
                Diagnostic::new(&VG0419, place.span(), "named and unnamed groups are mixed")
                    .help("name all of them, or write `(?:...)` for those that hold nothing"),
            );
            None
        }
        (true, _) => Some(FieldSource::Each { pattern: patterns::lowered(line), streams: streams(field.r#in), kind }),
        (false, 0) => {
            if field.r#type.is_some() {
                out.push(
                    Diagnostic::new(&VG0418, at.key("type").key_span(), "named groups have a type each")
                        .help("write `types: { name: integer }`"),
                );
            }
            Some(FieldSource::EachNamed {
                pattern: patterns::lowered(line),
                streams: streams(field.r#in),
                groups: line
                    .named
                    .iter()
                    .map(|(name, _)| (owned(name), field_type(field.types.get(name).copied())))
                    .collect(),
            })
        }
    }
}
