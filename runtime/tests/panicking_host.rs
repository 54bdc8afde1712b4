//! A host that fails must not take the agent's session with it.

use std::borrow::Cow;
use std::path::Path;

use serde_json::json;
use verbgate::Code;
use verbgate::abort::Abort;
use verbgate::config::Configuration;
use verbgate::host::{Host, Identity, Question, Reply};
use verbgate::session::{Session, SessionOptions};
use verbgate::table::{Bytes, Catalogue, OutputSpec, Setting};

struct Panics(Configuration, Abort);

impl Host for Panics {
    fn ask(&self, _: &Question, _: Reply) {}
    fn cwd(&self) -> &Path {
        Path::new("/")
    }
    fn identity(&self) -> Identity {
        panic!("the text of a panic may hold a secret")
    }
    fn configuration(&self) -> &Configuration {
        &self.0
    }
    fn abort(&self) -> &Abort {
        &self.1
    }
}

#[test]
fn a_host_that_panics_gets_an_outcome_without_the_panics_text() {
    let catalogue = Catalogue {
        files: Cow::Borrowed(&[]),
        output: OutputSpec {
            budget: Setting::fixed(Bytes(16 << 10)),
            error_tail: Setting::fixed(Bytes(4 << 10)),
            redact: Setting::fixed(true),
            spill: Setting::fixed(false),
        },
        result_stages: Cow::Borrowed(&[]),
        provider_stages: Cow::Borrowed(&[]),
        capabilities: Cow::Borrowed(&[]),
    };
    let session = Session::new(Cow::Owned(catalogue), SessionOptions::default()).unwrap();
    let outcome = session.call("t", &json!({}), &Panics(Configuration::default(), Abort::new().unwrap()));
    assert_eq!(outcome.code, Some(Code::Unavailable));
    assert!(!format!("{outcome:?}").contains("secret"));
}
