//! Arguments and templates: `VG02xx`.

use super::codes;

codes! {
    VG0201 Error "unknown argument" {
        why: "A placeholder, a condition, `requires`, `conflicts` or `one_of` names an argument that the verb does not have. In a row of errors, the name must be a group of its pattern or an argument of every verb that looks at the row.",
        bad: "args: { name: { type: string, description: Name. } }\nargv: [show, --, <nmae>]",
        good: "args: { name: { type: string, description: Name. } }\nargv: [show, --, <name>]",
    }
    VG0202 Error "argument that nothing uses" {
        why: "An agent would set it, and nothing would come of it. Use it in the argv, the environment or standard input, or delete it.",
        bad: "args: { name: { type: string, description: Name. } }\nargv: [list]",
        good: "argv: [list]",
    }
    VG0203 Error "value that may be absent" {
        why: "The argument is optional, and neither a condition on it nor one that requires it stands around the placeholder. Put the element under the condition, or make the argument required.",
        bad: "argv: [log, --since=<since>]",
        good: "argv: [log, since: --since=<since>]",
    }
    VG0204 Error "boolean as a value" {
        why: "A boolean is a condition and has no text of its own.",
        bad: "argv: [log, --all=<all>]",
        good: "argv: [log, all: --all]",
    }
    VG0205 Error "secret where it would be seen" {
        why: "An argv can be read by every process of the machine; questions and messages are shown and stored. A secret may stand in `env` and `stdin` only.",
        bad: "argv: [login, --password=<password>]",
        good: "argv: [login]\nenv: { APP_PASSWORD: <password> }",
    }
    VG0206 Error "condition that always holds" {
        why: "The argument is required or has a default, or the same condition stands around it already. A condition that says nothing misleads a reviewer.",
        bad: "argv: [show, name: <name>]",
        good: "argv: [show, <name>]",
    }
    VG0207 Error "malformed placeholder" {
        why: "A placeholder is `<name>`; `<name...>`, alone in its element, gives one element per item of a list; a literal `<` is written `<<`. A list without `join` is no one text.",
        bad: "argv: [add, --, --path=<paths...>]",
        good: "argv: [add, paths: --path=<paths>]",
    }
    VG0208 Error "value that completes an option's name" {
        why: "The value would decide which option the program sees. Write options out, as words of a `choice` or behind a condition.",
        bad: "argv: [set, --no-<feature>]",
        good: "argv: [set, --feature=<feature>]",
    }
    VG0209 Warning "value that may begin with a dash" {
        why: "Before the first `--`, an element that starts with a value and comes out beginning with `-` is refused at run time, since the program would read it as an option. Such values can never be given.",
        bad: "argv: [show, <name>]",
        good: "argv: [show, --, <name>]",
    }
    VG0210 Error "argument as the verb" {
        why: "The first element decides what the program does. It must be a word of the manifest, or a `choice`, whose words stand in the manifest.",
        bad: "argv: [<command>]",
        good: "argv: [show, --, <name>]",
    }
    VG0211 Error "argument as code" {
        why: "The element is run by an interpreter (`sh -c`, `python -c`, `xargs`, `find -exec`, `ssh` and their like), or comes after one that is. What an agent sends is data, never code.",
        bad: "argv: [exec, box, sh, -c, 'ls <name>']",
        good: "argv: [exec, box, ls, --, <name>]",
    }
    VG0212 Error "unknown type" {
        why: "The type is neither built in nor under `types`.",
        bad: "args: { name: { type: strnig, description: Name. } }",
        good: "args: { name: { type: string, description: Name. } }",
    }
    VG0213 Error "type that leads back to itself" {
        why: "Named types may build on each other, not in a circle.",
        bad: "types: { a: { type: b }, b: { type: a } }",
        good: "types: { a: { type: string }, b: { type: a } }",
    }
    VG0214 Warning "type that nothing has" {
        why: "No argument has this type.",
        bad: "types: { name: { type: string } } # no argument says `type: name`",
        good: "args: { name: { type: name, description: Name. } }",
    }
    VG0215 Error "name of a built-in type" {
        why: "A type under `types` is called like a built-in one.",
        bad: "types: { string: { type: integer } }",
        good: "types: { count: { type: integer } }",
    }
    VG0216 Error "key of another type" {
        why: "The type has no such key: it would be ignored.",
        bad: "args: { count: { type: integer, pattern: '[0-9]+', description: Count. } }",
        good: "args: { count: { type: integer, min: 0, description: Count. } }",
    }
    VG0217 Error "argument that is not wholly described" {
        why: "An argument needs a description (it may come from its type), a choice needs `choices`, a path needs `access`, a list needs `of`.",
        bad: "args: { name: { type: string } }",
        good: "args: { name: { type: string, description: Name. } }",
    }
    VG0218 Error "optional where it says nothing" {
        why: "With a default an argument is never absent, and a boolean is false when absent.",
        bad: "all: { type: boolean, optional: true, description: All. }",
        good: "all: { type: boolean, description: All. }",
    }
    VG0219 Error "default that does not satisfy its type" {
        why: "A default is used like a value that an agent sends, and must pass the same check. A secret has none.",
        bad: "count: { type: integer, max: 10, default: 30, description: Count. }",
        good: "count: { type: integer, max: 50, default: 30, description: Count. }",
    }
    VG0220 Error "bounds that can't be" {
        why: "`min` is over `max`, or a bound is no number that the type can have.",
        bad: "name: { type: string, min: 9, max: 3, description: Name. }",
        good: "name: { type: string, min: 3, max: 9, description: Name. }",
    }
    VG0221 Error "choices that are none" {
        why: "A choice has at least one word, each once, none of them empty.",
        bad: "order: { type: choice, choices: [a, a], description: Order. }",
        good: "order: { type: choice, choices: [a, b], description: Order. }",
    }
    VG0223 Error "no pattern" {
        why: "The text is no regular expression of Rust: it does not parse, or needs look-around or back-references, which linear time rules out.",
        bad: "pattern: '(?!x)[a-z]+'",
        good: "pattern: '[a-wyz][a-z]*'",
    }
    VG0224 Error "pattern that means something else elsewhere" {
        why: "The pattern also stands in the JSON Schema, where JavaScript and Python read it. What they read otherwise (flags, `\\p`, `\\A`, set operations, word borders beyond ASCII) would make the two checks differ.",
        bad: "pattern: '(?i)abc'",
        good: "pattern: '[Aa][Bb][Cc]'",
    }
    VG0225 Error "nested repetition" {
        why: "One text can be taken in exponentially many ways. Rust's engine does not mind, but the host's engine tries all of them and hangs.",
        bad: "pattern: '(?:[a-z]+)+'",
        good: "pattern: '[a-z]+(?: [a-z]+)*'",
    }
    VG0226 Error "pattern too large" {
        why: "The pattern compiles to more than 1 MiB. Bound lengths with `max`, not with a count.",
        bad: "pattern: '.{50000}'",
        good: "max: 50000",
    }
    VG0227 Warning "anchor in a pattern" {
        why: "An argument's pattern always matches the whole value: `^` and `$` say nothing there, or make it match never.",
        bad: "pattern: '^[a-z]+$'",
        good: "pattern: '[a-z]+'",
    }
    VG0229 Error "relation that can't be" {
        why: "An argument requires or excludes itself or requires one that it excludes, or two required arguments exclude each other.",
        bad: "a: { type: string, conflicts: [a], description: A. }",
        good: "a: { type: string, optional: true, conflicts: [b], description: A. }",
    }
    VG0230 Error "choice among arguments that is none" {
        why: "Of each list in `one_of` exactly one argument is given: each must be optional, and there must be two at least.",
        bad: "one_of: [[pod]]",
        good: "one_of: [[pod, selector]]",
    }
    VG0231 Error "list that can't be" {
        why: "The items of a list are texts, numbers, words or paths; `join` is one character at least.",
        bad: "of: { type: boolean }",
        good: "of: { type: string }",
    }
    VG0232 Error "argument that differs between actions" {
        why: "All actions of a tool share one set of arguments: one that two of them have must be alike in both, but for `optional` and `default`.",
        bad: "list: { args: { name: { type: string, description: Name. } } }\nget: { args: { name: { type: integer, description: Name. } } }",
        good: "list: { args: { name: { type: string, description: Name. } } }\nget: { args: { id: { type: integer, description: Id. } } }",
    }
    VG0234 Error "example that gives something else" {
        why: "The arguments of an example were checked and rendered exactly as those of a call would be, and something else came out.",
        bad: "examples: [{ args: { name: a }, argv: [show, a] }] # argv: [show, --, <name>]",
        good: "examples: [{ args: { name: a }, argv: [show, --, a] }]",
    }
    VG0235 Error "example that shows nothing" {
        why: "An example has the `argv` that its arguments give, or the `error` code.",
        bad: "examples: [{ args: { name: a } }]",
        good: "examples: [{ args: { name: a }, argv: [show, --, a] }]",
    }
}
