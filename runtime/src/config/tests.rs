use serde_json::json;

use super::*;
use crate::table::{
    Annotations, EnvSpec, GroupSpec, NeverSpec, OutputSpec, ProgramSpec, RefuseFile, RowSpec, Streams, ToolSpec,
};

fn setting<T: Clone>(default: T, key: &str, variable: &str) -> Setting<T> {
    Setting {
        default,
        config: Some(key.to_owned().into()),
        env: Some(variable.to_owned().into()),
        min: None,
        max: None,
    }
}

fn switch(default: bool) -> Setting<bool> {
    setting(default, "tools.cliGap.enabled", "ENABLED")
}

fn tool(name: &'static str, enabled: Setting<bool>) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: "".into(),
        enabled,
        verbs: Vec::new().into(),
        input_schema: "{}".into(),
        output_schema: "{}".into(),
        annotations: Annotations { read_only: true, destructive: false, idempotent: true, open_world: false },
        notes: Vec::new().into(),
    }
}

fn catalogue() -> Catalogue {
    let row = RowSpec {
        code: Code::NotAllowed,
        exit: Vec::new().into(),
        pattern: None,
        streams: Streams::Both,
        veto: true,
        unless: Some(setting(false, "cgc.allowPerRepo", "ALLOW_PER_REPO")),
        say: Vec::new().into(),
        hint: Vec::new().into(),
    };
    let file = FileSpec {
        enabled: switch(true),
        program: ProgramSpec {
            executable: setting("cgc".into(), "cgc.executable", "CGC_EXECUTABLE"),
            argv: Vec::new().into(),
            install: "pip install it".into(),
            version: None,
            timeout: Setting {
                min: Some(Millis(15_000)),
                max: Some(Millis(1_800_000)),
                ..setting(Millis(30_000), "cgc.timeoutMs", "CGC_TIMEOUT")
            },
            refuse_files: vec![RefuseFile {
                name: "mcp.json".into(),
                say: "s".into(),
                hint: "h".into(),
                unless: setting(false, "cgc.allowProjectMcpJson", "ALLOW_MCP"),
            }]
            .into(),
            roots: Vec::new().into(),
            env: EnvSpec { pass: Vec::new().into(), set: Vec::new().into(), mask: Vec::new().into() },
            never: NeverSpec::default(),
            help: None,
            network: true,
            notes: Vec::new().into(),
        },
        tools: vec![tool("one", Setting::fixed(true)), tool("two", setting(true, "two.enabled", "TWO"))].into(),
        groups: vec![GroupSpec { name: "common".into(), rows: vec![row].into() }].into(),
    };
    Catalogue {
        files: vec![file].into(),
        output: OutputSpec {
            budget: setting(Bytes(16 * 1024), "output.budget", "BUDGET"),
            error_tail: Setting::fixed(Bytes(4096)),
            redact: setting(true, "output.redact", "REDACT"),
            spill: setting(true, "output.spill", "SPILL"),
        },
        result_stages: vec![
            ResultStage {
                name: "gateway".into(),
                kind: StageKind::Observe,
                enabled: setting(false, "stages.gateway", "GATEWAY"),
                tools: Vec::new().into(),
            },
            ResultStage {
                name: "firewall".into(),
                kind: StageKind::Sanitise,
                enabled: setting(false, "stages.firewall", "FIREWALL"),
                tools: Vec::new().into(),
            },
        ]
        .into(),
        provider_stages: Vec::new().into(),
        capabilities: Vec::new().into(),
    }
}

struct Outer {
    environment: Environment,
    configuration: Configuration,
}

impl Outer {
    fn settings(&self) -> Settings<'_> {
        Settings { environment: &self.environment, configuration: &self.configuration }
    }

    fn off(&self) -> Vec<Option<String>> {
        self.settings().tools(&catalogue()).into_iter().map(|state| state.off).collect()
    }

    fn file(&self) -> Result<FileSettings, Failure> {
        let catalogue = catalogue();
        self.settings().file(&catalogue, &catalogue.files[0])
    }

    fn notes(&self) -> Vec<String> {
        self.settings().notes(&catalogue(), &["log"])
    }
}

fn outer(user: Json, project: Json, environment: &[(&str, &str)]) -> Outer {
    Outer {
        environment: environment.iter().copied().collect(),
        configuration: Configuration { user, project, broken: None },
    }
}

#[test]
fn every_way_to_write_a_truth_value_is_read_and_nothing_else() {
    let cases = [
        ("true", true),
        ("1", true),
        ("YES", true),
        ("On", true),
        ("FALSE", false),
        ("0", false),
        ("no", false),
        ("oFF", false),
    ];
    for (text, expected) in cases {
        let outer = outer(Json::Null, Json::Null, &[("ENABLED", text)]);
        let found = outer.settings().flag(&switch(!expected), Narrow::ToFalse).unwrap();
        assert_eq!((found.value, found.source), (expected, Source::Variable("ENABLED".into())), "{text}");
    }
    for text in ["", " true", "truee", "2", "y", "enabled", "01"] {
        let outer = outer(Json::Null, Json::Null, &[("ENABLED", text)]);
        assert!(outer.settings().flag(&switch(true), Narrow::ToFalse).is_err(), "{text:?}");
    }
    for (value, expected) in [(json!(true), true), (json!(0), false), (json!("on"), true)] {
        let outer = outer(json!({"tools": {"cliGap": {"enabled": value}}}), Json::Null, &[]);
        assert_eq!(outer.settings().flag(&switch(!expected), Narrow::ToFalse).unwrap().value, expected);
    }
    for value in [json!([]), json!({}), json!(1.5), json!(2)] {
        let outer = outer(json!({"tools": {"cliGap": {"enabled": value}}}), Json::Null, &[]);
        assert!(outer.settings().flag(&switch(true), Narrow::ToFalse).is_err());
    }
}

#[test]
fn the_variable_wins_over_the_key_and_the_key_over_the_default() {
    let key = json!({"tools": {"cliGap": {"enabled": false}}});
    assert!(outer(Json::Null, Json::Null, &[]).off().iter().all(Option::is_none));
    assert!(outer(key.clone(), Json::Null, &[]).off().iter().all(Option::is_some));
    assert!(outer(key, Json::Null, &[("ENABLED", "1")]).off().iter().all(Option::is_none));
}

#[test]
fn a_switch_that_cannot_be_read_counts_as_off_and_is_named_without_its_value() {
    for (outer, named) in [
        (outer(Json::Null, Json::Null, &[("ENABLED", "hunter2")]), "`ENABLED`"),
        (outer(json!({"tools": {"cliGap": {"enabled": "hunter2"}}}), Json::Null, &[]), "`tools.cliGap.enabled`"),
        (outer(json!({"tools": "hunter2"}), Json::Null, &[]), "`tools`"),
    ] {
        let off = outer.off()[0].clone().unwrap();
        assert!(off.contains(named) && !off.contains("hunter2"), "{off}");
    }
}

#[test]
fn a_broken_configuration_switches_everything_off_even_what_the_environment_switches_on() {
    let mut broken = outer(Json::Null, Json::Null, &[("ENABLED", "1")]);
    broken.configuration.broken = Some("line 3: a comma is missing".into());
    assert!(broken.off().iter().all(|off| off.as_deref().is_some_and(|off| off.contains("line 3"))));
    assert!(!broken.settings().stage(&catalogue().result_stages[0]));
    assert!(outer(json!([1]), Json::Null, &[("ENABLED", "1")]).off().iter().all(Option::is_some));
}

#[test]
fn a_tool_has_a_switch_of_its_own() {
    let off = outer(json!({"two": {"enabled": "off"}}), Json::Null, &[]).off();
    assert_eq!((off[0].is_none(), off[1].is_none()), (true, false));
}

#[test]
fn durations_and_sizes_are_read_as_written_or_as_whole_numbers() {
    let limits = (Millis(0), Millis(u64::MAX));
    for (text, expected) in [
        ("90 s", Some(90_000)),
        ("250 ms", Some(250)),
        ("2 min", Some(120_000)),
        ("1 h", Some(3_600_000)),
        ("30000", Some(30_000)),
        ("90s", None),
        ("90  s", None),
        ("1.5 s", None),
        ("-1 s", None),
        ("+1 s", None),
        ("", None),
        (" s", None),
        ("1 d", None),
        ("18446744073709551615 h", None),
    ] {
        let outer = outer(Json::Null, Json::Null, &[("T", text)]);
        let found = outer.settings().duration(&setting(Millis(1), "t", "T"), limits).ok().map(|found| found.value.0);
        assert_eq!(found, expected, "{text:?}");
    }
    let limits = (Bytes(0), Bytes(u64::MAX));
    for (text, expected) in [
        ("16 KiB", Some(16384)),
        ("7 B", Some(7)),
        ("1 MiB", Some(1 << 20)),
        ("1024", Some(1024)),
        ("16 KB", None),
        ("16kib", None),
    ] {
        let outer = outer(Json::Null, Json::Null, &[("T", text)]);
        let found = outer.settings().size(&setting(Bytes(1), "t", "T"), limits).ok().map(|found| found.value.0);
        assert_eq!(found, expected, "{text:?}");
    }
    assert_eq!(outer(json!({"cgc": {"timeoutMs": 20000}}), Json::Null, &[]).file().unwrap().timeout, Millis(20_000));
    for bad in [json!(20000.5), json!(-1), json!(true), json!([20000])] {
        assert!(outer(json!({"cgc": {"timeoutMs": bad}}), Json::Null, &[]).file().is_err());
    }
}

#[test]
fn a_value_that_cannot_be_read_or_lies_beyond_its_bounds_makes_the_calls_unavailable_by_name() {
    for (outer, named) in [
        (outer(Json::Null, Json::Null, &[("CGC_TIMEOUT", "14 s")]), "`CGC_TIMEOUT`"),
        (outer(json!({"cgc": {"timeoutMs": "31 min"}}), Json::Null, &[]), "`cgc.timeoutMs`"),
        (outer(json!({"cgc": {"executable": ""}}), Json::Null, &[]), "`cgc.executable`"),
        (outer(json!({"cgc": {"executable": 7}}), Json::Null, &[]), "`cgc.executable`"),
        (outer(json!({"cgc": {"executable": "a\nb"}}), Json::Null, &[]), "`cgc.executable`"),
        (outer(Json::Null, Json::Null, &[("ALLOW_MCP", "maybe")]), "`ALLOW_MCP`"),
        (outer(Json::Null, Json::Null, &[("ALLOW_PER_REPO", "maybe")]), "`ALLOW_PER_REPO`"),
        (outer(Json::Null, Json::Null, &[("BUDGET", "0")]), "`BUDGET`"),
        (outer(Json::Null, Json::Null, &[("BUDGET", "2 MiB")]), "`BUDGET`"),
        (outer(Json::Null, Json::Null, &[("REDACT", "x")]), "`REDACT`"),
        (outer(Json::Null, Json::Null, &[("SPILL", "x")]), "`SPILL`"),
    ] {
        let failure = outer.file().unwrap_err();
        assert_eq!(failure.code, Code::Unavailable);
        assert!(failure.message.contains(named), "{}", failure.message);
    }
}

#[test]
fn a_small_budget_takes_the_error_tail_with_it() {
    let file = outer(Json::Null, Json::Null, &[("BUDGET", "1 KiB")]).file().unwrap();
    assert_eq!((file.output.budget, file.output.error_tail), (Bytes(1024), Bytes(512)));
}

#[test]
fn a_project_can_only_narrow() {
    let narrowing = json!({
        "tools": {"cliGap": {"enabled": false}},
        "cgc": {"timeoutMs": "20 s", "allowProjectMcpJson": false, "allowPerRepo": false},
        "output": {"budget": 2048, "redact": true, "spill": false},
        "stages": {"gateway": "off", "firewall": true},
    });
    let user = json!({
        "cgc": {"allowProjectMcpJson": true, "allowPerRepo": true},
        "output": {"redact": false},
        "stages": {"gateway": "observe"},
    });
    let narrowed = outer(user.clone(), narrowing, &[]);
    assert!(narrowed.off().iter().all(Option::is_some));
    let file = narrowed.file().unwrap();
    assert_eq!(
        (file.timeout, &file.files_allowed[..], &file.rows_allowed[0][..]),
        (Millis(20_000), &[false][..], &[false][..])
    );
    assert_eq!(
        file.output,
        OutputSettings { budget: Bytes(2048), error_tail: Bytes(1024), redact: true, spill: false }
    );
    let stages = catalogue().result_stages;
    assert!(!narrowed.settings().stage(&stages[0]) && narrowed.settings().stage(&stages[1]));
    assert_eq!(narrowed.notes(), Vec::<String>::new());

    let widening = json!({
        "tools": {"cliGap": {"enabled": true}},
        "cgc": {"timeoutMs": "10 min", "allowProjectMcpJson": true, "allowPerRepo": true, "executable": "/w/evil"},
        "output": {"budget": "1 MiB", "redact": false, "spill": true},
        "stages": {"gateway": "observe", "firewall": false},
        "log": "/w/log",
    });
    let user = json!({"tools": {"cliGap": {"enabled": false}}, "output": {"spill": false}, "stages": {"firewall": true}, "log": "/h/log"});
    let widened = outer(user, widening, &[]);
    assert!(widened.off().iter().all(Option::is_some));
    let file = widened.file().unwrap();
    assert_eq!(
        (file.timeout, &file.files_allowed[..], &file.rows_allowed[0][..]),
        (Millis(30_000), &[false][..], &[false][..])
    );
    assert_eq!(file.executable, Resolved { value: "cgc".into(), source: Source::Default });
    assert_eq!(
        file.output,
        OutputSettings { budget: Bytes(16384), error_tail: Bytes(4096), redact: true, spill: false }
    );
    assert!(!widened.settings().stage(&stages[0]) && widened.settings().stage(&stages[1]));
    let notes = widened.notes();
    for key in [
        "tools.cliGap.enabled",
        "cgc.timeoutMs",
        "cgc.allowProjectMcpJson",
        "cgc.allowPerRepo",
        "cgc.executable",
        "output.budget",
        "output.redact",
        "output.spill",
        "stages.gateway",
        "stages.firewall",
        "log",
    ] {
        let named = notes.iter().filter(|note| note.contains(&format!("project's configuration `{key}`"))).count();
        assert_eq!(named, 1, "{key}: {notes:#?}");
    }
    assert_eq!(notes.len(), 11);
}

#[test]
fn a_project_value_that_cannot_be_read_is_ignored_and_named() {
    let outer = outer(Json::Null, json!({"cgc": {"timeoutMs": "soon"}, "output": {"budget": 1}}), &[]);
    assert_eq!(outer.file().unwrap().timeout, Millis(30_000));
    assert_eq!(outer.file().unwrap().output.budget, Bytes(16384));
    assert!(outer.notes()[0].contains("`cgc.timeoutMs`"));
}

#[test]
fn a_key_with_a_dot_in_its_name_is_no_nested_one_and_is_named() {
    let outer = outer(json!({"tools.cliGap.enabled": false, "tools": {"cliGap.enabled": false}}), Json::Null, &[]);
    assert!(outer.off().iter().all(Option::is_none));
    let notes = outer.notes();
    assert_eq!(notes.len(), 2, "{notes:?}");
    for key in ["`\"tools.cliGap.enabled\"`", "`tools.\"cliGap.enabled\"`"] {
        assert!(notes.iter().any(|note| note.contains(key)), "{key}: {notes:?}");
    }
}

#[test]
fn keys_that_nothing_reads_are_named_once_and_not_without_end() {
    let outer1 =
        outer(json!({"tools": {"cliGap": {"enable": true}}, "log": {"file": "/h/l"}, "logs": 1}), Json::Null, &[]);
    let notes = outer1.notes();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].contains("`tools.cliGap.enable`") && notes[1].contains("`logs`"));
    let many: serde_json::Map<_, _> = (0..1000).map(|n| (format!("k{n}"), json!(n))).collect();
    assert_eq!(outer(Json::Object(many), Json::Null, &[]).notes().len(), 33);
}

#[test]
fn an_observe_stage_reads_its_two_words_and_enforce_is_refused_with_the_reason() {
    let stage = &catalogue().result_stages[0];
    for (text, expected) in [
        ("observe", true),
        ("Observe", true),
        ("on", true),
        ("off", false),
        ("false", false),
        ("watch", false),
        ("enforce", false),
    ] {
        assert_eq!(outer(Json::Null, Json::Null, &[("GATEWAY", text)]).settings().stage(stage), expected, "{text}");
    }
    let notes = outer(json!({"stages": {"gateway": "enforce"}}), Json::Null, &[]).notes();
    assert!(notes[0].contains("`stages.gateway`") && notes[0].contains("coordinator"), "{notes:?}");
}

#[test]
fn null_is_not_set() {
    assert!(outer(json!({"tools": null}), json!({"tools": {"cliGap": {"enabled": null}}}), &[]).off()[0].is_none());
}

#[test]
fn an_environment_shows_names_and_no_values() {
    let environment: Environment = [("TOKEN", "hunter2")].into_iter().collect();
    assert_eq!(format!("{environment:?}"), r#"["TOKEN"]"#);
}
