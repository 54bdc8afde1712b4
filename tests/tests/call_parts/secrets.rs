//! One planted secret in every form that the redactor promises, and every place that a call writes to (contract C3).

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value as Json, json};
use verbgate::Code;
use verbgate::outcome::Outcome;
use verbgate::output::Stage;

use crate::support::{Stand, all, hex, host, session};

/// Holds what is encoded differently in each form, and is no shape that a rule knows.
const SECRET: &str = "pa/ss wörd?>~+\"q\\z";

fn percent(text: &str, lower: bool) -> String {
    text.bytes().fold(String::new(), |out, byte| {
        match (byte.is_ascii_alphanumeric() || b"-._~".contains(&byte), lower) {
            (true, _) => out + &char::from(byte).to_string(),
            (false, true) => format!("{out}%{byte:02x}"),
            (false, false) => format!("{out}%{byte:02X}"),
        }
    })
}

fn base64(bytes: &[u8], url: bool) -> String {
    let last: &[u8] = if url { b"-_" } else { b"+/" };
    let digit = |six: u32| match six {
        0..26 => b'A' + six as u8,
        26..52 => b'a' + (six - 26) as u8,
        52..62 => b'0' + (six - 52) as u8,
        six => last[six as usize - 62],
    };
    let mut out = String::new();
    for part in bytes.chunks(3) {
        let three = part.iter().chain([0, 0].iter()).take(3).fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
        (0..=part.len()).for_each(|at| out.push(char::from(digit(three >> (18 - 6 * at) & 63))));
    }
    out
}

/// Every promised form, and what of it must not be seen anywhere.
fn forms(secret: &str) -> Vec<(String, String)> {
    let whole = |text: String| (text.clone(), text);
    let json = Json::from(secret).to_string();
    let mut forms = vec![
        whole(secret.to_owned()),
        whole(json[1..json.len() - 1].to_owned()),
        whole(percent(secret, true)),
        whole(percent(secret, false)),
        whole(hex(secret)),
        whole(hex(secret).to_uppercase()),
    ];
    for url in [false, true] {
        for before in ["", "a", "ab"] {
            let text = base64(format!("{before}{secret}").as_bytes(), url);
            // The characters at the ends hold bits of what stands beside the secret.
            forms.push((text.clone(), text[4..text.len() - 4].to_owned()));
        }
    }
    let (first, second) = secret.split_at(4);
    forms.push((format!("{first}\n{second}"), second.to_owned()));
    forms.push((format!("{first}\u{1b}[31m{second}"), second.to_owned()));
    forms
}

/// Every file below a folder, as one text.
fn files(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        let path = entry.path();
        text.push_str(&entry.file_name().to_string_lossy());
        if path.is_dir() {
            text.push_str(&files(&path));
        } else if let Ok(bytes) = fs::read(&path) {
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
    text
}

/// The forms, each on a line, at the start, at the end and in the middle of what is kept.
fn output(secret: &str) -> Vec<u8> {
    let filler = "nothing to see here\n".repeat(300);
    let lines: String = forms(secret).into_iter().map(|(text, _)| format!("x {text} y\n")).collect();
    format!("{lines}{filler}{lines}{filler}{lines}").into_bytes()
}

/// Whether eight characters in a row of a form are left.
fn leaks(text: &str, form: &str) -> bool {
    let chars: Vec<char> = form.chars().collect();
    chars.windows(8).any(|part| text.contains(&part.iter().collect::<String>()))
}

/// Lets the place's program print bytes on both streams, and what it is given on its input.
fn prints(stand: &Stand, bytes: &[u8], exit: u8) {
    let payload = stand.place.root().join("payload");
    let mut file = fs::File::create(&payload).expect("a file");
    std::io::Write::write_all(&mut file, bytes).expect("written");
    let print = format!("cat - '{0}'; cat '{0}' >&2; exit {exit}", payload.display());
    stand.place.install(&stand.place.bin(), &print);
}

/// One call, and every place that it writes to but the process's own streams: what a host delivers, asks, shows, stores
/// and logs, and every file.
fn places(
    stand: &Stand,
    failing: Option<Stage>,
    tool: &str,
    arguments: &Json,
) -> (Outcome, Vec<(&'static str, String)>) {
    let log = stand.place.root().join("calls.jsonl");
    let host = stand.willing().wanting_progress().user("callLog", log.to_str().expect("UTF-8"));
    let session = stand.session_failing(&[("PRIVATE_NOTE", SECRET)], failing);
    let outcome = session.call(tool, arguments, &host);
    let logged = fs::read_to_string(&log).expect("a call log");
    assert_eq!(logged.lines().count(), 1);
    let asked: Vec<String> = host.asked().into_iter().map(|question| question.text).collect();
    let places = vec![
        ("text, fields, details", all(&outcome)),
        ("question", asked.join("\n")),
        ("progress", host.progressed().join("\n")),
        ("host's log", host.logged().join("\n")),
        ("spill", files(&stand.place.run())),
        ("call log", logged),
    ];
    (outcome, places)
}

const STAGES: [Option<Stage>; 5] =
    [None, Some(Stage::Strip), Some(Stage::Lines), Some(Stage::Redact), Some(Stage::Bound)];

#[test]
fn a_planted_secret_in_every_form_comes_out_nowhere_whatever_stage_panics() {
    let calls = [
        ("fake_secret", "variable", None),
        ("fake_look", "dies", Some(Code::CommandFailed)),
        ("fake_secret", "input", Some(Code::CommandFailed)),
    ];
    for (tool, action, code) in calls {
        for failing in STAGES {
            let stand = Stand::new();
            let mut arguments = json!({ "action": action, "out": hex(output(SECRET)) });
            if tool == "fake_secret" {
                arguments["token"] = json!(SECRET);
            }
            if action == "input" {
                // What is printed would stand in the question.
                arguments["out"] = json!("41");
                prints(&stand, &output(SECRET), 3);
            }
            let (outcome, places) = places(&stand, failing, tool, &arguments);
            // Asked about as `(secret)`; where that can't be looked through it is not asked.
            let code = if action == "input" && failing == Some(Stage::Redact) { Some(Code::Unavailable) } else { code };
            assert_eq!(outcome.code, code, "{failing:?}: the outcome stands: {}", outcome.text);
            for (place, text) in &places {
                for (printed, form) in forms(SECRET) {
                    assert!(!text.contains(&form), "{action}, {failing:?}: {place} shows {form} of {printed}");
                }
            }
            let text = |name: &str| &places.iter().find(|(place, _)| *place == name).expect("a place").1;
            match failing {
                None => {
                    assert!(outcome.text.contains("(redacted: "), "{}", outcome.text);
                    assert!(text("spill").contains("nothing to see here"), "there is a spill file");
                    assert!(!text("progress").is_empty());
                }
                Some(_) => {
                    assert!(outcome.text.contains("withheld"), "{failing:?}: {}", outcome.text);
                    assert!(!text("spill").contains("nothing to see here"));
                    assert!(text("host's log").contains("failed; its text was withheld") || code != outcome.code);
                }
            }
            let fields = Json::Object(outcome.fields.clone()).to_string();
            assert!(fields.len() <= 16 * 1024 && all(&outcome).len() < 128 * 1024, "{} bytes of fields", fields.len());
        }
    }
}

/// 200 KiB with a form over each border: of what is delivered, of the redactor's windows, of what is kept of a stream.
fn over_borders(form: &str, before: usize) -> Vec<u8> {
    const TOTAL: usize = 200 << 10;
    let mut bytes: Vec<u8> = b"nothing to see here\n".iter().copied().cycle().take(TOTAL).collect();
    let borders = [2 << 10, 4 << 10, 8 << 10, 16 << 10, 60 << 10, 64 << 10, TOTAL - (64 << 10), TOTAL - (8 << 10)];
    for border in borders.into_iter().chain([TOTAL - (4 << 10), TOTAL - form.len() + before]) {
        let start = border - before;
        bytes[start..start + form.len()].copy_from_slice(form.as_bytes());
    }
    bytes
}

#[test]
fn a_planted_secret_over_every_border_shows_no_part_of_itself() {
    for (at, (printed, form)) in forms(SECRET).into_iter().enumerate() {
        // Where exactly a border goes through is tried out in full below a call (`runtime/src/output/tests.rs`).
        {
            let before = [3, printed.len() / 2, printed.len() - 3][at % 3];
            let stand = Stand::new();
            let exit = if at % 2 == 0 { 0 } else { 3 };
            prints(&stand, &over_borders(&printed, before), exit);
            let arguments = json!({ "action": "variable", "token": SECRET, "out": "41" });
            let (outcome, places) = places(&stand, None, "fake_secret", &arguments);
            assert_eq!(outcome.is_ok(), exit == 0, "{}", outcome.text);
            assert!(outcome.text.contains("409600 bytes in all") || outcome.text.contains("204800 bytes in all"));
            for (place, text) in places {
                assert!(
                    !leaks(&text, &form),
                    "{place} shows a part of {form} of {printed:?}, {before} before the border"
                );
            }
        }
    }
}

#[test]
fn report_18_nothing_is_printed_by_the_process_itself_and_no_panics_text() {
    let searches = ["whatever_stage_panics", "a_refused_secret", "a_masked_value_is_never", "too_short_to_be_masked"];
    let mut this = Command::new(std::env::current_exe().expect("this binary"));
    let output = this.args(searches).args(["--nocapture", "--quiet"]).output().expect("it runs again");
    assert!(output.status.success());
    let printed = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("4 passed"), "{printed}");
    for (_, form) in forms(SECRET) {
        assert!(!leaks(&printed, &form), "{printed}");
    }
    assert!(!printed.contains("panicked") && !printed.contains("asked to fail"), "{printed}");
    assert!(output.stderr.is_empty(), "{printed}");
}

#[test]
fn a_secret_on_standard_input_is_asked_about_as_one_and_comes_out_nowhere() {
    let stand = Stand::new();
    let host = stand.willing().wanting_progress();
    let arguments = json!({ "action": "input", "token": SECRET, "out": "410a" });
    let outcome = stand.session().call("fake_secret", &arguments, &host);
    assert_eq!(outcome.code, Some(Code::CommandFailed), "{}", outcome.text);
    let question = host.asked()[0].text.clone();
    assert!(question.contains("(secret)"), "{question}");
    for text in [all(&outcome), question, host.progressed().join("\n"), host.logged().join("\n")] {
        for (_, form) in forms(SECRET) {
            assert!(!text.contains(&form), "{form}: {text}");
        }
    }
    assert!(outcome.text.contains("(redacted: token)"), "{}", outcome.text);
}

#[test]
fn a_masked_value_is_never_asked_about_and_the_refusal_names_it_without_its_value() {
    let token = format!("ghp_{}", "aB3".repeat(12));
    let (start, end) = SECRET.split_at(7);
    for (typed, named) in [
        (SECRET.to_owned(), "PRIVATE_NOTE"),
        (format!("a {SECRET} b"), "PRIVATE_NOTE"),
        (hex(SECRET), "PRIVATE_NOTE"),
        (percent(SECRET, false), "PRIVATE_NOTE"),
        (token.clone(), "github-token"),
        (format!("postgres://user:{}@host", "hunter2hunter2"), "url-password"),
    ] {
        let stand = Stand::new();
        let host = stand.willing().wanting_progress();
        let session = stand.session_with(&[("PRIVATE_NOTE", SECRET)]);
        let arguments = json!({ "action": "replace", "name": typed });
        let outcome = session.call("fake_change", &arguments, &host);
        assert_eq!(outcome.code, Some(Code::InvalidArgument), "{}", outcome.text);
        assert!(outcome.text.contains("`name`") && outcome.text.contains(named), "{}", outcome.text);
        assert!(host.asked().is_empty(), "no question holds it, masked or not");
        let rendered = session.render("fake_change", &arguments, &host);
        assert_eq!(rendered.failure.as_ref().map(|failure| failure.code), Some(Code::InvalidArgument));
        assert_eq!(rendered.question, None);
        let shown = format!("{rendered:?}");
        for text in [all(&outcome), host.logged().join("\n"), shown] {
            for secret in [SECRET, end, &token, "hunter2hunter2", &hex(SECRET), &percent(SECRET, false)] {
                assert!(!text.contains(secret) && !text.contains(&format!("{secret:?}")), "{secret} in {text}");
            }
        }
        assert!(stand.place.starts().is_empty());
    }
    // Nothing is hidden from a person: what is not masked is asked about in full, and whoever switches redaction off
    // sees all of it.
    let stand = Stand::new();
    for (host, name) in [(stand.willing(), start), (stand.willing().user("fake.redact", false), token.as_str())] {
        let arguments = json!({ "action": "replace", "name": name });
        let session = stand.session_with(&[("PRIVATE_NOTE", SECRET)]);
        assert!(session.call("fake_change", &arguments, &host).is_ok());
        assert!(host.asked()[0].text.contains(&format!("name: \"{name}\"")), "{}", host.asked()[0].text);
    }
}

#[test]
fn a_masked_value_in_the_folders_name_is_not_asked_about() {
    let stand = Stand::new();
    let folder = stand.inside("hunter2hunter2");
    fs::create_dir(&folder).expect("a folder");
    let host = crate::support::host(&folder, &stand.program()).answering(verbgate::host::Answer::Yes);
    let session = stand.session_with(&[("PRIVATE_NOTE", "hunter2hunter2")]);
    let outcome = session.call("fake_change", &json!({ "action": "replace", "name": "a" }), &host);
    assert_eq!(outcome.code, Some(Code::Unavailable), "{}", outcome.text);
    assert!(host.asked().is_empty() && !all(&outcome).contains("hunter2hunter2"), "{}", all(&outcome));
}

#[test]
fn shapes_of_tokens_are_masked_unless_the_users_own_configuration_says_otherwise() {
    let token = format!("ghp_{}", "aB3".repeat(12));
    let stand = Stand::new();
    let arguments = json!({ "action": "bytes", "out": hex(format!("token {token} end\n")) });
    let call = |host: verbgate_tests::Recorder| stand.session().call("fake_look", &arguments, &host);
    assert!(!all(&call(stand.host())).contains(&token));
    assert!(!all(&call(stand.host().project("fake.redact", false))).contains(&token), "a project can't switch it off");
    assert!(all(&call(stand.host().user("fake.redact", false))).contains(&token));
}

#[test]
fn a_refused_secret_is_named_and_its_value_is_not_shown() {
    let stand = Stand::new();
    for token in ["hunter2\nhunter2".to_owned(), "hunter2".repeat(1000), "hunter2\u{0}".to_owned()] {
        let arguments = json!({ "action": "variable", "token": token, "out": "41" });
        let outcome = stand.session().call("fake_secret", &arguments, &stand.host());
        assert_eq!(outcome.code, Some(Code::InvalidArgument), "{}", outcome.text);
        assert!(outcome.text.contains("token") && !all(&outcome).contains("hunter2"), "{}", outcome.text);
    }
}

#[test]
fn a_secret_that_is_too_short_to_be_masked_is_said() {
    let stand = Stand::new();
    let host = stand.host();
    let arguments = json!({ "action": "variable", "token": "short", "out": "41" });
    stand.session().call("fake_secret", &arguments, &host);
    assert!(host.logged().iter().any(|line| line.contains("token")), "{:?}", host.logged());
}

#[test]
fn where_the_whole_output_can_not_be_kept_the_outcome_stands_and_says_so() {
    let stand = Stand::new();
    let arguments = json!({ "action": "flood", "count": 40_000 });
    let missing = session(&stand.place.root().join("no/such/folder"), stand.place.environment());
    let outcome = missing.call("fake_look", &arguments, &stand.host());
    assert!(outcome.is_ok(), "{}", outcome.text);
    let said = "note: the whole output was not kept: no folder for it outside the roots";
    assert!(outcome.text.contains(said), "{}", &outcome.text[..300]);
    assert!(outcome.text.contains("80000 bytes in all [") && !outcome.details.contains_key("output"));

    // The folder was made for the roots of a first call; a later call's roots hold it.
    let session = stand.session();
    assert!(session.call("fake_look", &arguments, &stand.host()).details.contains_key("output"));
    let wide = host(stand.place.root(), &stand.program());
    let outcome = session.call("fake_look", &arguments, &wide);
    assert!(outcome.is_ok() && !outcome.details.contains_key("output"), "{}", outcome.text);
    assert!(outcome.text.contains("its folder lies in a root of this call"), "{}", &outcome.text[..300]);
}

#[test]
fn report_15_a_flood_of_200_megabytes_stays_bounded_everywhere_and_comes_once() {
    let stand = Stand::new();
    let (session, host) = (stand.session(), stand.host().wanting_progress());
    let idle = memory();
    let outcome = session.call("fake_look", &json!({ "action": "flood", "count": 100_000_000 }), &host);
    assert!(outcome.is_ok(), "{}", outcome.text);
    assert!(outcome.text.len() <= 16 * 1024 && all(&outcome).len() < 64 * 1024);
    assert!(outcome.text.contains("200000000 bytes in all"), "{}", &outcome.text[..500]);
    assert_eq!(outcome.text.matches("bytes in all").count(), 1, "one copy, one marker");
    assert!(
        outcome.text.contains("the first 67108864 cleaned ones kept in ")
            && outcome.text.contains("which was cut there")
    );
    assert_eq!(outcome.details["truncated"], true);
    let spilled = files(&stand.place.run()).len();
    assert!(spilled <= 65 << 20, "{spilled} bytes were spilled");
    // Other tests run beside it: much less than what was printed, and not more precise than that.
    assert!(memory() < idle + (100 << 20), "{} bytes more", memory() - idle);
}

/// Bytes of this process in memory at its most.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("its status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}
