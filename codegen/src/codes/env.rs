//! The program, its environment, and `never`: `VG05xx`.

use super::codes;

codes! {
    VG0501 Error "executable that can't be wrapped" {
        why: "A name that is looked up on PATH, or an absolute path. A relative path depends on the folder; a shell, `.bat` or `.cmd` runs text.",
        bad: "executable: { default: bash }",
        good: "executable: { default: git }",
    }
    VG0502 Error "placeholder in the program's own argv" {
        why: "What stands before every verb's argv is literal.",
        bad: "program: { argv: [-C, <folder>] }",
        good: "argv: [status, --, <folder>]",
    }
    VG0503 Error "broken promise" {
        why: "A template can produce what `never` rules out: in a word, a choice, a value, a default, or the program's own argv.",
        bad: "never: { options: [--force] }\nargv: [push, --force]",
        good: "never: { options: [--force] }\nargv: [push]",
    }
    VG0504 Error "variable that never rules out" {
        why: "`pass`, `set` or `env` names a variable that `never.env` promises to keep out.",
        bad: "pass: [TOKEN]\nnever: { env: [TOKEN] }",
        good: "never: { env: [TOKEN] }",
    }
    VG0505 Error "variable that loads code" {
        why: "Programs load or run what such a variable names. It can't be passed on, and can only be set empty or to a value that the table calls safe.",
        bad: "pass: [LD_PRELOAD]",
        good: "set: { LD_PRELOAD: '' }",
    }
    VG0506 Error "variables that nobody has named" {
        why: "Only `LC_*` may stand for many.",
        bad: "pass: ['APP_*']",
        good: "pass: [APP_HOME]",
    }
    VG0507 Warning "secret that is not masked" {
        why: "The name looks like that of a secret. Add it to `mask`, so that its value is hidden wherever the program prints it.",
        bad: "pass: [APP_TOKEN]",
        good: "pass: [APP_TOKEN]\nmask: [APP_TOKEN]",
    }
    VG0508 Error "PATH or HOME of a verb" {
        why: "Which program runs, and whose files it sees, is not for a verb to say.",
        bad: "env: { HOME: <folder> }",
        good: "env: { APP_FOLDER: <folder> }",
    }
    VG0509 Error "no name of a variable" {
        why: "Letters, digits and `_`, not beginning with a digit.",
        bad: "pass: [MY-VAR]",
        good: "pass: [MY_VAR]",
    }
    VG0510 Error "no range of versions" {
        why: "As in `>=2.30, <3`.",
        bad: "supported: newest",
        good: "supported: '>=2.30, <3'",
    }
    VG0511 Error "time budget out of range" {
        why: "1 s to 24 h.",
        bad: "timeout: 500 ms",
        good: "timeout: 30 s",
    }
    VG0512 Error "setting that contradicts itself" {
        why: "One key or variable has one default, which lies within `min` and `max`.",
        bad: "timeout: { default: 5 s, min: 15 s, config: app.timeout }",
        good: "timeout: { default: 30 s, min: 15 s, config: app.timeout }",
    }
    VG0513 Error "limits of output out of range" {
        why: "`budget` is 1 KiB to 1 MiB, `error_tail` more than nothing and at most half of it.",
        bad: "output: { budget: 2 MiB }",
        good: "output: { budget: 64 KiB }",
    }
    VG0514 Warning "secrets are not masked" {
        why: "Secrets that the program prints would reach the agent. The user's own configuration can turn masking off; a manifest should not.",
        bad: "output: { redact: false }",
        good: "output: { redact: { default: true, config: output.redact } }",
    }
    VG0515 Error "word where never does not look" {
        why: "`never.verbs` sees leading words only. With it, no word may stand behind an option or placeholder.",
        bad: "never: { verbs: [compose up] }\nargv: [compose, --file=x, ps]",
        good: "never: { verbs: [compose up] }\nargv: [compose, ps, --file=x]",
    }
    VG0516 Error "promise that says nothing" {
        why: "An entry of `never` that no argv could break.",
        bad: "never: { options: ['--'] }",
        good: "never: { options: [--force] }",
    }
}
