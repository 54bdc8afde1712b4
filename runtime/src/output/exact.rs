//! Known values, in every form in which a program is likely to print them.
//!
//! Forms: as it is, URL-encoded (the reserved characters kept or not, a space as `%20` or `+`, hex digits in either
//! case), base64 and base64url at all three offsets, hex in either case, JSON-escaped (also with `\/` and `\u00e9`).
//! They are looked for in text without its line breaks, so that a wrapped value is found as well. Otherwise transformed
//! (compressed, reversed, split by other text or over two streams) a value is not found.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use aho_corasick::packed::{MatchKind, Searcher};
use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::visible::visible;
use crate::table::strip::strip;

/// Values shorter than this (bytes) are not masked: they stand in ordinary text by chance.
pub(crate) const SHORTEST: usize = 8;
/// A value's end (or start) at the edge of a cut is masked from this many bytes on.
const SHORTEST_PART: usize = 3;

/// Most starts of forms that the quick look takes.
const QUICK_MOST: usize = 64;

/// A value that is replaced wherever it is found.
pub(crate) struct Known {
    pub(crate) value: String,
    pub(crate) replacement: String,
    /// Look for its encoded forms, too.
    pub(crate) encoded: bool,
}

/// The known values can't be looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken;

/// Part of a text and what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span<'a> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) label: Cow<'a, str>,
}

/// The forms of all known values.
#[derive(Default)]
pub(crate) struct Exact {
    replacements: Vec<String>,
    forms: Vec<Form>,
    /// Says quickly that nothing is there; none if there are too many forms for it.
    quick: Option<Searcher>,
    /// Finds all places; made when something is there, since making it takes longer than most calls' whole cleaning.
    all: OnceLock<Option<AhoCorasick>>,
    longest: usize,
}

struct Form {
    text: Vec<u8>,
    replacement: usize,
    /// Characters around the form that hold some bits of the value (base64 at an odd offset).
    before: usize,
    after: usize,
}

impl Exact {
    pub(crate) fn new(known: Vec<Known>) -> Self {
        let mut exact = Self::default();
        let mut seen = BTreeSet::new();
        for Known { value, replacement, encoded } in known {
            let at = exact.replacements.len();
            exact.replacements.push(replacement);
            for (text, before, after) in forms(&value, encoded) {
                if text.len() >= SHORTEST && seen.insert(text.clone()) {
                    exact.longest = exact.longest.max(text.len());
                    exact.forms.push(Form { text, replacement: at, before, after });
                }
            }
        }
        let starts: BTreeSet<&[u8]> = exact.forms.iter().filter_map(|form| form.text.get(..SHORTEST)).collect();
        if starts.len() <= QUICK_MOST {
            let mut builder = aho_corasick::packed::Config::new().match_kind(MatchKind::LeftmostFirst).builder();
            exact.quick = builder.extend(starts).build();
        }
        exact
    }

    /// The machine that finds all places; none if the forms are too many or too long for one.
    fn all(&self) -> Option<&AhoCorasick> {
        let texts = || self.forms.iter().map(|form| &form.text);
        let build = || AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(texts()).ok();
        self.all.get_or_init(build).as_ref()
    }

    /// Whether there is nothing to look for.
    pub(crate) fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// Bytes of the longest form.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// Finds all places, overlapping ones too. With `cut_start` (`cut_end`) the text's beginning (end) is missing, and
    /// the part of a value that stands there is found as well.
    ///
    /// # Errors
    /// The machine can't be made: then nothing of the text may leave.
    pub(crate) fn find<'a>(
        &'a self,
        text: &str,
        cut_start: bool,
        cut_end: bool,
        spans: &mut Vec<Span<'a>>,
    ) -> Result<(), Broken> {
        if self.is_empty() {
            return Ok(());
        }
        let joined = Joined::new(text);
        let bytes = joined.text.as_bytes();
        let mut found = |start: usize, end: usize, form: &'a Form| {
            let start = widen(bytes, start, form.before, false);
            let end = widen(bytes, end, form.after, true);
            let label = self.replacements.get(form.replacement).map_or("", String::as_str);
            spans.push(Span { start: joined.start(start), end: joined.end(end), label: Cow::Borrowed(label) });
        };
        if self.quick.as_ref().is_none_or(|quick| quick.find(bytes).is_some()) {
            for hit in self.all().ok_or(Broken)?.find_overlapping_iter(bytes) {
                if let Some(form) = self.forms.get(hit.pattern().as_usize()) {
                    found(hit.start(), hit.end(), form);
                }
            }
        }
        for form in &self.forms {
            let parts = || (SHORTEST_PART..form.text.len()).rev();
            if cut_end && let Some(len) = parts().find(|len| form.text.get(..*len).is_some_and(|p| bytes.ends_with(p)))
            {
                found(bytes.len() - len, bytes.len(), form);
            }
            if cut_start {
                let from = |len: usize| form.text.get(form.text.len() - len..);
                if let Some(len) = parts().find(|len| from(*len).is_some_and(|p| bytes.starts_with(p))) {
                    found(0, len, form);
                }
            }
        }
        Ok(())
    }
}

/// Moves a border over `more` characters of base64, and behind it over padding.
fn widen(bytes: &[u8], mut at: usize, more: usize, forward: bool) -> usize {
    for _ in 0..more {
        let next = if forward { Some(at) } else { at.checked_sub(1) };
        match next.and_then(|next| bytes.get(next)) {
            Some(b) if b.is_ascii_alphanumeric() || b"+/-_".contains(b) => at = if forward { at + 1 } else { at - 1 },
            _ => break,
        }
    }
    while forward && more > 0 && bytes.get(at) == Some(&b'=') {
        at += 1;
    }
    at
}

/// A text without its line feeds, and the way back.
struct Joined<'a> {
    text: Cow<'a, str>,
    /// Places in `text` before which a line feed stood, ascending.
    breaks: Vec<usize>,
}

impl<'a> Joined<'a> {
    fn new(text: &'a str) -> Self {
        let mut joined = String::new();
        let mut breaks = Vec::new();
        let mut from = 0;
        for at in memchr::memchr_iter(b'\n', text.as_bytes()) {
            if joined.capacity() == 0 {
                joined.reserve(text.len());
            }
            joined.push_str(text.get(from..at).unwrap_or_default());
            breaks.push(joined.len());
            from = at + 1;
        }
        if breaks.is_empty() {
            return Self { text: Cow::Borrowed(text), breaks };
        }
        joined.push_str(text.get(from..).unwrap_or_default());
        Self { text: Cow::Owned(joined), breaks }
    }

    /// Where the character at this place stands in the whole text.
    fn start(&self, at: usize) -> usize {
        at + self.breaks.partition_point(|before| *before <= at)
    }

    /// Where the character before this place ends in the whole text.
    fn end(&self, at: usize) -> usize {
        at + self.breaks.partition_point(|before| *before < at)
    }
}

/// The forms of a value as they stand in cleaned text without line breaks, longest first does not matter: overlapping
/// places are joined.
fn forms(value: &str, encoded: bool) -> Vec<(Vec<u8>, usize, usize)> {
    let joined = |text: &str| text.replace(['\n', '\r'], "").into_bytes();
    let trimmed = value.trim_end_matches(['\n', '\r']);
    let stripped = strip(value);
    let shown = visible(&stripped);
    let mut forms = vec![(joined(&shown), 0, 0)];
    if let Cow::Owned(_) = shown {
        // A text of somebody else's is looked through without being made visible (`pipeline::mask`).
        forms.push((joined(&stripped), 0, 0));
    }
    if !encoded || trimmed.len() < SHORTEST {
        return forms;
    }
    let mut add = |text: String| forms.push((text.into_bytes(), 0, 0));
    for upper in [false, true] {
        for (kept, plus) in [("", false), ("", true), (RESERVED, false)] {
            add(percent(trimmed, kept, plus, upper));
        }
        add(trimmed.bytes().flat_map(|byte| hex(byte, upper)).collect());
    }
    let json = serde_json::Value::from(trimmed).to_string();
    let json = json.get(1..json.len().saturating_sub(1)).unwrap_or_default();
    add(json.replace('/', "\\/"));
    add(json_ascii(json));
    add(json.to_owned());
    let texts: &[&str] = if value == trimmed { &[value] } else { &[value, trimmed] };
    for text in texts {
        for url in [false, true] {
            forms.extend((0..3).map(|offset| base64(text.as_bytes(), offset, url)));
        }
    }
    forms
}

const RESERVED: &str = ":/?#[]@!$&'()*+,;=";

fn percent(text: &str, kept: &str, plus: bool, upper: bool) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        let c = char::from(byte);
        if byte.is_ascii_alphanumeric() || "-._~".contains(c) || (byte.is_ascii() && kept.contains(c)) {
            out.push(c);
        } else if byte == b' ' && plus {
            out.push('+');
        } else {
            out.push('%');
            out.extend(hex(byte, upper));
        }
    }
    out
}

fn hex(byte: u8, upper: bool) -> [char; 2] {
    [byte >> 4, byte & 15].map(|digit| {
        let c = char::from_digit(u32::from(digit), 16).unwrap_or('0');
        if upper { c.to_ascii_uppercase() } else { c }
    })
}

fn json_ascii(json: &str) -> String {
    let mut out = String::new();
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str("\\u");
                out.extend(unit.to_be_bytes().iter().flat_map(|byte| hex(*byte, false)));
            }
        }
    }
    out
}

/// The characters that depend on the value alone when `offset` bytes stand before it, and how many on each side depend
/// on it in part.
fn base64(value: &[u8], offset: usize, url: bool) -> (Vec<u8>, usize, usize) {
    const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u8> = std::iter::repeat_n(0, offset).chain(value.iter().copied()).collect();
    let mut out = Vec::new();
    let first = (offset * 8).div_ceil(6);
    let whole = bits.len() * 8 / 6;
    for at in first..whole {
        let (byte, shift) = (at * 6 / 8, at * 6 % 8);
        let get = |at: usize| u16::from(bits.get(at).copied().unwrap_or(0));
        let six = ((get(byte) << 8 | get(byte + 1)) >> (10 - shift)) & 63;
        let c = STANDARD.get(usize::from(six)).copied().unwrap_or(b'A');
        out.push(match (c, url) {
            (b'+', true) => b'-',
            (b'/', true) => b'_',
            _ => c,
        });
    }
    (out, usize::from(offset > 0), usize::from(!bits.len().is_multiple_of(3)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(value: &[u8], offset: usize) -> String {
        String::from_utf8(base64(value, offset, false).0).unwrap()
    }

    #[test]
    fn base64_is_right_at_every_offset() {
        assert_eq!(plain(b"password!", 0), "cGFzc3dvcmQh");
        // "x" and "xy" before it: eHBhc3N3b3JkIQ== and eHlwYXNzd29yZCE=
        assert_eq!(plain(b"password!", 1), "Bhc3N3b3JkI");
        assert_eq!(plain(b"password!", 2), "wYXNzd29yZC");
    }

    #[test]
    fn places_are_those_of_the_text_with_its_line_breaks() {
        let exact = Exact::new(vec![Known { value: "secret-value".into(), replacement: "X".into(), encoded: true }]);
        let text = "\na secret-\nvalue\nb";
        let mut spans = Vec::new();
        exact.find(text, false, false, &mut spans).unwrap();
        assert_eq!(spans.iter().map(|s| &text[s.start..s.end]).collect::<Vec<_>>(), ["secret-\nvalue"]);
    }
}
