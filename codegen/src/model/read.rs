//! The walk over a manifest against the tables of keys: all unknown keys and all wrong types at once, with the mend.

use serde::Deserialize;

use super::Model;
use super::kind::{Field, Kind, Table};
use super::values::{duration, size};
use crate::codes::CodeEntry;
use crate::codes::shape as codes;
use crate::diag::{Diagnostic, FileId, Span, is_error};
use crate::syntax::cross::{Plain, resolve, value};
use crate::syntax::{Node, NodeKind, Style, single_quoted};

/// Largest whole number that every reader of JSON keeps exact.
const EXACT: i128 = 1 << 53;

/// Reads a tree of nodes: first the walk, which finds all mistakes of shape at once, then serde.
///
/// Gives the model, if there was no error, and all errors and warnings (`VG01xx`).
pub fn read(file: FileId, text: &str, node: &Node) -> (Option<Model>, Vec<Diagnostic>) {
    let mut walk = Walk { file, text, found: Vec::new() };
    walk.keys(Model::table(), node, None);
    walk.version(node);
    let mut found = walk.found;
    crate::diag::sort(&mut found);
    if found.iter().any(is_error) {
        return (None, found);
    }
    match Model::deserialize(value(node)) {
        Ok(model) => (Some(model), found),
        Err(error) => {
            let message = format!("this manifest does not have the shape of one: {error}");
            found.push(Diagnostic::new(&codes::VG0103, node.span.clone(), message));
            (None, found)
        }
    }
}

/// What is read beside the kind of a text.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// Text for people, or an argv element: a comment right behind it is likely a part of it.
    Free,
    /// An argv element or a choice: as `Free`, and words that YAML 1.1 reads as booleans are suspicious.
    Argv,
    /// A choice: words that YAML 1.1 reads as booleans are suspicious.
    Choice,
    /// A pattern: escapes in double quotes are suspicious.
    Pattern,
    /// Any other text.
    Word,
}

struct Walk<'a> {
    file: FileId,
    text: &'a str,
    found: Vec<Diagnostic>,
}

impl Walk<'_> {
    fn add(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    fn at(code: &'static CodeEntry, node: &Node, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, node.span.clone(), message)
    }

    fn raw(&self, node: &Node) -> &str {
        self.text.get(node.span.bytes.clone()).unwrap_or_default()
    }

    fn wrong(&mut self, node: &Node, what: &str, expected: &str) {
        let diagnostic = Self::at(&codes::VG0103, node, format!("`{what}` takes {expected}"))
            .label(format!("this is {}", found_kind(node)));
        self.add(diagnostic);
    }

    fn value(&mut self, kind: &Kind, node: &Node, what: &str) {
        match kind {
            Kind::Text => self.text_of(node, what, Role::Free),
            Kind::Word | Kind::Name | Kind::Code => self.text_of(node, what, Role::Word),
            Kind::Pattern => self.text_of(node, what, Role::Pattern),
            Kind::Words(words) => self.word(words, node, what),
            Kind::Boolean => self.boolean(node, what),
            Kind::Integer(min, max) => self.integer(*min, *max, node, what),
            Kind::Number => self.number(node, what),
            Kind::Duration => {
                self.unit(node, what, duration, "a duration: a whole number, a space and `ms`, `s`, `min` or `h`");
            }
            Kind::Size => self.unit(node, what, size, "a size: a whole number, a space and `B`, `KiB` or `MiB`"),
            Kind::Exit => match plain(node) {
                Some(Plain::Integer(_)) => self.integer(0, 255, node, what),
                _ => self.text_of(node, what, Role::Word),
            },
            Kind::Switch => {
                if !matches!(plain(node), Some(Plain::Boolean(_))) {
                    self.text_of(node, what, Role::Word);
                }
            }
            Kind::Any => self.any(node, what),
            Kind::Setting(kind) => self.setting(kind, node, what),
            Kind::List(kind) => self.list(kind, node, what),
            Kind::Names(kind) | Kind::Map(kind) => self.map(kind, node, what),
            Kind::Choices => self.choices(node, what),
            Kind::Argv => self.argv(node, what),
            Kind::TextOr(table) => match &node.kind {
                NodeKind::Mapping(_) => self.keys(table(), node, Some(what)),
                _ => self.text_of(node, what, Role::Word),
            },
            Kind::Struct(table) => self.keys(table(), node, Some(what)),
        }
    }

    /// A mapping with known keys.
    fn keys(&mut self, table: Table, node: &Node, what: Option<&str>) {
        let NodeKind::Mapping(entries) = &node.kind else {
            let names = listed(table.keys().map(Field::key));
            let what = what.unwrap_or(table.title);
            let diagnostic = Self::at(&codes::VG0103, node, format!("`{}` takes a mapping", what.trim_matches('`')))
                .label(format!("this is {}", found_kind(node)))
                .help(format!("its keys are {names}"));
            self.add(diagnostic);
            return;
        };
        for (key, item) in entries {
            let name = key.text().unwrap_or_default();
            match table.find(name) {
                Some(field) => self.value(&field.kind, item, name),
                None => self.unknown(table, key, name),
            }
        }
        for field in table.keys().filter(|field| field.default.is_none()) {
            if !entries.iter().any(|(key, _)| key.text() == Some(field.key())) {
                let place = start_of(node);
                let diagnostic =
                    Diagnostic::new(&codes::VG0102, place, format!("{} needs the key `{}`", table.title, field.key()))
                        .help(format!("`{}`: {}", field.key(), meaning(field)));
                self.add(diagnostic);
            }
        }
    }

    fn unknown(&mut self, table: Table, key: &Node, name: &str) {
        if name == "coordinator" {
            let refused = &crate::codes::stage::VG0705;
            self.add(
                Self::at(refused, key, "there is no coordinator")
                    .help("stages run independently, one after the other, and no conflict that needs one is there"),
            );
            return;
        }
        let mut diagnostic = Self::at(&codes::VG0101, key, format!("{} has no key `{name}`", table.title));
        if table.title == super::item_table().title && matches!(name, "of" | "join") {
            self.add(diagnostic.help("a list holds no lists"));
            return;
        }
        if let Some(near) = nearest(name, table.keys().map(Field::key)) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?")).mend(key.span.clone(), near);
        } else {
            let names = listed(table.keys().map(Field::key));
            let elsewhere = super::tables().into_iter().find(|(_, other)| other.find(name).is_some());
            diagnostic = diagnostic.help(match elsewhere {
                Some((_, other)) => format!("`{name}` is a key of {}; here there are {names}", other.title),
                None => format!("the keys are {names}"),
            });
        }
        self.add(diagnostic);
    }

    fn text_of(&mut self, node: &Node, what: &str, role: Role) {
        let NodeKind::Scalar { text, style } = &node.kind else {
            let mut diagnostic = Self::at(&codes::VG0103, node, format!("`{what}` takes text"))
                .label(format!("this is {}", found_kind(node)));
            let raw = self.raw(node);
            let one_line = !raw.contains('\n');
            diagnostic = match raw.chars().next() {
                Some(first @ ('[' | '{')) => diagnostic.help(format!("text that begins with `{first}` needs quotes")),
                _ if matches!(node.kind, NodeKind::Mapping(_)) => diagnostic.help("text with `: ` needs quotes"),
                _ => diagnostic,
            };
            if one_line && !raw.is_empty() && !raw.contains('\'') {
                diagnostic = diagnostic.mend(node.span.clone(), single_quoted(raw));
            }
            self.add(diagnostic);
            return;
        };
        if *style == Style::Plain && resolve(text) != Plain::Text {
            let diagnostic = Self::at(
                &codes::VG0104,
                node,
                format!("`{what}` takes text, and YAML reads {} here", found_kind(node)),
            )
            .help("quote it")
            .mend(node.span.clone(), single_quoted(text));
            self.add(diagnostic);
            return;
        }
        match role {
            Role::Free => self.comment_behind(node, *style),
            Role::Argv => {
                self.comment_behind(node, *style);
                self.old_boolean(node, text, *style);
            }
            Role::Choice => self.old_boolean(node, text, *style),
            Role::Pattern => self.escape_in_quotes(node, text, *style),
            Role::Word => {}
        }
    }

    fn comment_behind(&mut self, node: &Node, style: Style) {
        let behind = self.text.get(node.span.bytes.end..).unwrap_or_default();
        let line = behind.split('\n').next().unwrap_or_default();
        let comment = line.trim_start_matches([' ', '\t']);
        if style != Style::Plain || comment.len() == line.len() || !comment.starts_with('#') {
            return;
        }
        let start = node.span.bytes.end + (line.len() - comment.len());
        let comment_span = Span { file: self.file, bytes: start..start + comment.trim_end().len() };
        let diagnostic = Diagnostic::new(&codes::VG0121, comment_span, "a comment right behind unquoted text")
            .label("this is not part of the text")
            .also(node.span.clone(), "the text ends here")
            .help("if it belongs to the text, quote the text; if not, put the comment on a line of its own");
        self.add(diagnostic);
    }

    fn old_boolean(&mut self, node: &Node, text: &str, style: Style) {
        let words = ["y", "n", "yes", "no", "on", "off"];
        if style == Style::Plain && words.iter().any(|word| text.eq_ignore_ascii_case(word)) {
            let diagnostic = Self::at(&codes::VG0123, node, format!("YAML 1.1 reads `{text}` as a boolean"))
                .help("quote it, so that every reader sees text")
                .mend(node.span.clone(), single_quoted(text));
            self.add(diagnostic);
        }
    }

    fn escape_in_quotes(&mut self, node: &Node, text: &str, style: Style) {
        if style == Style::Double && self.raw(node).contains('\\') {
            let mut diagnostic = Self::at(&codes::VG0122, node, "a pattern in double quotes with an escape")
                .label(format!("the pattern is `{text}`"))
                .help("write patterns in single quotes, where a backslash is a backslash");
            if !text.chars().any(char::is_control) {
                diagnostic = diagnostic.mend(node.span.clone(), single_quoted(text));
            }
            self.add(diagnostic);
        }
    }

    fn word(&mut self, words: &'static [&'static str], node: &Node, what: &str) {
        let Some(text) = node.text() else {
            self.wrong(node, what, &format!("one of {}", listed(words.iter().copied())));
            return;
        };
        if words.contains(&text) {
            return;
        }
        let mut diagnostic = Self::at(&codes::VG0105, node, format!("`{what}` can't be `{text}`"));
        diagnostic = match nearest(text, words.iter().copied()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")).mend(node.span.clone(), near),
            None => diagnostic.help(format!("it is one of {}", listed(words.iter().copied()))),
        };
        self.add(diagnostic);
    }

    fn boolean(&mut self, node: &Node, what: &str) {
        if matches!(plain(node), Some(Plain::Boolean(_))) {
            return;
        }
        let mut diagnostic = Self::at(&codes::VG0103, node, format!("`{what}` takes `true` or `false`"))
            .label(format!("this is {}", found_kind(node)));
        let meant = node.text().and_then(|text| match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "y" | "on" | "1" => Some("true"),
            "false" | "no" | "n" | "off" | "0" => Some("false"),
            _ => None,
        });
        if let Some(meant) = meant {
            diagnostic = diagnostic.mend(node.span.clone(), meant);
        }
        self.add(diagnostic);
    }

    fn integer(&mut self, min: i64, max: i64, node: &Node, what: &str) {
        match plain(node) {
            Some(Plain::Integer(number)) if (i128::from(min)..=i128::from(max)).contains(&number) => {}
            Some(Plain::Integer(_)) => {
                let message = format!("`{what}` takes a whole number from {min} to {max}");
                let diagnostic = Self::at(&codes::VG0107, node, message);
                self.add(diagnostic);
            }
            _ => {
                let mut diagnostic = Self::at(&codes::VG0103, node, format!("`{what}` takes a whole number"))
                    .label(format!("this is {}", found_kind(node)));
                if let Some(text) = node.text().filter(|text| matches!(resolve(text), Plain::Integer(_))) {
                    diagnostic = diagnostic.help("write it without quotes").mend(node.span.clone(), text);
                }
                self.add(diagnostic);
            }
        }
    }

    fn number(&mut self, node: &Node, what: &str) {
        match plain(node) {
            Some(Plain::Integer(number)) if number.abs() <= EXACT => {}
            Some(Plain::Float(number)) if number.is_finite() => {}
            Some(Plain::Integer(_) | Plain::Float(_)) => self.beyond(node, what),
            _ => {
                let mut diagnostic = Self::at(&codes::VG0103, node, format!("`{what}` takes a number"))
                    .label(format!("this is {}", found_kind(node)));
                if let Some(text) =
                    node.text().filter(|text| matches!(resolve(text), Plain::Integer(_) | Plain::Float(_)))
                {
                    diagnostic = diagnostic.help("write it without quotes").mend(node.span.clone(), text);
                }
                self.add(diagnostic);
            }
        }
    }

    fn beyond(&mut self, node: &Node, what: &str) {
        let diagnostic = Self::at(&codes::VG0107, node, format!("`{what}` can't be this number")).help(
            "whole numbers carry at most 9007199254740992 (2^53), and others are finite; quote it if text is meant",
        );
        self.add(diagnostic);
    }

    fn unit(&mut self, node: &Node, what: &str, read: fn(&str) -> Option<u64>, expected: &str) {
        let Some(text) = node.text() else {
            self.wrong(node, what, expected);
            return;
        };
        if read(text).is_some() {
            return;
        }
        let mut diagnostic = Self::at(&codes::VG0106, node, format!("`{what}` takes {expected}"));
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let (number, unit) = (text.strip_suffix(unit).unwrap_or_default(), unit.trim());
        let spaced = format!("{number} {unit}");
        if read(&spaced).is_some() {
            diagnostic = diagnostic.mend(node.span.clone(), spaced);
        }
        self.add(diagnostic);
    }

    fn any(&mut self, node: &Node, what: &str) {
        match &node.kind {
            NodeKind::Scalar { .. } => match plain(node) {
                Some(Plain::Float(number)) if !number.is_finite() => self.beyond(node, what),
                Some(Plain::Integer(number)) if number.abs() > EXACT => self.beyond(node, what),
                _ => {}
            },
            NodeKind::Sequence(items) => items.iter().for_each(|item| self.any(item, what)),
            NodeKind::Mapping(entries) => {
                for (_, item) in entries {
                    self.any(item, what);
                }
            }
        }
    }

    fn setting(&mut self, kind: &Kind, node: &Node, what: &str) {
        let NodeKind::Mapping(entries) = &node.kind else {
            self.value(kind, node, what);
            return;
        };
        let bounds = matches!(kind, Kind::Duration | Kind::Size);
        let known: &[&str] =
            if bounds { &["default", "config", "env", "min", "max"] } else { &["default", "config", "env"] };
        for (key, item) in entries {
            match key.text().unwrap_or_default() {
                "default" => self.value(kind, item, what),
                name @ ("config" | "env") => self.value(&Kind::Word, item, name),
                name @ ("min" | "max") if bounds => self.value(kind, item, name),
                name => {
                    let mut diagnostic =
                        Self::at(&codes::VG0101, key, format!("the setting `{what}` has no key `{name}`"));
                    diagnostic = match nearest(name, known.iter().copied()) {
                        Some(near) => diagnostic.help(format!("did you mean `{near}`?")).mend(key.span.clone(), near),
                        None => diagnostic.help(format!("the keys are {}", listed(known.iter().copied()))),
                    };
                    self.add(diagnostic);
                }
            }
        }
        if !entries.iter().any(|(key, _)| key.text() == Some("default")) {
            let diagnostic = Diagnostic::new(
                &codes::VG0102,
                start_of(node),
                format!("the setting `{what}` needs the key `default`"),
            )
            .help("`default` is the value when nothing is set outside");
            self.add(diagnostic);
        }
    }

    fn list(&mut self, kind: &Kind, node: &Node, what: &str) {
        let NodeKind::Sequence(items) = &node.kind else {
            let mut diagnostic = Self::at(&codes::VG0103, node, format!("`{what}` takes a list"))
                .label(format!("this is {}", found_kind(node)));
            let raw = self.raw(node);
            if node.text().is_some() && !raw.contains('\n') && !raw.contains([',', '[', ']', '{', '}']) {
                diagnostic = diagnostic.mend(node.span.clone(), format!("[{raw}]"));
            }
            self.add(diagnostic);
            return;
        };
        if matches!(kind, Kind::Text | Kind::Word | Kind::Name) {
            self.commas(items);
        }
        for item in items {
            self.value(kind, item, what);
        }
    }

    /// `[a,b]`: is it one text?
    fn commas(&mut self, items: &[Node]) {
        for pair in items.windows(2) {
            let [left, right] = pair else { continue };
            let unquoted = |node: &Node| matches!(node.kind, NodeKind::Scalar { style: Style::Plain, .. });
            let between = left.span.bytes.end..right.span.bytes.start;
            if unquoted(left) && self.text.get(between.clone()) == Some(",") {
                let span = Span { file: self.file, bytes: between };
                let whole = left.span.bytes.start..right.span.bytes.end;
                let quoted = single_quoted(self.text.get(whole.clone()).unwrap_or_default());
                let mut diagnostic =
                    Diagnostic::new(&codes::VG0120, span, "a comma without a space: this list holds two items here")
                        .also(left.span.clone(), "one item")
                        .also(right.span.clone(), "another item")
                        .help("if one item is meant, quote it; if two, put a space behind the comma");
                if unquoted(right) {
                    diagnostic = diagnostic.mend(Span { file: self.file, bytes: whole }, quoted);
                }
                self.add(diagnostic);
            }
        }
    }

    fn map(&mut self, kind: &Kind, node: &Node, what: &str) {
        let NodeKind::Mapping(entries) = &node.kind else {
            self.wrong(node, what, "a mapping");
            return;
        };
        for (key, item) in entries {
            self.text_of(key, what, Role::Word);
            let name = key.text().unwrap_or_default();
            self.value(kind, item, name);
        }
    }

    fn choices(&mut self, node: &Node, what: &str) {
        match &node.kind {
            NodeKind::Sequence(items) => {
                self.commas(items);
                for item in items {
                    self.text_of(item, what, Role::Choice);
                }
            }
            NodeKind::Mapping(entries) => {
                for (key, item) in entries {
                    self.text_of(key, what, Role::Choice);
                    self.text_of(item, key.text().unwrap_or_default(), Role::Choice);
                }
            }
            NodeKind::Scalar { .. } => {
                self.wrong(node, what, "a list of words, or a mapping from the agent's word to the program's");
            }
        }
    }

    /// A list of elements (LANGUAGE section 5).
    fn argv(&mut self, node: &Node, what: &str) {
        let NodeKind::Sequence(items) = &node.kind else {
            self.list(&Kind::Word, node, what);
            return;
        };
        self.commas(items);
        for item in items {
            match &item.kind {
                NodeKind::Scalar { .. } => self.text_of(item, what, Role::Argv),
                NodeKind::Sequence(_) => {
                    let diagnostic =
                        Self::at(&codes::VG0103, item, format!("an element of `{what}` is text, or `argument: ...`"))
                            .label("this is a list")
                            .help("write its elements one after the other; text that begins with `[` needs quotes");
                    self.add(diagnostic);
                }
                NodeKind::Mapping(entries) => self.condition(item, entries, what),
            }
        }
    }

    fn condition(&mut self, node: &Node, entries: &[(Node, Node)], what: &str) {
        let [(key, body)] = entries else {
            let mut diagnostic =
                Self::at(&codes::VG0108, node, format!("an element of `{what}` holds {} conditions", entries.len()));
            diagnostic = diagnostic.help("write one element for each: `[a: --a, b: --b]`");
            self.add(diagnostic);
            return;
        };
        self.text_of(key, what, Role::Word);
        match &body.kind {
            NodeKind::Scalar { .. } => self.text_of(body, what, Role::Argv),
            NodeKind::Sequence(_) => self.argv(body, what),
            NodeKind::Mapping(_) => {
                let diagnostic = Self::at(&codes::VG0103, body, "a condition holds text or a list")
                    .label("this is a mapping")
                    .help("a condition in a condition is written `a: [b: ...]`");
                self.add(diagnostic);
            }
        }
    }

    fn version(&mut self, node: &Node) {
        let NodeKind::Mapping(entries) = &node.kind else { return };
        let Some((_, version)) = entries.iter().find(|(key, _)| key.text() == Some("manifest")) else { return };
        if matches!(plain(version), Some(Plain::Integer(number)) if number != 1) {
            self.found.retain(|diagnostic| diagnostic.primary.span != version.span);
            let diagnostic = Self::at(&codes::VG0110, version, "this is not version 1 of the language")
                .help("this compiler reads `manifest: 1`");
            self.add(diagnostic);
        }
    }
}

/// What a plain scalar is; none for everything else.
fn plain(node: &Node) -> Option<Plain> {
    match &node.kind {
        NodeKind::Scalar { text, style: Style::Plain } => Some(resolve(text)),
        _ => None,
    }
}

fn found_kind(node: &Node) -> &'static str {
    match &node.kind {
        NodeKind::Sequence(_) => "a list",
        NodeKind::Mapping(_) => "a mapping",
        NodeKind::Scalar { style: Style::Plain, text } => match resolve(text) {
            Plain::Null => "null",
            Plain::Boolean(_) => "a boolean",
            Plain::Integer(_) | Plain::Float(_) => "a number",
            Plain::Text => "text",
        },
        NodeKind::Scalar { .. } => "text",
    }
}

/// The first key of a mapping, or its bracket: a mapping as a whole is too much to underline.
fn start_of(node: &Node) -> Span {
    let start = node.span.bytes.start;
    match &node.kind {
        NodeKind::Mapping(entries) => match entries.first() {
            Some((key, _)) => key.span.clone(),
            None => Span { file: node.span.file, bytes: start..(start + 1).min(node.span.bytes.end) },
        },
        _ => node.span.clone(),
    }
}

/// The meaning of a key on one line.
pub(super) fn meaning(field: &Field) -> String {
    field.meaning.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The known word that was likely meant, if one is near enough.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let fold = |word: &str| word.to_lowercase().replace('-', "_");
    let folded = fold(word);
    let common = |other: &str| folded.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    known
        .map(|candidate| (fold(candidate), candidate))
        .map(|(other, candidate)| (strsim::damerau_levenshtein(&folded, &other), common(&other), candidate))
        .filter(|(distance, begin, candidate)| {
            *distance <= candidate.chars().count().max(3) / 3 && (*distance <= 1 || *begin > 0)
        })
        .min_by_key(|(distance, begin, candidate)| (*distance, std::cmp::Reverse(*begin), *candidate))
        .map(|(_, _, candidate)| candidate)
}
