//! The binary as a person or a script sees it: help, exit statuses, streams, and input that nobody should send.
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test that can't go on says why

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};
use verbgate_tests::Place;
use verbgate_tests::place::write;

/// The binary in a place, without a terminal.
fn verbgate(place: &Place) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verbgate"));
    command.env_clear().envs(place.environment().iter()).current_dir(place.workspace()).stdin(Stdio::null());
    command
}

#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn run(command: &mut Command) -> Output {
    command.output().expect("the binary starts")
}

/// Status, standard output, standard error.
fn ends(place: &Place, arguments: &[&str]) -> (i32, String, String) {
    let output = run(verbgate(place).args(arguments));
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let status = output.status.code().unwrap_or_else(|| panic!("{arguments:?} ended by a signal"));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(!err.contains("panicked"), "{arguments:?}: {err}");
    assert!(!out.contains('\u{1b}') && !err.contains('\u{1b}'), "{arguments:?}: colours though nobody sees them");
    (status, out, err)
}

fn json_of(place: &Place, arguments: &[&str]) -> (i32, Json) {
    let (status, out, err) = ends(place, arguments);
    let json = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {out:?} {err}"));
    (status, json)
}

/// A place with a program that lists no contexts and leaves a trace.
fn place() -> Place {
    let place = Place::without_program();
    place.install(&place.bin(), "printf 'Current Mode: global\\n\\nNo custom contexts defined.\\n' >&2");
    place
}

#[test]
fn help_says_what_there_is() {
    let place = Place::without_program();
    for command in ["", "tools", "schema", "render", "call", "check", "explain", "classify"] {
        let arguments: Vec<&str> = [command, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        let (status, out, err) = ends(&place, &arguments);
        assert_eq!((status, err.as_str()), (0, ""));
        insta::assert_snapshot!(format!("help {command}").trim().replace(' ', "_"), out);
    }
    let (status, out, _) = ends(&place, &["--version"]);
    assert_eq!((status, out.starts_with("verbgate ")), (0, true));
}

#[test]
fn a_wrong_command_line_is_two_and_says_why_on_standard_error() {
    let place = place();
    for arguments in [
        &[][..],
        &["unknown"],
        &["tools", "--bogus"],
        &["call"],
        &["call", "cgc_doctor", "--yes"],
        &["call", "cgc_doctor", "--force"],
        &["call", "cgc_doctor", "--json"],
        &["tools", "--format", "xml"],
        &["classify", "cgc_doctor"],
        &["classify", "cgc_doctor", "--exit", "256", "--stdout", "/dev/null", "--stderr", "/dev/null"],
        &["classify", "cgc_doctor", "--exit", "0", "--stdout", "/nowhere", "--stderr", "/dev/null"],
        &["classify", "cgc_doctor", "--exit", "0", "--stdout", "/", "--stderr", "/dev/null"],
        &["classify", "cgc_context", "--exit", "0", "--stdout", "/dev/null", "--stderr", "/dev/null"],
        &["classify", "cgc_doctor", "--action", "x", "--exit", "0", "--stdout", "/dev/null", "--stderr", "/dev/null"],
        &["classify", "nothing", "--exit", "0", "--stdout", "/dev/null", "--stderr", "/dev/null"],
        &["schema", "nothing"],
        &["call", "nothing"],
        &["render", "nothing"],
        &["explain", "VG9999"],
        &["explain", ""],
    ] {
        let (status, out, err) = ends(&place, arguments);
        assert_eq!(status, 2, "{arguments:?}: {err}");
        assert_eq!(out, "", "{arguments:?}");
        assert!(!err.is_empty(), "{arguments:?}");
    }
    assert_eq!(place.starts(), Vec::<String>::new());
}

#[test]
fn with_format_json_two_has_one_object_as_well() {
    let place = place();
    let no_streams = ["--exit", "0", "--stdout", "/nowhere", "--stderr", "/dev/null"];
    for arguments in [
        &["call", "nothing"][..],
        &["call", "cgc_doctor", "--json", "{"],
        &["render", "nothing"],
        &["schema", "nothing"],
        &["explain", "VG9999"],
        &[&["classify", "cgc_doctor"][..], &no_streams].concat(),
    ] {
        let (status, json) = json_of(&place, &[arguments, &["--format", "json"]].concat());
        assert_eq!(status, 2, "{arguments:?}");
        assert!(json["error"].as_str().is_some_and(|error| !error.is_empty()), "{arguments:?}: {json}");
    }
    assert_eq!(place.starts(), Vec::<String>::new());
}

#[test]
fn what_others_wrote_reaches_the_terminal_visible() {
    let place = place();
    let file = place.root().join("config.json");
    write(&file, "{\"\\u001b]0;owned\\u0007\\u202ex\": 1}");
    let odd = "x\u{1b}[31m\u{202e}";
    let config = file.to_str().expect("UTF-8");
    for arguments in [
        &["tools", "--config", config][..],
        &["call", odd],
        &["explain", odd],
        &["classify", "cgc_doctor", "--exit", odd, "--stdout", "/dev/null", "--stderr", "/dev/null"],
        &["classify", "cgc_context", "--action", odd, "--exit", "0", "--stdout", "/dev/null", "--stderr", "/dev/null"],
        &["classify", "cgc_doctor", "--exit", "0", "--stdout", odd, "--stderr", "/dev/null"],
        &["call", "cgc_doctor", "--config", odd],
        &["call", "cgc_doctor", "--json", odd],
        &[odd],
    ] {
        // No escape comes through: `ends` looks for that.
        let (_, _, err) = ends(&place, arguments);
        assert!(!err.is_empty() && !err.contains('\u{202e}') && !err.contains('\u{7}'), "{arguments:?}: {err:?}");
    }
}

#[test]
fn what_never_ends_is_not_read() {
    let place = place();
    let fifo = place.root().join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).expect("a FIFO");
    let fifo = fifo.to_str().expect("UTF-8");
    for odd in [fifo, "/dev/zero", "/dev/tty", "/"] {
        let (status, _, err) = ends(&place, &["call", "cgc_doctor", "--config", odd]);
        assert_eq!(status, 2, "{odd}: {err}");
        assert!(err.contains("it is no regular file"), "{err}");
        for (stdout, stderr) in [(odd, "/dev/null"), ("/dev/null", odd)] {
            let run = ["classify", "cgc_doctor", "--exit", "0", "--stdout", stdout, "--stderr", stderr];
            let (status, _, err) = ends(&place, &run);
            assert_eq!((status, err.contains("it is no regular file")), (2, true), "{odd}: {err}");
        }
    }
    assert_eq!(place.starts(), Vec::<String>::new());
}

#[test]
fn a_report_of_thousands_of_mistakes_is_as_long_as_one_can_read_and_json_has_all() {
    let place = place();
    let file = place.root().join("tools.yaml");
    let keys = (0..3000).map(|at| format!("odd_{at}: 1")).collect::<Vec<_>>().join("\n");
    write(&file, &format!("manifest: 1\n{keys}"));
    let file = file.to_str().expect("UTF-8");
    let (status, _, err) = ends(&place, &["check", file]);
    assert_eq!((status, err.matches("error[").count()), (1, 200));
    assert!(err.trim_end().ends_with("more, which are left out here; mend these first, or read all as JSON"), "{err}");
    let (_, all) = json_of(&place, &["check", file, "--format", "json"]);
    assert!(all["diagnostics"].as_array().is_some_and(|all| all.len() >= 3000));
}

#[test]
fn help_that_cannot_be_written_is_a_failure() {
    let place = place();
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    for arguments in [&["--help"][..], &["--version"], &["tools"]] {
        let output = run(verbgate(&place).args(arguments).stdout(full()));
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("standard output can't be written"));
    }
}

#[test]
fn a_setting_that_no_call_can_use_is_noted_before_there_is_one() {
    let place = place();
    let file = place.root().join("config.json");
    let config = file.to_str().expect("UTF-8");
    for (text, key) in [
        (r#"{"output": {"budget": "1 B"}}"#, "output.budget"),
        (r#"{"cgc": {"timeoutMs": 5}}"#, "cgc.timeoutMs"),
        (r#"{"cgc": {"executable": ""}}"#, "cgc.executable"),
        (r#"{"output": 3}"#, "output"),
    ] {
        write(&file, text);
        let (status, out, err) = ends(&place, &["tools", "--config", config]);
        assert_eq!((status, out.is_empty()), (0, false), "{text}");
        assert!(err.contains(&format!("`{key}`")) && err.contains("no call of `cgc` runs"), "{text}: {err}");
        let (status, called) = json_of(&place, &["call", "cgc_doctor", "--config", config, "--format", "json"]);
        assert_eq!((status, &called["code"]), (1, &json!("UNAVAILABLE")), "{text}");
    }
    assert_eq!(place.starts(), Vec::<String>::new());
}

#[test]
fn text_that_is_no_json_is_two() {
    let place = place();
    let deep = format!("{}{}", "[".repeat(40), "]".repeat(40));
    for text in ["", "{", "nonsense", "{'a': 1}", r#"{"a": 1, "a": 2}"#, r#"{"a": "\ud800"}"#, "{} {}", "NaN", &deep] {
        for command in ["call", "render"] {
            let (status, out, err) = ends(&place, &[command, "cgc_doctor", "--json", text]);
            assert_eq!((status, out.as_str()), (2, ""), "{command} {text}: {err}");
            assert!(err.contains("--json"), "{err}");
        }
    }
    assert_eq!(place.starts(), Vec::<String>::new());
}

#[test]
fn refused_arguments_are_one_and_one_object() {
    let place = place();
    for (tool, arguments, code) in [
        ("cgc_doctor", "[]", "INVALID_ARGUMENT"),
        ("cgc_doctor", "null", "INVALID_ARGUMENT"),
        ("cgc_doctor", r#"{"x": 1}"#, "INVALID_ARGUMENT"),
        ("cgc_context", r#"{"action": "create", "name": "../x"}"#, "INVALID_ARGUMENT"),
        ("cgc_bundle_export", r#"{"repository": ".", "output": "/etc/o.cgc"}"#, "NOT_ALLOWED"),
        ("cgc_bundle_export", "{\"repository\": \".\", \"output\": \"\\u001b[2J.cgc\"}", "INVALID_ARGUMENT"),
    ] {
        let (status, called) = json_of(&place, &["call", tool, "--json", arguments, "--format", "json"]);
        assert_eq!((status, &called["code"]), (1, &json!(code)), "{called}");
        let keys: Vec<&String> = called.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["code", "message", "hint", "row", "fields", "text", "details"]);
        assert_eq!(called["row"], Json::Null);
        // `render` does all up to the question, with the same codes.
        let (status, rendered) = json_of(&place, &["render", tool, "--json", arguments, "--format", "json"]);
        assert_eq!((status, &rendered["code"]), (1, &json!(code)), "{rendered}");
        let (status, out, _) = ends(&place, &["call", tool, "--json", arguments]);
        assert_eq!(status, 1);
        assert!(out.starts_with(code), "{out}");
    }
    assert_eq!(place.starts(), Vec::<String>::new());
}

#[test]
fn a_call_without_a_terminal_is_declined_and_starts_nothing() {
    let place = place();
    let arguments = r#"{"repository": ".", "output": "o.cgc"}"#;
    let mut command = verbgate(&place);
    // In a session of its own it has no controlling terminal, whatever started the tests.
    command.args(["call", "cgc_bundle_export", "--json", arguments, "--format", "json"]);
    let mut setsid = Command::new("setsid");
    setsid.arg("--wait").arg(command.get_program()).args(command.get_args());
    setsid.env_clear().envs(place.environment().iter()).current_dir(place.workspace());
    let output = run(setsid.stdin(Stdio::null()));
    let called: Json = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(called["code"], "DECLINED", "{called}");
    assert!(called["text"].as_str().is_some_and(|text| text.contains("terminal")), "{called}");
    assert_eq!(place.starts(), Vec::<String>::new());
}

#[test]
fn a_reading_call_answers_on_standard_output() {
    let place = place();
    let (status, called) =
        json_of(&place, &["call", "cgc_context", "--json", r#"{"action": "list"}"#, "--format", "json"]);
    assert_eq!((status, &called["code"]), (0, &json!("OK")), "{called}");
    assert_eq!(called["fields"], json!({ "mode": "global", "contexts": [] }));
    assert_eq!(called["row"], Json::Null);
    assert_eq!(place.ran(), ["context list"]);
    let (status, out, err) = ends(&place, &["call", "cgc_context", "--json", r#"{"action": "list"}"#]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("ok\nmode: "), "{out}");
}

#[test]
fn render_shows_argv_class_and_question_and_starts_nothing() {
    let place = place();
    fs::create_dir(place.workspace().join("repo")).expect("a folder");
    let arguments = r#"{"repository": "repo", "output": "o.cgc"}"#;
    let workspace = place.workspace().display().to_string();
    let expected = |program: &str| {
        json!([program, "bundle", "export", format!("--repo={workspace}/repo"), "--", format!("{workspace}/o.cgc")])
    };
    let (status, rendered) = json_of(&place, &["render", "cgc_bundle_export", "--json", arguments, "--format", "json"]);
    assert_eq!((status, &rendered["code"], &rendered["class"]), (0, &json!("OK"), &json!("file_write")), "{rendered}");
    assert_eq!(rendered["argv"], expected(&place.bin().join("cgc").display().to_string()));
    let question = rendered["question"].as_str().expect("a question");
    assert!(question.contains(&format!("{workspace}/o.cgc")) && question.contains("new file"), "{question}");

    // In another folder, given by hand.
    let (status, there) = json_of(&place, &["render", "cgc_doctor", "--cwd", "repo", "--format", "json"]);
    assert_eq!((status, &there["question"]), (0, &Json::Null), "{there}");

    // Without the program its bare name stands there.
    fs::remove_file(place.bin().join("cgc")).expect("removed");
    let (status, rendered) = json_of(&place, &["render", "cgc_bundle_export", "--json", arguments, "--format", "json"]);
    assert_eq!((status, &rendered["argv"]), (0, &expected("cgc")), "{rendered}");
    assert_eq!(rendered["code"], "UNAVAILABLE");
    assert_eq!(place.starts(), Vec::<String>::new());
}

#[test]
fn switched_off_tools_are_gone_and_calls_of_them_are_two() {
    let place = place();
    let file = place.root().join("config.json");
    write(&file, r#"{"tools": {"cliGap": {"enabled": false}}}"#);
    let config = file.to_str().expect("UTF-8");
    let (status, schemas) = json_of(&place, &["schema", "--config", config]);
    assert_eq!((status, schemas), (0, json!([])));
    let (status, out, err) = ends(&place, &["tools", "--config", config]);
    assert_eq!((status, out.as_str()), (0, ""));
    assert!(err.contains("tools.cliGap.enabled"), "{err}");
    let (status, tools) = json_of(&place, &["tools", "--config", config, "--format", "json"]);
    assert_eq!((status, tools), (0, json!([])));
    for command in ["call", "render"] {
        let (status, out, err) = ends(&place, &[command, "cgc_doctor", "--config", config]);
        assert_eq!((status, out.as_str()), (2, ""));
        assert!(err.contains("tools.cliGap.enabled"), "{err}");
    }
    // The environment wins over the key.
    let mut command = verbgate(&place);
    command.args(["schema", "--config", config]).env("CGC_TOOLS_CLI_GAP_ENABLED", "true");
    let schemas: Json = serde_json::from_slice(&run(&mut command).stdout).expect("JSON");
    assert_eq!(schemas.as_array().map(Vec::len), Some(3));
    assert_eq!(place.starts(), Vec::<String>::new());
}

#[test]
fn a_broken_configuration_is_reported_and_switches_the_tools_off() {
    let place = place();
    let file = place.root().join("config.json");
    let config = file.to_str().expect("UTF-8");
    for text in ["", "{", "[]", "3", r#"{"a": 1, "a": 2}"#] {
        write(&file, text);
        let (status, out, err) = ends(&place, &["call", "cgc_doctor", "--config", config]);
        assert_eq!((status, out.as_str()), (2, ""), "{text}");
        assert!(err.contains("config.json"), "{text}: {err}");
    }
    let (status, _, err) = ends(&place, &["call", "cgc_doctor", "--config", "/nowhere.json"]);
    assert_eq!(status, 2);
    assert!(err.contains("/nowhere.json"), "{err}");
    assert_eq!(place.starts(), Vec::<String>::new());
}

#[test]
fn schema_is_what_a_client_is_told() {
    let place = Place::without_program();
    let (status, schemas) = json_of(&place, &["schema"]);
    assert_eq!(status, 0);
    insta::assert_snapshot!("schema", serde_json::to_string_pretty(&schemas).expect("JSON"));
    let (_, one) = json_of(&place, &["schema", "cgc_doctor"]);
    assert_eq!(one.as_array().map(Vec::len), Some(1));
    assert_eq!(one[0], schemas[2]);
    let (_, out, _) = ends(&place, &["tools"]);
    insta::assert_snapshot!("tools", out);
}

#[test]
fn classify_gives_zero_whatever_the_code_and_reads_any_bytes() {
    let place = Place::without_program();
    let (out_file, err_file) = (place.root().join("out"), place.root().join("err"));
    let classify = |exit: &str, out: &[u8], err: &[u8]| {
        fs::File::create(&out_file).and_then(|mut file| file.write_all(out)).expect("written");
        fs::File::create(&err_file).and_then(|mut file| file.write_all(err)).expect("written");
        let (out, err) = (out_file.to_str().expect("UTF-8"), err_file.to_str().expect("UTF-8"));
        let words =
            ["classify", "cgc_bundle_export", "--exit", exit, "--stdout", out, "--stderr", err, "--format", "json"];
        let (status, json) = json_of(&place, &words);
        assert_eq!(status, 0, "{json}");
        json
    };
    let ok = classify("0", b"", "✅ Successfully exported to /w/o.cgc\n   Nodes: 25 | Edges: 29\n".as_bytes());
    assert_eq!((&ok["code"], &ok["row"]), (&json!("OK"), &Json::Null), "{ok}");
    assert_eq!(ok["fields"], json!({ "nodes": 25, "edges": 29 }));
    let failed = classify("1", b"", b"Export failed: No nodes to export. Index the repository first\n");
    assert_eq!((&failed["code"], &failed["row"]), (&json!("NOT_FOUND"), &json!("export[0]")), "{failed}");
    // Arguments are not known: their placeholders stay.
    assert!(failed["message"].as_str().is_some_and(|message| message.contains("<repository>")), "{failed}");
    // No marks around the program's words.
    assert!(failed["text"].as_str().is_some_and(|text| text.contains("No nodes to export")), "{failed}");
    assert_eq!(classify("1", &[0xff, 0x00, 0x1b, 0x9b, 0xc3], &vec![0xfe; 200_000])["code"], "COMMAND_FAILED");
    // Head and tail of a large file are seen as in a call.
    let mut large = vec![b'x'; 3 << 20];
    large.extend_from_slice(b"\nExport failed: No nodes to export. Index\n");
    assert_eq!(classify("1", b"", &large)["row"], "export[0]");
    assert_eq!(classify("SIGKILL", b"", b"")["code"], "COMMAND_FAILED");
    assert_eq!(classify("-9", b"", b"")["code"], "COMMAND_FAILED");
}

#[test]
fn explain_knows_every_code_in_any_case() {
    let place = Place::without_program();
    for entry in verbgate_codegen::codes::all() {
        let (status, json) = json_of(&place, &["explain", &entry.code.to_lowercase(), "--format", "json"]);
        assert_eq!((status, &json["code"]), (0, &json!(entry.code)));
        let (status, out, _) = ends(&place, &["explain", entry.code]);
        assert_eq!(status, 0);
        assert!(out.starts_with(entry.code), "{out}");
    }
}

#[test]
fn check_reports_on_standard_error() {
    let place = Place::without_program();
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools.yaml");
    let (status, out, err) = ends(&place, &["check", manifest.to_str().expect("UTF-8")]);
    assert_eq!(status, 0, "{out}{err}");
    let broken = place.workspace().join("broken.yaml");
    write(&broken, "manifest: 1\ntools: [1\nx: &a 2\n");
    let (status, out, err) = ends(&place, &["check", "broken.yaml"]);
    assert_eq!((status, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("error[VG0") && err.contains("broken.yaml"), "{err}");
    let (status, json) = json_of(&place, &["check", "broken.yaml", "--format", "json"]);
    assert_eq!(status, 1, "{json}");
    let (status, _, err) = ends(&place, &["check", "missing.yaml"]);
    assert_eq!(status, 1);
    assert!(err.contains("missing.yaml"), "{err}");
}

#[test]
fn arguments_that_are_no_text_or_hold_control_characters_are_refused_without_a_panic() {
    let place = place();
    for bytes in [&b"\xff\xfe"[..], b"\x1b[2J", b"a\nb", b"--json=\xff", b"--cwd=\xff", b"--config=\xff"] {
        for command in ["call", "render", "schema", "explain", "check", "classify", "tools"] {
            let output = run(verbgate(&place).arg(command).arg("cgc_doctor").arg(OsStr::from_bytes(bytes)));
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code().is_some_and(|status| status != 101), "{command} {bytes:?}: {err}");
            assert!(!err.contains("panicked") && !err.contains('\u{1b}'), "{command} {bytes:?}: {err}");
        }
        let output = run(verbgate(&place).arg("call").arg(OsStr::from_bytes(bytes)));
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code().is_some_and(|status| status != 101), "{bytes:?}: {err}");
        assert!(!err.contains('\u{1b}'), "{err}");
    }
}

#[test]
fn a_closed_standard_output_is_no_panic() {
    let place = place();
    for arguments in [&["schema"][..], &["tools"], &["--help"], &["--version"], &["explain", "VG0001"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = run(verbgate(&place).args(arguments).stdout(writer));
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code().is_some_and(|status| status != 101), "{arguments:?}: {err}");
        assert_eq!(err, "", "{arguments:?}");
    }
    // A full disk is said.
    let full = fs::File::options().write(true).open("/dev/full").expect("the device");
    let output = run(verbgate(&place).arg("schema").stdout(full));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("standard output"));
}
