//! A call that is aborted or takes too long: the code, and everything gone.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use verbgate::Code;

use crate::support::{Stand, until, write};

/// Within the contract's second, with slack for a busy machine: what hangs does not come near it.
const SOON: Duration = Duration::from_secs(5);

#[test]
fn aborted_before_it_begins_nothing_is_asked_or_started() {
    let stand = Stand::new();
    for (tool, arguments) in [
        ("fake_look", json!({ "action": "hang" })),
        ("fake_change", json!({ "action": "add", "name": "a" })),
        ("fake_write", json!({ "action": "good", "out": "o" })),
    ] {
        let host = stand.willing();
        host.abort_now();
        let outcome = stand.session().call(tool, &arguments, &host);
        assert_eq!(outcome.code, Some(Code::Cancelled), "{}", outcome.text);
        assert_eq!((host.asked().len(), stand.place.starts().len()), (0, 0));
    }
    stand.nothing_is_left("before");
}

#[test]
fn aborted_while_a_person_is_asked_a_yes_counts_no_more() {
    let stand = Stand::new();
    let host = stand.willing();
    let abort = verbgate::host::Host::abort(&host).clone();
    let host = host.while_asking(move |_| abort.raise());
    let outcome = stand.session().call("fake_write", &json!({ "action": "good", "out": "o" }), &host);
    assert_eq!(outcome.code, Some(Code::Cancelled), "{}", outcome.text);
    assert_eq!(stand.place.starts(), Vec::<String>::new());
    stand.nothing_is_left("asked");
}

#[test]
fn aborted_while_it_waits_for_a_lock_it_does_not_start() {
    let stand = Stand::new();
    let (session, holder, waiter) = (stand.session(), stand.willing(), stand.willing());
    let aborted = thread::scope(|scope| {
        let held = scope.spawn(|| session.call("fake_write", &json!({ "action": "hangs", "out": "o" }), &holder));
        until("the first runs", || stand.place.starts().len() == 1);
        let waits = scope.spawn(|| session.call("fake_write", &json!({ "action": "good", "out": "other" }), &waiter));
        until("the second was asked", || waiter.asked().len() == 1);
        // It may not wait yet; then it is aborted on its way there, which must be the same.
        thread::sleep(Duration::from_millis(100));
        let raised = Instant::now();
        waiter.abort_now();
        let outcome = waits.join().expect("a call");
        assert!(raised.elapsed() < SOON);
        holder.abort_now();
        assert_eq!(held.join().expect("a call").code, Some(Code::Cancelled));
        outcome
    });
    assert_eq!(aborted.code, Some(Code::Cancelled), "{}", aborted.text);
    assert_eq!(stand.place.starts().len(), 1);
    stand.nothing_is_left("lock");
}

#[test]
fn report_13_aborted_while_it_runs_everything_that_it_started_is_gone_and_the_next_call_is_served() {
    let stand = Stand::new();
    let (session, host) = (stand.session(), stand.host());
    thread::scope(|scope| {
        let call = scope.spawn(|| session.call("fake_look", &json!({ "action": "hang" }), &host));
        // The program, its child, and what leaves its session, or is about to.
        until("all run", || stand.place.alive().len() >= 3);
        let raised = Instant::now();
        host.abort_now();
        let outcome = call.join().expect("a call");
        assert!(raised.elapsed() < SOON);
        assert_eq!(outcome.code, Some(Code::Cancelled), "{}", outcome.text);
    });
    stand.nothing_is_left("run");
    assert!(session.call("fake_look", &json!({ "action": "say", "text": "next" }), &stand.host()).is_ok());
}

#[test]
fn report_12_a_program_that_takes_too_long_is_ended_with_its_grandchildren() {
    let stand = Stand::new();
    let outcome = stand.session().call("fake_look", &json!({ "action": "slow" }), &stand.host());
    assert_eq!(outcome.code, Some(Code::Timeout), "{}", outcome.text);
    assert!(outcome.text.contains("begun"), "what it printed until then: {}", outcome.text);
    stand.nothing_is_left("slow");
}

#[test]
fn a_guardian_that_can_not_start_makes_calls_unavailable_with_the_reason() {
    let stand = Stand::new();
    let broken = stand.place.root().join("no-guardian");
    write(&broken, "no program");
    for guardian in [broken, stand.place.root().join("nowhere"), "/bin/true".into()] {
        let options = verbgate::session::SessionOptions {
            environment: Some(stand.place.environment()),
            locks: Some(stand.place.run().join("locks")),
            runner: verbgate::process::RunnerOptions { guardian: Some(guardian.clone()), ..Default::default() },
            ..Default::default()
        };
        let catalogue = std::borrow::Cow::Owned(crate::support::CATALOGUE.clone());
        let session = verbgate::session::Session::new(catalogue, options).expect("a session");
        for (tool, arguments) in [
            ("fake_look", json!({ "action": "say", "text": "a" })),
            ("fake_write", json!({ "action": "good", "out": "o" })),
        ] {
            let outcome = session.call(tool, &arguments, &stand.willing());
            assert_eq!(outcome.code, Some(Code::Unavailable), "{guardian:?}: {}", outcome.text);
            assert!(outcome.hint.contains("install"), "{}", outcome.text);
        }
    }
    assert_eq!(stand.place.starts(), Vec::<String>::new());
    stand.nothing_is_left("no guardian");
}
