//! Names and limits: `VG08xx` (LANGUAGE sections 1 and 2; DESIGN section 3).

use std::collections::BTreeMap;

use super::data::{self, JAVASCRIPT_MEMBERS, RUST_KEYWORDS};
use super::{File, Out, fold};
use crate::codes::limits::{VG0801, VG0802, VG0803, VG0804, VG0805, VG0806, VG0807, VG0808, VG0809, VG0810, VG0812};
use crate::diag::{Diagnostic, FileId, Span};
use crate::model::At;

/// What a name names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Tool,
    Action,
    Argument,
    Type,
    Group,
    Field,
    Lock,
    Stage,
}

impl What {
    pub(super) fn words(self) -> &'static str {
        match self {
            What::Tool => "tool",
            What::Action => "action",
            What::Argument => "argument",
            What::Type => "type",
            What::Group => "group",
            What::Field => "field",
            What::Lock => "lock",
            What::Stage => "stage",
        }
    }
}

/// Checks one name.
pub(super) fn name(what: What, name: &str, span: &Span, out: &mut Out) {
    let kind = what.words();
    let well_formed = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !name.contains("__");
    if !well_formed || name.chars().count() > data::NAME.most {
        let mut found = Diagnostic::new(&VG0801, span.clone(), format!("`{name}` can't be a {kind}'s name"))
            .help("a name is `[a-z][a-z0-9_]*`, at most 64 characters, without `__`: providers refuse others");
        if let Some(mended) = mended_name(name) {
            found = found.mend(span.clone(), mended);
        }
        out.push(found);
        return;
    }
    if RUST_KEYWORDS.contains(&name) {
        out.push(
            Diagnostic::new(&VG0803, span.clone(), format!("`{name}` is a keyword of Rust"))
                .help("the generated code needs another name"),
        );
    }
    if what == What::Argument && JAVASCRIPT_MEMBERS.contains(&name) {
        out.push(
            Diagnostic::new(&VG0804, span.clone(), format!("every JavaScript object has a member `{name}` already"))
                .help("choose another name, or hosts take it for given"),
        );
    }
    if what == What::Tool && name.len() > data::PREFIXED_NAME.most {
        out.push(
            Diagnostic::new(&VG0805, span.clone(), format!("the name `{name}` has {} characters", name.len())).help(
                format!(
                    "clients put `mcp__verbgate__` in front and refuse more than 64 in all: keep to {}",
                    data::PREFIXED_NAME.most
                ),
            ),
        );
    }
}

fn mended_name(name: &str) -> Option<String> {
    let mut mended = String::new();
    for c in name.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => mended.push(c.to_ascii_lowercase()),
            '-' | '.' | '/' | ' ' | '_' if !mended.ends_with('_') => mended.push('_'),
            '_' => {}
            _ => return None,
        }
    }
    let fits = mended.starts_with(|c: char| c.is_ascii_lowercase()) && mended.len() <= data::NAME.most;
    fits.then_some(mended)
}

/// Names that stand in one place, to find those that differ by case, `-` or `_` only.
#[derive(Default)]
pub(super) struct Seen(BTreeMap<String, (String, Span)>);

impl Seen {
    /// Checks a name, alone and against those before.
    pub(super) fn add(&mut self, what: What, text: &str, span: &Span, out: &mut Out) {
        name(what, text, span, out);
        let clash = self.0.get(&fold(text)).cloned();
        match clash {
            Some((first, place)) => {
                let same = first == text;
                // A lock is named wherever it is used.
                if !(same && what == What::Lock) {
                    out.push(
                        Diagnostic::new(
                            &VG0802,
                            span.clone(),
                            if same {
                                format!("the {} `{text}` is there twice", what.words())
                            } else {
                                format!("`{text}` and `{first}` differ only by case, `-` or `_`")
                            },
                        )
                        .also(place, "the first is here")
                        .help("clients fold names: choose one that stays different"),
                    );
                }
            }
            None => {
                self.0.insert(fold(text), (text.to_owned(), span.clone()));
            }
        }
    }
}

/// The names of a mapping.
pub(super) fn all<'a>(what: What, names: impl Iterator<Item = &'a str>, at: At<'_>, out: &mut Out) {
    let mut seen = Seen::default();
    for name in names {
        seen.add(what, name, &at.key(name).key_span(), out);
    }
}

/// The manifest's own number, and the keys that only the first file may have.
pub(super) fn file(file: &File<'_>, out: &mut Out) {
    let (model, at) = (file.model, file.at);
    if model.program.is_none() && !model.tools.is_empty() {
        out.push(
            Diagnostic::new(&VG0812, at.key("tools").key_span(), "there are tools, but no `program` that they run")
                .help("add `program` with `executable` and `install`"),
        );
    }
    if model.tools.is_empty() && model.include.is_empty() && file.is_first {
        out.push(
            Diagnostic::new(&VG0812, at.span(), "there is nothing that can be run")
                .help("add `program` and `tools`, or `include`"),
        );
    }
    all(What::Type, model.types.iter().map(|(name, _)| name), at.key("types"), out);
    all(What::Group, model.errors.iter().map(|(name, _)| name), at.key("errors"), out);
    let mut locks = Seen::default();
    for (name, tool) in model.tools.iter() {
        let at = at.key("tools").key(name);
        if let Some(lock) = &tool.lock {
            locks.add(What::Lock, lock, &at.key("lock").span(), out);
        }
        for (action, verb) in tool.actions.iter().flat_map(crate::model::Entries::iter) {
            if let Some(lock) = &verb.lock {
                locks.add(What::Lock, lock, &at.key("actions").key(action).key("lock").span(), out);
            }
        }
    }
}

/// The tools of all files together.
pub(super) fn tools(files: &[File<'_>], out: &mut Out) {
    let mut seen = Seen::default();
    let mut count = 0;
    let mut places = Vec::new();
    for file in files {
        for (name, _) in file.model.tools.iter() {
            let span = file.at.key("tools").key(name).key_span();
            seen.add(What::Tool, name, &span, out);
            count += 1;
            places.push(span);
        }
    }
    let beyond = |limit: usize| places.get(limit).cloned();
    if let Some(span) = beyond(data::TOOLS_REFUSED.most) {
        out.push(
            Diagnostic::new(&VG0809, span, format!("{count} tools are more than providers take"))
                .help(format!("at most {}: make several manifests, or actions of one tool", data::TOOLS_REFUSED.most)),
        );
    } else if let Some(span) = beyond(data::TOOLS.most) {
        out.push(Diagnostic::new(&VG0808, span, format!("{count} tools are many for a model to choose from")).help(
            format!(
                "beyond {} the choice gets worse: make verbs that belong together actions of one tool",
                data::TOOLS.most
            ),
        ));
    }
}

/// The length of what an agent reads about a tool.
pub(super) fn description(tool: &str, text: &str, span: &Span, out: &mut Out) {
    let length = text.chars().count();
    let (code, limit) = if length > data::DESCRIPTION_CUT.most {
        (&VG0807, data::DESCRIPTION_CUT)
    } else if length > data::DESCRIPTION.most {
        (&VG0806, data::DESCRIPTION)
    } else {
        return;
    };
    out.push(
        Diagnostic::new(code, span.clone(), format!("the description of `{tool}` has {length} characters in all"))
            .help(format!(
                "keep to {}, the lines of its actions counted in: clients cut the rest without a word",
                limit.most
            )),
    );
}

/// Lines that a reviewer has to scroll sideways to read.
pub(super) fn long_lines(file: FileId, text: &str, out: &mut Out) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let shown = line.trim_end_matches(['\n', '\r']);
        let mut columns = shown.char_indices();
        if let Some((beyond, _)) = columns.nth(200) {
            let span = Span { file, bytes: start + beyond..start + shown.len() };
            out.push(
                Diagnostic::new(&VG0810, span, "this line has more than 200 columns")
                    .help("what stands far to the right is not seen in a review: break the line"),
            );
        }
        start += line.len();
    }
}
