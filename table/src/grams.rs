//! Says quickly that a pattern can't be found: what each of its matches begins with does not stand in the text.
//!
//! A table may hold a thousand rows, and each pattern would look through the whole text by itself. So the text's runs of
//! three bytes are noted once, in a set that never misses one (it may hold some too many), and a pattern is tried only
//! where all runs of one of its beginnings are in it.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::{ExtractKind, Extractor, Literal};

/// Bytes of a run.
const RUN: usize = 3;
/// Bits of the set, as a power of two: 8 KiB.
const BITS: u32 = 16;

/// The runs of a text.
#[derive(Clone, Debug)]
pub(crate) struct Grams(Vec<u64>);

/// What every match of a pattern begins with: the runs of each beginning. None: it can't be said, or a beginning is
/// shorter than a run.
#[derive(Clone, Debug)]
pub(crate) struct Beginnings(Option<Vec<Vec<u16>>>);

fn runs(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.windows(RUN).map(|run| {
        let run = run.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
        // Fibonacci hashing: the upper bits of the product are well mixed.
        u16::try_from(run.wrapping_mul(0x9e37_79b1) >> (u32::BITS - BITS)).unwrap_or(0)
    })
}

impl Grams {
    /// Of a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut bits = vec![0_u64; 1 << (BITS - u64::BITS.ilog2())];
        for run in runs(text.as_bytes()) {
            if let Some(word) = bits.get_mut(usize::from(run >> 6)) {
                *word |= 1 << (run & 63);
            }
        }
        Self(bits)
    }

    fn holds(&self, run: u16) -> bool {
        self.0.get(usize::from(run >> 6)).is_some_and(|word| word >> (run & 63) & 1 == 1)
    }

    /// False only if the pattern with these beginnings is not found in the text.
    pub(crate) fn may_hold(&self, beginnings: &Beginnings) -> bool {
        let all = |runs: &Vec<u16>| runs.iter().all(|run| self.holds(*run));
        beginnings.0.as_ref().is_none_or(|beginnings| beginnings.iter().any(all))
    }
}

impl Beginnings {
    /// Of a line pattern's canonical text.
    pub(crate) fn of(source: &str) -> Self {
        let read = || {
            let pattern = ParserBuilder::new().multi_line(true).build().parse(source).ok()?;
            let found = Extractor::new().kind(ExtractKind::Prefix).extract(&pattern);
            let literals: &[Literal] = found.literals()?;
            let long = literals.iter().all(|literal| literal.as_bytes().len() >= RUN);
            long.then(|| literals.iter().map(|literal| runs(literal.as_bytes()).collect()).collect())
        };
        Self(read())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pattern::compile_line;

    const PATTERNS: &[&str] = &[
        "^Error[ \\n]E0001:[ \\n](?<what>.+)[ \\n]is[ \\n]not[ \\n]there",
        "^not found: (.+)$",
        "(?i)^warning",
        "abc|def",
        "abc|.def",
        "(?:ab)?cde",
        "x*yes",
        "[a-c]{3}",
        "",
        "^$",
        "é日本",
        "\\bword\\b",
        "no[^\\n]*where",
    ];

    #[test]
    fn most_patterns_have_beginnings_and_what_lacks_them_is_passed_over() {
        let grams = Grams::of("Error E0002: x is not there\nWARNING\n");
        let may = |pattern: &str| grams.may_hold(&Beginnings::of(pattern));
        assert!(!may("^Error E0001: ") && may("^Error E0002: ") && may("(?i)^warning") && !may("abc|def"));
        assert!(may(".*anything") && may("ab") && may(""), "nothing can be said of these");
    }

    proptest! {
        #[test]
        fn a_pattern_that_is_found_is_never_passed_over(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "Error", " ", "\n", "E0001:", "not", "found: ", "is", "there", "WarnIng", "abc", "def", "ab", "cde", "x", "yes",
                "é", "日本", "word", "no", "where", "c", "a",
            ]), 0..40),
        ) {
            let text = pieces.concat();
            let grams = Grams::of(&text);
            for pattern in PATTERNS {
                let found = compile_line(pattern).unwrap().is_match(&text);
                prop_assert!(!found || grams.may_hold(&Beginnings::of(pattern)), "{} in {:?}", pattern, text);
            }
        }
    }
}
