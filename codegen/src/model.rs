//! What the file says: plain structs, each with its table of keys. The second barrier.
//!
//! The structs stand beside their tables (`record!`), so the walk that finds unknown keys and wrong types, the JSON
//! Schema of the language and the reference page all come from the definitions here. `Option`s, empty lists and empty
//! mappings mean that the file is silent; defaults are filled in when lowering.
//!
//! Invariant: no `flatten`, no `untagged`, no internally tagged enum: they lose the place of an error.

mod at;
pub mod kind;
mod read;
mod schema;
mod values;

use serde_json::{Number, Value as Json};

pub use at::At;
pub use read::{nearest, read};
pub use schema::{markdown, schema};
pub use values::*;

use kind::{Kind, Table, record};

record! {
    /// A manifest file (LANGUAGE section 2).
    struct Model("manifest") {
        /// Version of the language: 1.
        manifest: u32,
        /// Other manifests in the folder of this one, each complete with its own `program`; together they are one catalogue.
        include: Vec<String> = "[]",
        /// The one program of this file.
        program: Option<Program> = "required unless there are no `tools`",
        /// Are the tools of this file there at all.
        enabled: Option<Setting<bool>> = "true",
        /// Limits of what is delivered.
        output: Option<Output> = "",
        /// Named argument types.
        types: Entries<Type> = "{}",
        /// The tools.
        tools: Entries<Verb> = "{}" as Kind::Names(&Kind::Struct(tool_table)),
        /// Groups of error rows.
        errors: Entries<Vec<Row>> = "{}",
        /// Tool lists of other servers (JSON), for the collision check.
        catalogs: Vec<String> = "[]",
        /// Stages that a result passes, in the order of running.
        result_stages: Vec<ResultStage> = "[]",
        /// Stages that a provider's payload passes, in the order of running.
        provider_stages: Vec<ProviderStage> = "[]",
        /// What is claimed of each source of results.
        capabilities: Vec<Capability> = "[]",
        /// Warnings that are meant: code and reason.
        allow: Entries<String> = "{}" as Kind::Map(&Kind::Text),
    }

    /// `output` (LANGUAGE section 2).
    struct Output("`output`") {
        /// Most bytes of delivered text, everything included.
        budget: Option<Setting<SizeWord>> = "16 KiB",
        /// Most bytes of the error output's end in a failure.
        error_tail: Option<Setting<SizeWord>> = "4 KiB",
        /// Whether secrets are masked.
        redact: Option<Setting<bool>> = "true",
        /// Whether what does not fit is kept in a private file.
        spill: Option<Setting<bool>> = "true",
    }

    /// `program` (LANGUAGE section 3).
    struct Program("`program`") {
        /// Name looked up on the child's PATH, or an absolute path; its default names the program in messages.
        executable: Setting<String>,
        /// Put before every verb's argv; literal.
        argv: Vec<String> = "[]",
        /// What a person does when the program is missing.
        install: String as Kind::Text,
        /// How the version is asked for, and which are supported; never asked for before a call; a run that no row explains names those.
        version: Option<Version> = "",
        /// Budget of verbs without their own.
        timeout: Option<Setting<DurationWord>> = "60 s",
        /// Entries of the session's folder that the program would obey: `NOT_ALLOWED` if one is there.
        refuse_files: Vec<RefuseFile> = "[]",
        /// Where paths may lie: `workspace`, `$NAME` (absolute folders, separated by `:`), an absolute path.
        roots: Option<Vec<String>> = "[workspace]",
        /// The child's environment, which is else empty.
        env: Option<Env> = "",
        /// Promises, checked when compiling against everything a template can give, and at run time on each argv.
        never: Option<Never> = "",
        /// How help is asked for, and its exit status. Read by nobody yet: it is for comparing the table with another version.
        help: Option<Help> = "",
        /// May it open connections: the open-world hint and a line on the audit page; a claim, not a fence.
        network: Option<bool> = "true",
        /// What reviewers must know and no key can say.
        notes: Vec<String> = "[]" as Kind::List(&Kind::Text),
    }

    /// `program.version` (LANGUAGE section 3).
    struct Version("`version`") {
        /// Argv that prints the version.
        argv: Vec<String>,
        /// Group 1 is the version.
        r#match: String as Kind::Pattern,
        /// Supported ranges: `>=0.6, <0.7`.
        supported: String,
    }

    /// An entry of `program.refuse_files` (LANGUAGE section 3).
    struct RefuseFile("an entry of `refuse_files`") {
        /// Name of an entry of the session's folder, in upper or lower case.
        name: String,
        /// What is wrong, one line.
        say: String as Kind::Text,
        /// What to do, one line.
        hint: String as Kind::Text,
        /// The user's own allowance.
        unless: Option<Setting<bool>> = "false",
    }

    /// `program.env` (LANGUAGE section 3).
    struct Env("`env`") {
        /// Variables handed on if set.
        pass: Vec<String> = "[]",
        /// Variables with fixed values; wins over `pass`.
        set: Entries<String> = "{}" as Kind::Map(&Kind::Word),
        /// Variables whose values are hidden wherever they show up, passed on or not.
        mask: Vec<String> = "[]",
    }

    /// `program.never` (LANGUAGE section 3).
    struct Never("`never`") {
        /// Leading words that no argv begins with.
        verbs: Vec<String> = "[]",
        /// Options that no argv holds before its first `--`, also as `--x=...`.
        options: Vec<String> = "[]",
        /// Variables that are never in the child's environment.
        env: Vec<String> = "[]",
    }

    /// `program.help` (LANGUAGE section 3).
    struct Help("`help`") {
        /// Argv that is put behind a verb's leading words.
        argv: Vec<String>,
        /// Exit statuses of help.
        exit: Vec<u8> = "[0]",
    }

    /// An argument, a named type, or the `of` of a list (LANGUAGE section 4).
    struct Type("an argument") {
        /// `string`, `integer`, `number`, `boolean`, `choice`, `path`, `secret`, `list`, or a name under `types`.
        r#type: String as Kind::Name,
        /// Goes into the tool's schema. Required, but may come from the named type.
        description: Option<String> = "required" as Kind::Text,
        /// May be left out.
        optional: Option<bool> = "false",
        /// Used when left out.
        default: Option<Json> = "",
        /// Given only together with these arguments.
        requires: Vec<String> = "[]" as Kind::List(&Kind::Name),
        /// Not together with these arguments; said on one side.
        conflicts: Vec<String> = "[]" as Kind::List(&Kind::Name),
        /// Must match the whole value.
        pattern: Option<String> = "" as Kind::Pattern,
        /// Fewest characters or items, or the smallest number.
        min: Option<Number> = "",
        /// Most characters, bytes or items, or the largest number.
        max: Option<Number> = "",
        /// Line breaks and tabs allowed; other control characters never are.
        multiline: Option<bool> = "false",
        /// Words of a choice: a list, or a mapping from the agent's word to the program's.
        choices: Option<Choices> = "required for a choice",
        /// What the program does at the path.
        access: Option<AccessWord> = "required for a path",
        /// Checked before anything runs; missing: `NOT_FOUND`, else `INVALID_ARGUMENT`.
        must_be: Option<MustBeWord> = "",
        /// Sensitive path components that are allowed here.
        sensitive: Vec<String> = "[]",
        /// Type of the items of a list.
        of: Option<Box<Type>> = "required for a list" as Kind::Struct(item_table),
        /// Items are joined with this into one text; items that hold it are refused.
        join: Option<String> = "",
    }

    /// A tool or an action (LANGUAGE section 6). A tool without `actions` is a verb; an action has neither `enabled`
    /// nor `actions` (its table lacks them).
    struct Verb("a tool") {
        /// For the agent; on tool and on action.
        description: String as Kind::Text,
        /// The verbs of the tool, which then has no verb keys of its own.
        actions: Option<Entries<Verb>> = "" as Kind::Names(&Kind::Struct(action_table)),
        /// Also needed, beside the file's.
        enabled: Option<Setting<bool>> = "true",
        /// Consent class.
        consent: Option<ClassWord> = "required",
        /// The question's first sentence.
        ask: Option<String> = "required with a class that asks" as Kind::Text,
        /// Arguments.
        args: Entries<Type> = "{}",
        /// Of each inner list exactly one argument is given.
        one_of: Vec<Vec<String>> = "[]" as Kind::List(&Kind::List(&Kind::Name)),
        /// The argument array, one entry an element.
        argv: Option<Vec<Element>> = "required" as Kind::Argv,
        /// Variables set for this verb; templates; left out if their argument is absent.
        env: Entries<String> = "{}" as Kind::Map(&Kind::Word),
        /// Given to the program after consent, then ended; a template. Without it standard input is the null device.
        stdin: Option<String> = "" as Kind::Word,
        /// A reading verb that must succeed first.
        before: Option<Before> = "",
        /// Verbs with this lock run one at a time, for this user on this machine.
        lock: Option<String> = "" as Kind::Name,
        /// Budget of this verb.
        timeout: Option<DurationWord> = "the program's",
        /// What success looks like.
        success: Option<Success> = "exit status 0",
        /// Groups of error rows, tried in order; then `common`.
        errors: Vec<String> = "[]" as Kind::List(&Kind::Name),
        /// What is delivered, in this order; empty ones left out.
        body: Option<Vec<StreamWord>> = "[stdout, stderr]",
        /// What the result holds beside text.
        fields: Entries<Field> = "{}",
        /// Arguments, and the argv or the code that they must give; checked when compiling.
        examples: Vec<Example> = "[]",
        /// What reviewers must know and no key can say.
        notes: Vec<String> = "[]" as Kind::List(&Kind::Text),
        /// Warnings that are meant: code and reason.
        allow: Entries<String> = "{}" as Kind::Map(&Kind::Text),
    }

    /// `before` (LANGUAGE section 8).
    struct Before("`before`") {
        /// An action of this tool, `tool.action`, or a tool without actions, of class `read`.
        verb: String,
        /// Groups looked at before that verb's own.
        errors: Vec<String> = "[]" as Kind::List(&Kind::Name),
    }

    /// `success` (LANGUAGE section 9).
    struct Success("`success`") {
        /// Exit statuses that can be success.
        exit: Option<Vec<u8>> = "[0]",
        /// Must be found.
        r#match: Option<String> = "" as Kind::Pattern,
        /// Where `match` looks.
        r#in: Option<StreamWord> = "both",
        /// What the program prints on success.
        examples: Vec<Sample> = "required with `match`",
    }

    /// The long form of an entry of `success.examples` (LANGUAGE section 9); see [`Sample`].
    struct SampleOutput("an entry of `success.examples`") {
        /// What is printed on standard output.
        stdout: Option<String> = "",
        /// What is printed on standard error.
        stderr: Option<String> = "",
        /// The exit status.
        exit: Option<u8> = "the first of `success.exit`",
        /// The fields that it gives.
        fields: Option<Entries<Json>> = "not compared" as Kind::Map(&Kind::Any),
    }

    /// A row of an error table (LANGUAGE section 9).
    struct Row("an error row") {
        /// `NOT_FOUND`, `NOT_ALLOWED`, `BUSY`, `TIMEOUT`, `COMMAND_FAILED`, `UNAVAILABLE` or `INVALID_ARGUMENT`; any case.
        code: String as Kind::Code,
        /// Only with these exit statuses or signals.
        exit: Option<Vec<ExitWord>> = "any",
        /// Must be found.
        r#match: Option<String> = "" as Kind::Pattern,
        /// Where `match` looks.
        r#in: Option<StreamWord> = "both",
        /// The row is left out if this is set: what the user may allow.
        unless: Option<Setting<bool>> = "false",
        /// Fits even where success would hold.
        veto: Option<bool> = "false",
        /// What happened, one line.
        say: String as Kind::Text,
        /// What to do, one line.
        hint: String as Kind::Text,
        /// What the program prints.
        examples: Vec<String> = "required with `match`",
    }

    /// A field of a result (LANGUAGE section 10).
    struct Field("a field") {
        /// The first match's first group that took part.
        r#match: Option<String> = "" as Kind::Pattern,
        /// All matches, always a list: of the group, or of objects of the named groups.
        each: Option<String> = "" as Kind::Pattern,
        /// JSON Pointer; standard output is one JSON document.
        json: Option<String> = "",
        /// JSON Pointer; one document per line; a list of what is there.
        json_lines: Option<String> = "",
        /// True if the exit status is one of these.
        exit: Option<Vec<u8>> = "",
        /// Where `match` and `each` look.
        r#in: Option<StreamWord> = "both",
        /// What the text becomes.
        r#type: Option<FieldTypeWord> = "string",
        /// Types of named groups.
        types: Entries<FieldTypeWord> = "{}",
    }

    /// An entry of a verb's `examples` (LANGUAGE section 6).
    struct Example("an example") {
        /// What an agent sends.
        args: Entries<Json> = "{}" as Kind::Map(&Kind::Any),
        /// The argv that it gives.
        argv: Option<Vec<String>> = "",
        /// The code that it gives.
        error: Option<String> = "" as Kind::Code,
    }

    /// An entry of `result_stages` (LANGUAGE section 12).
    struct ResultStage("a result stage") {
        /// Name.
        name: String as Kind::Name,
        /// `enrich`, `observe`, `normalise`, `downstream` or `sanitise`, in this order.
        kind: String,
        /// Whether it runs.
        enabled: Option<Setting<Switch>> = "false",
        /// Names of tools, on `normalise`.
        tools: Vec<String> = "[]",
        /// Refused, with the recorded reason.
        coordinator: Option<Json> = "",
    }

    /// An entry of `provider_stages` (LANGUAGE section 12).
    struct ProviderStage("a provider stage") {
        /// Name.
        name: String as Kind::Name,
        /// `redact` or `sanitise`.
        kind: ProviderWord,
    }

    /// An entry of `capabilities` (LANGUAGE section 12).
    struct Capability("a capability") {
        /// The source of results.
        source: String,
        /// How much of it can be captured.
        capture: CaptureWord,
        /// Why no more.
        why: Option<String> = "required" as Kind::Text,
        /// The version that it was seen on.
        seen_on: Option<String> = "required" as Kind::Text,
    }
}

/// An entry of `success.examples`.
#[derive(Clone, Debug)]
pub enum Sample {
    /// What is printed on the stream where `success.match` looks (standard output if either).
    Text(String),
    /// What is printed, how it ends, and what comes of it.
    Output(SampleOutput),
}

fn tool_table() -> Table {
    Verb::table()
}

/// An action has all keys of a tool but those that make it one.
fn action_table() -> Table {
    Table { title: "an action", without: &["actions", "enabled"], ..Verb::table() }
}

/// The items of a list have a type, and nothing that only an argument can have.
fn item_table() -> Table {
    Table {
        title: "the type of a list's items",
        without: &["description", "optional", "default", "requires", "conflicts", "of", "join"],
        ..Type::table()
    }
}

/// Every mapping of the language but the file itself: its short name, and its table of keys.
pub fn tables() -> Vec<(&'static str, Table)> {
    vec![
        ("output", Output::table()),
        ("program", Program::table()),
        ("version", Version::table()),
        ("refuse_file", RefuseFile::table()),
        ("env", Env::table()),
        ("never", Never::table()),
        ("help", Help::table()),
        ("argument", Type::table()),
        ("item", item_table()),
        ("tool", tool_table()),
        ("action", action_table()),
        ("before", Before::table()),
        ("success", Success::table()),
        ("sample", SampleOutput::table()),
        ("row", Row::table()),
        ("field", Field::table()),
        ("example", Example::table()),
        ("result_stage", ResultStage::table()),
        ("provider_stage", ProviderStage::table()),
        ("capability", Capability::table()),
    ]
}
