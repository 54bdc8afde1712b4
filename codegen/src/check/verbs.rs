//! Tools and verbs: `VG03xx` (LANGUAGE sections 6 to 8), lowered to [`ToolSpec`] and [`VerbSpec`].

use std::collections::BTreeSet;

use verbgate_table::{
    Access, Annotations, ArgKind, ArgSpec, BeforeSpec, Class, FileSpec, GroupSpec, Index, Millis, Piece, Presence,
    ProgramSpec, Scalar, Setting, Stream, Text, ToolSpec, VerbSpec,
};

use super::args::Types;
use super::names::{self, What};
use super::program::{self, Settings};
use super::template::{Scope, Use, code};
use super::{File, Out, args, fields, never, outcome, owned};
use crate::codes::args::{VG0202, VG0210, VG0211};
use crate::codes::consent::{VG0301, VG0303, VG0304, VG0305, VG0306, VG0307, VG0308, VG0313};
use crate::codes::env::VG0508;
use crate::diag::{Diagnostic, Span};
use crate::model::{At, StreamWord, Verb};
use crate::pattern::Line;

/// Where a lowered verb comes from.
pub(super) struct VerbPlace<'a> {
    pub at: At<'a>,
    pub verb: &'a Verb,
    /// The pattern of its success.
    pub success: Option<Line>,
}

/// A tool with one argument, to check a value against.
pub(super) fn probe(arg: ArgSpec) -> ToolSpec {
    let verb = VerbSpec {
        action: None,
        description: Text::default(),
        class: Class::Read,
        ask: Vec::new().into(),
        args: vec![arg].into(),
        one_of: Vec::new().into(),
        argv: Vec::new().into(),
        env: Vec::new().into(),
        stdin: None,
        before: None,
        lock: None,
        timeout: None,
        success: verbgate_table::SuccessSpec {
            exit: vec![0].into(),
            pattern: None,
            streams: verbgate_table::Streams::Both,
        },
        groups: Vec::new().into(),
        body: Vec::new().into(),
        fields: Vec::new().into(),
        notes: Vec::new().into(),
    };
    ToolSpec {
        name: Text::default(),
        description: Text::default(),
        enabled: Setting::fixed(true),
        verbs: vec![verb].into(),
        input_schema: Text::default(),
        output_schema: Text::default(),
        annotations: Annotations { read_only: true, destructive: false, idempotent: true, open_world: false },
        notes: Vec::new().into(),
    }
}

/// The tools of a file; `before` is filled in when all are there.
pub(super) fn tools<'a>(
    file: &'a File<'a>,
    program: &ProgramSpec,
    groups: &[GroupSpec],
    settings: &mut Settings,
    out: &mut Out,
) -> (Vec<ToolSpec>, Vec<VerbPlace<'a>>) {
    let mut types = Types::new(file, out);
    let mut tools = Vec::new();
    let mut places = Vec::new();
    for (name, tool) in file.model.tools.iter() {
        let at = file.at.key("tools").key(name);
        program::text(&tool.description, at.key("description"), "description", out);
        let mut verbs = Vec::new();
        match &tool.actions {
            None => {
                let (spec, place) = verb((name, None), tool, at, program, groups, &mut types, file, out);
                verbs.push(spec);
                places.push(place);
            }
            Some(actions) => {
                let actions_at = at.key("actions");
                keys_beside_actions(at, out);
                if actions.is_empty() {
                    out.push(Diagnostic::new(
                        &VG0301,
                        actions_at.key_span(),
                        format!("the tool `{name}` has no action"),
                    ));
                }
                names::all(What::Action, actions.iter().map(|(name, _)| name), actions_at, out);
                for (action, own) in actions.iter() {
                    let at = actions_at.key(action);
                    program::text(&own.description, at.key("description"), "description", out);
                    if own.args.get("action").is_some() {
                        out.push(
                            Diagnostic::new(
                                &crate::codes::limits::VG0804,
                                at.key("args").key("action").key_span(),
                                "the argument `action` chooses among the tool's actions",
                            )
                            .help("choose another name"),
                        );
                    }
                    let (spec, place) = verb((name, Some(action)), own, at, program, groups, &mut types, file, out);
                    verbs.push(spec);
                    places.push(place);
                }
            }
        }
        let mut spec = ToolSpec {
            name: owned(name),
            description: description(tool, &verbs).into(),
            enabled: tool
                .enabled
                .as_ref()
                .map_or(Setting::fixed(true), |given| settings.lower(given, at.key("enabled"), |value| *value, out)),
            annotations: annotations(&verbs, program.network),
            verbs: verbs.into(),
            input_schema: Text::default(),
            output_schema: Text::default(),
            notes: if tool.actions.is_some() {
                tool.notes.iter().map(|note| owned(note)).collect()
            } else {
                Vec::new().into()
            },
        };
        names::description(name, &spec.description, &at.key("description").span(), out);
        if tool.actions.is_some() {
            args::shared(&spec, at, out);
        }
        spec.input_schema = crate::emit::json_schema::input_schema(&spec).to_string().into();
        tools.push(spec);
    }
    types.unused(out);
    (tools, places)
}

/// What an agent reads about a tool: its own words, then one line for each action.
fn description(tool: &Verb, verbs: &[VerbSpec]) -> String {
    let mut text = tool.description.trim_end().to_owned();
    for verb in verbs {
        if let Some(action) = &verb.action {
            text.push('\n');
            text.push_str(action);
            text.push_str(": ");
            text.push_str(verb.description.trim_end());
        }
    }
    text
}

/// Read-only and idempotent if all verbs are, destructive if any is (LANGUAGE section 6).
fn annotations(verbs: &[VerbSpec], network: bool) -> Annotations {
    Annotations {
        read_only: verbs.iter().all(|verb| verb.class == Class::Read),
        destructive: verbs.iter().any(|verb| verb.class.asks()),
        idempotent: verbs.iter().all(|verb| matches!(verb.class, Class::Read | Class::FileWrite)),
        open_world: network,
    }
}

fn keys_beside_actions(at: At<'_>, out: &mut Out) {
    for key in [
        "consent", "ask", "args", "one_of", "argv", "env", "stdin", "before", "lock", "timeout", "success", "errors",
        "body", "fields", "examples",
    ] {
        if at.key(key).exists() {
            out.push(
                Diagnostic::new(&VG0301, at.key(key).key_span(), format!("`{key}` stands beside `actions`"))
                    .also(at.key("actions").key_span(), "the tool has actions")
                    .help("it belongs into an action"),
            );
        }
    }
}

#[allow(clippy::too_many_arguments)] // one place, all of it needed
fn verb<'a>(
    (tool, action): (&str, Option<&str>),
    verb: &'a Verb,
    at: At<'a>,
    program: &ProgramSpec,
    groups: &[GroupSpec],
    types: &mut Types<'a>,
    file: &File<'a>,
    out: &mut Out,
) -> (VerbSpec, VerbPlace<'a>) {
    let class = verb.consent.map(|word| word.0);
    if class.is_none() {
        out.push(
            Diagnostic::new(&VG0301, at.key_span(), "this verb has no consent class")
                .help("add `consent: read`, `additive`, `file_write`, `registry_mutation` or `replace`"),
        );
    }
    let args = types.args(verb, class, at, out);
    let mut scope = Scope::new(&args, verb);
    let written = verb.argv.as_deref().unwrap_or_default();
    if verb.argv.is_none() {
        out.push(
            Diagnostic::new(&VG0301, at.key_span(), "this verb has no `argv`")
                .help("add the argument array that is run"),
        );
    }
    let guarded = !program.argv.iter().any(|word| word == "--");
    let elements = scope.argv(written, at.key("argv"), guarded, out);
    if let Some((index, name)) = never::begins_with_argument(written, &args) {
        out.push(
            Diagnostic::new(
                &VG0210,
                at.key("argv").index(index).span(),
                format!("the argument `{name}` would choose what the program does"),
            )
            .help("begin with a word of the manifest, or make it a `choice`"),
        );
    }
    let runs_input = code(
        &program.executable.default,
        &program.argv.iter().map(std::string::ToString::to_string).collect::<Vec<_>>(),
        written,
        at.key("argv"),
        &args,
        out,
    );
    let ask = question(verb, class, &args, &mut scope, at, out);
    let env = env(verb, program, &mut scope, file, at, out);
    let stdin = stdin(verb, class, &mut scope, at, out);
    if let Some(why) = runs_input
        && stdin.iter().flatten().any(|piece| matches!(piece, Piece::Arg(_)))
    {
        out.push(
            Diagnostic::new(&VG0211, at.key("stdin").span(), "standard input would be run as a program")
                .label(why)
                .help("what an agent sends is data, never code: name the script in the `argv`"),
        );
    }
    if let Some(word) = verb.timeout {
        program::timeout(word.0, at.key("timeout").span(), out);
    }
    if class == Some(Class::FileWrite)
        && !args.iter().any(|arg| access(arg).is_some_and(|access| access != Access::Read))
    {
        out.push(
            Diagnostic::new(
                &VG0306,
                at.key("consent").span(),
                "no argument is a path that is created, written or updated",
            )
            .help("a verb that changes what the program keeps is `registry_mutation`, one that only looks is `read`"),
        );
    }
    // What rows say is no use of an argument: the program would not get it.
    for arg in &args {
        if !scope.used.contains(arg.name.as_ref())
            && !named_in_one_of(verb, arg)
            && !before_takes(file, tool, verb, arg)
        {
            out.push(
                Diagnostic::new(
                    &VG0202,
                    at.key("args").key(&arg.name).key_span(),
                    format!("nothing uses the argument `{}`", arg.name),
                )
                .help("put it into the `argv`, or delete it"),
            );
        }
    }
    let (success, line) = outcome::success(verb.success.as_ref(), at, out);
    let fields = fields::lower(verb, &success.exit, at, out);
    let spec = VerbSpec {
        action: action.map(owned),
        description: if action.is_some() { owned(&verb.description) } else { Text::default() },
        class: class.unwrap_or(Class::Replace),
        ask: ask.into(),
        one_of: verb
            .one_of
            .iter()
            .map(|names| names.iter().map(|name| owned(name)).collect::<Vec<_>>().into())
            .collect(),
        argv: elements.into(),
        env: env.into_iter().map(|(name, pieces)| (name, pieces.into())).collect::<Vec<_>>().into(),
        stdin: stdin.map(Into::into),
        before: None,
        lock: verb.lock.as_deref().map(owned),
        timeout: verb.timeout.map(|word| {
            let Millis(ms) = word.0;
            Millis(ms)
        }),
        success,
        groups: outcome::group_list(&verb.errors, at.key("errors"), groups, true, out).into(),
        body: body(verb, at, out).into(),
        fields: fields.into(),
        notes: verb.notes.iter().map(|note| owned(note)).collect(),
        args: args.into(),
    };
    never::verb(program, &spec, at, file.at.key("program").key("never"), out);
    (spec, VerbPlace { at, verb, success: line })
}

/// An argument whose only meaning is that it was given: a boolean of a `one_of`.
fn named_in_one_of(verb: &Verb, arg: &ArgSpec) -> bool {
    matches!(arg.kind, ArgKind::One(Scalar::Boolean)) && verb.one_of.iter().flatten().any(|name| *name == arg.name)
}

/// Whether the verb before takes the argument, too: it runs with the arguments of the same names.
fn before_takes(file: &File<'_>, tool: &str, verb: &Verb, arg: &ArgSpec) -> bool {
    let Some(before) = &verb.before else { return false };
    let action = |tool: &str, action: &str| file.model.tools.get(tool)?.actions.as_ref()?.get(action);
    let target = match before.verb.split_once('.') {
        Some((tool, name)) => action(tool, name),
        None => action(tool, &before.verb).or_else(|| file.model.tools.get(&before.verb)),
    };
    target.is_some_and(|target| target.args.get(&arg.name).is_some())
}

fn access(arg: &ArgSpec) -> Option<Access> {
    match &arg.kind {
        ArgKind::One(Scalar::Path { access, .. }) | ArgKind::Many { of: Scalar::Path { access, .. }, .. } => {
            Some(*access)
        }
        _ => None,
    }
}

fn question(
    verb: &Verb,
    class: Option<Class>,
    args: &[ArgSpec],
    scope: &mut Scope<'_>,
    at: At<'_>,
    out: &mut Out,
) -> Vec<Piece> {
    let asks = class.is_some_and(Class::asks);
    let Some(text) = &verb.ask else {
        if let Some(class) = class.filter(|class| class.asks()) {
            out.push(
                Diagnostic::new(
                    &VG0303,
                    at.key("consent").span(),
                    format!("consent class `{}` asks a person, and there is no question", class.as_str()),
                )
                .help("add `ask`: what happens, to which path or name"),
            );
        }
        return Vec::new();
    };
    if !asks && let Some(class) = class {
        out.push(
            Diagnostic::new(
                &VG0304,
                at.key("ask").key_span(),
                format!("consent class `{}` asks nobody: this question would never be seen", class.as_str()),
            )
            .also(at.key("consent").span(), "the class")
            .help("delete `ask`, or choose a class that asks"),
        );
    }
    // A question does not make an argument used: the program would not get it.
    let used = scope.used.clone();
    let pieces = scope.text(text, Use::Ask, at.key("ask"), out);
    scope.used = used;
    program::text(text, at.key("ask"), "ask", out);
    if asks {
        for arg in args {
            let writes = matches!(access(arg), Some(Access::Write | Access::Update));
            if writes && !pieces.contains(&Piece::Arg(arg.name.clone())) {
                out.push(
                    Diagnostic::new(
                        &VG0305,
                        at.key("ask").span(),
                        format!("the question does not name `{}`, which is written", arg.name),
                    )
                    .also(at.key("args").key(&arg.name).key_span(), "the path")
                    .help(format!("put `<{}>` into it", arg.name)),
                );
            }
        }
    }
    pieces
}

fn env(
    verb: &Verb,
    program: &ProgramSpec,
    scope: &mut Scope<'_>,
    file: &File<'_>,
    at: At<'_>,
    out: &mut Out,
) -> Vec<(Text, Vec<Piece>)> {
    let at = at.key("env");
    let mut variables = Vec::new();
    for (name, text) in verb.env.iter() {
        let key = at.key(name).key_span();
        let literal = (!text.contains('<')).then_some(text);
        if matches!(name, "PATH" | "HOME") {
            out.push(
                Diagnostic::new(&VG0508, key.clone(), format!("a verb can't set `{name}`"))
                    .help("which program runs, and whose files it sees, is not for a verb to say"),
            );
        }
        program::set(name, literal.map(String::as_str), key, &program.never, file.at.key("program").key("never"), out);
        variables.push((owned(name), scope.text(text, Use::Env, at.key(name), out)));
    }
    variables
}

fn stdin(verb: &Verb, class: Option<Class>, scope: &mut Scope<'_>, at: At<'_>, out: &mut Out) -> Option<Vec<Piece>> {
    let text = verb.stdin.as_ref()?;
    let at = at.key("stdin");
    let pieces = scope.text(text, Use::Stdin, at, out);
    let literal = pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Literal(text) if !text.trim().is_empty() || pieces.len() == 1));
    if literal && let Some(class) = class.filter(|class| !class.asks()) {
        out.push(
            Diagnostic::new(
                &VG0307,
                at.span(),
                format!("consent class `{}` asks nobody, and this answers a question of the program's", class.as_str()),
            )
            .help("a fixed answer is given after consent only: choose a class that asks"),
        );
    }
    Some(pieces)
}

fn body(verb: &Verb, at: At<'_>, out: &mut Out) -> Vec<Stream> {
    let Some(words) = &verb.body else { return vec![Stream::Stdout, Stream::Stderr] };
    let mut streams = Vec::new();
    for (index, StreamWord(stream)) in words.iter().enumerate() {
        if streams.contains(stream) {
            out.push(Diagnostic::new(&VG0313, at.key("body").index(index).span(), "this stream is there twice"));
        } else {
            streams.push(*stream);
        }
    }
    streams
}

/// Fills in `before` of all verbs of a file, now that their indices are known.
pub(super) fn befores(file: &File<'_>, spec: &mut FileSpec, places: &[VerbPlace<'_>], out: &mut Out) {
    let names: Vec<(usize, usize, String, Option<String>)> = spec
        .tools
        .iter()
        .enumerate()
        .flat_map(|(tool, ours)| {
            let name = ours.name.to_string();
            ours.verbs
                .iter()
                .enumerate()
                .map(move |(verb, spec)| (tool, verb, name.clone(), spec.action.as_ref().map(ToString::to_string)))
        })
        .collect();
    let mut found: Vec<Option<BeforeSpec>> = Vec::new();
    for ((tool, index, name, action), place) in names.iter().zip(places) {
        let Some(before) = &place.verb.before else {
            found.push(None);
            continue;
        };
        let at = place.at.key("before");
        let span = at.key("verb").span();
        let own = before.verb.as_str();
        let target = names.iter().find(|(_, _, other, other_action)| match (own.split_once('.'), other_action) {
            (Some((tool, action)), Some(other_action)) => tool == other && action == other_action,
            (None, Some(other_action)) => action.is_some() && other == name && own == other_action,
            (None, None) => own == other,
            (Some(_), None) => false,
        });
        let Some((to_tool, to_verb, ..)) = target else {
            let known: Vec<String> = names
                .iter()
                .map(|(_, _, other, other_action)| match other_action {
                    Some(other_action) if other == name => other_action.clone(),
                    Some(other_action) => format!("{other}.{other_action}"),
                    None => other.clone(),
                })
                .collect();
            let mut trouble = Diagnostic::new(&VG0308, span.clone(), format!("there is no verb `{own}` in this file"));
            match super::nearest(own, known.iter().map(String::as_str)) {
                Some(near) => trouble = trouble.help(format!("did you mean `{near}`?")).mend(span, near),
                None => trouble = trouble.help("an action of this tool, `tool.action`, or a tool without actions"),
            }
            out.push(trouble);
            found.push(None);
            continue;
        };
        let groups = outcome::group_list(&before.errors, at.key("errors"), &spec.groups, false, out);
        fits(spec, (*tool, *index), (*to_tool, *to_verb), own, span, places, &names, out);
        found.push(match (Index::try_from(*to_tool), Index::try_from(*to_verb)) {
            (Ok(tool), Ok(verb)) => Some(BeforeSpec { tool, verb, groups: groups.into() }),
            _ => None,
        });
    }
    let _ = file;
    let mut found = found.into_iter();
    for tool in spec.tools.to_mut() {
        for verb in tool.verbs.to_mut() {
            verb.before = found.next().flatten();
        }
    }
}

#[allow(clippy::too_many_arguments)] // one place, all of it needed
fn fits(
    spec: &FileSpec,
    from: (usize, usize),
    to: (usize, usize),
    own: &str,
    span: Span,
    places: &[VerbPlace<'_>],
    names: &[(usize, usize, String, Option<String>)],
    out: &mut Out,
) {
    let get = |(tool, verb): (usize, usize)| spec.tools.get(tool).and_then(|tool| tool.verbs.get(verb));
    let (Some(caller), Some(target)) = (get(from), get(to)) else { return };
    let place = names.iter().position(|(tool, verb, ..)| (*tool, *verb) == to).and_then(|at| places.get(at));
    let also = |found: Diagnostic| match place {
        Some(place) => found.also(place.at.key_span(), "that verb"),
        None => found,
    };
    if from == to {
        out.push(Diagnostic::new(&VG0308, span, "a verb can't stand before itself"));
        return;
    }
    if target.class != Class::Read {
        out.push(also(Diagnostic::new(
            &VG0308,
            span.clone(),
            format!("`{own}` is of class `{}`: what runs before must only look", target.class.as_str()),
        )));
    }
    if place.is_some_and(|place| place.verb.before.is_some()) {
        out.push(also(Diagnostic::new(&VG0308, span.clone(), format!("`{own}` has a `before` of its own"))));
    }
    for arg in target.args.iter() {
        let here = caller.args.iter().find(|own| own.name == arg.name);
        let needed = matches!(arg.presence, Presence::Required);
        match here {
            None if needed => out.push(also(
                Diagnostic::new(
                    &VG0308,
                    span.clone(),
                    format!("`{own}` needs the argument `{}`, which is not here", arg.name),
                )
                .help("it runs with the arguments of the same names"),
            )),
            Some(here) if needed && matches!(here.presence, Presence::Optional) => out.push(also(Diagnostic::new(
                &VG0308,
                span.clone(),
                format!("`{own}` needs the argument `{}`, which may be absent here", arg.name),
            ))),
            // A value that is good here would be refused there, after the person said yes.
            Some(here) if format!("{:?}", here.kind) != format!("{:?}", arg.kind) => out.push(also(
                Diagnostic::new(
                    &VG0308,
                    span.clone(),
                    format!("`{own}` takes another type of argument `{}` than this verb", arg.name),
                )
                .help(
                    "it runs with the arguments of the same names: name a type under `types`, or choose another name",
                ),
            )),
            _ => {}
        }
    }
    let never_given: BTreeSet<&str> = target
        .one_of
        .iter()
        .filter(|names| !names.iter().any(|name| caller.args.iter().any(|arg| arg.name == *name)))
        .flat_map(|names| names.iter().map(AsRef::as_ref))
        .collect();
    if !never_given.is_empty() {
        out.push(also(Diagnostic::new(
            &VG0308,
            span,
            format!(
                "`{own}` needs one of `{}`, which are not here",
                never_given.into_iter().collect::<Vec<_>>().join("`, `")
            ),
        )));
    }
}
