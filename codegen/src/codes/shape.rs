//! Shape: `VG01xx`.

use super::codes;

codes! {
    VG0101 Error "unknown key" {
        why: "The language has no such key here. A key that is misspelt would otherwise be ignored, and what it should have said would not hold. The nearest known key is named where there is one.",
        bad: "descripton: List tags.",
        good: "description: List tags.",
    }
    VG0102 Error "missing key" {
        why: "This mapping needs a key that is not there.",
        bad: "- { code: BUSY, match: '^locked', say: the database is locked, examples: [locked] }",
        good: "- { code: BUSY, match: '^locked', say: the database is locked, hint: Try again., examples: [locked] }",
    }
    VG0103 Error "wrong type" {
        why: "The key takes another kind of value: a list where a mapping stands, a mapping where text is expected, and so on.",
        bad: "notes: One note.",
        good: "notes: [One note.]",
    }
    VG0104 Error "text that YAML does not read as text" {
        why: "Text is expected, but YAML reads a number, a boolean or null. Readers differ in what they make of `1e3`, `0x1`, `yes` or `~`; in quotes it is what is written.",
        bad: "set: { COLUMNS: 5000 }",
        good: "set: { COLUMNS: '5000' }",
    }
    VG0105 Error "unknown word" {
        why: "Only certain words are allowed here.",
        bad: "consent: reed",
        good: "consent: read",
    }
    VG0106 Error "not a duration or size" {
        why: "A duration is a whole number, one space and `ms`, `s`, `min` or `h`; a size a whole number, one space and `B`, `KiB` or `MiB`. A number without a unit says nothing to a reviewer.",
        bad: "timeout: 90",
        good: "timeout: 90 s",
    }
    VG0107 Error "number out of range" {
        why: "The number is none that can stand here: exit statuses are 0 to 255, whole numbers carry at most 2^53, and infinity and not-a-number are no values.",
        bad: "exit: [256]",
        good: "exit: [255]",
    }
    VG0108 Error "more than one condition in an element" {
        why: "An element `argument: ...` of an argv holds one argument. Two keys in one mapping have no order that a reviewer could rely on. Write two elements.",
        bad: "argv: [log, { all: --all, since: --since=<since> }]",
        good: "argv: [log, all: --all, since: --since=<since>]",
    }
    VG0109 Error "not for an included file" {
        why: "`output`, `result_stages`, `provider_stages` and `capabilities` hold for the whole catalogue. They stand in the first manifest only.",
        bad: "output: { budget: 1 MiB }   # in an included file",
        good: "# in the first manifest\noutput: { budget: 1 MiB }",
    }
    VG0110 Error "other version of the language" {
        why: "This compiler reads version 1.",
        bad: "manifest: 2",
        good: "manifest: 1",
    }
    VG0111 Error "reason missing" {
        why: "A warning is allowed by saying why it is meant. An empty reason says nothing to the next reader.",
        bad: "allow: { VG0120: '' }",
        good: "allow: { VG0120: 'one element that holds a comma, as the program wants it' }",
    }
    VG0112 Error "code that can't be allowed" {
        why: "Only warnings can be allowed. An error is never meant, and an unknown code allows nothing.",
        bad: "allow: { VG0101: 'we like it so' }",
        good: "allow: { VG0120: 'reason' }",
    }
    VG0120 Warning "comma without a space in a list" {
        why: "In `[ ]` a comma ends unquoted text: `[--json=a,b]` holds two elements. If one is meant, quote it; if two, put a space after the comma.",
        bad: "argv: [list, --json=a,b]",
        good: "argv: [list, '--json=a,b']",
    }
    VG0121 Warning "comment right after unquoted text" {
        why: "Unquoted text ends before ` #`. If the rest belongs to the text, quote it; if it is a comment, put it on a line of its own.",
        bad: "say: see issue #12",
        good: "say: 'see issue #12'",
    }
    VG0122 Warning "pattern in double quotes with an escape" {
        why: "In double quotes YAML reads the escape first: `\\b` is a backspace, not a word border. Write patterns in single quotes.",
        bad: "pattern: \"\\\\d+\"",
        good: "pattern: '\\d+'",
    }
    VG0123 Warning "word that YAML 1.1 reads as a boolean" {
        why: "Unquoted `y`, `n`, `yes`, `no`, `on` and `off` are text in YAML 1.2 and booleans in 1.1, which many editors and tools still read. Quote it.",
        bad: "choices: [on, off]",
        good: "choices: ['on', 'off']",
    }
    VG0124 Warning "nothing to allow" {
        why: "No such warning comes up here. Delete the entry, or a later mistake of this kind goes unseen.",
        bad: "allow: { VG0120: 'reason' }   # and no such list",
        good: "# no entry",
    }
}
