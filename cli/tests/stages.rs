//! Result stages and secrets through the command itself: what `call` prints with a stage switched on by `--config`.
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test that can't go on says why

use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};
use verbgate_tests::Place;
use verbgate_tests::place::write;

const SECRET: &str = "correct horse/battery";
const LIST: &[&str] = &["call", "cgc_context", "--json", r#"{"action": "list"}"#];

/// What a call prints: status, standard output, standard error.
type Printed = (i32, String, String);

#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn verbgate(place: &Place, arguments: &[&str]) -> Printed {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verbgate"));
    command.env_clear().envs(place.environment().iter()).env("API_TOKEN", SECRET).current_dir(place.workspace());
    let output = command.args(arguments).stdin(Stdio::null()).output().expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

/// A place whose program lists no contexts and prints `more`, in the form of printf.
fn place(more: &str) -> Place {
    let place = Place::without_program();
    let list = "Current Mode: global\\n\\nNo custom contexts defined.\\n";
    place.install(&place.bin(), &format!("printf '{list}{more}' >&2; printf '{more}'"));
    place
}

/// Lists the contexts with this configuration; text, or JSON.
fn list(place: &Place, user: &Json, json: bool) -> Printed {
    let file = place.root().join("config.json");
    write(&file, &user.to_string());
    let config = file.display().to_string();
    let more: &[&str] = if json { &["--config", &config, "--format", "json"] } else { &["--config", &config] };
    verbgate(place, &[LIST, more].concat())
}

/// Without what each call draws and measures anew.
fn steady(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("---"));
    lines.collect::<Vec<_>>().join("\n")
}

fn steady_json(text: &str) -> Json {
    let mut json: Json = serde_json::from_str(text).expect("one object");
    json["details"].as_object_mut().expect("details").shift_remove("milliseconds");
    json["text"] = steady(json["text"].as_str().expect("a text")).into();
    json
}

#[test]
fn observe_switched_on_by_the_configuration_measures_on_standard_error_and_changes_nothing() {
    let place = place("");
    let (status, off, quiet) = list(&place, &json!({}), false);
    assert_eq!((status, quiet.as_str()), (0, ""));
    let on = json!({ "stages": { "context_gateway": "observe" } });
    let (status, observed, told) = list(&place, &on, false);
    assert_eq!((status, steady(&observed)), (0, steady(&off)));
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.starts_with("note: `context_gateway` measured {"), "{told}");
    let measured: Json = serde_json::from_str(&told[told.find('{').expect("an object")..]).expect("JSON");
    assert_eq!((&measured["tool"], &measured["blocks"]), (&json!("cgc_context"), &json!({ "text": 1 })));
    assert!(measured["bytes"].as_u64().is_some_and(|bytes| bytes > 20));
    let (off, on) = (list(&place, &json!({}), true).1, list(&place, &on, true).1);
    assert_eq!(steady_json(&on), steady_json(&off));
}

#[test]
fn enforce_in_the_configuration_is_refused_with_the_reason_and_the_call_goes_on() {
    let place = place("");
    let (status, out, told) = list(&place, &json!({ "stages": { "context_gateway": "enforce" } }), false);
    assert_eq!(status, 0, "{out}");
    assert!(told.contains("context_gateway") && told.contains("put raw content back"), "{told}");
    assert!(!told.contains("measured"), "{told}");
}

#[test]
fn the_normaliser_switched_on_by_the_configuration_leaves_this_projects_own_results_as_they_are() {
    let place = place("some text\\n");
    let on = json!({ "stages": { "truncation_metadata_normalizer": true } });
    let (off, on) = (list(&place, &json!({}), true), list(&place, &on, true));
    assert_eq!((on.0, on.2.as_str()), (off.0, ""));
    assert_eq!(steady_json(&on.1), steady_json(&off.1));
}

#[test]
fn the_sanitiser_switched_on_by_the_configuration_masks_what_the_call_itself_was_told_to_leave() {
    let place = place("a correct horse/battery b\\n");
    let redact_off = json!({ "output": { "redact": false } });
    let (_, shown, _) = list(&place, &redact_off, false);
    assert!(shown.contains(SECRET) && !shown.contains("redacted"), "{shown}");
    let both = json!({ "output": { "redact": false }, "stages": { "credential_firewall": true } });
    for json in [false, true] {
        let (status, masked, told) = list(&place, &both, json);
        assert_eq!((status, told.as_str()), (0, ""));
        assert!(!masked.contains(SECRET) && masked.contains("(redacted: API_TOKEN)"), "{masked}");
    }
}

#[test]
fn report_18_standard_output_holds_the_answer_alone_and_no_secret_comes_out_on_either_stream() {
    let hex = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    let forms = [SECRET, &hex, "correct%20horse%2Fbattery", "Y29ycmVjdCBob3JzZS9iYXR0ZXJ5"];
    let printed = forms.iter().map(|form| format!("x {} y\\n", form.replace('%', "%%"))).collect::<Vec<_>>().concat();
    // Its own words on the terminal's devices are its output, too.
    let place = place(&format!("{printed}correct horse\\n/battery\\n\\033[31mcorrect \\033[0mhorse/battery\\n\\377"));
    for config in [json!({}), json!({ "callLog": place.root().join("calls.jsonl") })] {
        let (status, out, told) = list(&place, &config, true);
        let answer: Json = serde_json::from_str(&out).expect("one object and nothing else");
        assert_eq!((status, &answer["code"]), (0, &json!("OK")), "{answer}");
        let text = answer["text"].as_str().expect("a text");
        assert_eq!(text.matches("(redacted: API_TOKEN)").count(), 6, "{text}");
        let logged = std::fs::read_to_string(place.root().join("calls.jsonl")).unwrap_or_default();
        for place in [out.as_str(), text, &told, &logged] {
            for form in forms.into_iter().chain(["/battery"]) {
                assert!(!place.contains(form), "{form} in {place}");
            }
        }
    }
}

#[test]
fn a_masked_value_is_neither_asked_about_nor_rendered() {
    let place = place("");
    let arguments = json!({ "action": "delete", "name": "correct horse/battery" }).to_string();
    for command in ["call", "render"] {
        let (status, out, told) = verbgate(&place, &[command, "cgc_context", "--json", &arguments]);
        assert_eq!(status, 1, "{out}");
        assert!(!out.contains("battery") && !told.contains("battery"), "{out}{told}");
    }
    let folder = place.workspace().join(SECRET);
    std::fs::create_dir_all(&folder).expect("a folder");
    let arguments = json!({ "repository": SECRET, "output": "o.cgc" }).to_string();
    for command in ["call", "render"] {
        let (status, out, told) = verbgate(&place, &[command, "cgc_bundle_export", "--json", &arguments]);
        assert_eq!(status, 1, "{out}");
        assert!(out.contains("INVALID_ARGUMENT: `repository` holds what is masked as a secret (`API_TOKEN`)"), "{out}");
        assert!(!out.contains("battery") && !told.contains("battery"), "{out}{told}");
    }
    assert_eq!(place.starts(), Vec::<String>::new());
}

#[test]
fn half_a_surrogate_pair_is_answered_wherever_it_comes_from() {
    let place = place("\\355\\240\\200 and \\355\\260\\200\\n");
    for text in [
        r#"{"action": "\ud800"}"#,
        r#"{"action": "\udc00"}"#,
        r#"{"action": "\udc00\ud800"}"#,
        r#"{"action": "a\ud83d"}"#,
        r#"{"\ud800": "list"}"#,
        r#"{"action": ["\ud800"]}"#,
        r#"{"action": "\ud800x"}"#,
    ] {
        for command in ["call", "render"] {
            let (status, out, told) = verbgate(&place, &[command, "cgc_context", "--json", text]);
            assert_eq!((status, out.as_str()), (2, ""), "{text}: {told}");
            assert!(told.starts_with("error: --json holds no JSON") && !told.contains("panicked"), "{told}");
        }
    }
    let file = place.root().join("surrogate.json");
    write(&file, r#"{"callLog": "\ud800"}"#);
    let config = file.display().to_string();
    let (status, _, told) = verbgate(&place, &[LIST, &["--config", &config]].concat());
    assert_eq!(status, 2);
    assert!(told.contains("surrogate.json") && !told.contains("panicked"), "{told}");
    assert_eq!(place.starts(), Vec::<String>::new());
    // What a program prints is no JSON: bytes that are no UTF-8 become U+FFFD. A whole pair is a character.
    let (status, out, told) = verbgate(&place, LIST);
    assert_eq!((status, told.as_str()), (0, ""));
    assert!(out.contains("\u{fffd} and \u{fffd}"), "{out}");
    let (status, out, _) = verbgate(&place, &["call", "cgc_context", "--json", r#"{"action": "\ud83d\ude00"}"#]);
    assert_eq!(status, 1);
    assert!(out.starts_with("INVALID_ARGUMENT"), "{out}");
}
