//! Every captured run of the real program lands where `data/evidence/expected.tsv` says: exit status and output alone
//! decide, by the function that a call and `verbgate classify` use.
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test that can't go on says why

use verbgate::config::Configuration;
use verbgate::outcome::Outcome;
use verbgate_tests::Place;
use verbgate_tests::evidence::{Case, cases};

fn classified(place: &Place, case: &Case) -> Outcome {
    let streams = (case.stream("stdout"), case.stream("stderr"));
    place
        .session()
        .classify(&case.tool, case.action.as_deref(), case.ended(), streams, &Configuration::default())
        .unwrap_or_else(|failure| panic!("{}: {failure:?}", case.name))
}

#[test]
fn every_captured_run_lands_where_it_should() {
    let place = Place::without_program();
    let cases = cases();
    assert_eq!(cases.len(), 244);
    let mut wrong = Vec::new();
    for case in &cases {
        let outcome = classified(&place, case);
        let code = outcome.code.map_or("OK", verbgate::Code::as_str);
        if !case.codes.iter().any(|right| right == code) {
            wrong.push(format!("{}: {code} ({:?}), should be {}", case.name, outcome.row, case.codes.join(" or ")));
        }
        // A success has no row; a failure without one is what nothing in the table explains, as help is.
        if outcome.row.is_some() && outcome.is_ok()
            || outcome.row.is_none() && !["OK", "COMMAND_FAILED"].contains(&code)
        {
            wrong.push(format!("{}: {code} with the row {:?}", case.name, outcome.row));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_captured_run_delivers_a_traceback_a_control_character_or_more_than_the_budget() {
    let place = Place::without_program();
    for case in cases() {
        let outcome = classified(&place, &case);
        for sign in ["Traceback (most recent call last)", "File \"", "\u{1b}"] {
            assert!(!outcome.text.contains(sign), "{}: {}", case.name, outcome.text);
        }
        assert!(outcome.text.len() <= 16 * 1024, "{}: {} bytes", case.name, outcome.text.len());
    }
}

#[test]
fn captured_runs_give_their_fields() {
    let place = Place::without_program();
    let of = |name: &str| {
        let cases = cases();
        let case = cases.iter().find(|case| case.name == name).unwrap_or_else(|| panic!("{name}"));
        classified(&place, case).fields
    };
    assert_eq!(of("large-bundle-export")["nodes"], 13_780);
    let list = of("context-list-three");
    assert_eq!(list["contexts"].as_array().map(Vec::len), Some(3), "{list:?}");
    assert_eq!(of("doctor-neo4j-no-credentials")["healthy"], false);
    assert_eq!(of("doctor-healthy")["healthy"], true);
}

#[test]
fn a_veto_beats_a_success_and_another_row_does_not() {
    let place = Place::without_program();
    let session = place.session();
    let classify = |action: &str, stdout: &str| {
        let streams = (whole(stdout), whole(""));
        let exit = verbgate::table::capture::Exit::Status(0);
        session.classify("cgc_context", Some(action), exit, streams, &Configuration::default()).expect("a known action")
    };
    let saved = "✅ Default context set to 'a'\n";
    // A row that is no veto stands in the same output: the success holds.
    let beside = classify("set_default", &format!("Context 'b' not found. Create it first.\n{saved}"));
    assert!(beside.is_ok(), "{}", beside.text);
    // A veto row stands there: it does not.
    let vetoed = classify("set_default", &format!("Error saving config.yaml: [Errno 13] Permission denied\n{saved}"));
    assert_eq!(vetoed.code, Some(verbgate::Code::NotAllowed), "{}", vetoed.text);
    assert!(vetoed.row.as_deref().is_some_and(|row| row.starts_with("registry[")), "{:?}", vetoed.row);
}

fn whole(text: &str) -> verbgate::table::capture::Captured {
    verbgate::table::capture::Captured::whole(text.as_bytes().to_vec())
}
