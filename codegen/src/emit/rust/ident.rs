//! Names of the manifest as Rust identifiers.

use proc_macro2::{Ident, Span};

/// Words that can't be raw identifiers.
const NEVER_RAW: [&str; 5] = ["self", "Self", "super", "crate", "_"];

/// Longest identifier that is made of a choice's word.
const LONGEST: usize = 64;

/// An identifier for a name of the table (`[a-z][a-z0-9_]*`, no keyword: the compiler has seen to it). Anything else
/// still becomes one, so that this can't fail: other characters become `_`, keywords become raw.
pub(super) fn plain(name: &str) -> Ident {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        text.insert(0, '_');
    }
    if NEVER_RAW.contains(&text.as_str()) {
        text.push('_');
    }
    if syn::parse_str::<Ident>(&text).is_ok() {
        Ident::new(&text, Span::call_site())
    } else {
        Ident::new_raw(&text, Span::call_site())
    }
}

/// A type's or variant's identifier: `cgc_context` becomes `CgcContext`. Names that differ when folded (as the names
/// of one place do) stay different.
pub(super) fn pascal(name: &str) -> Ident {
    plain(&pascal_text(name))
}

/// Identifiers for the words of a choice, which may be any text: `-date` becomes `Date`, `2.0` becomes `Word20_1`.
///
/// A word whose identifier another word shares, or that has none, gets its place in the list behind an underscore,
/// which no other identifier holds.
pub(super) fn variants(words: &[&str]) -> Vec<Ident> {
    let texts: Vec<String> = words.iter().map(|word| pascal_text(word)).collect();
    texts
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let shared = texts.iter().filter(|other| other.eq_ignore_ascii_case(text)).count() > 1;
            let starts = text.starts_with(|c: char| c.is_ascii_alphabetic());
            if text.len() > LONGEST {
                plain(&format!("Word_{}", at + 1))
            } else if !starts {
                plain(&format!("Word{text}_{}", at + 1))
            } else if shared || text == "Self" {
                plain(&format!("{text}_{}", at + 1))
            } else {
                plain(text)
            }
        })
        .collect()
}

/// Letters and digits, each run of them with a capital first.
pub(in crate::emit) fn pascal_text(name: &str) -> String {
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .flat_map(|part| {
            let mut chars = part.chars();
            chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars)
        })
        .collect()
}
