//! The mechanisms that keep an agent, a program or a workspace from doing harm, each with a change that takes it out and
//! the test that must then fail.
//!
//! The test then does what the mechanism prevents, as whoever runs it: what its attacks aim at must lie in its own folder.

/// One change of a file: a text that occurs exactly once, and what stands in its place.
pub(super) struct Edit {
    /// From the workspace's folder.
    pub(super) file: &'static str,
    pub(super) from: &'static str,
    pub(super) to: &'static str,
}

/// A mechanism taken out.
pub(super) struct Mutant {
    /// What is taken out.
    pub(super) name: &'static str,
    pub(super) edits: &'static [Edit],
    /// Behind `cargo test`, up to the filter: what must fail.
    pub(super) test: &'static [&'static str],
    /// The filter: part of the names of tests.
    pub(super) filter: &'static str,
}

const CALL: &[&str] = &["-p", "verbgate-tests", "--test", "call"];
const PROCESS: &[&str] = &["-p", "verbgate-tests", "--test", "process"];
const WIDTH: &[&str] = &["-p", "verbgate-tests", "--test", "width"];
const TABLE: &[&str] = &["-p", "verbgate-table", "--test", "meaning"];
const RUNTIME: &[&str] = &["-p", "verbgate", "--lib"];

/// All of them. Those of one test command stand together, so that less is built.
pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "the dash guard",
        edits: &[Edit {
            file: "table/src/argv.rs",
            from: "if self.guarded && text.starts_with('-') =>",
            to: "if self.guarded && text.starts_with('\\0') =>",
        }],
        test: TABLE,
        filter: "report_1",
    },
    Mutant {
        name: "the promises of `never`",
        edits: &[Edit {
            file: "table/src/argv.rs",
            from: "if before_end().any(|word| is_option(&word.text, option)) {",
            to: "if before_end().any(|word| is_option(&word.text, option) && false) {",
        }],
        test: TABLE,
        filter: "never_is_held_on_every_argv",
    },
    Mutant {
        name: "the precedence of vetoes",
        edits: &[Edit {
            file: "table/src/classify.rs",
            from: "if let Some(veto) = first(&holds) {",
            to: "if let Some(veto) = first(&holds).filter(|_| !succeeded(&verb.success, run)) {",
        }],
        test: TABLE,
        filter: "the_first_that_fits_decides",
    },
    Mutant {
        name: "the roots",
        edits: &[Edit {
            file: "runtime/src/paths/roots.rs",
            from: "        longest.or_else(|| {",
            to: "        longest.or(Some(path)).or_else(|| {",
        }],
        test: RUNTIME,
        filter: "paths::",
    },
    Mutant {
        name: "the refusal of programs in the workspace",
        edits: &[Edit {
            file: "runtime/src/program/mod.rs",
            from: "        if in_workspace {",
            to: "        if in_workspace && false {",
        }],
        test: RUNTIME,
        filter: "program::",
    },
    Mutant {
        name: "the bound",
        edits: &[
            Edit {
                file: "runtime/src/output/compose.rs",
                from: "if !missing && whole.len() <= room {",
                to: "if !missing && whole.len() <= room.max(1 << 40) {",
            },
            Edit {
                file: "runtime/src/output/compose.rs",
                from: "composed.text.truncate(floor(&composed.text, budget).len());",
                to: "let _ = floor(&composed.text, budget).len();",
            },
        ],
        test: RUNTIME,
        filter: "output::",
    },
    Mutant {
        name: "one rule of redaction",
        edits: &[Edit {
            file: "runtime/src/output/rule_table.rs",
            from: "pattern: r\"gh[pousr]_[A-Za-z0-9_]{30,}\"",
            to: "pattern: r\"gh[pousr]_[A-Za-z0-9_]{90,}\"",
        }],
        test: RUNTIME,
        filter: "output::",
    },
    Mutant {
        name: "the masking of what is split over fields",
        edits: &[Edit {
            file: "runtime/src/output.rs",
            from: "if strings.len() < 2 || self.exact.is_empty() {",
            to: "if strings.len() < 200 || self.exact.is_empty() {",
        }],
        test: RUNTIME,
        filter: "output::",
    },
    Mutant {
        name: "the withholding of what a failing stage left",
        edits: &[Edit {
            file: "runtime/src/output.rs",
            from: "pipeline::text(self, text).unwrap_or_else(|| String::from(WITHHELD))",
            to: "pipeline::text(self, text).unwrap_or_else(|| String::from(text))",
        }],
        test: RUNTIME,
        filter: "a_stage_that_panics",
    },
    Mutant {
        name: "the lock that tells a live session from a dead one",
        edits: &[Edit {
            file: "runtime/src/output/spill.rs",
            from: "Ok(lock) => lock.is_some(),",
            to: "Ok(_) => true,",
        }],
        test: RUNTIME,
        filter: "output::spill",
    },
    Mutant {
        name: "the drawing of new digits for the marks",
        edits: &[Edit {
            file: "runtime/src/output/marks.rs",
            from: "if !texts.iter().any(|text| holds(text, &digits)) {",
            to: "if !texts.iter().any(|text| holds(text, &digits) && false) {",
        }],
        test: RUNTIME,
        filter: "output::marks",
    },
    Mutant {
        name: "the withholding of what a sanitiser could not clean",
        edits: &[Edit {
            file: "runtime/src/stages.rs",
            from: "if matches!(self, Stage::Sanitise(_)) { withheld() } else { delivered }",
            to: "if matches!(self, Stage::Sanitise(_)) && false { withheld() } else { delivered }",
        }],
        test: &["-p", "verbgate", "--test", "result_stages"],
        filter: "a_sanitiser_that_panics",
    },
    Mutant {
        name: "that only the consent layer makes a permit",
        edits: &[Edit {
            file: "runtime/src/consent/mod.rs",
            from: "pub struct Permit(());",
            to: "pub struct Permit(pub ());",
        }],
        test: &["-p", "verbgate", "--test", "compile_fail"],
        filter: "",
    },
    Mutant {
        name: "the session of a program's own",
        edits: &[Edit {
            file: "runtime/src/process/spawn.rs",
            from: "const SETSID: c_int = libc::POSIX_SPAWN_SETSID as c_int;",
            to: "const SETSID: c_int = 0;",
        }],
        test: PROCESS,
        filter: "a_session_of_its_own",
    },
    Mutant {
        name: "the consent gate",
        edits: &[
            Edit {
                file: "runtime/src/call.rs",
                from: "if !verb.class.asks() {",
                to: "if !verb.class.asks() || true {",
            },
            Edit {
                file: "runtime/src/consent/mod.rs",
                from: "(!class.asks()).then_some(Permit(()))",
                to: "(!class.asks() || true).then_some(Permit(()))",
            },
        ],
        test: CALL,
        filter: "report_31",
    },
    Mutant {
        name: "that no answer is a no",
        edits: &[Edit {
            file: "runtime/src/consent/desk.rs",
            from: "            Answer::Yes => {",
            to: "            Answer::Yes | Answer::NoAnswer(_) => {",
        }],
        test: CALL,
        filter: "report_31",
    },
    Mutant {
        name: "the check of the plan after the yes",
        edits: &[Edit {
            file: "runtime/src/consent/mod.rs",
            from: "self.plan.difference(rebuilt)",
            to: "self.plan.difference(rebuilt).filter(|_| false)",
        }],
        test: CALL,
        filter: "whatever_is_swapped",
    },
    Mutant {
        name: "that a yes ends with its session and runtime",
        edits: &[
            Edit {
                file: "runtime/src/call/prepare.rs",
                from: "let origin = ground.host.identity();",
                to: "let origin = ground.origin.clone();",
            },
            Edit {
                file: "runtime/src/call.rs",
                from: "if conclude::stands(ground.session, ground.origin, ground.host) { Ok(()) }",
                to: "if conclude::stands(ground.session, ground.origin, ground.host) || true { Ok(()) }",
            },
        ],
        test: CALL,
        filter: "a_yes_ends_with_its_session",
    },
    Mutant {
        name: "the check of where a call came from",
        edits: &[Edit {
            file: "runtime/src/call/conclude.rs",
            from: "if stands(self.session, self.origin, host) {",
            to: "if stands(self.session, self.origin, host) || true {",
        }],
        test: CALL,
        filter: "a_yes_ends_with_its_session",
    },
    Mutant {
        name: "the refusal of files that the program would obey",
        edits: &[Edit {
            file: "runtime/src/program/mod.rs",
            from: "    if refused.is_empty() {",
            to: "    if refused.len() < 100 {",
        }],
        test: CALL,
        filter: "what_the_program_would_obey",
    },
    Mutant {
        name: "the staging",
        edits: &[Edit {
            file: "runtime/src/call/one_run.rs",
            from: "let staged = renamed.iter().find(",
            to: "let staged = renamed.iter().take(0).find(",
        }],
        test: CALL,
        filter: "leaves_the_bundle_as_it_was",
    },
    Mutant {
        name: "the check for a second name of what a program has written",
        edits: &[
            Edit { file: "runtime/src/artifact.rs", from: "if stat.st_nlink != 1 {", to: "if stat.st_nlink == 0 {" },
            Edit { file: "runtime/src/artifact.rs", from: "|| now.st_nlink != 1 {", to: "|| now.st_nlink == 0 {" },
            Edit { file: "runtime/src/artifact.rs", from: "if entries.len() > 1 {", to: "if entries.len() > 99 {" },
        ],
        test: CALL,
        filter: "leaves_the_bundle_as_it_was",
    },
    Mutant {
        name: "the redactor of known values",
        edits: &[Edit {
            file: "runtime/src/output.rs",
            from: "let exact = Exact::new(known);",
            to: "let exact = Exact::new(known.into_iter().take(0).collect());",
        }],
        test: CALL,
        filter: "secrets::",
    },
    Mutant {
        name: "the pinned width",
        edits: &[
            Edit { file: "tools.yaml", from: "COLUMNS: '5000'", to: "COLUMNS: '1000'" },
            // The compiler notices as well, and would let nothing be built.
            Edit {
                file: "codegen/src/check/outcome.rs",
                from: "if free && width.unwrap_or(80) <= long {",
                to: "if free && width.unwrap_or(80) <= long && false {",
            },
        ],
        test: WIDTH,
        filter: "at_the_pinned_width",
    },
    Mutant {
        name: "that a question shows no secret",
        edits: &[Edit {
            file: "runtime/src/call.rs",
            from: "    consent::shows_no_secret(&draft, &question, &cleaner)?;",
            to: "    let _ = consent::shows_no_secret(&draft, &question, &cleaner);",
        }],
        test: CALL,
        filter: "a_masked_value",
    },
    Mutant {
        name: "the roots' distance from what is kept",
        edits: &[Edit {
            file: "runtime/src/session.rs",
            from: "Ok(spill) if !spill.lies_outside(roots) => {",
            to: "Ok(spill) if !spill.lies_outside(roots) && false => {",
        }],
        test: CALL,
        filter: "can_not_be_kept",
    },
    Mutant {
        name: "the lock between writers",
        edits: &[Edit {
            file: "runtime/src/lock.rs",
            from: "FlockOperation::NonBlockingLockExclusive",
            to: "FlockOperation::NonBlockingLockShared",
        }],
        test: CALL,
        filter: "writers_with_one_lock",
    },
];
