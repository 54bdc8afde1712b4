//! Catalogues of other servers: `VG06xx`.

use super::codes;

codes! {
    VG0601 Error "malformed catalogue" {
        why: "A catalogue is `{ catalog, version, captured, tools }`, each tool with a `name`.",
        bad: "{ \"catalog\": \"other\", \"tools\": {} }",
        good: "{ \"catalog\": \"other\", \"version\": \"1\", \"captured\": \"2026-01-31\", \"tools\": [] }",
    }
    VG0602 Error "catalogue without a date" {
        why: "`captured` says when the server was asked, so that a reader knows how old the list is.",
        bad: "\"captured\": \"soon\"",
        good: "\"captured\": \"2026-01-31\"",
    }
    VG0603 Error "catalogue from the future" {
        why: "The date is yet to come.",
        bad: "\"captured\": \"2999-01-01\"",
        good: "\"captured\": \"2026-01-31\"",
    }
    VG0604 Error "tool that does not say what it covers" {
        why: "Each tool of a catalogue names the leading words of the verb that it does the work of, or `none` with `why`. Written by hand, it is what the comparison rests on.",
        bad: "{ \"name\": \"find_code\" }",
        good: "{ \"name\": \"find_code\", \"covers\": \"none\", \"why\": \"searches the index\" }",
    }
    VG0605 Error "tool that is there already, by name" {
        why: "A tool of another server has the same name, exactly or as clients fold it (case, `-`, `_`, the prefix `mcp__server__`). Retire ours, or rename it.",
        bad: "tools: { find_code: { ... } } # the catalogue has find_code",
        good: "tools: { app_find: { ... } }",
    }
    VG0606 Error "tool that is there already, by what it does" {
        why: "A tool of another server does the work of this verb. Two ways to do one thing make an agent choose at random: retire ours.",
        bad: "argv: [list] # the catalogue has \"covers\": \"list\"",
        good: "# take the verb out",
    }
}
