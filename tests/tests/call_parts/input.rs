//! What an agent can send: data in one element, or refused by name.

use serde_json::{Value as Json, json};
use verbgate::Code;
use verbgate_tests::Recorder;

use crate::support::{Stand, TOOL, all, host};

/// fake-tool itself, not behind a script: what it sees is what the runner gave.
fn bare(stand: &Stand) -> Recorder {
    host(&stand.place.workspace(), TOOL.as_ref())
}

#[test]
fn report_3_and_4_what_a_shell_would_obey_is_one_element_and_runs_nothing() {
    let stand = Stand::new();
    for text in [
        "$(touch P)",
        ";touch P",
        "`touch P`",
        "a && touch P",
        "| touch P",
        "> P",
        "a --b \"c d\"",
        "'",
        "\"",
        "\\",
        "$HOME",
        "*",
        "~",
        "!!",
        "%n",
        "{}",
        "a\u{301}\u{1f600}",
        "@file",
        "file:///etc/passwd",
    ] {
        let outcome = stand.session().call("fake_look", &json!({ "action": "argv", "text": text }), &bare(&stand));
        assert!(outcome.is_ok(), "{text}: {}", outcome.text);
        let argv = format!("{:?}", [TOOL, "mark", text, "argv"].map(str::to_owned).to_vec());
        assert!(outcome.text.contains(&argv), "{text}: {}", outcome.text);
    }
    let outcome = stand.session().call("fake_look", &json!({ "action": "argv", "text": "a\ntouch P" }), &bare(&stand));
    assert_eq!(outcome.code, Some(Code::InvalidArgument), "{}", outcome.text);
    assert_eq!(stand.seen().names().iter().find(|name| name.ends_with("/P")), None);
}

#[test]
fn report_1_a_value_that_would_be_an_option_is_refused() {
    let stand = Stand::new();
    for text in ["--output=F", "-x", "-", "--", "--force"] {
        for (tool, arguments) in [
            ("fake_look", json!({ "action": "argv", "text": text })),
            ("fake_look", json!({ "action": "say", "text": text })),
        ] {
            let host = stand.willing();
            let outcome = stand.session().call(tool, &arguments, &host);
            assert_eq!(outcome.code, Some(Code::InvalidArgument), "{text}: {}", outcome.text);
            assert!(outcome.text.contains("text"), "{}", outcome.text);
        }
    }
    assert_eq!(stand.place.starts(), Vec::<String>::new());
}

#[test]
fn report_10_a_configuration_that_can_not_be_read_denies_every_call() {
    let stand = Stand::new();
    for (tool, arguments) in [
        ("fake_look", json!({ "action": "say", "text": "a" })),
        ("fake_write", json!({ "action": "good", "out": "o" })),
        ("fake_change", json!({ "action": "add", "name": "a" })),
    ] {
        let host = stand.willing().broken("line 1 is no JSON");
        let outcome = stand.session().call(tool, &arguments, &host);
        assert_eq!(outcome.code, Some(Code::Unavailable), "{}", outcome.text);
        assert!(outcome.text.contains("line 1 is no JSON"), "{}", outcome.text);
        // One setting that can't be read is as bad: what it would have said is not known.
        for (key, value) in [("fake.redact", json!("perhaps")), ("fake.budget", json!("a lot")), ("fake", json!(7))] {
            let outcome = stand.session().call(tool, &arguments, &stand.willing().user(key, value));
            assert_eq!(outcome.code, Some(Code::Unavailable), "{key}: {}", outcome.text);
            assert!(outcome.text.contains(key), "{}", outcome.text);
        }
    }
    assert_eq!(stand.place.starts(), Vec::<String>::new());
}

#[test]
fn report_11_a_program_that_reads_its_input_ends_at_once_however_many_calls_are_queued() {
    let stand = Stand::new();
    let (session, host) = (stand.session(), stand.host());
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let outcome = session.call("fake_look", &json!({ "action": "cat" }), &host);
                assert!(outcome.is_ok(), "{}", outcome.text);
            });
        }
    });
}

#[test]
fn report_19_the_program_gets_the_declared_variables_and_no_other() {
    let stand = Stand::new();
    let session = stand.session_with(&[
        ("FAKE_API_KEY", "0123456789abcdef"),
        ("LD_PRELOAD", "/evil.so"),
        ("PRIVATE_NOTE", "not-handed-on"),
        ("BASH_ENV", "/evil"),
    ]);
    let outcome = session.call("fake_look", &json!({ "action": "env" }), &bare(&stand));
    let (_, output) = outcome.text.split_once("]\u{20}---\n").expect("output between marks");
    let names: Vec<_> = output.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    assert_eq!(names, ["HOME", "LANG", "PATH"], "{}", outcome.text);
}

#[test]
fn arguments_of_absurd_size_and_odd_shapes_are_refused_by_name_and_nothing_runs() {
    let stand = Stand::new();
    let long = "x".repeat(5_000_000);
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    for (tool, arguments, names) in [
        ("fake_look", json!({ "action": "say", "text": long }), "text"),
        ("fake_look", json!({ "action": "say", "text": "a\u{0}b" }), "text"),
        ("fake_look", json!({ "action": "say", "text": "a\u{1b}[31m" }), "text"),
        ("fake_look", json!({ "action": "say", "text": "a\u{9b}b" }), "text"),
        ("fake_look", json!({ "action": "say", "text": "a\u{202e}b" }), "text"),
        ("fake_look", json!({ "action": "say", "text": ["a"] }), "text"),
        ("fake_look", json!({ "action": "say", "text": { "a": 1 } }), "text"),
        ("fake_look", json!({ "action": "say", "text": deep }), "text"),
        ("fake_look", json!({ "action": "say", "text": 7 }), "text"),
        ("fake_look", json!({ "action": "say", "text": "a", "more": 1 }), "more"),
        ("fake_look", json!({ "action": "say" }), "text"),
        ("fake_look", json!({ "action": long.clone() }), "action"),
        ("fake_look", json!({ "action": "flood", "count": 9_007_199_254_740_993_u64 }), "count"),
        ("fake_look", json!({ "action": "flood", "count": 1.5 }), "count"),
        ("fake_look", json!({ "action": "flood", "count": -0.0 }), "count"),
        ("fake_look", json!({ long.clone(): 1 }), "action"),
        ("fake_write", json!({ "action": "good", "out": long.clone() }), "out"),
        ("fake_secret", json!({ "action": "variable", "token": long.clone(), "out": "41" }), "token"),
        ("fake_look", Json::Null, "object"),
        ("fake_look", json!([long.clone()]), "object"),
    ] {
        let host = stand.willing();
        let outcome = stand.session().call(tool, &arguments, &host);
        assert_eq!(outcome.code, Some(Code::InvalidArgument), "{names}: {}", outcome.text);
        assert!(outcome.text.contains(names), "{names}: {}", outcome.text);
        assert!(all(&outcome).len() < 64 * 1024, "{names}: {} bytes", all(&outcome).len());
        assert_eq!(host.asked().len(), 0);
    }
    assert_eq!(stand.place.starts(), Vec::<String>::new());
}

#[test]
fn a_tool_name_of_absurd_size_gives_a_short_answer() {
    let stand = Stand::new();
    let outcome = stand.session().call(&"x\u{1b}[2J".repeat(1_000_000), &json!({}), &stand.host());
    assert_eq!(outcome.code, Some(Code::InvalidArgument));
    assert!(all(&outcome).len() < 64 * 1024, "{} bytes", all(&outcome).len());
    assert!(!all(&outcome).contains('\u{1b}'));
}

#[test]
fn an_argument_that_no_system_takes_is_refused_and_nothing_runs() {
    let stand = Stand::new();
    let arguments = json!({ "action": "long", "much": "x".repeat(5_000_000) });
    let outcome = stand.session().call("fake_look", &arguments, &stand.host());
    assert_eq!(outcome.code, Some(Code::InvalidArgument), "{}", outcome.text);
    assert!(outcome.text.contains("longer than the system takes"), "{}", outcome.text);
    assert!(all(&outcome).len() < 64 * 1024, "{} bytes", all(&outcome).len());
    assert_eq!(stand.place.starts(), Vec::<String>::new());
}

#[test]
fn limits_of_nothing_and_of_absurd_size_are_refused_when_a_session_is_made() {
    use verbgate::process::RunnerOptions;
    for runner in [
        RunnerOptions { at_once: 0, ..RunnerOptions::default() },
        RunnerOptions { at_once: usize::MAX, ..RunnerOptions::default() },
        RunnerOptions { keep: 0, ..RunnerOptions::default() },
        RunnerOptions { keep: usize::MAX, ..RunnerOptions::default() },
    ] {
        let options = verbgate::session::SessionOptions { runner, ..Default::default() };
        let catalogue = std::borrow::Cow::Owned(crate::support::CATALOGUE.clone());
        assert!(verbgate::session::Session::new(catalogue, options).is_err());
    }
}
