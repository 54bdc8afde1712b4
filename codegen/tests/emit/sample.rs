//! A small table that holds one of each thing, built by hand. `text` turns each free text of a manifest into what
//! stands in the table, so that the same table comes plain and with hostile words everywhere.

use std::borrow::Cow;

use verbgate_codegen::emit::json_schema::{input_schema, output_schema};
use verbgate_table::pattern::{LinePattern, ValuePattern};
use verbgate_table::{
    Access, Annotations, ArgKind, ArgSpec, BeforeSpec, Bytes, Capability, Capture, Catalogue, Choice, Class, Code,
    DefaultValue, Element, EnvName, EnvSpec, ExitIs, FieldSource, FieldSpec, FieldType, FileSpec, GroupSpec, HelpSpec,
    List, Millis, MustBe, NeverSpec, OutputSpec, Piece, Presence, ProgramSpec, ProviderKind, ProviderStage, RefuseFile,
    ResultStage, Root, RowSpec, Scalar, Setting, StageKind, Stream, Streams, SuccessSpec, Text, ToolSpec, VerbSpec,
    VersionSpec,
};

/// What turns the manifest's words into the table's.
pub(crate) type Words<'a> = &'a dyn Fn(&str) -> String;

/// The words as they are.
pub(crate) fn plain(text: &str) -> String {
    text.to_owned()
}

/// Words that try to leave wherever they are put.
pub(crate) const HOSTILE: &[&str] = &[
    "\"\"\"",
    "\"#",
    "r#\"x\"#",
    "'; fn main() { panic!() } //",
    "*/ export const x = 1; /*",
    "{{ 7*7 }} {% raw %} {x} {}",
    "${x} `id` $(id)",
    "\\ \\n \\u{41} \\",
    "``` ```` ` `` ",
    "<script>alert(1)</script> <!-- --> <details>",
    "## `demo_fake`: a verb\n\n## again\n```rust\npanic!()\n```\n    panic!()",
    "| a | b |\n|---|---|",
    "[x](javascript:alert(1)) ![y](http://x/) http://example.org",
    "@deprecated @param {string} x",
    "#[doc = \"\"] /// //! /* /** ",
    "fn type self Self crate async r#fn",
    "é 日本語 🦀 \u{301}",
    "cargo::rustc-env=A=B\ncargo:rustc-cfg=x",
    "\u{202e}\u{200b}\u{feff}\u{2028}\u{85}\u{1b}[31m\u{0}\r\n\t",
];

/// All hostile words behind the plain ones.
pub(crate) fn hostile(text: &str) -> String {
    format!("{text} {}", HOSTILE.join(" "))
}

fn list<T: Clone>(items: impl IntoIterator<Item = T>) -> List<T> {
    Cow::Owned(items.into_iter().collect())
}

fn name(text: &str) -> Text {
    text.to_owned().into()
}

fn names(texts: &[&str]) -> List<Text> {
    list(texts.iter().map(|text| name(text)))
}

fn arg(name: &str, description: String, kind: ArgKind, presence: Presence) -> ArgSpec {
    ArgSpec {
        name: name.to_owned().into(),
        description: description.into(),
        kind,
        presence,
        requires: list([]),
        conflicts: list([]),
    }
}

fn string(pattern: Option<&str>, max: u32) -> Scalar {
    Scalar::String { pattern: pattern.map(|it| ValuePattern::new(name(it))), min: 1, max, multiline: false }
}

/// The table.
pub(crate) fn catalogue(w: Words) -> Catalogue {
    let groups = groups(w);
    let mut tools = vec![item(w), write(w), report(w)];
    let schemas: Vec<(String, String)> =
        tools.iter().map(|tool| (input_schema(tool).to_string(), output_schema(tool, &tools).to_string())).collect();
    for (tool, (input, output)) in tools.iter_mut().zip(schemas) {
        tool.input_schema = input.into();
        tool.output_schema = output.into();
    }
    Catalogue {
        files: list([FileSpec {
            enabled: Setting {
                default: true,
                config: Some(name("demo.enabled")),
                env: Some(name("DEMO_ENABLED")),
                min: None,
                max: None,
            },
            program: program(w),
            tools: tools.into(),
            groups,
        }]),
        output: OutputSpec {
            budget: Setting {
                default: Bytes(16 * 1024),
                config: Some(name("demo.budget")),
                env: None,
                min: Some(Bytes(1024)),
                max: Some(Bytes(65536)),
            },
            error_tail: Setting::fixed(Bytes(4096)),
            redact: Setting::fixed(true),
            spill: Setting::fixed(false),
        },
        result_stages: list([
            ResultStage {
                name: name("comments"),
                kind: StageKind::Enrich,
                enabled: Setting::fixed(true),
                tools: list([]),
            },
            ResultStage {
                name: name("normaliser"),
                kind: StageKind::Normalise,
                enabled: Setting {
                    default: false,
                    config: Some(name("stages.normaliser")),
                    env: None,
                    min: None,
                    max: None,
                },
                tools: names(&["grep"]),
            },
        ]),
        provider_stages: list([
            ProviderStage { name: name("firewall"), kind: ProviderKind::Redact },
            ProviderStage { name: name("fix"), kind: ProviderKind::Sanitise },
        ]),
        capabilities: list([Capability {
            source: w("bash").into(),
            capture: Capture::Limited,
            why: w("the host cuts it").into(),
            seen_on: w("1.2.3").into(),
        }]),
    }
}

fn program(w: Words) -> ProgramSpec {
    ProgramSpec {
        executable: Setting { default: name("demo"), config: None, env: Some(name("DEMO")), min: None, max: None },
        argv: list([w("--no-pager").into()]),
        install: w("apt-get install demo").into(),
        version: Some(VersionSpec {
            argv: names(&["--version"]),
            pattern: LinePattern::new(w(r"^demo (\S+)").into()),
            supported: name(">=1.0, <2"),
        }),
        timeout: Setting::fixed(Millis(30_000)),
        refuse_files: list([RefuseFile {
            name: w("demo.json").into(),
            say: w("the folder holds a demo.json").into(),
            hint: w("Move it away.").into(),
            unless: Setting { default: false, config: Some(name("demo.allowFile")), env: None, min: None, max: None },
        }]),
        roots: list([Root::Workspace, Root::Env(name("DEMO_ROOTS")), Root::Absolute(w("/srv/demo").into())]),
        env: EnvSpec {
            pass: list([EnvName::Exact(name("PATH")), EnvName::Prefix(name("LC_"))]),
            set: list([(name("NO_COLOR"), w("1").into())]),
            mask: names(&["DEMO_TOKEN"]),
        },
        never: NeverSpec {
            verbs: list([names(&["item", "purge"])]),
            options: list([w("--force").into()]),
            env: names(&["DEMO_ALLOW"]),
        },
        help: Some(HelpSpec { argv: names(&["--help"]), exit: list([0, 2]) }),
        network: false,
        notes: list([w("The first run makes ~/.demo.").into()]),
    }
}

fn groups(w: Words) -> List<GroupSpec> {
    let row = |code, pattern: Option<&str>, exit: List<ExitIs>, say: List<Piece>| RowSpec {
        code,
        exit,
        pattern: pattern.map(|it| LinePattern::new(w(it).into())),
        streams: Streams::Only(Stream::Stderr),
        veto: false,
        unless: None,
        say,
        hint: list([Piece::Literal(w("Look at the list.").into())]),
    };
    let veto = RowSpec {
        veto: true,
        streams: Streams::Both,
        unless: Some(Setting::fixed(false)),
        ..row(Code::NotAllowed, Some("^not saved"), list([ExitIs::Status(0)]), list([Piece::Literal(w("full").into())]))
    };
    let not_found = row(
        Code::NotFound,
        Some("^no item (?<what>.+)$"),
        list([]),
        list([Piece::Literal(w("no item ").into()), Piece::Arg(name("name")), Piece::Group(name("what"))]),
    );
    let killed = row(
        Code::CommandFailed,
        None,
        list([ExitIs::Signal(9), ExitIs::Status(3)]),
        list([Piece::Literal(w("it was killed").into())]),
    );
    list([
        GroupSpec { name: name("items"), rows: list([veto, not_found]) },
        GroupSpec { name: name("common"), rows: list([killed]) },
    ])
}

fn verb(w: Words, class: Class, argv: Vec<Element>) -> VerbSpec {
    VerbSpec {
        action: None,
        description: name(""),
        class,
        ask: list([]),
        args: list([]),
        one_of: list([]),
        argv: argv.into(),
        env: list([]),
        stdin: None,
        before: None,
        lock: None,
        timeout: None,
        success: SuccessSpec {
            exit: list([0]),
            pattern: Some(LinePattern::new(w("^done ").into())),
            streams: Streams::Only(Stream::Stdout),
        },
        groups: list([0, 1]),
        body: list([Stream::Stdout, Stream::Stderr]),
        fields: list([]),
        notes: list([]),
    }
}

fn literal(text: &str) -> Element {
    Element::One(list([Piece::Literal(name(text))]))
}

fn value(arg: &str) -> Element {
    Element::One(list([Piece::Arg(name(arg))]))
}

fn annotations(read_only: bool, destructive: bool) -> Annotations {
    Annotations { read_only, destructive, idempotent: read_only, open_world: false }
}

/// A tool with actions.
fn item(w: Words) -> ToolSpec {
    let name_arg = || arg("name", w("Name of the item."), ArgKind::One(string(Some("[a-z]+"), 64)), Presence::Required);
    let kind = |presence| {
        let word = |it: &str, program: &str| Choice { word: w(it).into(), program: w(program).into() };
        let words = [word("newest", "-date"), word("-size", "+size"), word("2.0", "2"), word("Self", "self")];
        arg("kind", w("Which kind."), ArgKind::One(Scalar::Choice(list(words))), presence)
    };
    let field = |it: &str, source| FieldSpec { name: name(it), source };
    let list_verb = VerbSpec {
        action: Some(name("list")),
        description: w("Name all items.").into(),
        args: list([kind(Presence::Default(DefaultValue::Text(w("newest").into())))]),
        fields: list([
            field(
                "items",
                FieldSource::EachNamed {
                    pattern: LinePattern::new(w(r"^(?<name>\S+) (?<size>\d+)$").into()),
                    streams: Streams::Both,
                    groups: list([(name("name"), FieldType::String), (name("size"), FieldType::Integer)]),
                },
            ),
            field("total", FieldSource::Json { pointer: name("/total"), kind: FieldType::Number }),
            field("any", FieldSource::JsonLines { pointer: name(""), kind: FieldType::Json }),
        ]),
        ..verb(w, Class::Read, vec![literal("item"), literal("list"), value("kind")])
    };
    let create = VerbSpec {
        action: Some(name("create")),
        description: w("Add an item.").into(),
        args: list([name_arg(), kind(Presence::Optional)]),
        lock: Some(name("items")),
        before: Some(BeforeSpec { tool: 0, verb: 0, groups: list([0]) }),
        fields: list([
            field(
                "total",
                FieldSource::Match {
                    pattern: LinePattern::new(name("^total (.+)$")),
                    streams: Streams::Only(Stream::Stdout),
                    kind: FieldType::String,
                },
            ),
            field("fresh", FieldSource::Exit(list([0]))),
        ]),
        ..verb(
            w,
            Class::Additive,
            vec![
                literal("item"),
                literal("create"),
                Element::When {
                    arg: name("kind"),
                    body: list([Element::One(list([Piece::Literal(w("--kind=").into()), Piece::Arg(name("kind"))]))]),
                },
                literal("--"),
                value("name"),
            ],
        )
    };
    let delete = VerbSpec {
        action: Some(name("delete")),
        description: w("Remove an item.").into(),
        args: list([name_arg()]),
        ask: list([Piece::Literal(w("Remove ").into()), Piece::Arg(name("name")), Piece::Literal(w("?").into())]),
        stdin: Some(list([Piece::Literal(w("y\n").into())])),
        timeout: Some(Millis(600_000)),
        notes: list([w("The data stays.").into()]),
        ..verb(w, Class::RegistryMutation, vec![literal("item"), literal("delete"), literal("--"), value("name")])
    };
    ToolSpec {
        name: name("demo_item"),
        description: w("Items of demo.").into(),
        enabled: Setting::fixed(true),
        verbs: list([list_verb, create, delete]),
        input_schema: name(""),
        output_schema: name(""),
        annotations: annotations(false, true),
        notes: list([]),
    }
}

/// A tool that is one verb, with one argument of each kind.
fn write(w: Words) -> ToolSpec {
    let many = |of, min, max, join: Option<&str>| ArgKind::Many { of, min, max, join: join.map(name) };
    let path = |access, must_be| {
        ArgKind::One(Scalar::Path {
            access,
            must_be,
            pattern: Some(ValuePattern::new(name(r".*\.out"))),
            max: 4096,
            sensitive: names(&[".github"]),
        })
    };
    let secret = Scalar::Secret { pattern: None, min: 1, max: 200 };
    let args = [
        arg("output", w("The file."), path(Access::Write, Some(MustBe::Absent)), Presence::Required),
        arg("inputs", w("What is read."), many(string(None, 100), 1, 20, None), Presence::Required),
        arg(
            "labels",
            w("Labels."),
            many(string(None, 10), 0, 5, Some(",")),
            Presence::Default(DefaultValue::List(list([DefaultValue::Text(w("a").into())]))),
        ),
        arg("all", w("Everything."), ArgKind::One(Scalar::Boolean), Presence::Optional),
        arg(
            "told",
            w("Say what is done."),
            ArgKind::One(Scalar::Boolean),
            Presence::Default(DefaultValue::Boolean(true)),
        ),
        arg(
            "depth",
            w("How deep."),
            ArgKind::One(Scalar::Integer { min: -5, max: 1 << 53 }),
            Presence::Default(DefaultValue::Integer(-1)),
        ),
        arg(
            "rate",
            w("How much."),
            ArgKind::One(Scalar::Number { min: Some(-0.5), max: None }),
            Presence::Default(DefaultValue::Number(1.5)),
        ),
        arg("password", w("The password."), ArgKind::One(secret), Presence::Optional),
        arg(
            "body",
            w("Text."),
            ArgKind::One(Scalar::String { pattern: None, min: 0, max: 1000, multiline: true }),
            Presence::Optional,
        ),
    ];
    let mut args = args.to_vec();
    args[3].conflicts = names(&["depth"]);
    args[8].requires = names(&["password"]);
    let verb = VerbSpec {
        args: args.into(),
        one_of: list([names(&["password", "body"])]),
        ask: list([Piece::Literal(w("Write ").into()), Piece::Arg(name("output")), Piece::Literal(w("?").into())]),
        env: list([(name("DEMO_PASSWORD"), list([Piece::Arg(name("password"))]))]),
        stdin: Some(list([Piece::Arg(name("body"))])),
        ..verb(
            w,
            Class::FileWrite,
            vec![
                literal("write"),
                Element::When {
                    arg: name("all"),
                    body: list([
                        literal("--all"),
                        Element::When { arg: name("told"), body: list([literal("--told")]) },
                    ]),
                },
                Element::When { arg: name("labels"), body: list([literal("-l"), value("labels")]) },
                literal("--"),
                value("output"),
                Element::Spread(name("inputs")),
            ],
        )
    };
    ToolSpec {
        name: name("demo_write"),
        description: w("Write a file.").into(),
        enabled: Setting { default: false, config: Some(name("demo.write")), env: None, min: None, max: None },
        verbs: list([verb]),
        input_schema: name(""),
        output_schema: name(""),
        annotations: annotations(false, true),
        notes: list([w("Slow.").into()]),
    }
}

/// A tool without arguments.
fn report(w: Words) -> ToolSpec {
    ToolSpec {
        name: name("demo_report"),
        description: w("What demo is like.").into(),
        enabled: Setting::fixed(true),
        verbs: list([verb(w, Class::Read, vec![literal("report")])]),
        input_schema: name(""),
        output_schema: name(""),
        annotations: annotations(true, false),
        notes: list([]),
    }
}
