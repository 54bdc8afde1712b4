//! The table as a `static`.
//!
//! Lists are statics of their own, each in a block where it is used: a reference to a temporary that has a destructor
//! or a cell (a pattern is compiled at first use) can't stand in a `static` by itself, and blocks need no names that
//! would shift when a line is added.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use verbgate_table::pattern::{LinePattern, ValuePattern};
use verbgate_table::{
    Access, ArgKind, ArgSpec, BeforeSpec, Bytes, Capture, Catalogue, Choice, Class, Code, DefaultValue, Element,
    EnvName, ExitIs, FieldSource, FieldSpec, FieldType, FileSpec, GroupSpec, Millis, MustBe, Piece, Presence,
    ProgramSpec, ProviderKind, RefuseFile, Root, RowSpec, Scalar, Setting, StageKind, Stream, Streams, SuccessSpec,
    Text, ToolSpec, VerbSpec,
};

/// The module with the table. Inside it names are short; it holds nothing but generated code.
pub(super) fn catalogue(catalogue: &Catalogue) -> TokenStream {
    let files = list(&quote!(FileSpec), &catalogue.files, file);
    let output = {
        let it = &catalogue.output;
        let (budget, tail) = (setting(&it.budget, bytes), setting(&it.error_tail, bytes));
        let (redact, spill) = (setting(&it.redact, truth), setting(&it.spill, truth));
        quote!(OutputSpec { budget: #budget, error_tail: #tail, redact: #redact, spill: #spill })
    };
    let result_stages = list(&quote!(ResultStage), &catalogue.result_stages, |it| {
        let (name, kind, enabled) = (text(&it.name), stage_kind(it.kind), setting(&it.enabled, truth));
        let tools = texts(&it.tools);
        quote!(ResultStage { name: #name, kind: #kind, enabled: #enabled, tools: #tools })
    });
    let provider_stages = list(&quote!(ProviderStage), &catalogue.provider_stages, |it| {
        let (name, kind) = (text(&it.name), provider_kind(it.kind));
        quote!(ProviderStage { name: #name, kind: #kind })
    });
    let capabilities = list(&quote!(Capability), &catalogue.capabilities, |it| {
        let (source, capture) = (text(&it.source), capture(it.capture));
        let (why, seen_on) = (text(&it.why), text(&it.seen_on));
        quote!(Capability { source: #source, capture: #capture, why: #why, seen_on: #seen_on })
    });
    quote! {
        #[allow(clippy::all, clippy::pedantic)]
        mod __verbgate {
            #[allow(unused_imports)]
            use ::core::option::Option::{None, Some};
            #[allow(unused_imports)]
            use ::std::borrow::Cow::Borrowed;
            #[allow(unused_imports)]
            use ::verbgate::table::pattern::{LinePattern, ValuePattern};
            #[allow(unused_imports)]
            use ::verbgate::table::*;

            /// The checked table: what can be run, and nothing else can.
            pub static CATALOGUE: Catalogue = Catalogue {
                files: #files,
                output: #output,
                result_stages: #result_stages,
                provider_stages: #provider_stages,
                capabilities: #capabilities,
            };
        }
    }
}

fn file(it: &FileSpec) -> TokenStream {
    let (enabled, program) = (setting(&it.enabled, truth), program(&it.program));
    let (tools, groups) = (list(&quote!(ToolSpec), &it.tools, tool), list(&quote!(GroupSpec), &it.groups, group));
    quote!(FileSpec { enabled: #enabled, program: #program, tools: #tools, groups: #groups })
}

fn program(it: &ProgramSpec) -> TokenStream {
    let executable = setting(&it.executable, text);
    let (argv, install) = (texts(&it.argv), text(&it.install));
    let version = option(it.version.as_ref(), |it| {
        let (argv, pattern, supported) = (texts(&it.argv), line_pattern(&it.pattern), text(&it.supported));
        quote!(VersionSpec { argv: #argv, pattern: #pattern, supported: #supported })
    });
    let timeout = setting(&it.timeout, millis);
    let refuse_files = list(&quote!(RefuseFile), &it.refuse_files, refuse_file);
    let roots = list(&quote!(Root), &it.roots, root);
    let env = {
        let pass = list(&quote!(EnvName), &it.env.pass, env_name);
        let set = list(&quote!((Text, Text)), &it.env.set, |(name, value)| {
            let (name, value) = (text(name), text(value));
            quote!((#name, #value))
        });
        let mask = texts(&it.env.mask);
        quote!(EnvSpec { pass: #pass, set: #set, mask: #mask })
    };
    let never = {
        let verbs = list(&quote!(List<Text>), &it.never.verbs, |words| texts(words));
        let (options, env) = (texts(&it.never.options), texts(&it.never.env));
        quote!(NeverSpec { verbs: #verbs, options: #options, env: #env })
    };
    let help = option(it.help.as_ref(), |it| {
        let (argv, exit) = (texts(&it.argv), numbers(&it.exit));
        quote!(HelpSpec { argv: #argv, exit: #exit })
    });
    let (network, notes) = (truth(&it.network), texts(&it.notes));
    quote!(ProgramSpec {
        executable: #executable,
        argv: #argv,
        install: #install,
        version: #version,
        timeout: #timeout,
        refuse_files: #refuse_files,
        roots: #roots,
        env: #env,
        never: #never,
        help: #help,
        network: #network,
        notes: #notes,
    })
}

fn refuse_file(it: &RefuseFile) -> TokenStream {
    let (name, say, hint, unless) = (text(&it.name), text(&it.say), text(&it.hint), setting(&it.unless, truth));
    quote!(RefuseFile { name: #name, say: #say, hint: #hint, unless: #unless })
}

fn root(it: &Root) -> TokenStream {
    match it {
        Root::Workspace => quote!(Root::Workspace),
        Root::Env(name) => {
            let name = text(name);
            quote!(Root::Env(#name))
        }
        Root::Absolute(path) => {
            let path = text(path);
            quote!(Root::Absolute(#path))
        }
    }
}

fn env_name(it: &EnvName) -> TokenStream {
    match it {
        EnvName::Exact(name) => {
            let name = text(name);
            quote!(EnvName::Exact(#name))
        }
        EnvName::Prefix(prefix) => {
            let prefix = text(prefix);
            quote!(EnvName::Prefix(#prefix))
        }
    }
}

fn tool(it: &ToolSpec) -> TokenStream {
    let (name, description, enabled) = (text(&it.name), text(&it.description), setting(&it.enabled, truth));
    let verbs = list(&quote!(VerbSpec), &it.verbs, verb);
    let (input, output, notes) = (text(&it.input_schema), text(&it.output_schema), texts(&it.notes));
    let annotations = {
        let it = it.annotations;
        let (read_only, destructive) = (it.read_only, it.destructive);
        let (idempotent, open_world) = (it.idempotent, it.open_world);
        quote!(Annotations {
            read_only: #read_only,
            destructive: #destructive,
            idempotent: #idempotent,
            open_world: #open_world,
        })
    };
    quote!(ToolSpec {
        name: #name,
        description: #description,
        enabled: #enabled,
        verbs: #verbs,
        input_schema: #input,
        output_schema: #output,
        annotations: #annotations,
        notes: #notes,
    })
}

#[allow(clippy::similar_names)] // `args` and `argv` are the table's own names
fn verb(it: &VerbSpec) -> TokenStream {
    let (action, description) = (option(it.action.as_ref(), text), text(&it.description));
    let class = class(it.class);
    let (ask, args) = (pieces(&it.ask), list(&quote!(ArgSpec), &it.args, arg));
    let one_of = list(&quote!(List<Text>), &it.one_of, |names| texts(names));
    let argv = list(&quote!(Element), &it.argv, element);
    let env = list(&quote!((Text, List<Piece>)), &it.env, |(name, value)| {
        let (name, value) = (text(name), pieces(value));
        quote!((#name, #value))
    });
    let stdin = option(it.stdin.as_ref(), |it| pieces(it));
    let before = option(it.before.as_ref(), |it| {
        let BeforeSpec { tool, verb, groups } = it;
        let (tool, verb, groups) = (index(tool), index(verb), list(&quote!(Index), groups, index));
        quote!(BeforeSpec { tool: #tool, verb: #verb, groups: #groups })
    });
    let (lock, timeout) = (option(it.lock.as_ref(), text), option(it.timeout.as_ref(), millis));
    let success = {
        let SuccessSpec { exit, pattern, streams: at } = &it.success;
        let (exit, pattern, at) = (numbers(exit), option(pattern.as_ref(), line_pattern), streams(*at));
        quote!(SuccessSpec { exit: #exit, pattern: #pattern, streams: #at })
    };
    let groups = list(&quote!(Index), &it.groups, index);
    let body = list(&quote!(Stream), &it.body, |it| stream(*it));
    let (fields, notes) = (list(&quote!(FieldSpec), &it.fields, field), texts(&it.notes));
    quote!(VerbSpec {
        action: #action,
        description: #description,
        class: #class,
        ask: #ask,
        args: #args,
        one_of: #one_of,
        argv: #argv,
        env: #env,
        stdin: #stdin,
        before: #before,
        lock: #lock,
        timeout: #timeout,
        success: #success,
        groups: #groups,
        body: #body,
        fields: #fields,
        notes: #notes,
    })
}

fn class(it: Class) -> TokenStream {
    match it {
        Class::Read => quote!(Class::Read),
        Class::Additive => quote!(Class::Additive),
        Class::FileWrite => quote!(Class::FileWrite),
        Class::RegistryMutation => quote!(Class::RegistryMutation),
        Class::Replace => quote!(Class::Replace),
    }
}

fn arg(it: &ArgSpec) -> TokenStream {
    let (name, description) = (text(&it.name), text(&it.description));
    let kind = match &it.kind {
        ArgKind::One(one) => {
            let one = scalar(one);
            quote!(ArgKind::One(#one))
        }
        ArgKind::Many { of, min, max, join } => {
            let (of, min, max) = (scalar(of), count(*min), count(*max));
            let join = option(join.as_ref(), text);
            quote!(ArgKind::Many { of: #of, min: #min, max: #max, join: #join })
        }
    };
    let presence = match &it.presence {
        Presence::Required => quote!(Presence::Required),
        Presence::Optional => quote!(Presence::Optional),
        Presence::Default(value) => {
            let value = default_value(value);
            quote!(Presence::Default(#value))
        }
    };
    let (requires, conflicts) = (texts(&it.requires), texts(&it.conflicts));
    quote!(ArgSpec {
        name: #name,
        description: #description,
        kind: #kind,
        presence: #presence,
        requires: #requires,
        conflicts: #conflicts,
    })
}

fn default_value(it: &DefaultValue) -> TokenStream {
    match it {
        DefaultValue::Text(value) => {
            let value = text(value);
            quote!(DefaultValue::Text(#value))
        }
        DefaultValue::Integer(value) => {
            let value = integer(*value);
            quote!(DefaultValue::Integer(#value))
        }
        DefaultValue::Number(value) => {
            let value = number(*value);
            quote!(DefaultValue::Number(#value))
        }
        DefaultValue::Boolean(value) => quote!(DefaultValue::Boolean(#value)),
        DefaultValue::List(items) => {
            let items = list(&quote!(DefaultValue), items, default_value);
            quote!(DefaultValue::List(#items))
        }
    }
}

fn scalar(it: &Scalar) -> TokenStream {
    match it {
        Scalar::String { pattern, min, max, multiline } => {
            let (pattern, min, max) = (option(pattern.as_ref(), value_pattern), count(*min), count(*max));
            quote!(Scalar::String { pattern: #pattern, min: #min, max: #max, multiline: #multiline })
        }
        Scalar::Integer { min, max } => {
            let (min, max) = (integer(*min), integer(*max));
            quote!(Scalar::Integer { min: #min, max: #max })
        }
        Scalar::Number { min, max } => {
            let (min, max) = (option(min.as_ref(), |it| number(*it)), option(max.as_ref(), |it| number(*it)));
            quote!(Scalar::Number { min: #min, max: #max })
        }
        Scalar::Boolean => quote!(Scalar::Boolean),
        Scalar::Choice(choices) => {
            let choices = list(&quote!(Choice), choices, |Choice { word, program }| {
                let (word, program) = (text(word), text(program));
                quote!(Choice { word: #word, program: #program })
            });
            quote!(Scalar::Choice(#choices))
        }
        Scalar::Path { access: what, must_be, pattern, max, sensitive } => {
            let (what, must_be) = (access(*what), option(must_be.as_ref(), |it| self::must_be(*it)));
            let (pattern, max) = (option(pattern.as_ref(), value_pattern), count(*max));
            let sensitive = texts(sensitive);
            quote!(Scalar::Path {
                access: #what,
                must_be: #must_be,
                pattern: #pattern,
                max: #max,
                sensitive: #sensitive,
            })
        }
        Scalar::Secret { pattern, min, max } => {
            let (pattern, min, max) = (option(pattern.as_ref(), value_pattern), count(*min), count(*max));
            quote!(Scalar::Secret { pattern: #pattern, min: #min, max: #max })
        }
    }
}

fn access(it: Access) -> TokenStream {
    match it {
        Access::Read => quote!(Access::Read),
        Access::Create => quote!(Access::Create),
        Access::Write => quote!(Access::Write),
        Access::Update => quote!(Access::Update),
    }
}

fn must_be(it: MustBe) -> TokenStream {
    match it {
        MustBe::Present => quote!(MustBe::Present),
        MustBe::File => quote!(MustBe::File),
        MustBe::Directory => quote!(MustBe::Directory),
        MustBe::Absent => quote!(MustBe::Absent),
    }
}

fn element(it: &Element) -> TokenStream {
    match it {
        Element::One(it) => {
            let it = pieces(it);
            quote!(Element::One(#it))
        }
        Element::Spread(arg) => {
            let arg = text(arg);
            quote!(Element::Spread(#arg))
        }
        Element::When { arg, body } => {
            let (arg, body) = (text(arg), list(&quote!(Element), body, element));
            quote!(Element::When { arg: #arg, body: #body })
        }
    }
}

fn pieces(it: &[Piece]) -> TokenStream {
    list(&quote!(Piece), it, |it| match it {
        Piece::Literal(it) => {
            let it = text(it);
            quote!(Piece::Literal(#it))
        }
        Piece::Arg(it) => {
            let it = text(it);
            quote!(Piece::Arg(#it))
        }
        Piece::Group(it) => {
            let it = text(it);
            quote!(Piece::Group(#it))
        }
    })
}

fn group(it: &GroupSpec) -> TokenStream {
    let (name, rows) = (text(&it.name), list(&quote!(RowSpec), &it.rows, row));
    quote!(GroupSpec { name: #name, rows: #rows })
}

fn row(it: &RowSpec) -> TokenStream {
    let code = code(it.code);
    let exit = list(&quote!(ExitIs), &it.exit, |it| match it {
        ExitIs::Status(status) => {
            let status = Literal::u8_unsuffixed(*status);
            quote!(ExitIs::Status(#status))
        }
        ExitIs::Signal(signal) => {
            let signal = Literal::u8_unsuffixed(*signal);
            quote!(ExitIs::Signal(#signal))
        }
    });
    let (pattern, at, veto) = (option(it.pattern.as_ref(), line_pattern), streams(it.streams), it.veto);
    let unless = option(it.unless.as_ref(), |it| setting(it, truth));
    let (say, hint) = (pieces(&it.say), pieces(&it.hint));
    quote!(RowSpec {
        code: #code,
        exit: #exit,
        pattern: #pattern,
        streams: #at,
        veto: #veto,
        unless: #unless,
        say: #say,
        hint: #hint,
    })
}

fn code(it: Code) -> TokenStream {
    match it {
        Code::NotFound => quote!(Code::NotFound),
        Code::NotAllowed => quote!(Code::NotAllowed),
        Code::Busy => quote!(Code::Busy),
        Code::Timeout => quote!(Code::Timeout),
        Code::CommandFailed => quote!(Code::CommandFailed),
        Code::Unavailable => quote!(Code::Unavailable),
        Code::InvalidArgument => quote!(Code::InvalidArgument),
        Code::Cancelled => quote!(Code::Cancelled),
        Code::Declined => quote!(Code::Declined),
        Code::Orphaned => quote!(Code::Orphaned),
    }
}

fn field(it: &FieldSpec) -> TokenStream {
    let name = text(&it.name);
    let source = match &it.source {
        FieldSource::Match { pattern, streams: at, kind } => {
            let (pattern, at, kind) = (line_pattern(pattern), streams(*at), field_type(*kind));
            quote!(FieldSource::Match { pattern: #pattern, streams: #at, kind: #kind })
        }
        FieldSource::Each { pattern, streams: at, kind } => {
            let (pattern, at, kind) = (line_pattern(pattern), streams(*at), field_type(*kind));
            quote!(FieldSource::Each { pattern: #pattern, streams: #at, kind: #kind })
        }
        FieldSource::EachNamed { pattern, streams: at, groups } => {
            let (pattern, at) = (line_pattern(pattern), streams(*at));
            let groups = list(&quote!((Text, FieldType)), groups, |(name, kind)| {
                let (name, kind) = (text(name), field_type(*kind));
                quote!((#name, #kind))
            });
            quote!(FieldSource::EachNamed { pattern: #pattern, streams: #at, groups: #groups })
        }
        FieldSource::Json { pointer, kind } => {
            let (pointer, kind) = (text(pointer), field_type(*kind));
            quote!(FieldSource::Json { pointer: #pointer, kind: #kind })
        }
        FieldSource::JsonLines { pointer, kind } => {
            let (pointer, kind) = (text(pointer), field_type(*kind));
            quote!(FieldSource::JsonLines { pointer: #pointer, kind: #kind })
        }
        FieldSource::Exit(exit) => {
            let exit = numbers(exit);
            quote!(FieldSource::Exit(#exit))
        }
    };
    quote!(FieldSpec { name: #name, source: #source })
}

fn field_type(it: FieldType) -> TokenStream {
    match it {
        FieldType::String => quote!(FieldType::String),
        FieldType::Integer => quote!(FieldType::Integer),
        FieldType::Number => quote!(FieldType::Number),
        FieldType::Boolean => quote!(FieldType::Boolean),
        FieldType::Json => quote!(FieldType::Json),
    }
}

fn stage_kind(it: StageKind) -> TokenStream {
    match it {
        StageKind::Enrich => quote!(StageKind::Enrich),
        StageKind::Observe => quote!(StageKind::Observe),
        StageKind::Normalise => quote!(StageKind::Normalise),
        StageKind::Downstream => quote!(StageKind::Downstream),
        StageKind::Sanitise => quote!(StageKind::Sanitise),
    }
}

fn provider_kind(it: ProviderKind) -> TokenStream {
    match it {
        ProviderKind::Redact => quote!(ProviderKind::Redact),
        ProviderKind::Sanitise => quote!(ProviderKind::Sanitise),
    }
}

fn capture(it: Capture) -> TokenStream {
    match it {
        Capture::Exact => quote!(Capture::Exact),
        Capture::Limited => quote!(Capture::Limited),
        Capture::Unsupported => quote!(Capture::Unsupported),
    }
}

fn stream(it: Stream) -> TokenStream {
    match it {
        Stream::Stdout => quote!(Stream::Stdout),
        Stream::Stderr => quote!(Stream::Stderr),
    }
}

fn streams(it: Streams) -> TokenStream {
    match it {
        Streams::Only(only) => {
            let only = stream(only);
            quote!(Streams::Only(#only))
        }
        Streams::Both => quote!(Streams::Both),
    }
}

fn text(it: &Text) -> TokenStream {
    let it = it.as_ref();
    quote!(Borrowed(#it))
}

fn texts(it: &[Text]) -> TokenStream {
    list(&quote!(Text), it, text)
}

fn line_pattern(it: &LinePattern) -> TokenStream {
    let source = it.source();
    quote!(LinePattern::new(Borrowed(#source)))
}

fn value_pattern(it: &ValuePattern) -> TokenStream {
    let source = it.source();
    quote!(ValuePattern::new(Borrowed(#source)))
}

fn list<T>(of: &TokenStream, items: &[T], each: impl Fn(&T) -> TokenStream) -> TokenStream {
    if items.is_empty() {
        return quote!(Borrowed(&[]));
    }
    let (count, items) = (Literal::usize_unsuffixed(items.len()), items.iter().map(each));
    quote!(Borrowed({
        static LIST: [#of; #count] = [#(#items),*];
        &LIST
    }))
}

fn numbers(it: &[u8]) -> TokenStream {
    list(&quote!(u8), it, |it| {
        let it = Literal::u8_unsuffixed(*it);
        quote!(#it)
    })
}

fn option<T>(it: Option<&T>, each: impl Fn(&T) -> TokenStream) -> TokenStream {
    match it {
        None => quote!(None),
        Some(it) => {
            let it = each(it);
            quote!(Some(#it))
        }
    }
}

fn setting<T: Clone>(it: &Setting<T>, each: impl Fn(&T) -> TokenStream) -> TokenStream {
    let Setting { default, config, env, min, max } = it;
    let value = each(default);
    if config.is_none() && env.is_none() && min.is_none() && max.is_none() {
        return quote!(Setting::fixed(#value));
    }
    let (config, env) = (option(config.as_ref(), text), option(env.as_ref(), text));
    let (min, max) = (option(min.as_ref(), &each), option(max.as_ref(), &each));
    quote!(Setting { default: #value, config: #config, env: #env, min: #min, max: #max })
}

#[allow(clippy::trivially_copy_pass_by_ref)] // called for settings of any type
fn truth(it: &bool) -> TokenStream {
    quote!(#it)
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as `truth`
fn millis(Millis(it): &Millis) -> TokenStream {
    let it = Literal::u64_unsuffixed(*it);
    quote!(Millis(#it))
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as `truth`
fn bytes(Bytes(it): &Bytes) -> TokenStream {
    let it = Literal::u64_unsuffixed(*it);
    quote!(Bytes(#it))
}

#[allow(clippy::trivially_copy_pass_by_ref)] // called for items of a list
fn index(it: &verbgate_table::Index) -> TokenStream {
    let it = Literal::u16_unsuffixed(*it);
    quote!(#it)
}

fn count(it: u32) -> TokenStream {
    let it = Literal::u32_unsuffixed(it);
    quote!(#it)
}

/// A literal has no sign of its own: the minus is an operator before it.
fn integer(it: i64) -> TokenStream {
    if it == i64::MIN {
        return quote!(i64::MIN);
    }
    let size = Literal::u64_unsuffixed(it.unsigned_abs());
    if it < 0 { quote!(-#size) } else { quote!(#size) }
}

/// As [`integer`]. What is not finite has no literal.
fn number(it: f64) -> TokenStream {
    if !it.is_finite() {
        let bits = Literal::u64_unsuffixed(it.to_bits());
        return quote!(f64::from_bits(#bits));
    }
    let size = Literal::f64_unsuffixed(it.abs());
    if it.is_sign_negative() { quote!(-#size) } else { quote!(#size) }
}
