use super::{FaultKind, line, may_begin_with, value};

fn canonical(text: &str) -> String {
    match value(text) {
        Ok(value) => value.source,
        Err(faults) => panic!("{text}: {faults:?}"),
    }
}

fn refused(text: &str) -> FaultKind {
    match value(text) {
        Ok(value) => panic!("{text} was taken: {}", value.source),
        Err(faults) => faults[0].kind,
    }
}

fn lines(text: &str) -> String {
    match line(text) {
        Ok(line) => line.source,
        Err(faults) => panic!("{text}: {faults:?}"),
    }
}

#[test]
fn value_classes_are_spelled_in_ascii() {
    assert_eq!(canonical(r"\d+"), "[0-9]+");
    assert_eq!(canonical(r"\w"), "[0-9A-Z_a-z]");
    assert_eq!(canonical(r"[\w.*-]+"), r"[*\-.0-9A-Z_a-z]+");
    assert_eq!(canonical(r"\S"), r"[^\t-\r ]");
    assert_eq!(canonical(r"\D"), "[^0-9]");
    assert_eq!(canonical(r"[^\W\d]"), "[A-Z_a-z]");
    assert_eq!(canonical(r"[^\\\s][\s\S]*"), r"[^\t-\r \\][\s\S]*");
    assert_eq!(canonical(r".*\.cgc"), r"[^\n]*\.cgc");
    assert_eq!(canonical(r"[[:alpha:]_]"), "[A-Z_a-z]");
}

#[test]
fn value_spellings_of_one_engine_become_those_of_all() {
    assert_eq!(canonical(r"\x{e9}\u{41}\x41\U00000042"), "éAAB");
    assert_eq!(canonical(r"(?P<n>a)(?<m>b)(c|d)"), "ab(?:c|d)");
    assert_eq!(canonical(r"a{2}{3}"), "(?:a{2}){3}");
    assert_eq!(canonical(r"\-\ \/\#"), "- /#");
    assert_eq!(canonical(r"[&\&~\~]"), "[&~]");
    assert_eq!(canonical(r"[a\]\[^-]"), r"[\-\[\]\^a]");
    assert_eq!(canonical("😀+"), "(?:😀)+");
    assert_eq!(canonical(r"\u200b"), r"\u200B");
    assert_eq!(canonical("a||b"), "a||b");
    assert_eq!(canonical(r"[a-z]+\b-[a-z]+"), r"[a-z]+\b-[a-z]+");
}

#[test]
fn value_patterns_that_mean_something_else_elsewhere_are_refused() {
    for text in [
        "(?i)a",
        "(?i:a)",
        "(?x) a",
        "(?s).",
        r"\pL",
        r"\p{Greek}",
        r"[\p{Greek}]",
        r"\A",
        r"a\z",
        r"[^a]\b",
        r"\B",
        r"\b{start}a",
        "[a&&b]",
        "[a--b]",
        "[a~~b]",
        r"[\x{1F600}-\x{1F610}]",
        r"[^\s\S]",
    ] {
        assert_eq!(refused(text), FaultKind::Meaning, "{text}");
    }
}

#[test]
fn look_around_and_back_references_are_refused() {
    for text in ["(?=a)", "(?!a)", "(?<=a)", "(?<!a)", r"(a)\1"] {
        assert_eq!(refused(text), FaultKind::Unsupported, "{text}");
    }
    assert_eq!(refused("a("), FaultKind::Syntax);
    assert_eq!(refused(r"\Qa"), FaultKind::Syntax);
}

#[test]
fn nested_repetitions_are_refused() {
    for text in [
        "(a+)+",
        "(a*)*",
        "(a|a)*",
        "(a|aa)+",
        "(a?b?)*",
        r"(\w+\s?)+",
        "([a-z]+)*",
        "(a{1,30}){1,30}",
        "(.*a)*",
        "(x+x+)+y",
        "(a|[ab])+",
        "(?:(?:a|b)+)*",
        "((a+b?)+c?)+",
        "(a+){20}",
        r"(\d+|\w)+",
        "(a?|b?)+",
        "a++",
        "(ab|a|b)*",
        "(?:a{2}|a{3})+",
    ] {
        // `(a?|b?)+` is harmless inside; it is here only if its empty ways multiply.
        if text == "(a?|b?)+" {
            assert!(value(text).is_ok(), "{text}");
        } else {
            assert_eq!(refused(text), FaultKind::Nested, "{text}");
        }
    }
}

#[test]
fn repetitions_that_a_separator_keeps_apart_are_taken() {
    for text in [
        r"(?:[a-z]{1,63}\.)+[a-z]+",
        r"\d{1,2}:\d{2}:\d{2}(?:\.\d{1,3})?",
        r"(?:\d{1,3}\.){3}\d{1,3}",
        "(a|b)*",
        r"[\w./-]{1,100}(?:=[\w./ :-]{0,100})?",
        "(?:ab)+",
        r"(\d{2})+",
        r"(\d{2}){3}",
        "(?:a,)*a",
        r"\w+(?: \w+)*",
        r"[A-Za-z0-9_@][\w./@{}^~+ -]{0,249}(?::[\w./@+ -]{1,500})?",
        "(?:foo|bar|baz)*",
        r"(?:-?\d+,)*",
    ] {
        assert!(value(text).is_ok(), "{text}: {:?}", value(text).err());
    }
}

#[test]
fn a_pattern_that_compiles_to_more_than_a_mebibyte_is_refused() {
    assert_eq!(refused(r"[^a]{60000}"), FaultKind::TooLarge);
}

#[test]
fn anchors_in_a_value_pattern_are_warned_of() {
    let read = value("^a$").unwrap();
    assert_eq!(read.warnings.iter().map(|fault| fault.bytes.clone()).collect::<Vec<_>>(), [0..1, 2..3]);
    assert_eq!(read.source, "^a$");
}

#[test]
fn the_first_character_is_known() {
    assert!(!may_begin_with("[A-Za-z0-9].*", '-'));
    assert!(may_begin_with(".*a", '-'));
    assert!(may_begin_with("a?-", '-'));
    assert!(!may_begin_with(r"(?:a|\w+)-", '-'));
}

#[test]
fn a_space_in_a_line_pattern_is_a_space_or_a_line_break() {
    assert_eq!(lines("^Export failed: a"), r"^Export[ \n]failed:[ \n]a");
    assert_eq!(lines(r"a\ b[ ]c[a b]"), "a[ ]b[ ]c[a b]");
    assert_eq!(lines(r"\S+ \d"), r"[^\t-\r ]+[ \n][0-9]");
    assert_eq!(lines(r"[\d,]+[\D]"), "[0-9,]+[[^0-9]]");
    assert_eq!(lines(r"\bfoo\B"), r"(?-u:\b)foo(?-u:\B)");
    assert_eq!(lines("(?i)a b"), r"(?i)a[ \n]b");
    assert_eq!(lines(r"a\x20b"), r"a\x20b");
    assert_eq!(lines("(?: |x) *"), r"(?:[ \n]|x)[ \n]*");
}

#[test]
fn flags_that_change_the_meaning_of_line_patterns_are_refused() {
    for text in ["(?x)a b", "(?s).", "(?-m)^", "(?-u)a", "(?R)$", "(?is:a)"] {
        assert_eq!(line(text).unwrap_err()[0].kind, FaultKind::Meaning, "{text}");
    }
}

#[test]
fn groups_and_loose_alternatives_of_a_line_pattern_are_known() {
    let read = line(r"(?:^|\[y/N\]: )Error (?<a>\S+) (b)").unwrap();
    assert_eq!(read.named, [("a".to_owned(), 24..25)]);
    assert_eq!(read.unnamed, 1);
    assert_eq!(read.loose, std::iter::once(5..14).collect::<Vec<_>>());
    for anchored in ["^a", "^(?:a|b)", "^a|^b", "(?:^a|^b)c", "(^)a", r"\Aa", "(?i)^a"] {
        assert!(line(anchored).unwrap().loose.is_empty(), "{anchored}");
    }
    for loose in ["a", "^a|b", "(?:^a)?b", ".*a", "(?:a|^b)"] {
        assert!(!line(loose).unwrap().loose.is_empty(), "{loose}");
    }
}
