//! Syntax: `VG00xx`.

use super::codes;

codes! {
    VG0001 Error "broken YAML" {
        why: "The text is not YAML, so nothing of it can be read. Most often unquoted text holds `: ` or begins with a character that YAML uses itself (`%`, `@`, a backtick, `*`, `&`, `!`, `>`, `|`, `[`, `{`), a quote or bracket is not closed, or the indentation does not line up. Put such text in single quotes; inside them a single quote is written twice.",
        bad: "say: refused: the folder is locked",
        good: "say: 'refused: the folder is locked'",
    }
    VG0002 Error "character that is not allowed" {
        why: "Control characters (but line ends and tab), format characters (bidirectional marks, zero-width characters, U+FEFF after the start), U+0085, U+2028, U+2029, the invisible letters U+115F, U+1160, U+3164, U+FFA0, and a carriage return without a line feed are refused, as they stand or as an escape: parsers and editors disagree there, or show nothing, so that a reviewer would see another manifest than the one that runs. Delete the character.",
        bad: "say: \"no\\u200Bthing\"",
        good: "say: nothing",
    }
    VG0003 Error "tab as indentation" {
        why: "YAML forbids tabs in indentation, and readers that take them anyway disagree about their width. Indent with spaces.",
        bad: "tools:\n\tx: ...",
        good: "tools:\n  x: ...",
    }
    VG0004 Error "key given twice" {
        why: "Two values for one key: some readers keep the first, some the last. For a verb that would be another command than the one that was reviewed. Keep one of them, or give one another name.",
        bad: "env: { set: { A: x, A: y } }",
        good: "env: { set: { A: y } }",
    }
    VG0005 Error "anchor or alias" {
        why: "Anchors (`&x`) and aliases (`*x`) put text in places where a reviewer does not see it. Write the value out, or use a named type or an error group. Text that begins with `&` or `*` goes into single quotes.",
        bad: "globs: *all",
        good: "globs: '*all'",
    }
    VG0006 Error "tag" {
        why: "Tags (`!x`, `!!str`) change how a value is read. The manifest needs none: the kind of each value follows from its key. Text that begins with `!` goes into single quotes.",
        bad: "say: !important",
        good: "say: '!important'",
    }
    VG0007 Error "merge key" {
        why: "A merge key (`<<`) mixes another mapping in; YAML 1.2 has none, and readers differ. Write the keys out.",
        bad: "args: { <<: { a: b } }",
        good: "args: { a: b }",
    }
    VG0008 Error "second document" {
        why: "A manifest is one YAML document. What follows a second `---` would be read by some programs and not by others. Delete it, or use `include`.",
        bad: "manifest: 1\n---\nmanifest: 1",
        good: "manifest: 1",
    }
    VG0009 Error "empty file" {
        why: "The file holds nothing, or only comments. A manifest begins with `manifest: 1`.",
        bad: "# nothing here",
        good: "manifest: 1",
    }
    VG0010 Error "no value" {
        why: "A key with nothing after it is null in YAML, which means nothing in a manifest. Give the value, or leave the key out. `{x}` is a mapping whose key has no value: a placeholder is written `<x>`. In `{ }` and `[ ]` a comma ends unquoted text, so `{ description: One, two }` holds a key `two` without a value: quote the text.",
        bad: "argv: [show, {name}]",
        good: "argv: [show, <name>]",
    }
    VG0011 Error "nested too deeply" {
        why: "Values may be nested 64 levels deep. No manifest needs a tenth of that.",
        bad: "argv: [[[[[[[[...]]]]]]]]",
        good: "argv: [show]",
    }
    VG0012 Error "file too large" {
        why: "A manifest or catalogue is at most 4 MiB large. Split it with `include`.",
        bad: "# a file of 5 MiB",
        good: "include: [git.yaml, gh.yaml]",
    }
    VG0013 Error "not UTF-8" {
        why: "Manifests and catalogues are UTF-8. Convert the file; the place is the first byte that does not fit.",
        bad: "# saved as Latin-1 or UTF-16",
        good: "# saved as UTF-8",
    }
    VG0014 Error "YAML readers disagree" {
        why: "The manifest is read by two parsers, and they do not see the same value here. Other programs would differ as well, so a reviewer and the compiler could see two manifests. Quote the text.",
        bad: "env: { set: { MODE: 0755 } }",
        good: "env: { set: { MODE: '0755' } }",
    }
    VG0015 Error "key that is not text" {
        why: "Keys are plain text on one line. A list or a mapping as a key has no meaning here.",
        bad: "? [a, b]\n: c",
        good: "a: c",
    }
    VG0016 Error "catalogue is not JSON" {
        why: "A file under `catalogs` is one JSON document, without duplicate keys.",
        bad: "{ \"tools\": [ }",
        good: "{ \"tools\": [] }",
    }
    VG0020 Error "file can't be read" {
        why: "The file is missing, or may not be read. Names in `include` and `catalogs` are relative to the file that holds them.",
        bad: "include: [gti.yaml]",
        good: "include: [git.yaml]",
    }
    VG0021 Error "file outside the manifest's folder" {
        why: "Everything that a manifest names lies in the folder of the first manifest or below it, also after links are followed, so that a review of the folder is a review of everything.",
        bad: "include: [../other/git.yaml]",
        good: "include: [git.yaml]",
    }
    VG0022 Error "not a regular file" {
        why: "A manifest or catalogue is a regular file: a folder, a pipe or a device can't be reviewed.",
        bad: "include: [folder]",
        good: "include: [folder/git.yaml]",
    }
    VG0023 Error "file included twice" {
        why: "Each file is included once, and never by a file that it includes itself.",
        bad: "include: [git.yaml, git.yaml]",
        good: "include: [git.yaml]",
    }
}
