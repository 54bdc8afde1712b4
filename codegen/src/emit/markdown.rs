//! `TOOLS.md`: what a reviewer reads. Per verb the argv first, literally.
//!
//! Every text of the manifest stands in a code span on one line ([`code_span`]), so none can hide the next verb, draw
//! a link or an image, or look like the page's own words.

mod words;

use std::fmt::Write as _;

use minijinja::Value;
use serde::Serialize;
use verbgate_table::{
    ArgSpec, Catalogue, Code, FieldSpec, FileSpec, Index, RefuseFile, RowSpec, Setting, ToolSpec, VerbSpec,
};

use super::escape::code_span;
use super::template::{own, render};

const TEMPLATE: &str = include_str!("../../templates/TOOLS.md.jinja");

/// The page.
pub fn tools(catalogue: &Catalogue) -> String {
    render(TEMPLATE, code_span, page(catalogue))
}

#[derive(Serialize)]
struct Page {
    files: Vec<File>,
    output: Vec<Value>,
    result_stages: Vec<Stage>,
    provider_stages: Vec<Stage>,
    capabilities: Vec<Claim>,
}

#[derive(Serialize)]
struct File {
    program: String,
    facts: Vec<Value>,
    refuse_files: Vec<Refusal>,
    tools: Vec<Tool>,
}

#[derive(Serialize)]
struct Refusal {
    name: String,
    say: String,
    hint: String,
    unless: Value,
}

#[derive(Serialize)]
struct Tool {
    name: String,
    description: String,
    facts: Vec<Value>,
    notes: Vec<String>,
    verbs: Vec<Verb>,
}

#[derive(Serialize)]
struct Verb {
    tool: String,
    action: Option<String>,
    argv: String,
    description: String,
    ask: Option<String>,
    class: String,
    class_means: Value,
    facts: Vec<Value>,
    args: Vec<Arg>,
    success: Vec<Value>,
    rows: Vec<Row>,
    fields: Vec<Value>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Arg {
    name: String,
    kind: Value,
    facts: Vec<Value>,
    description: String,
}

#[derive(Serialize)]
struct Row {
    at: String,
    code: Value,
    facts: Vec<Value>,
    say: String,
    hint: String,
}

#[derive(Serialize)]
struct Stage {
    name: String,
    kind: Value,
    enabled: Value,
    tools: Vec<String>,
}

#[derive(Serialize)]
struct Claim {
    source: String,
    capture: Value,
    why: String,
    seen_on: String,
}

/// One line: our words, then texts of the manifest in code spans, then our words again.
fn line(name: &str, values: &[String], rest: &str) -> Value {
    let mut out = name.to_owned();
    if !values.is_empty() || !rest.is_empty() {
        out.push(':');
    }
    for value in values {
        out.push(' ');
        out.push_str(&code_span(value));
    }
    if !rest.is_empty() {
        out.push(' ');
        out.push_str(rest);
    }
    own(&out)
}

fn fact(name: &str, values: impl IntoIterator<Item = String>) -> Value {
    line(name, &values.into_iter().collect::<Vec<_>>(), "")
}

fn told(name: &str, words: &str) -> Value {
    line(name, &[], words)
}

fn page(catalogue: &Catalogue) -> Page {
    let output = &catalogue.output;
    Page {
        files: catalogue.files.iter().map(file).collect(),
        output: vec![
            set("delivered text at most", &output.budget, |it| format!("{} bytes", it.0)),
            set("of which the end of the error output", &output.error_tail, |it| format!("{} bytes", it.0)),
            set("secrets masked", &output.redact, ToString::to_string),
            set("what does not fit is kept in a private file", &output.spill, ToString::to_string),
        ],
        result_stages: catalogue
            .result_stages
            .iter()
            .map(|it| Stage {
                name: it.name.to_string(),
                kind: own(words::stage(it.kind)),
                enabled: own(&setting(&it.enabled, ToString::to_string)),
                tools: strings(&it.tools),
            })
            .collect(),
        provider_stages: catalogue
            .provider_stages
            .iter()
            .map(|it| Stage {
                name: it.name.to_string(),
                kind: own(words::provider(it.kind)),
                enabled: own("true"),
                tools: Vec::new(),
            })
            .collect(),
        capabilities: catalogue
            .capabilities
            .iter()
            .map(|it| Claim {
                source: it.source.to_string(),
                capture: own(words::capture(it.capture)),
                why: it.why.to_string(),
                seen_on: it.seen_on.to_string(),
            })
            .collect(),
    }
}

fn file(it: &FileSpec) -> File {
    let program = &it.program;
    let mut facts = vec![
        set("switched on", &it.enabled, ToString::to_string),
        set_text("executable", &program.executable),
        fact("if it is missing", [program.install.to_string()]),
    ];
    if let Some(version) = &program.version {
        facts.push(fact("supported versions", [version.supported.to_string()]));
        facts.push(fact("version is asked by", [words::literal_argv(&version.argv)]));
        facts.push(fact("version is found by", [words::line_pattern(&version.pattern)]));
    }
    if let Some(help) = &program.help {
        facts.push(fact("help is asked by", [words::literal_argv(&help.argv)]));
    }
    facts.extend([
        set("time budget of a verb without its own", &program.timeout, |it| words::duration(*it)),
        fact("paths may lie in", program.roots.iter().map(words::root)),
        fact("environment passed on if set", program.env.pass.iter().map(words::env_name)),
        fact("environment set", program.env.set.iter().map(|(name, value)| format!("{name}={value}"))),
        fact("values masked wherever they show up", strings(&program.env.mask)),
        fact("never: verbs", program.never.verbs.iter().map(|it| words::literal_argv(it))),
        fact("never: options", strings(&program.never.options)),
        fact("never: environment", strings(&program.never.env)),
        told("may open connections", if program.network { "yes" } else { "no (a claim, not a fence)" }),
    ]);
    facts.extend(program.notes.iter().map(|it| fact("note", [it.to_string()])));
    File {
        program: program.executable.default.to_string(),
        facts,
        refuse_files: program.refuse_files.iter().map(refusal).collect(),
        tools: it.tools.iter().map(|tool| self::tool(it, tool)).collect(),
    }
}

fn refusal(it: &RefuseFile) -> Refusal {
    Refusal {
        name: it.name.to_string(),
        say: it.say.to_string(),
        hint: it.hint.to_string(),
        unless: own(&setting(&it.unless, ToString::to_string)),
    }
}

fn tool(file: &FileSpec, it: &ToolSpec) -> Tool {
    let hints = [
        ("readOnly", it.annotations.read_only),
        ("destructive", it.annotations.destructive),
        ("idempotent", it.annotations.idempotent),
        ("openWorld", it.annotations.open_world),
    ];
    let hints: Vec<String> = hints.iter().map(|(name, on)| format!("{name} {on}")).collect();
    Tool {
        name: it.name.to_string(),
        description: it.description.to_string(),
        facts: vec![set("switched on", &it.enabled, ToString::to_string), told("hints", &hints.join(", "))],
        notes: strings(&it.notes),
        verbs: it.verbs.iter().map(|verb| self::verb(file, it, verb)).collect(),
    }
}

fn verb(file: &FileSpec, tool: &ToolSpec, it: &VerbSpec) -> Verb {
    Verb {
        tool: tool.name.to_string(),
        action: it.action.as_ref().map(ToString::to_string),
        argv: words::argv(&file.program, &it.argv),
        description: if it.action.is_some() { it.description.to_string() } else { tool.description.to_string() },
        ask: it.class.asks().then(|| words::pieces(&it.ask)),
        class: it.class.as_str().to_owned(),
        class_means: own(words::class(it.class)),
        facts: verb_facts(file, it),
        args: it.args.iter().map(arg).collect(),
        success: success(it),
        rows: rows(file, it),
        fields: it.fields.iter().map(field).collect(),
        notes: strings(&it.notes),
    }
}

fn verb_facts(file: &FileSpec, it: &VerbSpec) -> Vec<Value> {
    let mut facts = Vec::new();
    for (access, said) in words::ACCESSES {
        let args: Vec<String> = it
            .args
            .iter()
            .filter(|arg| words::access(arg) == Some(access))
            .map(|arg| format!("<{}>", arg.name))
            .collect();
        if !args.is_empty() {
            facts.push(fact(said, args));
        }
    }
    let variables: Vec<String> =
        it.env.iter().map(|(name, value)| format!("{name}={}", words::pieces(value))).collect();
    if !variables.is_empty() {
        facts.push(fact("environment set for this verb", variables));
    }
    match &it.stdin {
        None => facts.push(told("standard input", "none")),
        Some(text) => facts.push(fact("given on standard input", [words::pieces(text)])),
    }
    if let Some(before) = &it.before {
        let first = file.tools.get(usize::from(before.tool)).and_then(|tool| {
            let verb = tool.verbs.get(usize::from(before.verb))?;
            Some(verb.action.as_ref().map_or_else(|| tool.name.to_string(), |action| format!("{}.{action}", tool.name)))
        });
        facts.push(fact("must succeed before", first));
        if !before.groups.is_empty() {
            facts.push(fact("groups looked at for that", group_names(file, &before.groups)));
        }
    }
    if let Some(lock) = &it.lock {
        facts.push(fact("runs one at a time with", [lock.to_string()]));
    }
    match it.timeout {
        Some(timeout) => facts.push(told("time budget", &words::duration(timeout))),
        None => facts.push(set("time budget (the program's)", &file.program.timeout, |it| words::duration(*it))),
    }
    facts.push(told("delivered", &words::streams_in_order(&it.body)));
    for names in it.one_of.iter() {
        facts.push(fact("exactly one of", strings(names)));
    }
    facts
}

fn success(it: &VerbSpec) -> Vec<Value> {
    let mut facts = vec![told("exit status", &words::numbers(&it.success.exit))];
    if let Some(pattern) = &it.success.pattern {
        facts.push(line("marker", &[words::line_pattern(pattern)], words::place(it.success.streams)));
    }
    facts
}

/// The rows that a verb's run can land on: those for its precondition, then its own, in the order of trying.
fn rows(file: &FileSpec, it: &VerbSpec) -> Vec<Row> {
    let before = it.before.iter().flat_map(|before| before.groups.iter()).map(|group| (true, *group));
    let own_groups = it.groups.iter().map(|group| (false, *group));
    before
        .chain(own_groups)
        .filter_map(|(first, group)| Some((first, file.groups.get(usize::from(group))?)))
        .flat_map(|(first, group)| {
            group.rows.iter().enumerate().map(move |(at, row)| self::row(first, &format!("{}[{at}]", group.name), row))
        })
        .collect()
}

fn row(before: bool, at: &str, it: &RowSpec) -> Row {
    let mut facts = Vec::new();
    if before {
        facts.push(told("of the verb before", ""));
    }
    if it.veto {
        facts.push(told("even beside a success", ""));
    }
    if !it.exit.is_empty() {
        facts.push(told("exit", &words::exits(&it.exit)));
    }
    if let Some(pattern) = &it.pattern {
        facts.push(line("marker", &[words::line_pattern(pattern)], words::place(it.streams)));
    }
    if let Some(unless) = &it.unless {
        facts.push(set("allowed by the user", unless, ToString::to_string));
    }
    Row {
        at: at.to_owned(),
        code: own(code(it.code)),
        facts,
        say: words::pieces(&it.say),
        hint: words::pieces(&it.hint),
    }
}

fn code(it: Code) -> &'static str {
    it.as_str()
}

fn arg(it: &ArgSpec) -> Arg {
    let (kind, mut facts) = words::kind(&it.kind);
    facts.insert(0, words::presence(&it.presence));
    if !it.requires.is_empty() {
        facts.push(("only together with", strings(&it.requires)));
    }
    if !it.conflicts.is_empty() {
        facts.push(("not together with", strings(&it.conflicts)));
    }
    Arg {
        name: it.name.to_string(),
        kind: own(&kind),
        facts: facts.into_iter().map(|(name, values)| fact(name, values)).collect(),
        description: it.description.to_string(),
    }
}

fn field(it: &FieldSpec) -> Value {
    let (from, rest) = words::source(&it.source);
    line(&code_span(&it.name), &from, &rest)
}

fn group_names(file: &FileSpec, groups: &[Index]) -> Vec<String> {
    groups.iter().filter_map(|at| Some(file.groups.get(usize::from(*at))?.name.to_string())).collect()
}

fn strings(texts: &[verbgate_table::Text]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

fn set<T: Clone>(name: &str, it: &Setting<T>, shown: impl Fn(&T) -> String) -> Value {
    told(name, &setting(it, shown))
}

fn set_text(name: &str, it: &Setting<verbgate_table::Text>) -> Value {
    set(name, it, |it| code_span(it))
}

/// A setting in our words: the default, and who may change it. What comes from the manifest stands in code spans.
fn setting<T: Clone>(it: &Setting<T>, shown: impl Fn(&T) -> String) -> String {
    let mut out = shown(&it.default);
    let places: Vec<String> = [
        it.env.as_ref().map(|name| format!("the variable {}", code_span(name))),
        it.config.as_ref().map(|key| format!("the user's configuration {}", code_span(key))),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !places.is_empty() {
        out.push_str(", unless set by ");
        out.push_str(&places.join(" or "));
    }
    if let Some(min) = &it.min {
        let _ = write!(out, ", at least {}", shown(min));
    }
    if let Some(max) = &it.max {
        let _ = write!(out, ", at most {}", shown(max));
    }
    out
}
