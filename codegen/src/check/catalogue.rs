//! Other servers' tools: `VG06xx` (LANGUAGE section 11).

use serde_json::Value as Json;
use verbgate_table::argv::leading_words;
use verbgate_table::{FileSpec, VerbSpec};

use super::verbs::VerbPlace;
use super::{CatalogInput, CheckOptions, File, Out, fold};
use crate::codes::catalogue::{VG0601, VG0602, VG0603, VG0604, VG0605, VG0606};
use crate::diag::{Diagnostic, Span};
use crate::model::At;

/// One tool of a catalogue, as far as it could be read.
struct Foreign<'a> {
    name: &'a str,
    at: At<'a>,
}

/// Checks the catalogues of a file, and the tools of all files against their names.
pub(super) fn run(
    files: &[File<'_>],
    specs: &[(usize, FileSpec, Vec<VerbPlace<'_>>)],
    options: &CheckOptions,
    out: &mut Out,
) {
    for (index, file) in files.iter().enumerate() {
        let own = specs.iter().find(|(of, ..)| *of == index);
        for catalogue in file.catalogs {
            let tools = read(catalogue, options, out);
            for tool in &tools {
                same_name(tool, catalogue, files, out);
                if let Some((_, spec, places)) = own {
                    covers(tool, catalogue, spec, places, out);
                }
            }
        }
    }
}

fn read<'a>(catalogue: &'a CatalogInput, options: &CheckOptions, out: &mut Out) -> Vec<Foreign<'a>> {
    let at = At::root(&catalogue.node);
    let malformed = |span: Span, what: &str, out: &mut Out| {
        out.push(
            Diagnostic::new(&VG0601, span, format!("malformed catalogue: {what}"))
                .help("a catalogue is `{ catalog, version, captured, tools: [{ name, covers }] }`"),
        );
    };
    let Json::Object(document) = &catalogue.json else {
        malformed(at.span(), "it is no object", out);
        return Vec::new();
    };
    for key in ["catalog", "version"] {
        if document.get(key).and_then(Json::as_str).is_none_or(|text| text.trim().is_empty()) {
            malformed(at.key(key).span(), &format!("`{key}` must be text"), out);
        }
    }
    match document.get("captured").and_then(Json::as_str) {
        Some(date) if is_date(date) => {
            if options.today.as_deref().is_some_and(|today| date > today) {
                out.push(
                    Diagnostic::new(
                        &VG0603,
                        at.key("captured").span(),
                        format!("the catalogue was captured on {date}, which is yet to come"),
                    )
                    .help("write the day on which the server was asked"),
                );
            }
        }
        Some(other) => out.push(
            Diagnostic::new(&VG0602, at.key("captured").span(), format!("`{other}` is no date"))
                .help("as in `2026-01-31`"),
        ),
        None => out.push(
            Diagnostic::new(&VG0602, at.key("captured").span(), "the catalogue says nothing of when it was captured")
                .help("add `captured: YYYY-MM-DD`, so that a reader knows how old it is"),
        ),
    }
    let Some(tools) = document.get("tools").and_then(Json::as_array) else {
        malformed(at.key("tools").span(), "`tools` must be a list", out);
        return Vec::new();
    };
    let mut found = Vec::new();
    for (index, tool) in tools.iter().enumerate() {
        let at = at.key("tools").index(index);
        let Some(name) = tool.get("name").and_then(Json::as_str).filter(|name| !name.is_empty()) else {
            malformed(at.span(), "a tool without `name`", out);
            continue;
        };
        check_covers(name, tool, at, out);
        found.push(Foreign { name, at });
    }
    found
}

fn check_covers(name: &str, tool: &Json, at: At<'_>, out: &mut Out) {
    let missing = |span: Span, message: String, out: &mut Out| {
        out.push(
            Diagnostic::new(&VG0604, span, message).help(
                "add `covers`: the leading words of the verb that it does the work of (text or a list), or `none` with `why`",
            ),
        );
    };
    match tool.get("covers") {
        None | Some(Json::Null) => {
            missing(at.key("name").span(), format!("`{name}` does not say which verb it covers"), out);
        }
        Some(Json::String(text)) if text == "none" => {
            if tool.get("why").and_then(Json::as_str).is_none_or(|why| why.trim().is_empty()) {
                missing(at.key("covers").span(), format!("`{name}` covers nothing, and does not say why"), out);
            }
        }
        Some(Json::String(text)) if !text.trim().is_empty() => {}
        Some(Json::Array(list))
            if !list.is_empty()
                && list
                    .iter()
                    .all(|item| item.as_str().is_some_and(|text| !text.trim().is_empty() && text != "none")) => {}
        Some(_) => missing(at.key("covers").span(), format!("`covers` of `{name}` is no leading words"), out),
    }
}

/// `YYYY-MM-DD`, a day that there is.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let number = |text: &str, length: usize| {
        (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| text.parse::<u32>().ok())
            .flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// A name as clients that fold see it, without the prefix that they put in front.
fn bare(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let inner =
        lower.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).map_or(lower.as_str(), |(_, name)| name);
    fold(inner)
}

fn same_name(tool: &Foreign<'_>, catalogue: &CatalogInput, files: &[File<'_>], out: &mut Out) {
    for file in files {
        for (name, _) in file.model.tools.iter() {
            if bare(name) == bare(tool.name) {
                let same = if name == tool.name {
                    "has a tool of this name"
                } else {
                    "has a tool whose name folds to the same"
                };
                out.push(
                    Diagnostic::new(
                        &VG0605,
                        file.at.key("tools").key(name).key_span(),
                        format!("`{}` {same}: `{}`", title(catalogue), tool.name),
                    )
                    .also(tool.at.key("name").span(), "that tool")
                    .help(format!("retire `{name}`, or give it another name")),
                );
            }
        }
    }
}

fn title(catalogue: &CatalogInput) -> &str {
    catalogue.json.get("catalog").and_then(Json::as_str).unwrap_or("the catalogue")
}

fn covers(tool: &Foreign<'_>, catalogue: &CatalogInput, spec: &FileSpec, places: &[VerbPlace<'_>], out: &mut Out) {
    let json = catalogue.json.get("tools").and_then(Json::as_array);
    let entry =
        json.and_then(|tools| tools.iter().find(|entry| entry.get("name").and_then(Json::as_str) == Some(tool.name)));
    let Some(covers) = entry.and_then(|entry| entry.get("covers")) else { return };
    let texts: Vec<&str> = match covers {
        Json::String(text) if text == "none" => return,
        Json::String(text) => vec![text],
        Json::Array(list) => list.iter().filter_map(Json::as_str).collect(),
        _ => return,
    };
    let verbs = spec.tools.iter().flat_map(|ours| ours.verbs.iter().map(move |verb| (ours, verb)));
    for ((ours, verb), place) in verbs.zip(places) {
        let words = leading_words(verb);
        let covered = texts.iter().find(|text| {
            let covered: Vec<&str> = text.split_whitespace().collect();
            !covered.is_empty()
                && words.len() >= covered.len()
                && words.iter().zip(&covered).all(|(word, other)| word == other)
        });
        if let Some(text) = covered {
            out.push(
                Diagnostic::new(
                    &VG0606,
                    place.at.key("argv").span(),
                    format!("`{}` of `{}` does the work of `{text}` already", tool.name, title(catalogue)),
                )
                .also(tool.at.key("covers").span(), "it covers this verb")
                .help(format!("retire {}", named(&ours.name, verb))),
            );
        }
    }
}

fn named(tool: &str, verb: &VerbSpec) -> String {
    verb.action
        .as_ref()
        .map_or_else(|| format!("the tool `{tool}`"), |action| format!("the action `{action}` of `{tool}`"))
}
