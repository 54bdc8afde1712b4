//! The fourteen scenarios of the specification, each a test of its name, on the real program.
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test that can't go on says why

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cgc_tools::{CATALOGUE, CgcBundleExport, CgcContext, CgcDoctor, cgc_context};
use serde_json::json;
use verbgate::Code;
use verbgate::config::{Configuration, Environment, Settings};
use verbgate::host::Answer;
use verbgate_codegen::{Options, compile_sources};
use verbgate_tests::captured::Folder;
use verbgate_tests::program::{Cgc, cgc};
use verbgate_tests::{Place, Recorder};

const CATALOGUE_FILE: &str = "catalogs/codegraphcontext-mcp-0.6.13.json";
const NAMES: [&str; 3] = ["cgc_bundle_export", "cgc_context", "cgc_doctor"];

/// Names of the tools that are there with this configuration and environment.
fn registered(configuration: &Configuration, environment: &Environment) -> Vec<String> {
    let states = Settings { environment, configuration }.tools(&CATALOGUE);
    states.into_iter().filter(|state| state.off.is_none()).map(|state| state.name).collect()
}

fn switch(on: bool) -> Configuration {
    Configuration { user: json!({ "tools": { "cliGap": { "enabled": on } } }), ..Configuration::default() }
}

fn no(place: &Place) -> Recorder {
    Recorder::new(place.workspace()).answering(Answer::No)
}

fn yes(place: &Place) -> Recorder {
    Recorder::new(place.workspace()).answering(Answer::Yes)
}

fn create(name: &str, database: Option<cgc_context::Database>) -> CgcContext {
    CgcContext::Create { name: name.to_owned(), database }
}

fn delete(name: &str) -> CgcContext {
    CgcContext::Delete { name: name.to_owned() }
}

/// An index of the sample repository, and the export of it to `out.cgc` in the workspace.
fn indexed(cgc: &Cgc) -> (Place, CgcBundleExport) {
    let place = Place::with(cgc);
    let repository = place.index();
    let repository = repository.to_str().expect("UTF-8").to_owned();
    (place, CgcBundleExport { repository, output: "out.cgc".to_owned() })
}

// Requirement: Tool availability with opt-out

#[test]
fn default_installation_exposes_the_tools() {
    let Some(cgc) = cgc() else { return };
    let place = Place::with(&cgc);
    assert_eq!(registered(&Configuration::default(), &place.environment()), NAMES);

    let (session, host) = (place.session(), Recorder::new(place.workspace()));
    assert!(CgcDoctor.call(&session, &host).is_ok());
    assert!(CgcContext::List.call(&session, &host).is_ok());
    // The third is there, too: it asks, and gets no answer.
    let export = CgcBundleExport { repository: ".".to_owned(), output: "out.cgc".to_owned() };
    assert_eq!(export.call(&session, &host).code, Some(Code::Declined));
    assert_eq!(host.asked().len(), 1);
}

#[test]
fn opted_out_installation_hides_the_tools() {
    let place = Place::without_program();
    place.install(&place.bin(), "exit 0");
    assert_eq!(registered(&switch(false), &place.environment()), Vec::<String>::new());
    assert_eq!(registered(&switch(true), &place.environment()), NAMES);

    let host = yes(&place).user("tools.cliGap.enabled", false);
    for name in NAMES {
        let outcome = place.session().call(name, &json!({ "action": "list" }), &host);
        assert_eq!(outcome.code, Some(Code::Unavailable), "{}", outcome.text);
        assert!(outcome.text.contains("tools.cliGap.enabled"), "{}", outcome.text);
    }
    assert_eq!(place.starts(), Vec::<String>::new());
}

#[test]
fn environment_override_wins_over_the_config_key() {
    let place = Place::without_program();
    let with = |value: &str| place.environment().with("CGC_TOOLS_CLI_GAP_ENABLED", value);
    assert_eq!(registered(&switch(true), &with("false")), Vec::<String>::new());
    assert_eq!(registered(&switch(false), &with("true")), NAMES);
    // What can't be read counts as off (C4.2).
    assert_eq!(registered(&switch(true), &with("perhaps")), Vec::<String>::new());
}

// Requirement: Bundle export with confirmation

#[test]
fn confirmed_export_creates_a_bundle() {
    let Some(cgc) = cgc() else { return };
    let (place, export) = indexed(&cgc);
    let bundle = place.workspace().join("out.cgc");
    let host = yes(&place);

    let outcome = export.call(&place.session(), &host);

    assert!(outcome.is_ok(), "{}", outcome.text);
    let size = fs::metadata(&bundle).expect("the bundle is there").len();
    assert!(size > 0);
    let wrote = format!("wrote {} ({size} bytes)", bundle.display());
    assert!(outcome.text.lines().any(|line| line == wrote), "{}", outcome.text);
    assert!(outcome.fields["nodes"].as_u64() > Some(1), "{:?}", outcome.fields);
    assert!(outcome.fields["edges"].as_u64() > Some(1), "{:?}", outcome.fields);
    // The question named what a person must know, before anything ran.
    let [question] = &host.asked()[..] else { panic!("{:?}", host.asked()) };
    assert!(question.text.contains(&bundle.display().to_string()), "{}", question.text);
    assert!(question.text.contains("source text"), "{}", question.text);
    assert!(question.text.contains("new file"), "{}", question.text);
    // No flag that clears, and nothing but the two documented verbs.
    let ran = place.ran();
    let [before, ran] = &ran[..] else { panic!("{ran:?}") };
    assert_eq!(before, "context list");
    assert!(ran.starts_with("bundle export --repo="), "{ran}");
    assert!(!ran.contains("clear"), "{ran}");
    // The staged name is nowhere to be seen, and nothing of it is left.
    assert!(!outcome.text.contains(".verbgate"), "{}", outcome.text);
    assert_eq!(Folder::of(&place.workspace()).names().iter().filter(|name| name.ends_with(".cgc")).count(), 1);
    assert_eq!(place.alive(), Vec::<String>::new());
}

#[test]
fn declined_export_writes_nothing() {
    let Some(cgc) = cgc() else { return };
    let (place, export) = indexed(&cgc);
    let before = Folder::of(place.root());

    let host = no(&place);
    let outcome = export.call(&place.session(), &host);

    assert_eq!(outcome.code, Some(Code::Declined), "{}", outcome.text);
    assert_eq!(host.asked().len(), 1);
    assert_eq!(place.starts(), Vec::<String>::new(), "no cgc was started");
    assert_eq!(before.changed(&Folder::of(place.root())), Vec::<String>::new(), "nothing was written");
}

// Requirement: Named-context management

#[test]
fn listing_contexts() {
    let Some(cgc) = cgc() else { return };
    let place = Place::with(&cgc);
    place.prepare(&["context", "mode", "named"]);
    place.prepare(&["context", "create", "alpha", "--database", "kuzudb"]);
    place.prepare(&["context", "create", "beta", "--database", "ladybugdb"]);
    place.prepare(&["context", "default", "beta"]);

    let outcome = CgcContext::List.call(&place.session(), &Recorder::new(place.workspace()));

    assert!(outcome.is_ok(), "{}", outcome.text);
    let path = |name: &str| format!("{}/.codegraphcontext/contexts/{name}/db", place.home().display());
    let contexts = outcome.fields["contexts"].as_array().expect("a list");
    let [alpha, beta] = &contexts[..] else { panic!("{contexts:?}") };
    assert_eq!((alpha["name"].as_str(), beta["name"].as_str()), (Some("alpha"), Some("beta")));
    assert_eq!((&alpha["database"], &beta["database"]), (&json!("kuzudb"), &json!("ladybugdb")));
    assert_eq!((&alpha["default"], &beta["default"]), (&json!(false), &json!(true)));
    assert_eq!((&alpha["repositories"], &beta["repositories"]), (&json!(0), &json!(0)));
    for (context, name) in [(alpha, "alpha"), (beta, "beta")] {
        let shown = context["path"].as_str().expect("a path");
        assert!(shown.starts_with(&path(name)), "{shown}");
    }
    assert_eq!(outcome.fields["mode"], "named");
    assert_eq!(outcome.fields["default"], "beta");
    // All of it also stands in the text, which is all that a model sees.
    for word in ["alpha", "beta", "named", "ladybugdb"] {
        assert!(outcome.text.contains(word), "{}", outcome.text);
    }
}

#[test]
fn creating_a_context() {
    let Some(cgc) = cgc() else { return };
    let place = Place::with(&cgc);
    let host = Recorder::new(place.workspace());

    let outcome = create("alpha", Some(cgc_context::Database::Kuzudb)).call(&place.session(), &host);

    assert!(outcome.is_ok(), "{}", outcome.text);
    assert_eq!(host.asked().len(), 0, "an addition does not ask");
    assert_eq!(outcome.fields["name"], "alpha");
    assert_eq!(outcome.fields["database"], "kuzudb");
    assert!(outcome.fields["db_path"].as_str().expect("a path").contains("/contexts/alpha/"), "{:?}", outcome.fields);
    let listed = CgcContext::List.call(&place.session(), &host);
    assert_eq!(listed.fields["contexts"][0]["name"], "alpha", "{}", listed.text);
    // Once more: nothing that exists is changed.
    let again = create("alpha", Some(cgc_context::Database::Neo4j)).call(&place.session(), &host);
    assert_eq!(again.code, Some(Code::InvalidArgument), "{}", again.text);
    assert_eq!(again.row.as_deref(), Some("contexts[0]"));
    assert_eq!(
        again.fields["before"]["contexts"][0]["database"], "kuzudb",
        "what was seen before stands beside a failure"
    );
}

#[test]
fn setting_the_default_states_the_old_one_and_the_new_one() {
    let Some(cgc) = cgc() else { return };
    let place = Place::with(&cgc);
    place.prepare(&["context", "create", "alpha", "--database", "kuzudb"]);
    place.prepare(&["context", "create", "beta", "--database", "kuzudb"]);
    let (session, host) = (place.session(), Recorder::new(place.workspace()));
    let set = |name: &str| session.call("cgc_context", &json!({ "action": "set_default", "name": name }), &host);

    let first = set("alpha");
    assert_eq!((first.is_ok(), &first.fields["default"]), (true, &json!("alpha")), "{}", first.text);
    assert_eq!(first.fields["before"].get("default"), None, "there was none: {}", first.text);
    let second = set("beta");
    assert_eq!((second.is_ok(), &second.fields["default"]), (true, &json!("beta")), "{}", second.text);
    assert_eq!(second.fields["before"]["default"], "alpha", "{}", second.text);
    assert_eq!(host.asked().len(), 0);
}

#[test]
fn delete_requires_confirmation() {
    let Some(cgc) = cgc() else { return };
    let place = Place::with(&cgc);
    place.prepare(&["context", "create", "alpha", "--database", "kuzudb"]);
    let files = place.home().join(".codegraphcontext/contexts/alpha");
    assert!(files.is_dir());
    let host = yes(&place);

    let outcome = delete("alpha").call(&place.session(), &host);

    assert!(outcome.is_ok(), "{}", outcome.text);
    let [question] = &host.asked()[..] else { panic!("{:?}", host.asked()) };
    assert!(question.text.contains("\"alpha\""), "{}", question.text);
    assert!(files.is_dir(), "database files stay");
    let listed = CgcContext::List.call(&place.session(), &host);
    assert_eq!(listed.fields["contexts"], json!([]), "{}", listed.text);
    // A yes holds once: the next delete asks again, and nobody answers.
    place.prepare(&["context", "create", "alpha", "--database", "kuzudb"]);
    assert_eq!(delete("alpha").call(&place.session(), &host).code, Some(Code::Declined));
    assert_eq!(host.asked().len(), 2);
}

#[test]
fn declined_delete() {
    let Some(cgc) = cgc() else { return };
    let place = Place::with(&cgc);
    place.prepare(&["context", "create", "alpha", "--database", "kuzudb"]);
    let (before, started) = (Folder::of(&place.home()), place.starts().len());

    let outcome = delete("alpha").call(&place.session(), &no(&place));

    assert_eq!(outcome.code, Some(Code::Declined), "{}", outcome.text);
    assert_eq!(place.starts().len(), started, "no cgc was started");
    assert_eq!(before.changed(&Folder::of(&place.home())), Vec::<String>::new());
    let listed = CgcContext::List.call(&place.session(), &Recorder::new(place.workspace()));
    assert_eq!(listed.fields["contexts"][0]["name"], "alpha", "{}", listed.text);
}

// Requirement: Diagnostics tool

#[test]
fn diagnostics_returned() {
    let Some(cgc) = cgc() else { return };
    let place = Place::with(&cgc);
    let host = Recorder::new(place.workspace());

    let outcome = CgcDoctor.call(&place.session(), &host);

    assert!(outcome.is_ok(), "{}", outcome.text);
    assert_eq!(host.asked().len(), 0);
    assert_eq!(outcome.fields["healthy"], true, "{}", outcome.text);
    assert!(outcome.text.contains("All diagnostics passed!"), "{}", outcome.text);

    // With less room than the report needs.
    let host = Recorder::new(place.workspace()).user("output.budget", 1024).user("output.errorTail", 256);
    let short = CgcDoctor.call(&place.session(), &host);
    assert!(short.is_ok(), "{}", short.text);
    assert!(short.text.len() <= 1024, "{} bytes", short.text.len());
    assert!(short.text.len() < outcome.text.len());
    assert!(short.text.contains(" bytes in all "), "the marker states the size: {}", short.text);

    // Problems that it finds are the report, not a failure.
    fs::write(place.home().join(".codegraphcontext/.env"), "DEFAULT_DATABASE=falkordb\n").expect("its configuration");
    let ill = CgcDoctor.call(&place.session(), &Recorder::new(place.workspace()));
    assert!(ill.is_ok(), "{}", ill.text);
    assert_eq!(ill.fields["healthy"], false);
    assert!(ill.fields["findings"].as_array().is_some_and(|findings| !findings.is_empty()), "{:?}", ill.fields);
}

// Requirement: Shared guardrails and structured errors

#[test]
fn sandboxed_path_rejected_cleanly() {
    let Some(cgc) = cgc() else { return };
    let (place, export) = indexed(&cgc);
    let host = yes(&place);
    for outside in ["/etc/out.cgc", "../out.cgc", "library/../../out.cgc"] {
        let outcome = CgcBundleExport { output: outside.to_owned(), ..export.clone() }.call(&place.session(), &host);
        assert_eq!(outcome.code, Some(Code::NotAllowed), "{outside}: {}", outcome.text);
        assert!(outcome.text.contains("CGC_ALLOWED_ROOTS"), "{}", outcome.text);
        assert!(outcome.text.contains(&place.workspace().display().to_string()), "{}", outcome.text);
        assert!(!outcome.text.contains("Traceback"), "{}", outcome.text);
    }
    assert_eq!((host.asked().len(), place.starts().len()), (0, 0), "nothing was asked or started");
}

#[test]
fn cgc_missing() {
    let place = Place::without_program();
    let environment = place.environment().with("PATH", "");
    let host = yes(&place);
    for (name, arguments) in [
        ("cgc_bundle_export", json!({ "repository": ".", "output": "o.cgc" })),
        ("cgc_context", json!({ "action": "list" })),
        ("cgc_context", json!({ "action": "create", "name": "a" })),
        ("cgc_context", json!({ "action": "delete", "name": "a" })),
        ("cgc_context", json!({ "action": "set_default", "name": "a" })),
        ("cgc_doctor", json!({})),
    ] {
        let outcome = place.session_in(environment.clone()).call(name, &arguments, &host);
        assert_eq!(outcome.code, Some(Code::Unavailable), "{name}: {}", outcome.text);
        assert!(outcome.text.contains("pip install codegraphcontext"), "{}", outcome.text);
    }
    assert_eq!(host.asked().len(), 0, "nobody is asked for what can't be done");
}

#[test]
fn busy_database() {
    let Some(cgc) = cgc() else { return };
    let (place, export) = indexed(&cgc);
    let held = place.hold_database();

    let outcome = export.call(&place.session(), &yes(&place));

    assert_eq!(outcome.code, Some(Code::Busy), "{}", outcome.text);
    assert!(outcome.text.contains("another process holds the cgc database"), "{}", outcome.text);
    assert!(!outcome.text.contains("Traceback"), "{}", outcome.text);
    assert_eq!(place.ran().iter().filter(|ran| ran.starts_with("bundle export")).count(), 1, "never retried");
    assert!(!place.workspace().join("out.cgc").exists());
    // Doctor never opens the database, so it can't see that (docs/adr/0003).
    assert!(CgcDoctor.call(&place.session(), &no(&place)).is_ok());
    // And once the other has let go, the same call goes through.
    drop(held);
    let outcome = export.call(&place.session(), &yes(&place));
    assert!(outcome.is_ok(), "{}", outcome.text);
}

// Requirement: No duplication of the MCP catalog

/// Compiles a manifest beside a catalogue; the report if there are errors.
fn compiled(manifest: &str, catalogue: &str) -> Result<(), String> {
    let files = [("tools.yaml", manifest), (CATALOGUE_FILE, catalogue)];
    let files = files.into_iter().map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).collect();
    let compiled = compile_sources("tools.yaml", &files, &Options::default());
    compiled.map(drop).map_err(|report| report.render(false))
}

#[test]
fn name_collision_check_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = fs::read_to_string(root.join("tools.yaml")).expect("the manifest");
    let text = fs::read_to_string(root.join(CATALOGUE_FILE)).expect("the catalogue");
    let catalogue: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let folded = |name: &str| name.to_lowercase().replace(['-', '_'], "");
    let theirs: BTreeSet<String> = catalogue["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|tool| folded(tool["name"].as_str().expect("a name")))
        .collect();
    let ours: Vec<&str> =
        CATALOGUE.files.iter().flat_map(|file| file.tools.iter()).map(|tool| tool.name.as_ref()).collect();
    assert_eq!(theirs.len(), 29);
    assert_eq!(ours, NAMES);
    for name in ours {
        assert!(!theirs.contains(&folded(name)), "{name}");
    }

    // The compiler's own check passes for the three, and fails, with both places, once they would collide.
    assert_eq!(compiled(&manifest, &text), Ok(()));
    for (what, manifest, text, names) in [
        ("a tool of theirs has our name", manifest.clone(), text.replace("list_jobs", "cgc_doctor"), "cgc_doctor"),
        ("... behind a server's name", manifest.clone(), text.replace("list_jobs", "mcp__x__cgc_doctor"), "cgc_doctor"),
        ("a tool of ours takes theirs", manifest.replace("cgc_doctor", "find_code"), text.clone(), "find_code"),
        (
            "a tool of ours does what theirs does",
            manifest.replace("argv: [doctor]", "argv: [list]"),
            text.clone(),
            "list_indexed_repositories",
        ),
    ] {
        let report = compiled(&manifest, &text).expect_err(what);
        assert!(report.contains("error[VG06"), "{what}: {report}");
        for words in [names, "tools.yaml:", CATALOGUE_FILE] {
            assert!(report.contains(words), "{what}, without {words}: {report}");
        }
    }
}
