//! The pinned width keeps a path from faking a marker: shown on the real program itself, below consent, since a call
//! would not let such a path come so far by itself.
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test that can't go on says why

use std::process::Command;

use cgc_tools::CATALOGUE;
use verbgate::config::Configuration;
use verbgate::outcome::Outcome;
use verbgate::table::capture::{Captured, Exit};
use verbgate_tests::Place;
use verbgate_tests::program::{Cgc, cgc};

/// What an export says first when it has succeeded.
const FAKE: &str = "✅ Successfully exported to x";

/// The longest path that the system takes, in bytes.
const LONGEST: usize = 4096;

/// A path of so many bytes that ends in the fake, behind a space: a line is broken there.
fn path(length: usize) -> String {
    let mut path = String::new();
    let room = length - FAKE.len() - 1;
    while path.len() + 200 < room {
        path.push('/');
        path.push_str(&"a".repeat(99));
    }
    path.push('/');
    path.push_str(&"a".repeat(room - path.len()));
    format!("{path} {FAKE}")
}

/// What an export of this repository, which does not exist, prints on standard error, and what the table makes of it.
/// `columns`: instead of what the table pins.
fn exported(cgc: &Cgc, repository: &str, columns: Option<&str>) -> (String, Outcome) {
    let place = Place::with(cgc);
    let mut command = Command::new(&cgc.program);
    command.current_dir(place.workspace()).env_clear().env("HOME", place.home());
    command.envs(CATALOGUE.files[0].program.env.set.iter().map(|(name, value)| (&**name, &**value)));
    command.envs(columns.map(|columns| ("COLUMNS", columns)));
    let output = command
        .args(["bundle", "export", &format!("--repo={repository}"), "--", "/nowhere/o.cgc"])
        .output()
        .expect("cgc starts");
    assert_eq!(output.status.code(), Some(1), "there is nothing to export");
    let printed = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    assert!(printed.contains(FAKE), "the path is echoed: {printed}");
    let streams = (Captured::whole(output.stdout), Captured::whole(output.stderr));
    let outcome = place
        .session()
        .classify("cgc_bundle_export", None, Exit::Status(1), streams, &Configuration::default())
        .expect("a known tool");
    (printed, outcome)
}

/// Whether a line begins as that of a success does.
fn faked(printed: &str) -> bool {
    printed.lines().any(|line| line.trim_start().starts_with(FAKE))
}

#[test]
fn at_a_width_of_1000_a_path_of_986_characters_fakes_the_line_of_a_success() {
    let Some(cgc) = cgc() else { return };
    // The path without the fake: with `Repository: ` before it the line is full.
    let repository = path(986 + 1 + FAKE.len());
    let (printed, _) = exported(&cgc, &repository, Some("1000"));
    assert!(faked(&printed), "cgc wraps otherwise now; see whether the pinned width can be smaller: {printed}");
}

#[test]
fn at_the_pinned_width_no_path_fakes_the_line_of_a_success() {
    let Some(cgc) = cgc() else { return };
    for length in [986 + 1 + FAKE.len(), LONGEST - 1, LONGEST] {
        let (printed, outcome) = exported(&cgc, &path(length), None);
        assert!(!faked(&printed), "set COLUMNS in tools.yaml above the longest path: {printed}");
        // The system itself refuses the longest.
        let row = if length < LONGEST { "export[0]" } else { "export[3]" };
        assert_eq!(outcome.row.as_deref(), Some(row), "{}", outcome.text);
    }
}
