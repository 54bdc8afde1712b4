//! Names and limits: `VG08xx`.

use super::codes;

codes! {
    VG0801 Error "name that providers refuse" {
        why: "Names are `[a-z][a-z0-9_]*`, at most 64 characters, without `__`.",
        bad: "tools: { app.show: { ... } }",
        good: "tools: { app_show: { ... } }",
    }
    VG0802 Error "names that clients fold together" {
        why: "Two names in one place differ only by case, `-` or `_`.",
        bad: "tools: { app_show: { ... }, appshow: { ... } }",
        good: "tools: { app_show: { ... }, app_list: { ... } }",
    }
    VG0803 Error "keyword of Rust" {
        why: "The generated code needs names that are none.",
        bad: "args: { type: { ... } }",
        good: "args: { kind: { ... } }",
    }
    VG0804 Error "name that is taken" {
        why: "Every JavaScript object has such a member already; `action` chooses among the actions of a tool; `before` holds the fields of the verb before.",
        bad: "args: { constructor: { ... } }",
        good: "args: { builder: { ... } }",
    }
    VG0805 Warning "name that is long behind a prefix" {
        why: "Clients put `mcp__verbgate__` in front of a tool's name and refuse more than 64 characters in all.",
        bad: "tools: { app_show_everything_that_there_is_to_show_about_one_thing: { ... } }",
        good: "tools: { app_show: { ... } }",
    }
    VG0806 Warning "long description" {
        why: "Beyond 1,024 characters some providers refuse or cut it.",
        bad: "description: (1,025 characters)",
        good: "description: Show one thing.",
    }
    VG0807 Error "description that is cut" {
        why: "Beyond 2,048 characters clients cut it without a word, and the agent reads half.",
        bad: "description: (2,049 characters)",
        good: "description: Show one thing.",
    }
    VG0808 Warning "many tools" {
        why: "Beyond 40 tools models choose worse.",
        bad: "tools: { ... } # 41 of them",
        good: "tools: { ... } # actions of a few tools",
    }
    VG0809 Error "too many tools" {
        why: "Providers take at most 128 tools.",
        bad: "tools: { ... } # 129 of them",
        good: "tools: { ... } # actions of a few tools",
    }
    VG0810 Warning "long line" {
        why: "What stands beyond 200 columns is not seen in a review.",
        bad: "argv: [a, b, ...] # far to the right",
        good: "argv:\n  - a\n  - b",
    }
    VG0812 Error "nothing to run" {
        why: "Tools need a `program`, and a manifest tools or files that it includes.",
        bad: "manifest: 1",
        good: "manifest: 1\nprogram: { executable: git, install: apt-get install git }\ntools: { ... }",
    }
    VG0816 Error "text that says nothing" {
        why: "A person or an agent reads it.",
        bad: "description: ''",
        good: "description: Show one thing.",
    }
}
