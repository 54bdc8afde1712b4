//! Outcomes and fields: `VG04xx`.

use super::codes;

codes! {
    VG0401 Error "row that fits everything or nothing" {
        why: "A row needs a `match` or an `exit`. What no row explains is COMMAND_FAILED anyway.",
        bad: "- { code: BUSY, say: it is busy, hint: Wait. }",
        good: "- { code: BUSY, match: '^busy', say: it is busy, hint: Wait., examples: [busy] }",
    }
    VG0402 Error "code that a row can't give" {
        why: "Rows give NOT_FOUND, NOT_ALLOWED, BUSY, TIMEOUT, COMMAND_FAILED, UNAVAILABLE or INVALID_ARGUMENT. CANCELLED, DECLINED and ORPHANED are the runtime's.",
        bad: "code: DECLINED",
        good: "code: NOT_ALLOWED",
    }
    VG0403 Error "unknown signal" {
        why: "Signals are written as `SIGKILL`, by the names of Linux.",
        bad: "exit: [SIGKIL]",
        good: "exit: [SIGKILL]",
    }
    VG0404 Error "no line pattern" {
        why: "The text is no regular expression of Rust, or a flag would change what `^`, `$`, `.`, spaces or classes mean in line patterns.",
        bad: "match: '^Error: ('",
        good: "match: '^Error: \\('",
    }
    VG0405 Error "key without match" {
        why: "`in` says where `match` looks, `examples` what it finds.",
        bad: "- { code: BUSY, exit: [3], in: stderr, say: it is busy, hint: Wait. }",
        good: "- { code: BUSY, exit: [3], say: it is busy, hint: Wait. }",
    }
    VG0406 Error "unless without veto" {
        why: "What the user may allow is a veto: any other row is looked at after success anyway.",
        bad: "unless: { default: false, config: app.allow }",
        good: "veto: true\nunless: { default: false, config: app.allow }",
    }
    VG0407 Error "veto beside no success" {
        why: "A veto beats a success; with exit statuses that are never a success it could not.",
        bad: "veto: true\nexit: [3]",
        good: "exit: [3]",
    }
    VG0408 Error "message that is not one line" {
        why: "`say` and `hint` are one line each, 1 to 200 characters.",
        bad: "say: ''",
        good: "say: the database is locked",
    }
    VG0409 Error "no example" {
        why: "A row or success with a `match` shows what the program prints: this proves that it is reached.",
        bad: "match: '^busy'",
        good: "match: '^busy'\nexamples: [busy]",
    }
    VG0410 Error "example that lands elsewhere" {
        why: "The first row of a group that fits wins, and that is not this one: the row above it takes the example, or the pattern does not match.",
        bad: "- { code: NOT_FOUND, match: '^Error', say: gone, hint: Look., examples: [Error 1] }\n- { code: BUSY, match: '^Error 2', say: busy, hint: Wait., examples: [Error 2] }",
        good: "- { code: BUSY, match: '^Error 2', say: busy, hint: Wait., examples: [Error 2] }\n- { code: NOT_FOUND, match: '^Error', say: gone, hint: Look., examples: [Error 1] }",
    }
    VG0411 Warning "example that another group takes" {
        why: "In a verb that looks at both groups, the other one goes first and gives another code.",
        bad: "errors: [general, closer]",
        good: "errors: [closer, general]",
    }
    VG0412 Warning "alternative that is not anchored" {
        why: "The verb takes free text or a path, which the program may print: in the middle of a line it could fake this outcome. Begin each alternative with `^`.",
        bad: "match: 'not found'",
        good: "match: '^Error: .* not found'",
    }
    VG0413 Error "example that is no success" {
        why: "The example's exit status or text does not make it a success, or a veto takes it.",
        bad: "success: { match: '^done', examples: [finished] }",
        good: "success: { match: '^done', examples: [done] }",
    }
    VG0414 Error "success that can't be" {
        why: "No exit status is left.",
        bad: "success: { exit: [] }",
        good: "success: { exit: [0] }",
    }
    VG0415 Warning "success that a value could fake" {
        why: "A value that the program prints can begin a line with the marker, if the program wraps it (pin COLUMNS above the longest value) or if it holds line breaks.",
        bad: "env: { set: { COLUMNS: '80' } } # and an argument of up to 4096 characters",
        good: "env: { set: { COLUMNS: '5000' } }",
    }
    VG0416 Error "group that no verb looks at" {
        why: "Its rows would never be reached.",
        bad: "errors: { database: [...] } # no verb says `errors: [database]`",
        good: "show: { errors: [database] }",
    }
    VG0417 Error "group that can't be named here" {
        why: "`errors` of a verb names groups that there are, each once; `common` is there for every verb, last.",
        bad: "errors: [database, common]",
        good: "errors: [database]",
    }
    VG0418 Error "field with no clear source" {
        why: "A field has exactly one of `match`, `each`, `json`, `json_lines` and `exit`, and only keys that go with it.",
        bad: "mode: { match: '^Mode: (.+)$', json: /mode }",
        good: "mode: { match: '^Mode: (.+)$' }",
    }
    VG0419 Error "groups that do not fit" {
        why: "`match` gives its one unnamed group, `each` the one unnamed or the named groups, never both; `types` names groups that there are; the version's pattern has a group.",
        bad: "mode: { match: '^Mode: .+$' }",
        good: "mode: { match: '^Mode: (.+)$' }",
    }
    VG0420 Error "no JSON Pointer" {
        why: "A pointer is `''` or begins with `/`; `~` is `~0`, `/` inside a name `~1`.",
        bad: "sha: { json: head.sha }",
        good: "sha: { json: /head/sha }",
    }
    VG0421 Error "exit status that is no success" {
        why: "Fields are taken on success only: such a status never gives the field.",
        bad: "success: { exit: [0] }\nfields: { found: { exit: [1] } }",
        good: "success: { exit: [0, 1] }\nfields: { found: { exit: [0] } }",
    }
    VG0422 Error "example with another field" {
        why: "The field of this example is not what the example says.",
        bad: "{ stdout: 'mode: a', fields: { mode: b } }",
        good: "{ stdout: 'mode: a', fields: { mode: a } }",
    }
    VG0423 Error "example that reaches its row in no verb" {
        why: "In every verb that looks at the row, something else goes first: a success, or a row of another group.",
        bad: "# common has `exit: [1]` before it",
        good: "# put the closer row first",
    }
    VG0424 Error "row that is never reached" {
        why: "A row above it takes all that it would.",
        bad: "- { code: BUSY, exit: [3], say: busy, hint: Wait. }\n- { code: NOT_FOUND, exit: [3], say: gone, hint: Look. }",
        good: "- { code: BUSY, exit: [3], say: busy, hint: Wait. }\n- { code: NOT_FOUND, exit: [4], say: gone, hint: Look. }",
    }
    VG0425 Error "group named like an argument" {
        why: "In `say` and `hint` nobody could tell which of the two a name means.",
        bad: "match: '^no (?<name>.+)'",
        good: "match: '^no (?<what>.+)'",
    }
}
