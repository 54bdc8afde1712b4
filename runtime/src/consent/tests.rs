use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::*;
use crate::abort::Abort;
use crate::config::Configuration;
use crate::host::{Answer, Host, Identity, Question, Reply};
use crate::paths::{Destination, FileIdentity, FolderIdentity, State};
use crate::table::Piece;

const FILE: FileIdentity = FileIdentity { dev: 1, ino: 2, size: 3, modified: (4, 5), changed: (6, 7) };
const FOLDER: FolderIdentity = FolderIdentity { dev: 1, ino: 9 };

fn plan() -> Plan {
    Plan {
        tool: "export".into(),
        action: None,
        program: "/usr/bin/prog".into(),
        program_identity: Some(FILE),
        argv: vec!["export".into(), "--".into(), "/w/o.cgc".into()],
        directory: "/w".into(),
        directory_identity: FOLDER,
        environment: vec![("A".into(), "hunter2".into())],
        stdin: None,
        destinations: vec![Destination { path: "/w/o.cgc".into(), folder: FOLDER, state: State::New }],
        session: "s".into(),
        epoch: 1,
    }
}

fn other_plan(n: usize) -> Plan {
    Plan { argv: vec![n.to_string().into()], ..plan() }
}

fn ask_for(plan: &Plan) -> Question {
    let draft = Draft { class: Class::FileWrite, ask: &[], values: &[], plan, secret_stdin: false };
    question(&draft).unwrap()
}

/// What a host does when it is asked.
enum Does {
    Says(Answer),
    Drops,
    Panics,
    Keeps,
    Later(Answer),
    /// Lets this time pass, then says yes.
    Waits(Duration),
    /// Aborts, then says yes.
    Aborts,
}

struct Fake {
    script: Mutex<VecDeque<Does>>,
    kept: Mutex<Vec<Reply>>,
    asked: Mutex<Vec<String>>,
    abort: Abort,
    configuration: Configuration,
    time: Arc<AtomicU64>,
}

impl Fake {
    fn new(script: impl IntoIterator<Item = Does>) -> (Self, Desk) {
        let time = Arc::new(AtomicU64::new(0));
        let read = Arc::clone(&time);
        let fake = Self {
            script: Mutex::new(script.into_iter().collect()),
            kept: Mutex::default(),
            asked: Mutex::default(),
            abort: Abort::new().unwrap(),
            configuration: Configuration::default(),
            time,
        };
        (fake, Desk::new(Clock::new(move || Duration::from_millis(read.load(Ordering::SeqCst)))))
    }

    fn pass(&self, time: Duration) {
        self.time.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Host for Fake {
    fn ask(&self, question: &Question, reply: Reply) {
        let does = self.script.lock().unwrap().pop_front().unwrap_or(Does::Drops);
        if let Does::Keeps = does {
            // Kept before it counts as asked: whoever waits for the one finds the other.
            self.kept.lock().unwrap().push(reply);
            self.asked.lock().unwrap().push(question.text.clone());
            return;
        }
        self.asked.lock().unwrap().push(question.text.clone());
        match does {
            Does::Says(answer) => reply.answer(answer),
            Does::Drops => drop(reply),
            Does::Panics => panic!("the dialog is broken"),
            Does::Keeps => {}
            Does::Later(answer) => {
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(30));
                    reply.answer(answer);
                });
            }
            Does::Waits(time) => {
                self.pass(time);
                reply.answer(Answer::Yes);
            }
            Does::Aborts => {
                self.abort.raise();
                reply.answer(Answer::Yes);
            }
        }
    }

    fn cwd(&self) -> &Path {
        Path::new("/w")
    }

    fn identity(&self) -> Identity {
        Identity::default()
    }

    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn abort(&self) -> &Abort {
        &self.abort
    }
}

fn ask(desk: &Desk, host: &Fake, plan: Plan) -> Result<Approval, Failure> {
    let question = ask_for(&plan);
    desk.ask(host, plan, &question)
}

fn no() -> Does {
    Does::Says(Answer::No)
}

fn yes() -> Does {
    Does::Says(Answer::Yes)
}

#[test]
fn only_the_classes_that_never_ask_get_a_permit_without_asking() {
    for class in [Class::Read, Class::Additive, Class::FileWrite, Class::RegistryMutation, Class::Replace] {
        assert_eq!(without_asking(class).is_some(), matches!(class, Class::Read | Class::Additive), "{class:?}");
    }
}

#[test]
fn the_exact_yes_gives_a_permit_for_the_same_plan() {
    for does in [yes(), Does::Later(Answer::Yes), Does::Waits(Duration::from_secs(119))] {
        let (host, desk) = Fake::new([does]);
        assert!(ask(&desk, &host, plan()).unwrap().confirm(&plan(), false).is_ok());
    }
}

#[test]
fn everything_but_the_exact_yes_is_a_no_that_says_nothing_was_run() {
    for does in [
        no(),
        Does::Later(Answer::No),
        Does::Says(Answer::NoAnswer("there is no terminal".into())),
        Does::Drops,
        Does::Panics,
        Does::Waits(Duration::from_secs(120)),
    ] {
        let (host, desk) = Fake::new([does]);
        let failure = ask(&desk, &host, plan()).unwrap_err();
        assert_eq!(failure.code, Code::Declined);
        assert!(failure.message.contains("nothing was run") && !failure.hint.is_empty(), "{failure:?}");
    }
}

#[test]
fn a_question_that_nobody_answers_ends_after_two_minutes_and_closes() {
    let (host, desk) = Fake::new([Does::Keeps]);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| ask(&desk, &host, plan()));
        while host.kept.lock().unwrap().is_empty() {
            std::thread::yield_now();
        }
        assert!(host.kept.lock().unwrap()[0].is_open());
        host.pass(Duration::from_secs(120));
        let failure = waiting.join().unwrap().unwrap_err();
        assert!(failure.message.contains("nobody answered within 120 s"), "{failure:?}");
    });
    let reply = host.kept.lock().unwrap().pop().unwrap();
    assert!(!reply.is_open());
    reply.answer(Answer::Yes);
    // It came too late for that question, and counts for no other.
    assert!(ask(&desk, &host, plan()).is_err());
}

#[test]
fn an_abort_ends_the_wait_and_outweighs_a_yes_that_comes_with_it() {
    let (host, desk) = Fake::new([Does::Keeps]);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| ask(&desk, &host, plan()));
        while host.asked() == 0 {
            std::thread::yield_now();
        }
        host.abort.raise();
        assert_eq!(waiting.join().unwrap().unwrap_err().code, Code::Cancelled);
    });
    let (host, desk) = Fake::new([Does::Aborts]);
    assert_eq!(ask(&desk, &host, plan()).unwrap_err().code, Code::Cancelled);
    let (host, desk) = Fake::new([yes()]);
    host.abort.raise();
    assert_eq!(ask(&desk, &host, plan()).unwrap_err().code, Code::Cancelled);
    assert_eq!(host.asked(), 0);
}

#[test]
fn a_changed_plan_is_declined_whatever_changed() {
    let changes: [fn(&mut Plan); 14] = [
        |plan| plan.tool.push('x'),
        |plan| plan.action = Some("x".into()),
        |plan| plan.program = "/x".into(),
        |plan| plan.program_identity = Some(FileIdentity { ino: FILE.ino + 1, ..FILE }),
        |plan| plan.program_identity = Some(FileIdentity { changed: (FILE.changed.0, FILE.changed.1 + 1), ..FILE }),
        |plan| plan.argv.push("x".into()),
        |plan| plan.directory = "/x".into(),
        |plan| plan.directory_identity.ino += 1,
        |plan| plan.environment[0].1 = "x".into(),
        |plan| plan.stdin = Some(b"y\n".to_vec()),
        |plan| plan.destinations[0].state = State::File(FILE),
        |plan| plan.destinations[0].folder.ino += 1,
        |plan| plan.session.push('x'),
        |plan| plan.epoch += 1,
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let (host, desk) = Fake::new([yes()]);
        let approval = ask(&desk, &host, plan()).unwrap();
        let mut later = plan();
        change(&mut later);
        let failure = approval.confirm(&later, true).unwrap_err();
        assert_eq!(failure.code, Code::Declined, "{at}");
        assert!(
            failure.message.contains("changed meanwhile") && failure.message.contains("only the precondition was run")
        );
        assert!(!format!("{failure:?}").contains("hunter2"));
    }
}

#[test]
fn a_yes_is_valid_for_five_minutes() {
    for (seconds, valid) in [(300, true), (301, false)] {
        let (host, desk) = Fake::new([yes()]);
        let approval = ask(&desk, &host, plan()).unwrap();
        host.pass(Duration::from_secs(seconds));
        let confirmed = approval.confirm(&plan(), false);
        assert_eq!(confirmed.is_ok(), valid, "{seconds}");
        if let Err(failure) = confirmed {
            assert!(failure.message.contains("5 minutes") && failure.message.contains("nothing was run"));
        }
    }
}

#[test]
fn a_yes_is_not_remembered() {
    let (host, desk) = Fake::new([yes(), no()]);
    assert!(ask(&desk, &host, plan()).is_ok());
    assert!(ask(&desk, &host, plan()).is_err());
    assert_eq!(host.asked(), 2);
}

#[test]
fn a_declined_plan_is_declined_unasked_for_a_minute_and_another_plan_is_asked() {
    let (host, desk) = Fake::new([no(), yes(), yes()]);
    assert!(ask(&desk, &host, plan()).is_err());
    host.pass(Duration::from_secs(59));
    assert_eq!(ask(&desk, &host, plan()).unwrap_err().code, Code::Declined);
    assert_eq!(host.asked(), 1);
    assert!(ask(&desk, &host, other_plan(1)).is_ok());
    host.pass(Duration::from_secs(1));
    assert!(ask(&desk, &host, plan()).is_ok());
    assert_eq!(host.asked(), 3);
}

#[test]
fn where_turns_are_known_a_no_holds_for_the_rest_of_the_turn() {
    let (host, desk) = Fake::new([no(), yes()]);
    desk.turn();
    assert!(ask(&desk, &host, plan()).is_err());
    host.pass(Duration::from_secs(3600));
    assert!(ask(&desk, &host, plan()).is_err());
    assert_eq!(host.asked(), 1);
    desk.turn();
    assert!(ask(&desk, &host, plan()).is_ok());
}

#[test]
fn no_answer_is_not_remembered_and_does_not_count_as_a_no() {
    let (host, desk) =
        Fake::new([Does::Drops, Does::Panics, Does::Says(Answer::NoAnswer("x".into())), Does::Drops, yes()]);
    for _ in 0..4 {
        assert!(ask(&desk, &host, plan()).is_err());
    }
    assert!(ask(&desk, &host, plan()).is_ok());
}

#[test]
fn after_three_declines_in_a_row_nothing_is_asked_for_five_minutes() {
    let (host, desk) = Fake::new([no(), no(), no(), yes()]);
    for n in 0..3 {
        assert!(ask(&desk, &host, other_plan(n)).is_err());
    }
    host.pass(Duration::from_secs(299));
    let failure = ask(&desk, &host, other_plan(3)).unwrap_err();
    assert_eq!(failure.code, Code::Declined);
    assert!(failure.hint.starts_with("stop calling"), "{failure:?}");
    assert_eq!(host.asked(), 3);
    host.pass(Duration::from_secs(1));
    assert!(ask(&desk, &host, other_plan(4)).is_ok());
}

#[test]
fn a_yes_between_breaks_the_row() {
    let (host, desk) = Fake::new([no(), no(), yes(), no(), no(), yes()]);
    let results: Vec<bool> = (0..6).map(|n| ask(&desk, &host, other_plan(n)).is_ok()).collect();
    assert_eq!(results, [false, false, true, false, false, true]);
}

#[test]
fn one_question_is_open_at_a_time_and_the_others_wait_in_order() {
    let (host, desk) = Fake::new([Does::Keeps, Does::Keeps, Does::Keeps]);
    let (first, second) = (&host, &desk);
    std::thread::scope(|scope| {
        for n in 0..3 {
            scope.spawn(move || ask(second, first, other_plan(n)));
            // The next one comes only when this one stands in the line or asks.
            while desk.waiting() != n + 1 {
                std::thread::yield_now();
            }
        }
        for n in 0..3 {
            while host.asked() != n + 1 {
                std::thread::yield_now();
            }
            assert_eq!(host.kept.lock().unwrap().len(), 1);
            assert!(host.asked.lock().unwrap()[n].contains(&format!("argv: [\"{n}\"]")));
            host.kept.lock().unwrap().pop().unwrap().answer(Answer::Yes);
        }
    });
}

#[test]
fn a_call_that_waits_in_line_can_be_aborted_and_those_behind_it_go_on() {
    let (host, desk) = Fake::new([Does::Keeps, Does::Keeps]);
    let (impatient, _) = Fake::new([]);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| ask(&desk, &host, other_plan(0)));
        while host.asked() == 0 {
            std::thread::yield_now();
        }
        let second = scope.spawn(|| ask(&desk, &impatient, other_plan(1)));
        while desk.waiting() != 2 {
            std::thread::yield_now();
        }
        let third = scope.spawn(|| ask(&desk, &host, other_plan(2)));
        while desk.waiting() != 3 {
            std::thread::yield_now();
        }
        impatient.abort.raise();
        assert_eq!(second.join().unwrap().unwrap_err().code, Code::Cancelled);
        host.kept.lock().unwrap().pop().unwrap().answer(Answer::Yes);
        assert!(first.join().unwrap().is_ok());
        while host.asked() != 2 {
            std::thread::yield_now();
        }
        host.kept.lock().unwrap().pop().unwrap().answer(Answer::Yes);
        assert!(third.join().unwrap().is_ok());
    });
    assert_eq!(impatient.asked(), 0);
}

#[test]
fn a_question_shows_everything_that_is_run() {
    let plan = Plan { stdin: Some(b"y\n".to_vec()), ..plan() };
    let ask = [
        Piece::Literal("Export ".into()),
        Piece::Arg("repo".into()),
        Piece::Literal(" to\n".into()),
        Piece::Arg("out".into()),
        Piece::Literal("?".into()),
    ];
    let values = [
        ("repo".to_owned(), Shown::Text("/w/r\u{e9}".into())),
        ("out".to_owned(), Shown::Text("/w/o \"x\"\\\n.cgc".into())),
        ("labels".to_owned(), Shown::Items(vec!["a".into(), "b, \"c".into()])),
        ("password".to_owned(), Shown::Secret),
    ];
    let draft = Draft { class: Class::FileWrite, ask: &ask, values: &values, plan: &plan, secret_stdin: false };
    insta::assert_snapshot!(question(&draft).unwrap().text, @r#"
    Export "/w/ré" to "/w/o \"x\"\\\u{a}.cgc"?
    repo: "/w/ré"
    out: "/w/o \"x\"\\\u{a}.cgc"
    labels: ["a", "b, \"c"]
    password: (secret)
    program: "/usr/bin/prog"
    directory: "/w"
    argv: ["export", "--", "/w/o.cgc"]
    standard input: "y\u{a}"
    new file
    letters beyond ASCII: é \u{e9}
    "#);
    let secret = Draft { secret_stdin: true, ..draft };
    assert!(question(&secret).unwrap().text.contains("\nstandard input: (secret)\n"));
}

#[test]
fn what_is_replaced_is_said() {
    let at = |path: &str, state| Destination { path: path.into(), folder: FOLDER, state };
    for (destinations, words) in [
        (vec![at("/w/a", State::New)], "\nnew file"),
        (vec![at("/w/a", State::File(FILE))], "\nreplaces: 3 bytes"),
        (vec![at("/w/a", State::Link(FILE))], "\nreplaces: a link (the link itself, not what it leads to)"),
        (
            vec![at("/w/a", State::New), at("/w/b", State::File(FILE))],
            "\nnew file \"/w/a\"\nreplaces: 3 bytes \"/w/b\"",
        ),
    ] {
        let text = ask_for(&Plan { destinations, ..plan() }).text;
        assert!(text.ends_with(words), "{text}");
    }
}

#[test]
fn what_shows_nothing_or_looks_like_something_else_is_written_out() {
    let shown = |value: &str| {
        let values = [("x".to_owned(), Shown::Text(value.to_owned()))];
        let plan = Plan { destinations: Vec::new(), ..plan() };
        let draft = Draft { class: Class::Replace, ask: &[], values: &values, plan: &plan, secret_stdin: false };
        question(&draft).unwrap().text.lines().nth(1).unwrap().to_owned()
    };
    for (value, expected) in [
        ("a\u{202e}b", r#"x: "a\u{202e}b""#),
        ("a\u{200b}\u{feff}", r#"x: "a\u{200b}\u{feff}""#),
        ("\u{3164}\u{115f}", r#"x: "\u{3164}\u{115f}""#),
        ("a\u{a0}b\u{2028}", r#"x: "a\u{a0}b\u{2028}""#),
        ("\u{301}e\u{301}\u{fe0f}", "x: \"\\u{301}e\u{301}\\u{fe0f}\""),
        ("😀\u{2025}", r#"x: "\u{1f600}\u{2025}""#),
        ("ünï٣", r#"x: "ünï٣""#),
        (r#"a"b\u{41}"#, r#"x: "a\"b\\u{41}""#),
    ] {
        assert_eq!(shown(value), expected);
    }
}

#[test]
fn letters_beyond_ascii_are_pointed_out() {
    let values = [("x".to_owned(), Shown::Text("p\u{430}yp\u{430}l".into()))];
    let plan = plan();
    let draft = Draft { class: Class::Replace, ask: &[], values: &values, plan: &plan, secret_stdin: false };
    assert!(question(&draft).unwrap().text.ends_with("\nletters beyond ASCII: \u{430} \\u{430}"));
    let many: String = ('\u{430}'..'\u{44a}').collect();
    let values = [("x".to_owned(), Shown::Text(many))];
    let draft = Draft { values: &values, ..draft };
    assert!(question(&draft).unwrap().text.ends_with(" and 18 more"));
}

#[test]
fn a_question_that_is_too_long_is_refused_and_never_cut() {
    let plan = plan();
    let length = |n: usize| {
        let values = [("note".to_owned(), Shown::Text("x".repeat(n)))];
        let draft = Draft { class: Class::Replace, ask: &[], values: &values, plan: &plan, secret_stdin: false };
        question(&draft).map(|question| question.text.chars().count())
    };
    let rest = length(0).unwrap();
    assert_eq!(length(LONGEST - rest).unwrap(), LONGEST);
    let failure = length(LONGEST - rest + 1).unwrap_err();
    assert_eq!(failure.code, Code::InvalidArgument);
    assert!(failure.hint.contains("`note`"));
}

#[test]
fn a_plan_does_not_print_its_secrets() {
    assert!(!format!("{:?}", plan()).contains("hunter2"));
    let (host, desk) = Fake::new([no()]);
    assert!(ask(&desk, &host, plan()).is_err());
    assert!(!format!("{desk:?}").contains("hunter2"));
}

/// Any text: all of Unicode, and more often what does harm.
fn text() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        '"', '\\', '\n', '\r', '\t', '\u{202e}', '\u{200b}', '\u{301}', '\u{3164}', '\u{2028}', '\u{7f}', '\u{9b}',
        '[', ']', ',', ' ',
    ]);
    prop::collection::vec(prop_oneof![any::<char>(), nasty, prop::char::range(' ', '~')], 0..4096)
        .prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_arguments_give_a_question_of_allowed_characters_with_each_value_on_its_line(
        first in text(), items in prop::collection::vec("\\PC{0,20}|.{0,20}", 0..4), folder in ".{0,100}", short in any::<String>(),
    ) {
        let allowed = regex::Regex::new(r"^[\n -~\p{L}\p{M}\p{Nd}]*$").unwrap();
        let invisible = regex::Regex::new(r"\p{Default_Ignorable_Code_Point}|\p{C}").unwrap();
        let destination = format!("/w/{folder}/o.cgc");
        let mut plan = plan();
        plan.argv = vec![destination.clone().into()];
        plan.directory = format!("/w/{folder}").into();
        plan.destinations = vec![Destination { path: destination.clone().into(), folder: FOLDER, state: State::New }];
        for text in [first, short] {
            let values = [
                ("first".to_owned(), Shown::Text(text.clone())),
                ("items".to_owned(), Shown::Items(items.clone())),
                ("out".to_owned(), Shown::Text(destination.clone())),
            ];
            let ask = [Piece::Literal("Do ".into()), Piece::Arg("first".into()), Piece::Literal("?".into())];
            let draft = Draft { class: Class::FileWrite, ask: &ask, values: &values, plan: &plan, secret_stdin: false };
            match question(&draft) {
                Err(failure) => prop_assert_eq!(failure.code, Code::InvalidArgument),
                Ok(question) => {
                    prop_assert!(question.text.chars().count() <= LONGEST);
                    prop_assert!(allowed.is_match(&question.text), "{:?}", question.text);
                    prop_assert!(!invisible.is_match(&question.text.replace('\n', "")));
                    let lines: Vec<&str> = question.text.lines().collect();
                    let names: Vec<&str> = lines.iter().skip(1).map(|line| line.split(':').next().unwrap()).collect();
                    let expected = ["first", "items", "out", "program", "directory", "argv", "new file"];
                    prop_assert_eq!(&names[..7], &expected[..]);
                    prop_assert!(names[7..].iter().all(|name| *name == "letters beyond ASCII"));
                    prop_assert_eq!(read_back(lines[1].strip_prefix("first: ").unwrap()), text);
                    prop_assert_eq!(read_back(lines[3].strip_prefix("out: ").unwrap()), destination.clone());
                    let argv = lines[6].strip_prefix("argv: [").unwrap().strip_suffix(']').unwrap();
                    prop_assert_eq!(read_back(argv), destination.clone());
                }
            }
        }
    }
}

/// The text that a quoted value stands for: nothing is lost, and nothing ends a value early.
fn read_back(quoted: &str) -> String {
    let inner = quoted.strip_prefix('"').unwrap().strip_suffix('"').unwrap();
    let mut text = String::new();
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        assert_ne!(char, '"', "a bare quote");
        if char != '\\' {
            text.push(char);
            continue;
        }
        match chars.next().unwrap() {
            'u' => {
                assert_eq!(chars.next(), Some('{'));
                let hex: String = chars.by_ref().take_while(|char| *char != '}').collect();
                text.push(char::from_u32(u32::from_str_radix(&hex, 16).unwrap()).unwrap());
            }
            escaped => text.push(escaped),
        }
    }
    text
}
