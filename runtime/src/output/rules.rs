//! Shapes of tokens that are masked wherever they stand, and names of variables whose values are secrets.
//!
//! The shapes stand in `rule_table`.

use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::packed::{Config, MatchKind, Searcher};
use aho_corasick::{AhoCorasick, Span};
use regex::Regex;

pub(crate) use super::rule_table::{RULES, Rule};

/// What a keyword leads to.
#[derive(Clone, Copy)]
pub(crate) enum Lead {
    /// A rule of [`RULES`].
    Rule(usize),
    /// `scheme://user:password@host`.
    Url,
    /// The first line of a PEM block.
    PemBegin,
    /// The last line of a PEM block.
    PemEnd,
}

/// The search machines of the table. Built once: they are constants that Rust can't compute when compiling.
pub(crate) struct Machines {
    /// Find where a keyword may begin: the first [`START`] bytes of each.
    starts: Vec<Starts>,
    /// Keywords and what they lead to, longest first.
    leads: Vec<(&'static str, Lead)>,
    /// One for each rule, compiled at first use.
    patterns: Vec<OnceLock<Option<Regex>>>,
}

enum Starts {
    /// With vector instructions: several times as fast.
    Packed(Searcher),
    Plain(AhoCorasick),
}

/// Bytes of a keyword that are looked for first.
const START: usize = 4;
/// Starts that one machine looks for: with more of them the vector instructions give way to something slow.
const STARTS: usize = 32;

pub(crate) static MACHINES: LazyLock<Option<Machines>> = LazyLock::new(|| {
    let mut leads = vec![("://", Lead::Url), ("-----BEGIN ", Lead::PemBegin), ("-----END ", Lead::PemEnd)];
    for (at, rule) in RULES.iter().enumerate() {
        leads.extend(rule.keywords.iter().map(|word| (*word, Lead::Rule(at))));
    }
    leads.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    let starts: BTreeSet<&[u8]> =
        leads.iter().map(|(word, _)| word.as_bytes().get(..START).unwrap_or(word.as_bytes())).collect();
    let starts: Vec<&[u8]> = starts.into_iter().collect();
    let machine = |starts: &[&[u8]]| {
        let packed = Config::new().match_kind(MatchKind::LeftmostFirst).builder().extend(starts).build();
        packed.map(Starts::Packed).or_else(|| AhoCorasick::new(starts).ok().map(Starts::Plain))
    };
    let starts = starts.chunks(STARTS).map(machine).collect::<Option<_>>()?;
    Some(Machines { starts, leads, patterns: RULES.iter().map(|_| OnceLock::new()).collect() })
});

fn compile(rule: &Rule) -> Result<Regex, regex::Error> {
    Regex::new(&rule.expression())
}

impl Machines {
    /// All keywords of a text.
    pub(crate) fn hits<'t>(&self, text: &'t str) -> Hits<'_, 't> {
        Hits { machines: self, text, next: vec![None; self.starts.len()] }
    }

    /// Start and end of what the rule masks in `text`, which begins with one of its keywords.
    pub(crate) fn masks(&self, rule: usize, text: &str) -> Option<(usize, usize)> {
        let pattern = self.patterns.get(rule)?.get_or_init(|| RULES.get(rule).and_then(|rule| compile(rule).ok()));
        let found = pattern.as_ref()?.captures(text)?;
        found.get(1).or_else(|| found.get(0)).map(|part| (part.start(), part.end()))
    }
}

/// The keywords of a text, from wherever one asks, going forward.
pub(crate) struct Hits<'m, 't> {
    machines: &'m Machines,
    text: &'t str,
    /// The next place of each machine: none before it was asked, the text's length if there is no more.
    next: Vec<Option<usize>>,
}

impl Hits<'_, '_> {
    /// The first keyword that begins at `from` or behind: its place and what it leads to.
    pub(crate) fn next(&mut self, mut from: usize) -> Option<(usize, Lead)> {
        loop {
            let mut first = self.text.len();
            for (starts, next) in self.machines.starts.iter().zip(&mut self.next) {
                let at = match *next {
                    Some(at) if at >= from => at,
                    _ => starts.find(self.text, from).unwrap_or(self.text.len()),
                };
                *next = Some(at);
                first = first.min(at);
            }
            let rest = self.text.get(first..).filter(|rest| !rest.is_empty())?;
            if let Some((_, lead)) = self.machines.leads.iter().find(|(word, _)| rest.starts_with(word)) {
                return Some((first, *lead));
            }
            from = first + 1;
        }
    }
}

impl Starts {
    fn find(&self, text: &str, from: usize) -> Option<usize> {
        let span = Span { start: from.min(text.len()), end: text.len() };
        match self {
            Starts::Packed(packed) => packed.find_in(text, span).map(|hit| hit.start()),
            Starts::Plain(plain) => plain.find(aho_corasick::Input::new(text).span(span)).map(|hit| hit.start()),
        }
    }
}

/// Parts of names (in upper case) of variables whose values are masked. Names that say that they hold a place, not the
/// value itself, are not meant.
const SECRET_NAMES: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "API_KEY",
    "APIKEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "AUTH_KEY",
    "ENCRYPTION_KEY",
    "SIGNING_KEY",
    "CREDENTIAL",
    "CONNECTION_STRING",
    "DATABASE_URL",
    "_DSN",
    "COOKIE",
    "PGPASS",
];
const PLACES: &[&str] = &["_FILE", "_PATH", "_DIR", "_SOCK", "_URI", "_ENDPOINT", "_TYPE", "_NAME", "_ID"];

/// Whether a variable of this name holds a secret (the secret-name table).
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_NAMES.iter().any(|part| name.contains(part)) && !PLACES.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles_and_begins_with_its_keywords() {
        for rule in RULES {
            assert!(compile(rule).is_ok(), "{}", rule.name);
            assert!(!rule.source.is_empty());
            let yes = rule.yes.concat();
            assert!(rule.keywords.iter().any(|word| yes.contains(word)), "{}: example without keyword", rule.name);
        }
        assert!(MACHINES.is_some());
    }

    #[test]
    fn secret_names_are_known_and_places_are_not() {
        for name in ["GITHUB_TOKEN", "neo4j_password", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL"] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["PATH", "HOME", "SSH_AUTH_SOCK", "TOKEN_FILE", "AWS_ACCESS_KEY_ID", "LANG", "KEYBOARD"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
