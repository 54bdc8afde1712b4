//! Consent, paths, `before`: `VG03xx`.

use super::codes;

codes! {
    VG0301 Error "incomplete verb" {
        why: "A verb needs `consent` and `argv`. A tool with `actions` has no verb keys of its own: they belong into the actions.",
        bad: "show: { description: Show., argv: [show] }",
        good: "show: { description: Show., consent: read, argv: [show] }",
    }
    VG0302 Error "access stronger than the class" {
        why: "`read` verbs only read paths, `additive` ones may create; whatever writes or changes needs a class that asks a person.",
        bad: "consent: read\nargs: { out: { type: path, access: write, description: File. } }",
        good: "consent: file_write\nask: Write <out>?\nargs: { out: { type: path, access: write, description: File. } }",
    }
    VG0303 Error "no question" {
        why: "`file_write`, `registry_mutation` and `replace` ask a person, always. The question's first sentence stands in the manifest.",
        bad: "consent: replace",
        good: "consent: replace\nask: Delete all snapshots?",
    }
    VG0304 Error "question that nobody is asked" {
        why: "`read` and `additive` run without asking. A question there would mislead a reviewer.",
        bad: "consent: read\nask: Show it?",
        good: "consent: read",
    }
    VG0305 Error "question that does not name the path" {
        why: "A person can only agree to what they are told: each path that is written or updated stands in the question.",
        bad: "ask: Write the file?",
        good: "ask: Write <out>?",
    }
    VG0306 Error "class for writing files, without a file" {
        why: "The class says that the verb writes files which the question names, but no argument is such a path.",
        bad: "consent: file_write",
        good: "consent: registry_mutation",
    }
    VG0307 Error "answer without consent" {
        why: "A fixed text on standard input answers a question of the program's. It is given only after a person has agreed.",
        bad: "consent: read\nstdin: \"y\\n\"",
        good: "consent: registry_mutation\nask: Remove it?\nstdin: \"y\\n\"",
    }
    VG0308 Error "verb that can't run before" {
        why: "`before` names a verb of this file of class `read`, without a `before` of its own, whose required arguments are all here, too.",
        bad: "before: { verb: delete }",
        good: "before: { verb: list }",
    }
    VG0309 Error "absent thing that is read" {
        why: "`must_be: absent` says that nothing is there, but `read` and `update` need something.",
        bad: "{ type: path, access: read, must_be: absent, description: File. }",
        good: "{ type: path, access: read, must_be: present, description: File. }",
    }
    VG0310 Error "sensitive component that is none" {
        why: "`sensitive` allows components that are else refused for anything but `read`: one of the known ones, on a path that is not only read.",
        bad: "{ type: path, access: read, sensitive: [.git], description: File. }",
        good: "{ type: path, access: read, description: File. }",
    }
    VG0311 Error "root that is none" {
        why: "A root is `workspace`, `$NAME` or an absolute folder below `/`. Without one, no path argument could ever be given.",
        bad: "roots: [/]",
        good: "roots: [workspace]",
    }
    VG0312 Error "refused file that is a path" {
        why: "`refuse_files` looks at the entries of the session's folder, not below.",
        bad: "refuse_files: [{ name: a/b.json, say: It is there., hint: Move it. }]",
        good: "refuse_files: [{ name: b.json, say: It is there., hint: Move it. }]",
    }
    VG0313 Error "stream given twice" {
        why: "`body` names each stream at most once.",
        bad: "body: [stdout, stdout]",
        good: "body: [stdout]",
    }
}
