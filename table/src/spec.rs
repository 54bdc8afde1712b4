//! The types of the checked table.
//!
//! Every type can stand in a `static` (generated code) and can be owned (a manifest compiled at run time): texts and
//! lists are `Cow<'static, _>`. What the manifest leaves out has its default filled in by the compiler, so an `Option`
//! here always means "there is none".

use std::borrow::Cow;

use crate::Code;
use crate::pattern::{LinePattern, ValuePattern};

mod stages;

pub use stages::*;

/// A text of the table.
pub type Text = Cow<'static, str>;
/// A list of the table.
pub type List<T> = Cow<'static, [T]>;
/// An index into [`FileSpec::tools`], [`FileSpec::groups`] or [`ToolSpec::verbs`].
pub type Index = u16;

/// One manifest with all that it includes.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// The manifest's files: the first, then the included ones in order. Files without tools are not kept.
    pub files: List<FileSpec>,
    /// Limits of what is delivered.
    pub output: OutputSpec,
    /// Stages that a result passes, in the order of running (LANGUAGE section 12).
    pub result_stages: List<ResultStage>,
    /// Stages that a provider's payload passes, in the order of running.
    pub provider_stages: List<ProviderStage>,
    /// What is claimed of each source of results, and no more.
    pub capabilities: List<Capability>,
}

/// One file: one program and its tools.
#[derive(Clone, Debug)]
pub struct FileSpec {
    /// Whether the file's tools are there at all.
    pub enabled: Setting<bool>,
    /// The program that the file wraps.
    pub program: ProgramSpec,
    /// The tools, in manifest order.
    pub tools: List<ToolSpec>,
    /// Groups of error rows, in manifest order; `common` among them if it is there.
    pub groups: List<GroupSpec>,
}

/// A value that the outside may change, within bounds (LANGUAGE section 1, *setting*).
#[derive(Clone, Debug)]
pub struct Setting<T: Clone + 'static> {
    /// The value when nothing is set.
    pub default: T,
    /// Key in the user's configuration, dotted.
    pub config: Option<Text>,
    /// Environment variable; wins over the key.
    pub env: Option<Text>,
    /// Smallest value that is accepted from outside.
    pub min: Option<T>,
    /// Largest value that is accepted from outside.
    pub max: Option<T>,
}

impl<T: Clone + 'static> Setting<T> {
    /// A value that nothing outside can change.
    pub const fn fixed(default: T) -> Self {
        Self { default, config: None, env: None, min: None, max: None }
    }
}

/// A duration in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millis(pub u64);

/// A size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// LANGUAGE section 2, `output`.
#[derive(Clone, Debug)]
pub struct OutputSpec {
    /// Most bytes of delivered text, everything included.
    pub budget: Setting<Bytes>,
    /// Most bytes of the error output's end in a failure.
    pub error_tail: Setting<Bytes>,
    /// Whether secrets are masked.
    pub redact: Setting<bool>,
    /// Whether what does not fit is kept in a private file.
    pub spill: Setting<bool>,
}

/// LANGUAGE section 3.
#[derive(Clone, Debug)]
pub struct ProgramSpec {
    /// A name that is looked up on PATH, or an absolute path. `default` names the program in messages.
    pub executable: Setting<Text>,
    /// Literal argv before every verb's own.
    pub argv: List<Text>,
    /// What a person does when the program is missing.
    pub install: Text,
    /// How its version is asked for, and which are supported. Never used before a call.
    pub version: Option<VersionSpec>,
    /// Budget of verbs without their own.
    pub timeout: Setting<Millis>,
    /// Names that must not stand in the session's folder.
    pub refuse_files: List<RefuseFile>,
    /// Where paths may lie.
    pub roots: List<Root>,
    /// The child's environment, which is else empty.
    pub env: EnvSpec,
    /// Promises about every argv and environment.
    pub never: NeverSpec,
    /// How help is asked for, and its exit statuses.
    pub help: Option<HelpSpec>,
    /// May it open connections (a claim, not a fence).
    pub network: bool,
    /// What reviewers must know.
    pub notes: List<Text>,
}

/// LANGUAGE section 3, `version`.
#[derive(Clone, Debug)]
pub struct VersionSpec {
    /// Argv that prints the version.
    pub argv: List<Text>,
    /// Group 1 is the version.
    pub pattern: LinePattern,
    /// Supported ranges, as written: `>=0.6, <0.7`.
    pub supported: Text,
}

/// LANGUAGE section 3, `help`.
#[derive(Clone, Debug)]
pub struct HelpSpec {
    /// Argv that is put behind a verb's leading words.
    pub argv: List<Text>,
    /// Exit statuses of help.
    pub exit: List<u8>,
}

/// LANGUAGE section 3, `refuse_files`.
#[derive(Clone, Debug)]
pub struct RefuseFile {
    /// Name of an entry, compared in upper and lower case.
    pub name: Text,
    /// What is wrong.
    pub say: Text,
    /// What to do.
    pub hint: Text,
    /// The user's own allowance.
    pub unless: Setting<bool>,
}

/// Where paths may lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// The session's folder.
    Workspace,
    /// Absolute folders in a variable of the host's environment, separated by `:`.
    Env(Text),
    /// A fixed absolute folder.
    Absolute(Text),
}

/// LANGUAGE section 3, `env`.
#[derive(Clone, Debug)]
pub struct EnvSpec {
    /// Variables handed on if set.
    pub pass: List<EnvName>,
    /// Variables with fixed values; wins over `pass`.
    pub set: List<(Text, Text)>,
    /// Variables whose values are masked wherever they show up.
    pub mask: List<Text>,
}

/// A name in `env.pass`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvName {
    /// This variable.
    Exact(Text),
    /// All variables that begin so (`LC_*`).
    Prefix(Text),
}

/// LANGUAGE section 3, `never`.
#[derive(Clone, Debug, Default)]
pub struct NeverSpec {
    /// Leading words that no argv begins with, split at blanks.
    pub verbs: List<List<Text>>,
    /// Options that no argv holds before its first `--`, also as `--x=...`.
    pub options: List<Text>,
    /// Variables that are never in the child's environment.
    pub env: List<Text>,
}

/// LANGUAGE section 6.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    /// Name, unique in the catalogue.
    pub name: Text,
    /// Description for the agent, with what the compiler appends for actions.
    pub description: Text,
    /// Also needed, beside the file's.
    pub enabled: Setting<bool>,
    /// The verbs: one with `action: None`, or one per action.
    pub verbs: List<VerbSpec>,
    /// JSON Schema of the arguments, as compact JSON.
    pub input_schema: Text,
    /// JSON Schema of the fields, as compact JSON.
    pub output_schema: Text,
    /// Hints for clients.
    pub annotations: Annotations,
    /// What reviewers must know.
    pub notes: List<Text>,
}

/// The four MCP annotations, always explicit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // the MCP page names exactly these four
pub struct Annotations {
    /// `readOnlyHint`
    pub read_only: bool,
    /// `destructiveHint`
    pub destructive: bool,
    /// `idempotentHint`
    pub idempotent: bool,
    /// `openWorldHint`
    pub open_world: bool,
}

impl Annotations {
    /// As a client is told them, by the MCP page's names.
    pub fn json(self) -> serde_json::Value {
        serde_json::json!({
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        })
    }
}

/// One thing that can be run.
#[derive(Clone, Debug)]
pub struct VerbSpec {
    /// Name of the action; none where the tool is the verb.
    pub action: Option<Text>,
    /// The action's own description (empty where the tool is the verb: it stands on the tool).
    pub description: Text,
    /// Consent class.
    pub class: Class,
    /// The question's first sentence; empty with a class that does not ask.
    pub ask: List<Piece>,
    /// Arguments, in manifest order.
    pub args: List<ArgSpec>,
    /// Of each inner list exactly one is given.
    pub one_of: List<List<Text>>,
    /// The argv behind [`ProgramSpec::argv`].
    pub argv: List<Element>,
    /// Variables of this verb.
    pub env: List<(Text, List<Piece>)>,
    /// What is given on standard input, then ended.
    pub stdin: Option<List<Piece>>,
    /// A reading verb that must succeed first.
    pub before: Option<BeforeSpec>,
    /// Verbs with this lock run one at a time.
    pub lock: Option<Text>,
    /// Own budget; else [`ProgramSpec::timeout`].
    pub timeout: Option<Millis>,
    /// What success looks like.
    pub success: SuccessSpec,
    /// Groups whose rows are tried, in order; `common` last where it exists.
    pub groups: List<Index>,
    /// What is delivered, in this order.
    pub body: List<Stream>,
    /// What the result holds beside text.
    pub fields: List<FieldSpec>,
    /// What reviewers must know.
    pub notes: List<Text>,
}

/// Consent class (contract C2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Reports only.
    Read,
    /// Adds or selects; nothing that was there is lost.
    Additive,
    /// Writes files that the question names.
    FileWrite,
    /// Changes or removes what the program keeps.
    RegistryMutation,
    /// Changes or removes much at once, or for good.
    Replace,
}

impl Class {
    /// Whether a person is asked, always (C2.1).
    pub const fn asks(self) -> bool {
        matches!(self, Class::FileWrite | Class::RegistryMutation | Class::Replace)
    }

    /// The manifest's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Class::Read => "read",
            Class::Additive => "additive",
            Class::FileWrite => "file_write",
            Class::RegistryMutation => "registry_mutation",
            Class::Replace => "replace",
        }
    }
}

/// One argument.
#[derive(Clone, Debug)]
pub struct ArgSpec {
    /// Its name.
    pub name: Text,
    /// What the agent reads (without what the compiler appends for actions).
    pub description: Text,
    /// What it takes.
    pub kind: ArgKind,
    /// Whether it must be given.
    pub presence: Presence,
    /// Given only together with these.
    pub requires: List<Text>,
    /// Never given together with these.
    pub conflicts: List<Text>,
}

/// Whether an argument must be given.
#[derive(Clone, Debug)]
pub enum Presence {
    /// It must.
    Required,
    /// It may be left out. Booleans are always this, and false then.
    Optional,
    /// Left out it has this value, which satisfies the type.
    Default(DefaultValue),
}

/// A default. (Not `serde_json::Value`, which can't stand in a `static`.)
#[derive(Clone, Debug, PartialEq)]
pub enum DefaultValue {
    /// Text, also of a choice (the agent's word) or a path.
    Text(Text),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A truth value.
    Boolean(bool),
    /// Items.
    List(List<DefaultValue>),
}

/// What an argument takes.
#[derive(Clone, Debug)]
pub enum ArgKind {
    /// One value.
    One(Scalar),
    /// Items.
    Many {
        /// What each item is.
        of: Scalar,
        /// Fewest items.
        min: u32,
        /// Most items.
        max: u32,
        /// Joined with this into one value; items that hold it are refused.
        join: Option<Text>,
    },
}

/// What one value takes.
#[derive(Clone, Debug)]
pub enum Scalar {
    /// Text.
    String {
        /// Must match the whole value.
        pattern: Option<ValuePattern>,
        /// Fewest characters.
        min: u32,
        /// Most characters.
        max: u32,
        /// Line feeds and tabs allowed.
        multiline: bool,
    },
    /// A whole number, within ±2^53.
    Integer {
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// A number.
    Number {
        /// Smallest.
        min: Option<f64>,
        /// Largest.
        max: Option<f64>,
    },
    /// A truth value; only a condition.
    Boolean,
    /// One of some words.
    Choice(List<Choice>),
    /// A path.
    Path {
        /// What the program does there.
        access: Access,
        /// Checked before anything runs.
        must_be: Option<MustBe>,
        /// Must match the whole text as given.
        pattern: Option<ValuePattern>,
        /// Most bytes of the text as given.
        max: u32,
        /// Sensitive components that are allowed here.
        sensitive: List<Text>,
    },
    /// A secret; only in `env` and `stdin`.
    Secret {
        /// Must match the whole value.
        pattern: Option<ValuePattern>,
        /// Fewest characters.
        min: u32,
        /// Most characters.
        max: u32,
    },
}

/// One word of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The agent's word.
    pub word: Text,
    /// The program's word.
    pub program: Text,
}

/// What the program does at a path (LANGUAGE section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Reads.
    Read,
    /// Makes something where nothing is.
    Create,
    /// Writes one file, staged.
    Write,
    /// Changes in place what is there.
    Update,
}

/// What a path must be before anything runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MustBe {
    /// There.
    Present,
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// Not there.
    Absent,
}

/// One entry of an argv template (LANGUAGE section 5).
#[derive(Clone, Debug)]
pub enum Element {
    /// Exactly one element of the argv.
    One(List<Piece>),
    /// One element per item of this list argument.
    Spread(Text),
    /// Only when the argument is given (a boolean: when true; a list without `join`: once per item).
    When {
        /// The argument.
        arg: Text,
        /// What is rendered then.
        body: List<Element>,
    },
}

/// A piece of a text with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// As it stands.
    Literal(Text),
    /// The value of this argument.
    Arg(Text),
    /// The text of this named group of the row's pattern (`say` and `hint` only).
    Group(Text),
}

/// LANGUAGE section 8.
#[derive(Clone, Debug)]
pub struct BeforeSpec {
    /// Index of the tool in the same file.
    pub tool: Index,
    /// Index of the verb in that tool.
    pub verb: Index,
    /// Groups that are looked at before the verb's own.
    pub groups: List<Index>,
}

/// A stream of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Where a pattern looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// In one stream.
    Only(Stream),
    /// In standard output, then in standard error; a match never spans both.
    Both,
}

/// What success looks like (LANGUAGE section 9).
#[derive(Clone, Debug)]
pub struct SuccessSpec {
    /// Exit statuses that can be success.
    pub exit: List<u8>,
    /// Must be found.
    pub pattern: Option<LinePattern>,
    /// Where the pattern looks.
    pub streams: Streams,
}

/// A named list of rows.
#[derive(Clone, Debug)]
pub struct GroupSpec {
    /// Its name.
    pub name: Text,
    /// Its rows, in order.
    pub rows: List<RowSpec>,
}

/// One row of an error table.
#[derive(Clone, Debug)]
pub struct RowSpec {
    /// The code that it gives.
    pub code: Code,
    /// Only with these; empty: any.
    pub exit: List<ExitIs>,
    /// Must be found.
    pub pattern: Option<LinePattern>,
    /// Where the pattern looks.
    pub streams: Streams,
    /// Fits even where success would hold.
    pub veto: bool,
    /// The user's own allowance, on vetoes.
    pub unless: Option<Setting<bool>>,
    /// What happened.
    pub say: List<Piece>,
    /// What to do.
    pub hint: List<Piece>,
}

/// How a program ended, in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitIs {
    /// With this exit status.
    Status(u8),
    /// By this signal (its number on Linux).
    Signal(u8),
}

/// One field of a result (LANGUAGE section 10).
#[derive(Clone, Debug)]
pub struct FieldSpec {
    /// Its name.
    pub name: Text,
    /// Where it comes from.
    pub source: FieldSource,
}

/// Where a field comes from.
#[derive(Clone, Debug)]
pub enum FieldSource {
    /// The first match's first group that took part.
    Match {
        /// The pattern.
        pattern: LinePattern,
        /// Where it looks.
        streams: Streams,
        /// What the text becomes.
        kind: FieldType,
    },
    /// All matches: a list of the one unnamed group.
    Each {
        /// The pattern.
        pattern: LinePattern,
        /// Where it looks.
        streams: Streams,
        /// What each text becomes.
        kind: FieldType,
    },
    /// All matches: a list of objects of the named groups.
    EachNamed {
        /// The pattern.
        pattern: LinePattern,
        /// Where it looks.
        streams: Streams,
        /// The groups in the order of the pattern, and what each becomes.
        groups: List<(Text, FieldType)>,
    },
    /// Standard output is one JSON document.
    Json {
        /// JSON Pointer.
        pointer: Text,
        /// What the value must be.
        kind: FieldType,
    },
    /// Standard output is one JSON document per line.
    JsonLines {
        /// JSON Pointer.
        pointer: Text,
        /// What each value must be.
        kind: FieldType,
    },
    /// True if the exit status is one of these.
    Exit(List<u8>),
}

/// What a field's text becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// Text.
    String,
    /// A whole number; `,` between digits is dropped.
    Integer,
    /// A number.
    Number,
    /// For patterns: did it match, or did the group take part.
    Boolean,
    /// Any JSON value (JSON sources only).
    Json,
}
