//! Takes control sequences out of text (contract C3.1, LANGUAGE section 9).
//!
//! What goes: CSI, OSC, DCS, APC, PM and SOS sequences in their seven-bit (`ESC [`) and C1 forms (U+0080 to U+009F),
//! other escape sequences, a lone ESC, and every other character of category Cc but line feed, carriage return and tab.
//! The grammar is that of ECMA-48 and ECMA-35, as terminals read it: what a terminal would not show does not pass.
//! A string sequence (OSC, DCS, ...) that is never ended takes the rest of the stream with it; [`Stripper::finish`] says
//! how much that was, so that it can be told.

use std::borrow::Cow;

/// A text without its control sequences. Borrowed, at memory speed, if there are none.
pub fn strip(text: &str) -> Cow<'_, str> {
    if plain(text) == text.len() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut stripper = Stripper::default();
    stripper.push_str(text, &mut out);
    stripper.finish(&mut out);
    Cow::Owned(out)
}

/// Bytes, in chunks that may be cut anywhere, to text without control sequences. Invalid UTF-8 becomes U+FFFD, one for
/// each maximal part of a character, as in [`String::from_utf8_lossy`]. The result does not depend on the cuts.
#[derive(Clone, Debug, Default)]
pub struct Stripper {
    state: State,
    /// The bytes of a character whose rest has not come.
    half: Half,
    /// Bytes of the sequence that is open.
    open: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Text.
    #[default]
    Ground,
    /// Behind ESC.
    Escape,
    /// Behind ESC and an intermediate byte.
    Intermediate,
    /// Behind ESC `[` or U+009B.
    Control,
    /// Inside a string that BEL ends, too (OSC).
    Command,
    /// Inside a string that only ST ends (DCS, APC, PM, SOS).
    Text,
}

#[derive(Clone, Copy, Debug, Default)]
struct Half {
    bytes: [u8; 4],
    len: usize,
}

impl Half {
    fn get(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    fn with(&self, byte: u8) -> Self {
        let mut longer = *self;
        if let Some(slot) = longer.bytes.get_mut(longer.len) {
            *slot = byte;
            longer.len += 1;
        }
        longer
    }
}

impl Stripper {
    /// The next bytes of the stream; their text is appended to `out`.
    pub fn push(&mut self, mut bytes: &[u8], out: &mut String) {
        while self.half.len > 0 {
            let Some((first, rest)) = bytes.split_first() else { return };
            let longer = self.half.with(*first);
            match std::str::from_utf8(longer.get()) {
                Ok(text) => {
                    self.half = Half::default();
                    self.push_str(text, out);
                    bytes = rest;
                }
                Err(error) if error.error_len().is_none() => {
                    self.half = longer;
                    bytes = rest;
                }
                Err(_) => {
                    // The byte does not belong to the half character: that is invalid, and the byte begins anew.
                    self.half = Half::default();
                    self.push_str("\u{fffd}", out);
                }
            }
        }
        // Text is the usual case, and this check of it is faster than the walk.
        if let Ok(text) = std::str::from_utf8(bytes) {
            self.push_str(text, out);
            return;
        }
        for chunk in bytes.utf8_chunks() {
            self.push_str(chunk.valid(), out);
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            let at_end = invalid.as_ptr_range().end == bytes.as_ptr_range().end;
            if at_end && std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none()) {
                self.half = invalid.iter().fold(Half::default(), |half, byte| half.with(*byte));
            } else {
                self.push_str("\u{fffd}", out);
            }
        }
    }

    /// The next text of the stream; what of it stays is appended to `out`.
    pub fn push_str(&mut self, mut text: &str, out: &mut String) {
        loop {
            let skip = match self.state {
                State::Ground => {
                    let plain = plain(text);
                    out.push_str(text.get(..plain).unwrap_or_default());
                    plain
                }
                State::Command | State::Text => {
                    let inner = text.bytes().position(may_end_string).unwrap_or(text.len());
                    self.open += inner as u64;
                    inner
                }
                State::Escape | State::Intermediate | State::Control => 0,
            };
            let mut chars = text.get(skip..).unwrap_or_default().chars();
            let Some(next) = chars.next() else { return };
            if !self.step(next) {
                self.open = 0;
                if is_kept(next) {
                    out.push(next);
                }
            }
            text = chars.as_str();
        }
    }

    /// Ends the stream. Gives the bytes that a sequence took which was never ended; 0 if there is none.
    pub fn finish(&mut self, out: &mut String) -> u64 {
        if self.half.len > 0 {
            self.half = Half::default();
            self.push_str("\u{fffd}", out);
        }
        let open = if self.state == State::Ground { 0 } else { self.open };
        *self = Self::default();
        open
    }

    /// Takes one character; says whether it belongs to a sequence (and so goes).
    #[allow(clippy::match_same_arms)] // the order of the arms is part of the grammar
    fn step(&mut self, next: char) -> bool {
        let state = match (self.state, next) {
            // CAN and SUB end whatever is open.
            (_, '\u{18}' | '\u{1a}') => State::Ground,
            (_, '\u{1b}') => State::Escape,
            (State::Command, '\u{7}') | (State::Command | State::Text, '\u{9c}') => State::Ground,
            (State::Command | State::Text, _) => self.state,
            (_, '\u{9b}') => State::Control,
            (_, '\u{9d}') => State::Command,
            (_, '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}') => State::Text,
            (State::Ground, _) => return false,
            (State::Escape, '[') => State::Control,
            (State::Escape, ']') => State::Command,
            (State::Escape, 'P' | 'X' | '^' | '_') => State::Text,
            (State::Escape | State::Intermediate, ' '..='/') => State::Intermediate,
            (State::Control, ' '..='?') => State::Control,
            (State::Escape | State::Intermediate, '0'..='~') | (State::Control, '@'..='~') => State::Ground,
            // Inside a sequence terminals obey other controls and go on with it; a line end or tab ends it here, so
            // that nothing of the next line can be taken.
            (_, '\n' | '\r' | '\t') => {
                self.state = State::Ground;
                return false;
            }
            (_, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}') => self.state,
            (_, _) => {
                self.state = State::Ground;
                return false;
            }
        };
        self.open = if state == State::Ground { 0 } else { self.open + next.len_utf8() as u64 };
        self.state = state;
        true
    }
}

/// Whether a character outside sequences stays: all but Cc, of which line feed, carriage return and tab stay.
fn is_kept(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\t') || !c.is_control()
}

/// Bytes at which a string sequence may end: ESC, BEL, CAN, SUB, and the lead byte of U+009C.
fn may_end_string(byte: u8) -> bool {
    matches!(byte, 0x1b | 0x07 | 0x18 | 0x1a | 0xc2)
}

/// Bytes that begin something that may have to go: controls, DEL, and the lead byte of C1 characters.
#[allow(clippy::needless_bitwise_bool)] // without branches, so that a block becomes vector code
fn is_special(byte: u8) -> bool {
    (byte < 0x20) & (byte != b'\n') & (byte != b'\r') & (byte != b'\t') | (byte == 0x7f) | (byte == 0xc2)
}

/// Bytes at the start of `text` that stay as they are.
fn plain(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += find_special(bytes.get(at..).unwrap_or_default());
        match (bytes.get(at), bytes.get(at + 1)) {
            // U+00A0 to U+00BF share the lead byte of C1.
            (Some(0xc2), Some(0xa0..)) => at += 2,
            _ => return at,
        }
    }
}

/// Place of the first special byte, else the length. Blocks without one are passed whole: the inner loop has no exit,
/// so that it becomes vector code.
fn find_special(bytes: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let blocks = bytes.chunks_exact(BLOCK).take_while(|block| !block.iter().fold(false, |any, b| any | is_special(*b)));
    let at = blocks.count() * BLOCK;
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|b| is_special(*b)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Each with what stays of it.
    const CASES: &[(&str, &str)] = &[
        ("plain\ttext\r\nsecond", "plain\ttext\r\nsecond"),
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{1b}[38;2;1;2;3mx\u{1b}[?25l\u{1b}[>4;2m\u{1b}[ q", "x"),
        ("\u{9b}31mred", "red"),
        ("\u{1b}]0;title\u{7}a", "a"),
        ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
        ("\u{9d}0;title\u{9c}a", "a"),
        ("\u{1b}Pq#0\u{7}still\u{1b}\\a", "a"),
        ("\u{90}q\u{9c}a", "a"),
        ("\u{1b}_apc\u{1b}\\a\u{1b}^pm\u{1b}\\b\u{1b}Xsos\u{1b}\\c", "abc"),
        ("\u{9f}apc\u{9c}a\u{9e}pm\u{9c}b\u{98}sos\u{9c}c", "abc"),
        ("a\u{1b}", "a"),
        ("a\u{1b}\nb", "a\nb"),
        ("a\u{1b}[3\nb", "a\nb"),
        ("a\u{1b}[31", "a"),
        ("a\u{1b}(Bb\u{1b}7\u{1b}cc", "abc"),
        ("a\u{1b}[3\u{0}1mb", "ab"),
        ("a\u{1b}[3éb", "aéb"),
        ("a\u{1b}]0;b\u{18}c", "ac"),
        ("a\u{1b}]0;b\u{1b}[1mc", "ac"),
        ("a\u{8}\u{0}\u{b}\u{c}\u{7f}\u{85}b", "ab"),
        ("a\u{1b}]0;never ended\nlost", "a"),
        ("£ © \u{a0} ¿ é 日本 👩‍👧", "£ © \u{a0} ¿ é 日本 👩‍👧"),
    ];

    #[test]
    fn every_kind_of_control_sequence_goes_and_nothing_else() {
        for (input, expected) in CASES {
            assert_eq!(strip(input), *expected, "{input:?}");
        }
    }

    #[test]
    fn report_17_osc_dcs_and_c1_are_stripped_alone_and_unterminated() {
        for opening in
            ["\u{1b}]8;;u", "\u{1b}]0;t", "\u{1b}Pd", "\u{1b}_a", "\u{1b}^p", "\u{1b}Xs", "\u{9d}o", "\u{90}d"]
        {
            for ending in ["\u{1b}\\", "\u{9c}"] {
                assert_eq!(strip(&format!("a{opening}{ending}b")), "ab", "{opening:?} {ending:?}");
            }
            let mut out = String::new();
            let mut stripper = Stripper::default();
            stripper.push(format!("a{opening} gone\nwith it").as_bytes(), &mut out);
            assert_eq!(stripper.finish(&mut out), opening.len() as u64 + 13, "{opening:?}");
            assert_eq!(out, "a", "{opening:?}");
        }
    }

    #[test]
    fn report_16_invalid_utf_8_and_half_a_character_become_u_fffd() {
        let mut out = String::new();
        let mut stripper = Stripper::default();
        stripper.push(b"\xff\xfea\xe2\x94", &mut out);
        stripper.push(b"\x80b\xe2\x94", &mut out);
        stripper.push(b"c\xf0\x9f", &mut out);
        assert_eq!(stripper.finish(&mut out), 0);
        assert_eq!(out, "\u{fffd}\u{fffd}a\u{2500}b\u{fffd}c\u{fffd}");
    }

    #[test]
    fn text_without_controls_is_borrowed() {
        assert!(matches!(strip("a\tb\r\n£ é 日本"), Cow::Borrowed(_)));
    }

    /// Bytes in which sequences, half characters and their borders are frequent.
    fn hostile() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            any::<u8>().prop_map(|b| vec![b]),
            prop::sample::select(CASES).prop_map(|(input, _)| input.as_bytes().to_vec()),
            prop::sample::select(&[0x1b, b'[', b']', b'\\', 0xc2, 0x9b, 0x9c, 0xe2, 0xf0, 0x80, 7, b'm'][..])
                .prop_map(|b| vec![b]),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn split_anywhere_gives_the_same_as_whole(bytes in hostile(), cuts in prop::collection::vec(0usize..400, 0..6)) {
            let mut whole = String::new();
            let mut stripper = Stripper::default();
            stripper.push(&bytes, &mut whole);
            let whole_open = stripper.finish(&mut whole);

            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let mut split = String::new();
            for pair in cuts.windows(2) {
                stripper.push(&bytes[pair[0]..pair[1]], &mut split);
            }
            prop_assert_eq!(stripper.finish(&mut split), whole_open);
            prop_assert_eq!(&split, &whole);
            let text = String::from_utf8_lossy(&bytes);
            prop_assert_eq!(&strip(&text), &whole);
        }

        #[test]
        fn what_is_left_holds_no_control_and_stays_so(bytes in hostile()) {
            let mut out = String::new();
            let mut stripper = Stripper::default();
            stripper.push(&bytes, &mut out);
            stripper.finish(&mut out);
            prop_assert!(!out.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')));
            prop_assert_eq!(&strip(&out), &out);
        }
    }
}
