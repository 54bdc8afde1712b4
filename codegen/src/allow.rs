//! Warnings that are meant: `allow` in a file, on a tool, or on an action (LANGUAGE section 2).

use std::ops::Range;

use crate::check::CheckInput;
use crate::codes::{self, shape};
use crate::diag::{Diagnostic, FileId, Level, Span};
use crate::model::{At, Entries};

/// One entry of an `allow`.
struct Entry<'a> {
    code: &'a str,
    reason: &'a str,
    key: Span,
    value: Span,
    /// Files and bytes that it holds for: those of its file (and of the catalogues named there), tool or action.
    files: Vec<FileId>,
    bytes: Option<Range<usize>>,
    used: bool,
}

/// Takes out the warnings that are allowed, and adds what is wrong with the entries themselves.
///
/// `complete`: all checks ran, so an entry that allowed nothing is of no use.
pub(crate) fn apply(files: &[CheckInput], found: Vec<Diagnostic>, complete: bool) -> Vec<Diagnostic> {
    let mut entries = entries(files);
    let mut kept: Vec<Diagnostic> = Vec::new();
    for diagnostic in found {
        let place = &diagnostic.primary.span;
        let mut allowed = false;
        for entry in entries.iter_mut().filter(|_| diagnostic.code.level == Level::Warning) {
            let here = entry.files.contains(&place.file)
                && entry
                    .bytes
                    .as_ref()
                    .is_none_or(|bytes| bytes.start <= place.bytes.start && place.bytes.end <= bytes.end);
            if here && entry.code.eq_ignore_ascii_case(diagnostic.code.code) && !entry.reason.trim().is_empty() {
                entry.used = true;
                allowed = true;
            }
        }
        if !allowed {
            kept.push(diagnostic);
        }
    }
    kept.extend(entries.iter().filter_map(|entry| entry.mistake(complete)));
    kept
}

impl Entry<'_> {
    fn mistake(&self, complete: bool) -> Option<Diagnostic> {
        let code = self.code;
        match codes::find(code) {
            None => Some(
                Diagnostic::new(&shape::VG0112, self.key.clone(), format!("there is no code `{code}`"))
                    .help("the codes are those of the warnings that were reported"),
            ),
            Some(entry) if entry.level == Level::Error => Some(
                Diagnostic::new(
                    &shape::VG0112,
                    self.key.clone(),
                    format!("`{code}` is an error, and can't be allowed"),
                )
                .help("mend the mistake; only warnings can be meant"),
            ),
            Some(_) if self.reason.trim().is_empty() => Some(
                Diagnostic::new(&shape::VG0111, self.value.clone(), format!("no reason for allowing `{code}`"))
                    .help("say why the warning is meant"),
            ),
            Some(_) if complete && !self.used => Some(
                Diagnostic::new(&shape::VG0124, self.key.clone(), format!("no warning `{code}` comes up here"))
                    .help("delete the entry"),
            ),
            Some(_) => None,
        }
    }
}

fn entries(files: &[CheckInput]) -> Vec<Entry<'_>> {
    let mut all = Vec::new();
    for file in files {
        let root = At::root(&file.node);
        let ids: Vec<FileId> = std::iter::once(file.id).chain(file.catalogs.iter().map(|catalog| catalog.id)).collect();
        add(&mut all, &file.model.allow, root.key("allow"), &ids, None);
        for (name, tool) in file.model.tools.iter() {
            let at = root.key("tools").key(name);
            add(&mut all, &tool.allow, at.key("allow"), &[file.id], Some(&whole(at)));
            for (action, verb) in tool.actions.iter().flat_map(Entries::iter) {
                let at = at.key("actions").key(action);
                add(&mut all, &verb.allow, at.key("allow"), &[file.id], Some(&whole(at)));
            }
        }
    }
    all
}

/// Key and value.
fn whole(at: At<'_>) -> Range<usize> {
    at.key_span().bytes.start..at.span().bytes.end
}

fn add<'a>(
    all: &mut Vec<Entry<'a>>,
    allow: &'a Entries<String>,
    at: At<'_>,
    files: &[FileId],
    bytes: Option<&Range<usize>>,
) {
    all.extend(allow.iter().map(|(code, reason)| Entry {
        code,
        reason,
        key: at.key(code).key_span(),
        value: at.key(code).span(),
        files: files.to_vec(),
        bytes: bytes.cloned(),
        used: false,
    }));
}
