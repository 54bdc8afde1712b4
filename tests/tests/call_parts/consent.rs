//! Nothing happens without a yes for exactly what happens (contract C2), whatever is done while the question stands.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value as Json, json};
use verbgate::Code;
use verbgate::host::{Answer, Identity};
use verbgate_tests::captured::Folder;
use verbgate_tests::host::identity;

use crate::support::{CATALOGUE, Stand, host, set_mode, write};

/// A call of each verb whose class asks.
fn asking() -> Vec<(&'static str, Json)> {
    let mut calls: Vec<(&str, Json)> = Vec::new();
    for tool in CATALOGUE.files[0].tools.iter() {
        for verb in tool.verbs.iter().filter(|verb| verb.class.asks()) {
            let action = verb.action.as_deref().expect("an action");
            let arguments = match (&*tool.name, action) {
                ("fake_write", action) => json!({ "action": action, "out": "sub/out.txt" }),
                ("fake_change", "replace") => json!({ "action": action, "name": "a" }),
                ("fake_change", action) => {
                    json!({ "action": action, "name": "a", "flag": "flag", "record": "record", "state": "good" })
                }
                (_, action) => json!({ "action": action, "token": "hunter2hunter2", "out": "41" }),
            };
            let name = ["fake_write", "fake_change", "fake_secret"].into_iter().find(|name| *name == tool.name);
            calls.push((name.expect("a tool of the table"), arguments));
        }
    }
    assert!(calls.len() > 10);
    calls
}

/// A stand whose workspace holds a file to replace.
fn stand() -> Stand {
    let stand = Stand::new();
    fs::create_dir(stand.inside("sub")).expect("a folder");
    write(&stand.inside("sub/out.txt"), "precious");
    stand
}

#[test]
fn report_31_every_asking_verb_is_declined_without_a_yes_and_leaves_no_trace() {
    let stand = stand();
    let before = stand.seen();
    for (tool, arguments) in asking() {
        for answer in [None, Some(Answer::No), Some(Answer::NoAnswer("closed".into()))] {
            let said = format!("{tool} {arguments} {answer:?}");
            let host = match answer {
                Some(answer) => stand.host().answering(answer),
                None => stand.host(),
            };
            let outcome = stand.session().call(tool, &arguments, &host);
            assert_eq!(outcome.code, Some(Code::Declined), "{said}: {}", outcome.text);
            assert!(outcome.text.contains("nothing was run"), "{}", outcome.text);
            assert_eq!(host.asked().len(), 1, "{said}");
            // Not started, not staged, not locked, not written: not even a folder for locks.
            assert_eq!(before.changed(&stand.seen()), Vec::<String>::new(), "{said}");
        }
    }
    stand.nothing_is_left("declined");
}

#[test]
fn nothing_is_started_staged_or_locked_while_the_question_stands() {
    for (tool, arguments) in asking() {
        let stand = stand();
        let (root, before) = (stand.place.root().to_owned(), stand.seen());
        let host = stand.willing().while_asking(move |_| {
            assert_eq!(before.changed(&Folder::of(&root)), Vec::<String>::new());
        });
        // The table has verbs that hang: these are shown elsewhere.
        if arguments["action"].as_str() != Some("hangs") {
            stand.session().call(tool, &arguments, &host);
            assert_eq!(host.asked().len(), 1, "{tool} {arguments}");
            // A failed assertion in the hook is a dialog that failed: then nothing would have run.
            assert!(!stand.place.starts().is_empty(), "{tool} {arguments}: {:?}", host.logged());
        }
    }
}

/// What happens while a person is asked to write `sub/out.txt`, and the codes that may come of it.
type Attack = (&'static str, fn(&Stand2), &'static [Code]);

/// The paths that an attack needs, so that it can run in the host.
struct Stand2 {
    workspace: PathBuf,
    outside: PathBuf,
    program: PathBuf,
    sprung: PathBuf,
}

const ATTACKS: [Attack; 13] = [
    (
        "the parent becomes a link that leads out",
        |it| {
            fs::rename(it.workspace.join("sub"), it.workspace.join("was")).unwrap();
            symlink(&it.outside, it.workspace.join("sub")).unwrap();
        },
        &[Code::NotAllowed, Code::Declined],
    ),
    (
        "the parent becomes a link to another folder of the workspace",
        |it| {
            fs::rename(it.workspace.join("sub"), it.workspace.join("was")).unwrap();
            fs::create_dir(it.workspace.join("other")).unwrap();
            symlink("other", it.workspace.join("sub")).unwrap();
        },
        &[Code::Declined],
    ),
    (
        "the parent becomes another folder of its name",
        |it| {
            fs::rename(it.workspace.join("sub"), it.workspace.join("was")).unwrap();
            fs::create_dir(it.workspace.join("sub")).unwrap();
        },
        &[Code::Declined],
    ),
    (
        "the parent goes",
        |it| fs::rename(it.workspace.join("sub"), it.workspace.join("was")).unwrap(),
        &[Code::NotFound],
    ),
    (
        "something else is put at the destination",
        |it| {
            write(&it.workspace.join("sub/new"), "planted");
            fs::rename(it.workspace.join("sub/new"), it.workspace.join("sub/out.txt")).unwrap();
        },
        &[Code::Declined],
    ),
    (
        "the destination gets other content",
        |it| {
            write(&it.workspace.join("sub/out.txt"), "changed!");
        },
        &[Code::Declined],
    ),
    (
        "the destination becomes a link that leads out",
        |it| {
            fs::remove_file(it.workspace.join("sub/out.txt")).unwrap();
            symlink(it.outside.join("kept"), it.workspace.join("sub/out.txt")).unwrap();
        },
        &[Code::Declined],
    ),
    (
        "the destination becomes a folder",
        |it| {
            fs::remove_file(it.workspace.join("sub/out.txt")).unwrap();
            fs::create_dir(it.workspace.join("sub/out.txt")).unwrap();
        },
        &[Code::InvalidArgument],
    ),
    ("the destination goes", |it| fs::remove_file(it.workspace.join("sub/out.txt")).unwrap(), &[Code::Declined]),
    (
        "the program is rewritten",
        |it| {
            write(&it.program, &format!("#!/bin/sh\necho > '{}'\n", it.sprung.display()));
        },
        &[Code::Declined],
    ),
    (
        "the program is replaced",
        |it| {
            let new = it.program.with_file_name("new");
            write(&new, &format!("#!/bin/sh\necho > '{}'\n", it.sprung.display()));
            set_mode(&new, 0o755);
            fs::rename(new, &it.program).unwrap();
        },
        &[Code::Declined],
    ),
    ("everybody may write the program", |it| set_mode(&it.program, 0o777), &[Code::Unavailable]),
    (
        "the directory becomes another one of its name",
        |it| {
            fs::rename(&it.workspace, it.workspace.with_file_name("was")).unwrap();
            fs::create_dir_all(it.workspace.join("sub")).unwrap();
            write(&it.workspace.join("sub/out.txt"), "precious");
        },
        &[Code::Declined],
    ),
];

#[test]
fn whatever_is_swapped_while_a_person_is_asked_nothing_runs_and_nothing_outside_changes() {
    for (what, attack, codes) in ATTACKS {
        let stand = stand();
        let outside = stand.place.root().join("outside");
        fs::create_dir(&outside).expect("a folder");
        write(&outside.join("kept"), "kept");
        write(&outside.join("out.txt"), "kept, too");
        let (paths, root) = (
            Stand2 {
                workspace: stand.place.workspace(),
                outside,
                program: stand.program(),
                sprung: stand.place.root().join("sprung"),
            },
            stand.place.root().to_owned(),
        );
        let after_attack = std::sync::Arc::new(std::sync::Mutex::new(None));
        let seen = std::sync::Arc::clone(&after_attack);
        let host = stand.willing().while_asking(move |_| {
            attack(&paths);
            *seen.lock().unwrap() = Some(Folder::of(&root));
        });
        let arguments = json!({ "action": "good", "out": "sub/out.txt" });
        let outcome = stand.session().call("fake_write", &arguments, &host);
        assert!(outcome.code.is_some_and(|code| codes.contains(&code)), "{what}: {}", outcome.text);
        assert_eq!(stand.place.starts(), Vec::<String>::new(), "{what}: something ran");
        let after_attack = after_attack.lock().unwrap().take().expect("the attack was made");
        let changed: Vec<_> = after_attack.changed(&stand.seen());
        // A lock's folder stays; the lock itself does not.
        assert_eq!(changed.iter().filter(|name| *name != "run/locks").count(), 0, "{what}: {changed:?}");
        stand.nothing_is_left(what);
    }
}

#[test]
fn a_new_file_that_appears_at_the_destination_meanwhile_stays_as_it_is() {
    let stand = Stand::new();
    let out = stand.inside("o");
    let planted = out.clone();
    let host = stand.willing().while_asking(move |_| write(&planted, "planted"));
    let outcome = stand.session().call("fake_write", &json!({ "action": "good", "out": "o" }), &host);
    assert_eq!(outcome.code, Some(Code::Declined), "{}", outcome.text);
    assert!(outcome.text.contains("changed meanwhile"), "{}", outcome.text);
    assert_eq!(fs::read_to_string(out).unwrap(), "planted");
    assert_eq!(stand.place.starts(), Vec::<String>::new());
    stand.nothing_is_left("planted");
}

#[test]
fn what_the_program_would_obey_is_looked_for_again_after_the_yes() {
    let stand = Stand::new();
    let planted = stand.inside("obeyed.json");
    let host = stand.willing().while_asking(move |_| write(&planted, "{}"));
    let outcome = stand.session().call("fake_write", &json!({ "action": "good", "out": "o" }), &host);
    assert_eq!(outcome.code, Some(Code::NotAllowed), "{}", outcome.text);
    assert_eq!(stand.place.starts(), Vec::<String>::new());
    stand.nothing_is_left("obeyed");
}

#[test]
fn a_host_that_moves_to_another_folder_while_it_asks_runs_nothing() {
    let stand = Stand::new();
    let elsewhere = stand.place.root().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    let host = stand.willing().then_at(&elsewhere, identity());
    let outcome = stand.session().call("fake_change", &json!({ "action": "replace", "name": "a" }), &host);
    assert_eq!(outcome.code, Some(Code::Declined), "{}", outcome.text);
    assert_eq!(stand.place.starts(), Vec::<String>::new());
}

#[test]
fn a_yes_ends_with_its_session_and_runtime_and_whatever_else_it_came_from() {
    for then in [
        Identity { epoch: 2, ..identity() },
        Identity { session: "another".into(), ..identity() },
        Identity { call: "another".into(), ..identity() },
        Identity { workspace: "another".into(), ..identity() },
        Identity { attempt: 2, ..identity() },
    ] {
        let stand = Stand::new();
        let host = stand.willing().then_at(stand.place.workspace(), then);
        let outcome = stand.session().call("fake_change", &json!({ "action": "replace", "name": "zebra" }), &host);
        assert_eq!(outcome.code, Some(Code::Orphaned), "{}", outcome.text);
        assert_eq!(stand.place.starts(), Vec::<String>::new(), "{}", outcome.text);
    }
}

#[test]
fn the_classes_that_do_not_ask_do_not_ask_and_the_others_always_do() {
    let stand = Stand::new();
    for (tool, arguments, questions) in [
        ("fake_look", json!({ "action": "say", "text": "a" }), 0),
        ("fake_change", json!({ "action": "add", "name": "a" }), 0),
        ("fake_change", json!({ "action": "replace", "name": "a" }), 1),
        ("fake_write", json!({ "action": "good", "out": "o" }), 1),
    ] {
        let host = stand.willing();
        let session = stand.session();
        for round in 1..=2 {
            let outcome = session.call(tool, &arguments, &host);
            assert!(outcome.is_ok(), "{}", outcome.text);
            assert_eq!(host.asked().len(), questions * round, "{tool} {arguments}");
        }
    }
}

#[test]
fn a_question_that_would_be_too_long_is_refused_and_not_cut() {
    let stand = Stand::new();
    let arguments = json!({ "action": "replace", "name": "a".repeat(3000) });
    let host = stand.willing();
    let outcome = stand.session().call("fake_change", &arguments, &host);
    assert_eq!(outcome.code, Some(Code::InvalidArgument), "{}", outcome.text);
    assert_eq!((host.asked().len(), stand.place.starts().len()), (0, 0));
}

#[test]
fn three_times_no_and_nothing_is_asked_any_more() {
    let stand = Stand::new();
    let session = stand.session();
    let host = (0..4).fold(stand.host(), |host, _| host.answering(Answer::No));
    for name in ["a", "b", "c", "d"] {
        let outcome = session.call("fake_change", &json!({ "action": "replace", "name": name }), &host);
        assert_eq!(outcome.code, Some(Code::Declined), "{}", outcome.text);
    }
    assert_eq!((host.asked().len(), stand.place.starts().len()), (3, 0));
    // The same in another session was never declined.
    let again = host_of(&stand).answering(Answer::Yes);
    assert!(stand.session().call("fake_change", &json!({ "action": "replace", "name": "a" }), &again).is_ok());
}

fn host_of(stand: &Stand) -> verbgate_tests::Recorder {
    host(&stand.place.workspace(), &stand.program())
}
