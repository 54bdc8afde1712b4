//! Arguments that can't work: the code, the argument's name and what it takes; and nothing ran.
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test that can't go on says why

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value as Json, json};
use verbgate::Code;
use verbgate::host::Answer;
use verbgate_tests::place::write;
use verbgate_tests::{Place, Recorder};

/// A place with a program that leaves a trace, and a host that would say yes.
fn place() -> (Place, Recorder) {
    let place = Place::without_program();
    place.install(&place.bin(), "exit 0");
    let host = Recorder::new(place.workspace()).answering(Answer::Yes);
    (place, host)
}

fn refused(tool: &str, arguments: &Json, code: Code, names: &[&str]) {
    let (place, host) = place();
    let outcome = place.session().call(tool, arguments, &host);
    let shown = arguments.to_string().chars().take(200).collect::<String>();
    assert_eq!(outcome.code, Some(code), "{tool} {shown}: {}", outcome.text);
    for name in names {
        assert!(outcome.text.contains(name), "{tool} {shown} does not name {name}: {}", outcome.text);
    }
    assert!(!outcome.hint.is_empty(), "{tool} {shown}: no hint");
    assert!(outcome.text.chars().all(|c| !c.is_control() || c == '\n'), "{}", outcome.text);
    assert_eq!((host.asked().len(), place.starts().len()), (0, 0), "{tool} {shown}: something ran");
}

#[test]
fn arguments_that_can_not_work_are_refused_by_name() {
    let invalid = |tool: &str, arguments: Json, names: &[&str]| {
        refused(tool, &arguments, Code::InvalidArgument, names);
    };
    // Missing.
    invalid("cgc_bundle_export", json!({ "output": "o.cgc" }), &["repository"]);
    invalid("cgc_bundle_export", json!({ "repository": "." }), &["output"]);
    invalid("cgc_context", json!({}), &["action"]);
    invalid("cgc_context", json!({ "action": "create" }), &["name"]);
    invalid("cgc_context", json!({ "action": "create", "name": null }), &["name"]);
    // Of a wrong type.
    invalid("cgc_bundle_export", json!({ "repository": 1, "output": "o.cgc" }), &["repository"]);
    invalid("cgc_bundle_export", json!({ "repository": ["."], "output": "o.cgc" }), &["repository"]);
    invalid("cgc_context", json!({ "action": true }), &["action"]);
    invalid("cgc_doctor", json!([]), &["object"]);
    invalid("cgc_doctor", json!("x"), &["object"]);
    invalid("cgc_doctor", json!(null), &["object"]);
    // Too long, too short, the wrong ending.
    invalid("cgc_bundle_export", json!({ "repository": "r".repeat(4097), "output": "o.cgc" }), &["repository"]);
    invalid("cgc_bundle_export", json!({ "repository": "", "output": "o.cgc" }), &["repository"]);
    invalid("cgc_context", json!({ "action": "create", "name": "n".repeat(65) }), &["name", "64"]);
    for output in ["o", "o.CGC", "o.cgc.zip", ""] {
        invalid("cgc_bundle_export", json!({ "repository": ".", "output": output }), &["output"]);
    }
    // A word that is none of the choices.
    invalid("cgc_context", json!({ "action": "create", "name": "a", "database": "bogus" }), &["database", "kuzudb"]);
    invalid("cgc_context", json!({ "action": "drop" }), &["action", "set_default"]);
    // Unknown, or another action's.
    invalid("cgc_doctor", json!({ "verbose": true }), &["verbose"]);
    invalid("cgc_context", json!({ "action": "list", "name": "a" }), &["name", "list"]);
    invalid("cgc_context", json!({ "action": "delete", "name": "a", "database": "kuzudb" }), &["database", "delete"]);
}

#[test]
fn characters_that_could_fake_a_line_or_leave_the_screen_are_refused() {
    for c in [
        '\0',
        '\n',
        '\r',
        '\t',
        '\u{1b}',
        '\u{7f}',
        '\u{85}',
        '\u{ad}',
        '\u{200b}',
        '\u{202e}',
        '\u{2028}',
        '\u{feff}',
        '\u{e0041}',
    ] {
        let output = format!("o{c}.cgc");
        refused(
            "cgc_bundle_export",
            &json!({ "repository": ".", "output": output }),
            Code::InvalidArgument,
            &["output"],
        );
        let repository = format!("r{c}");
        let arguments = json!({ "repository": repository, "output": "o.cgc" });
        refused("cgc_bundle_export", &arguments, Code::InvalidArgument, &["repository"]);
        let name = format!("a{c}b");
        refused("cgc_context", &json!({ "action": "create", "name": name }), Code::InvalidArgument, &["name"]);
    }
}

#[test]
fn names_that_the_program_would_take_for_folders_options_or_markup_are_refused() {
    for name in ["../x", "/x", "a/b", "..", ".", "-x", "--help", "[/x]", "[bold]", ":smile:", "a b", "", "é", "_a", "~"]
    {
        for action in ["create", "delete", "set_default"] {
            refused("cgc_context", &json!({ "action": action, "name": name }), Code::InvalidArgument, &["name"]);
        }
    }
}

#[test]
fn paths_outside_the_roots_name_the_roots_and_the_variable() {
    for (repository, output) in [("/etc", "o.cgc"), ("..", "o.cgc"), (".", "/tmp/o.cgc"), (".", "../o.cgc")] {
        let arguments = json!({ "repository": repository, "output": output });
        refused("cgc_bundle_export", &arguments, Code::NotAllowed, &["CGC_ALLOWED_ROOTS", "workspace"]);
    }
    // A link out of the workspace is the place that it leads to.
    let (place, host) = place();
    std::os::unix::fs::symlink("/etc", place.workspace().join("inside")).expect("a link");
    let arguments = json!({ "repository": "inside", "output": "o.cgc" });
    let outcome = place.session().call("cgc_bundle_export", &arguments, &host);
    assert_eq!(outcome.code, Some(Code::NotAllowed), "{}", outcome.text);
    // And a tilde is a letter like any other.
    let arguments = json!({ "repository": "~", "output": "~.cgc" });
    let outcome = place.session().call("cgc_bundle_export", &arguments, &Recorder::new(place.workspace()));
    assert_ne!(outcome.code, Some(Code::NotAllowed), "{}", outcome.text);
    assert_eq!(place.starts(), Vec::<String>::new());
}

/// The doctor's outcome in a place that this prepares: UNAVAILABLE, and its words.
fn unavailable(prepare: impl Fn(&Place)) -> String {
    let (place, host) = place();
    prepare(&place);
    let outcome = place.session().call("cgc_doctor", &json!({}), &host);
    assert_eq!(outcome.code, Some(Code::Unavailable), "{}", outcome.text);
    assert_eq!(place.starts(), Vec::<String>::new());
    outcome.text.replace(&place.root().display().to_string(), "ROOT")
}

fn mode(file: &std::path::Path, mode: u32) {
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).expect("its mode");
}

#[test]
fn reasons_why_the_program_can_not_start_are_told_apart() {
    let cgc = |place: &Place| place.bin().join("cgc");
    let missing = unavailable(|place| fs::remove_file(cgc(place)).expect("removed"));
    assert!(missing.contains("pip install codegraphcontext"), "{missing}");
    let not_executable = unavailable(|place| mode(&cgc(place), 0o644));
    assert!(not_executable.contains("executable"), "{not_executable}");
    let broken = unavailable(|place| {
        write(&cgc(place), "#!/nowhere/python\n");
    });
    assert!(broken.contains("interpreter"), "{broken}");
    let no_program = unavailable(|place| write(&cgc(place), "no program\n"));
    assert!(no_program.contains("#!"), "{no_program}");
    let writable = unavailable(|place| mode(&cgc(place), 0o777));
    assert!(writable.contains("writ"), "{writable}");
    let no_folder = unavailable(|place| fs::remove_dir(place.workspace()).expect("removed"));
    assert!(no_folder.contains("working directory"), "{no_folder}");

    let told = [missing, not_executable, broken, no_program, writable, no_folder];
    for (at, text) in told.iter().enumerate() {
        assert!(!told[..at].contains(text), "told twice: {text}");
    }
}

#[test]
fn an_unknown_tool_is_refused() {
    refused("cgc_nothing", &json!({}), Code::InvalidArgument, &["cgc_nothing", "cgc_doctor"]);
}
