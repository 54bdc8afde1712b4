//! *Origin binding and reload* of the decision record: what a call is bound to before its first wait, and what becomes of
//! a result whose origin no longer stands. And the table's stages, as a host without handlers of its own walks them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test that can't go on fails

mod bound;

use std::thread;

use bound::{Place, Tab, feed, identity};
use serde_json::{Value as Json, json};
use verbgate::Code;
use verbgate::host::Identity;
use verbgate::outcome::Outcome;
use verbgate::session::Session;
use verbgate::stages::{self, Block, Delivered, Downstream, Enrich, Fault, Stage};
use verbgate::table::StageKind;

const TEXT: &str = "the permitted bytes\n";

/// Calls the tool; `meanwhile` happens while its program runs.
fn call(place: &Place, session: &Session, tab: &Tab, meanwhile: impl FnOnce() + Send) -> Outcome {
    let pipe = place.pipe("pipe");
    thread::scope(|scope| {
        scope.spawn(|| feed(&pipe, TEXT, meanwhile));
        session.call("show", &json!({ "file": "pipe" }), tab)
    })
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// What is said of a result whose origin went away while its program ran to a good end.
fn is_orphaned(outcome: &Outcome) {
    assert_eq!(outcome.code, Some(Code::Orphaned));
    assert!(outcome.owner().is_none(), "nothing is opened or published for it");
    assert_eq!(outcome.details["code"], "ORPHANED");
    assert_eq!(outcome.details["ended"], "OK", "details say how the execution ended");
    assert_eq!(outcome.details["exit"], 0);
    assert!(outcome.fields.is_empty());
    let all = format!("{outcome:?}");
    assert!(!all.contains(TEXT.trim()), "nothing of it is delivered: {all}");
    assert!(!all.contains("not executed") && !all.contains("spill"), "{all}");
}

/// One part of the binding differs when the call returns.
fn differs(change: impl FnOnce(&mut Identity) + Send) {
    let place = Place::new();
    let (session, tab) = (place.session(), Tab::new(&place, identity()));
    let outcome = call(&place, &session, &tab, || tab.becomes(change));
    is_orphaned(&outcome);
    let orphans = session.orphans();
    assert_eq!(orphans.len(), 1);
    assert_eq!(orphans[0].origin, identity(), "it belongs to where it came from");
    assert_eq!(orphans[0].ended, "OK");
    assert!(read(&orphans[0].output.path).contains(TEXT), "its bytes are kept while the session lives");
    assert_eq!(outcome.details["kept"], orphans[0].output.bytes);
}

#[test]
fn a_result_whose_origin_stands_is_delivered_and_owned() {
    let place = Place::new();
    let (session, tab) = (place.session(), Tab::new(&place, identity()));
    let outcome = call(&place, &session, &tab, || {});
    assert!(outcome.is_ok(), "{outcome:?}");
    assert!(outcome.text.contains(TEXT.trim()));
    assert_eq!(outcome.owner().unwrap().origin(), &identity());
    assert!(outcome.clone().owner().is_none(), "a copy is a host's own value");
    assert!(session.orphans().is_empty());
}

#[test]
fn another_call_id_orphans() {
    differs(|now| now.call = "call-2".into());
}

#[test]
fn another_session_orphans() {
    differs(|now| now.session = "t".into());
}

#[test]
fn another_workspace_orphans() {
    differs(|now| now.workspace = "v".into());
}

#[test]
fn another_attempt_orphans() {
    differs(|now| now.attempt += 1);
}

#[test]
fn a_reload_in_the_middle_of_a_call_orphans() {
    differs(|now| now.epoch += 1);
}

#[test]
fn two_sessions_with_equal_call_ids_get_their_own_results() {
    let (first_place, second_place) = (Place::new(), Place::new());
    let (first, second) = (first_place.session(), second_place.session());
    let other = Identity { session: "t".into(), ..identity() };
    let (first_tab, second_tab) = (Tab::new(&first_place, identity()), Tab::new(&second_place, other.clone()));
    let (one, two) = thread::scope(|scope| {
        let one = scope.spawn(|| call(&first_place, &first, &first_tab, || first_tab.becomes(|now| *now = other)));
        let two = scope.spawn(|| call(&second_place, &second, &second_tab, || {}));
        (one.join().unwrap(), two.join().unwrap())
    });
    is_orphaned(&one);
    assert!(two.is_ok(), "{two:?}");
    assert_eq!(two.owner().unwrap().origin().session, "t");
    assert_eq!((first.orphans().len(), second.orphans().len()), (1, 0));
}

#[test]
fn a_result_after_its_session_ended_is_dropped_and_counted() {
    let place = Place::new();
    let (session, tab) = (place.session(), Tab::new(&place, identity()));
    let outcome = call(&place, &session, &tab, || {
        session.end();
    });
    is_orphaned(&outcome);
    assert!(session.orphans().is_empty());
    assert_eq!(session.dropped().results, 1);
    assert_eq!(outcome.details["dropped"], session.dropped().bytes);
    assert!(session.dropped().bytes >= TEXT.len() as u64);
}

#[test]
fn what_a_session_kept_is_dropped_and_counted_when_it_ends() {
    let place = Place::new();
    let (session, tab) = (place.session(), Tab::new(&place, identity()));
    call(&place, &session, &tab, || tab.becomes(|now| now.epoch += 1));
    let output = session.orphans()[0].output.clone();
    let dropped = session.end();
    assert_eq!((dropped.results, dropped.bytes), (1, output.bytes));
    assert!(session.orphans().is_empty());
    assert!(!std::path::Path::new(&output.path).exists());
}

#[test]
fn the_end_of_a_session_removes_its_spill_and_a_second_end_changes_nothing() {
    let place = Place::new();
    let (session, tab) = (place.session(), Tab::new(&place, identity()));
    let large = TEXT.repeat(2000);
    let pipe = place.pipe("pipe");
    let outcome = thread::scope(|scope| {
        scope.spawn(|| feed(&pipe, &large, || {}));
        session.call("show", &json!({ "file": "pipe" }), &tab)
    });
    let kept = std::path::PathBuf::from(outcome.details["output"]["path"].as_str().unwrap());
    assert!(kept.exists() && !session.has_ended());
    let dropped = session.end();
    assert_eq!((dropped.results, dropped.bytes), (0, 0), "it was delivered");
    assert!(session.has_ended() && !kept.parent().unwrap().exists(), "the folder goes, too");
    assert_eq!(session.end(), dropped);
}

#[test]
fn nothing_is_kept_where_the_user_keeps_no_output() {
    let place = Place::new();
    let (session, tab) = (place.session(), Tab::new(&place, identity()).without_spill());
    let keeps = Tab::new(&place, identity());
    assert!(call(&place, &session, &keeps, || {}).is_ok(), "a call that may keep output has made the folder");
    let outcome = call(&place, &session, &tab, || tab.becomes(|now| now.epoch += 1));
    is_orphaned(&outcome);
    assert!(session.orphans().is_empty());
    assert_eq!(outcome.details["dropped"], session.dropped().bytes);
}

#[test]
fn a_session_that_has_ended_starts_nothing() {
    let place = Place::new();
    let (session, tab) = (place.session(), Tab::new(&place, identity()));
    session.end();
    let outcome = session.call("show", &json!({ "file": "pipe" }), &tab);
    assert_eq!(outcome.code, Some(Code::Orphaned));
    assert_eq!(outcome.details["ended"], "CANCELLED");
    assert!(!outcome.details.contains_key("exit"), "nothing was started: {:?}", outcome.details);
}

#[test]
fn what_is_only_classified_has_no_owner() {
    let place = Place::new();
    let (session, tab) = (place.session(), Tab::new(&place, identity()));
    let streams = || verbgate::table::capture::Captured::whole(TEXT.into());
    let exit = verbgate::table::capture::Exit::Status(0);
    let configuration = verbgate::host::Host::configuration(&tab);
    let outcome = session.classify("show", None, exit, (streams(), streams()), configuration).unwrap();
    assert!(outcome.is_ok() && outcome.owner().is_none());
}

struct Note(&'static str);
impl Enrich for Note {
    fn enrich(&self, _: &str, _: &Delivered) -> Result<Vec<Block>, Fault> {
        Ok(vec![Block::Text(self.0.into())])
    }
}
impl Downstream for Note {
    fn pass(&self, _: &str, _: Delivered) -> Result<Delivered, Fault> {
        panic!("{}", self.0)
    }
}

#[expect(clippy::disallowed_methods, reason = "tests write into their own place")]
fn delivered(place: &Place, tab: &Tab, text: &str) -> (Delivered, Option<Code>) {
    std::fs::write(place.workspace().join("file"), text).unwrap();
    let session = place.session();
    let mut outcome = session.call("show", &json!({ "file": "file" }), tab);
    // Drawn and measured anew by each call: the digits of the marks, and the time.
    outcome.text = outcome.text.lines().filter(|line| !line.contains("---")).collect();
    outcome.details.shift_remove("milliseconds");
    let (lsp, boom) = (Note(" diagnostics"), Note("s3cr3t"));
    let theirs = [("lsp_diagnostics", Stage::Enrich(&lsp)), ("downstream", Stage::Downstream(&boom))];
    (stages::deliver(&session, tab, "show", &outcome, &theirs), outcome.code)
}

#[test]
fn results_are_equal_byte_for_byte_with_observe_on_and_off() {
    let place = Place::new();
    let off = Tab::new(&place, identity());
    let on = Tab::new(&place, identity()).stage("context_gateway", json!("observe"));
    let (without, with) = (delivered(&place, &off, TEXT), delivered(&place, &on, TEXT));
    assert_eq!(format!("{without:?}"), format!("{with:?}"));
    assert!(off.observed.lock().unwrap().is_empty());
    let observed = on.observed.lock().unwrap();
    assert_eq!(observed.len(), 1);
    assert_eq!(observed[0].0, "context_gateway");
    assert_eq!(observed[0].1["blocks"], json!({ "text": 2 }), "the enrichers ran before it");
    assert!(!observed[0].1.to_string().contains("permitted"), "it measures, and keeps nothing of the text");
}

#[test]
fn enforce_switches_a_stage_off() {
    let place = Place::new();
    for word in ["enforce", "off", "sometimes"] {
        let tab = Tab::new(&place, identity()).stage("context_gateway", json!(word));
        delivered(&place, &tab, TEXT);
        assert!(tab.observed.lock().unwrap().is_empty(), "{word}");
    }
}

#[test]
fn the_users_configuration_switches_on_observe_normaliser_and_sanitiser() {
    let place = Place::new();
    let session = place.session();
    let names = ["context_gateway", "truncation_metadata_normalizer", "credential_firewall"];
    let mut tab = Tab::new(&place, identity());
    let on = |tab: &Tab| -> Vec<(String, StageKind)> {
        let configuration = verbgate::host::Host::configuration(tab);
        let found = stages::registrations(&session, configuration);
        found.iter().filter(|stage| stage.on).map(|stage| (stage.name.to_owned(), stage.kind)).collect()
    };
    let before: Vec<StageKind> = on(&tab).into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(before, [StageKind::Enrich, StageKind::Enrich, StageKind::Downstream], "off is the default");
    for name in names {
        tab = tab.stage(name, json!(true));
    }
    let after = on(&tab);
    assert_eq!(after.len(), 6);
    assert!(after.windows(2).all(|pair| pair[0].1 <= pair[1].1), "in the table's order");
}

#[test]
fn the_firewall_masks_the_sessions_secrets_in_what_others_added() {
    let place = Place::new();
    let on = Tab::new(&place, identity()).stage("credential_firewall", json!(true));
    let outcome_of = |tab: &Tab| {
        let session = place.session();
        let result = Delivered {
            content: vec![Block::Text("a\thunter2hunter2\r\nplain\ttext".into())],
            details: json!({ "note": "hunter2hunter2" }),
        };
        let registrations = stages::registrations(&session, verbgate::host::Host::configuration(tab));
        registrations.iter().fold(result, |result, stage| stage.apply(&session, tab, "other", result, None))
    };
    let cleaned = outcome_of(&on);
    assert_eq!(cleaned.text(), "a\t(redacted: API_TOKEN)\r\nplain\ttext", "and nothing else is changed");
    assert_eq!(cleaned.details, json!({ "note": "(redacted: API_TOKEN)" }));
    let off = outcome_of(&Tab::new(&place, identity()));
    assert!(off.text().contains("hunter2hunter2") && !format!("{off:?}").contains("redacted"));
}

#[test]
fn a_stage_of_another_package_that_panics_changes_neither_outcome_nor_result() {
    let place = Place::new();
    let tab = Tab::new(&place, identity());
    let (result, code) = delivered(&place, &tab, TEXT);
    assert_eq!(code, None);
    assert!(result.text().contains("the permitted bytes diagnostics"), "{result:?}");
    let logged: Json = tab.logged.lock().unwrap().clone().into();
    assert!(logged.to_string().contains("stage `downstream` was left out"), "{logged}");
    assert!(!logged.to_string().contains("s3cr3t"));
}
