//! The program, its environment, settings and limits of output: `VG03xx` and `VG05xx` (LANGUAGE sections 1 to 3).

use std::collections::BTreeMap;
use std::fmt::Debug;

use verbgate_table::{
    Bytes, EnvName, EnvSpec, HelpSpec, Millis, NeverSpec, OutputSpec, ProgramSpec, RefuseFile, Root, Setting, Text,
    VersionSpec,
};

use super::data;
use super::outcome::one_line;
use super::{File, Out, owned, patterns};
use crate::codes::consent::{VG0311, VG0312};
use crate::codes::env::{
    VG0501, VG0502, VG0503, VG0504, VG0505, VG0506, VG0507, VG0509, VG0510, VG0511, VG0512, VG0513, VG0514, VG0516,
};
use crate::codes::outcome::VG0419;
use crate::diag::{Diagnostic, Span};
use crate::model::{self, At};

/// Defaults of keys and variables that stand in several places.
#[derive(Default)]
pub(super) struct Settings(BTreeMap<(bool, String), (String, Span)>);

impl Settings {
    /// Lowers a setting, and checks it.
    pub(super) fn lower<T: Clone, U: Clone + Debug + PartialOrd + 'static>(
        &mut self,
        given: &model::Setting<T>,
        at: At<'_>,
        map: impl Fn(&T) -> U,
        out: &mut Out,
    ) -> Setting<U> {
        let lowered = Setting {
            default: map(&given.default),
            config: given.config.clone().map(Text::from),
            env: given.env.clone().map(Text::from),
            min: given.min.as_ref().map(&map),
            max: given.max.as_ref().map(&map),
        };
        let shown = format!("{:?}", lowered.default);
        if let Some(key) = &given.config {
            let span = at.key("config").span();
            let fits = key.split('.').all(|part| {
                part.starts_with(|c: char| c.is_ascii_alphabetic())
                    && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
            });
            if !fits {
                out.push(
                    Diagnostic::new(&VG0512, span.clone(), format!("`{key}` is no key of a configuration"))
                        .help("a key is names with dots between, as in `tools.enabled`"),
                );
            }
            self.same(false, key, &shown, &span, out);
        }
        if let Some(name) = &given.env {
            let span = at.key("env").span();
            variable(name, &span, out);
            self.same(true, name, &shown, &span, out);
        }
        let span = if at.key("default").exists() { at.key("default").span() } else { at.span() };
        if lowered.min.as_ref().is_some_and(|min| *min > lowered.default)
            || lowered.max.as_ref().is_some_and(|max| *max < lowered.default)
        {
            out.push(Diagnostic::new(&VG0512, span, "the default lies beyond `min` or `max`"));
        }
        lowered
    }

    fn same(&mut self, is_env: bool, name: &str, default: &str, span: &Span, out: &mut Out) {
        let entry = self.0.entry((is_env, name.to_owned())).or_insert_with(|| (default.to_owned(), span.clone()));
        if entry.0 != default {
            out.push(
                Diagnostic::new(&VG0512, span.clone(), format!("`{name}` has two defaults"))
                    .also(entry.1.clone(), "the other is here")
                    .help("one key or variable has one meaning: choose another name"),
            );
        }
    }
}

/// A name that a variable can have.
fn variable(name: &str, span: &Span, out: &mut Out) {
    let fits = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !fits {
        out.push(
            Diagnostic::new(&VG0509, span.clone(), format!("`{name}` can't be the name of a variable"))
                .help("letters, digits and `_`, not beginning with a digit"),
        );
    }
}

/// A budget of time.
pub(super) fn timeout(Millis(ms): Millis, span: Span, out: &mut Out) {
    if !(1_000..=24 * 3_600_000).contains(&ms) {
        out.push(
            Diagnostic::new(&VG0511, span, "a time budget must be 1 s to 24 h")
                .help("a program that needs longer is none for a call that waits"),
        );
    }
}

/// `output`, for the first file.
pub(super) fn output(file: &File<'_>, settings: &mut Settings, out: &mut Out) -> OutputSpec {
    let at = file.at.key("output");
    let given = file.model.output.as_ref();
    let size = |given: Option<&model::Setting<model::SizeWord>>,
                key: &str,
                default: u64,
                settings: &mut Settings,
                out: &mut Out| {
        given.map_or(Setting::fixed(Bytes(default)), |given| settings.lower(given, at.key(key), |size| size.0, out))
    };
    let budget = size(given.and_then(|given| given.budget.as_ref()), "budget", 16 << 10, settings, out);
    let error_tail = size(given.and_then(|given| given.error_tail.as_ref()), "error_tail", 4 << 10, settings, out);
    let boolean = |given: Option<&model::Setting<bool>>, key: &str, settings: &mut Settings, out: &mut Out| {
        given.map_or(Setting::fixed(true), |given| settings.lower(given, at.key(key), |value| *value, out))
    };
    let redact = boolean(given.and_then(|given| given.redact.as_ref()), "redact", settings, out);
    let spill = boolean(given.and_then(|given| given.spill.as_ref()), "spill", settings, out);
    let sizes = |setting: &Setting<Bytes>| {
        [Some(setting.default), setting.min, setting.max]
            .into_iter()
            .flatten()
            .map(|Bytes(bytes)| bytes)
            .collect::<Vec<_>>()
    };
    if !sizes(&budget).iter().all(|bytes| (1 << 10..=1 << 20).contains(bytes)) {
        out.push(Diagnostic::new(&VG0513, at.key("budget").span(), "`budget` must be 1 KiB to 1 MiB"));
    }
    if sizes(&error_tail).contains(&0) || error_tail.default.0 > budget.default.0 / 2 {
        let span = if at.key("error_tail").exists() { at.key("error_tail").span() } else { at.key("budget").span() };
        out.push(
            Diagnostic::new(&VG0513, span, "`error_tail` must be more than nothing, and at most half of `budget`")
                .help(format!("`budget` is {} bytes, `error_tail` {}", budget.default.0, error_tail.default.0)),
        );
    }
    if !redact.default {
        out.push(
            Diagnostic::new(&VG0514, at.key("redact").span(), "secrets that the program prints would reach the agent")
                .help("leave `redact` on: the user's own configuration can turn it off"),
        );
    }
    OutputSpec { budget, error_tail, redact, spill }
}

/// `program`.
pub(super) fn program(file: &File<'_>, given: &model::Program, settings: &mut Settings, out: &mut Out) -> ProgramSpec {
    let at = file.at.key("program");
    let never = never(given, at, out);
    let executable = settings.lower(&given.executable, at.key("executable"), |text| owned(text), out);
    let place = at.key("executable");
    let place = if place.key("default").exists() { place.key("default") } else { place };
    check_executable(&executable.default, place, out);
    for (index, word) in given.argv.iter().enumerate() {
        let span = at.key("argv").index(index).span();
        if word.contains('<') {
            out.push(
                Diagnostic::new(&VG0502, span.clone(), "`program.argv` is literal: it has no placeholders")
                    .help("write the placeholder in the `argv` of the verbs"),
            );
        }
        if let Some(option) = never.options.iter().position(|option| verbgate_table::argv::is_option(word, option)) {
            out.push(
                Diagnostic::new(&VG0503, span, format!("`{word}` is ruled out by `never`"))
                    .also(at.key("never").key("options").index(option).span(), "the promise"),
            );
        }
    }
    for (key, argv) in [
        ("version", given.version.as_ref().map(|version| &version.argv)),
        ("help", given.help.as_ref().map(|help| &help.argv)),
    ] {
        for (index, word) in argv.into_iter().flatten().take_while(|word| *word != "--").enumerate() {
            if let Some(option) = never.options.iter().position(|option| verbgate_table::argv::is_option(word, option))
            {
                let span = at.key(key).key("argv").index(index).span();
                out.push(
                    Diagnostic::new(&VG0503, span, format!("`{word}` is ruled out by `never`"))
                        .also(at.key("never").key("options").index(option).span(), "the promise"),
                );
            }
        }
    }
    text(&given.install, at.key("install"), "install", out);
    ProgramSpec {
        executable,
        argv: given.argv.iter().map(|word| owned(word)).collect(),
        install: owned(&given.install),
        version: given.version.as_ref().and_then(|version| self::version(version, at.key("version"), out)),
        timeout: given.timeout.as_ref().map_or(Setting::fixed(Millis(60_000)), |given| {
            let lowered = settings.lower(given, at.key("timeout"), |duration| duration.0, out);
            for value in [Some(lowered.default), lowered.min, lowered.max].into_iter().flatten() {
                timeout(value, at.key("timeout").span(), out);
            }
            lowered
        }),
        refuse_files: refuse_files(given, at.key("refuse_files"), settings, out).into(),
        roots: roots(file, given, at.key("roots"), out).into(),
        env: env(given, &never, at, out),
        never,
        help: given.help.as_ref().map(|help| HelpSpec {
            argv: help.argv.iter().map(|word| owned(word)).collect(),
            exit: if help.exit.is_empty() { vec![0] } else { help.exit.clone() }.into(),
        }),
        network: given.network.unwrap_or(true),
        notes: given.notes.iter().map(|note| owned(note)).collect(),
    }
}

/// Text that a person or an agent must be able to read.
pub(super) fn text(value: &str, at: At<'_>, key: &str, out: &mut Out) {
    if value.trim().is_empty() {
        out.push(Diagnostic::new(&crate::codes::limits::VG0816, at.span(), format!("`{key}` says nothing")));
    }
}

fn check_executable(name: &str, at: At<'_>, out: &mut Out) {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let lower = base.to_ascii_lowercase();
    let trouble = if name.is_empty() || name.contains('\0') {
        Some("an executable has a name".to_owned())
    } else if data::SHELLS.contains(&lower.as_str()) {
        Some(format!("`{base}` is a shell: what it runs is text"))
    } else if matches!(lower.rsplit_once('.'), Some((_, "bat" | "cmd"))) {
        Some(format!("`{base}` is run through a shell"))
    } else if name.contains(['/', '\\']) && !name.starts_with('/') {
        Some(format!("`{name}` is a relative path: which program it is would depend on the folder"))
    } else {
        None
    };
    if let Some(trouble) = trouble {
        out.push(
            Diagnostic::new(&VG0501, at.span(), trouble)
                .help("a name that is looked up on PATH, or an absolute path; of a program, not a shell"),
        );
    }
}

fn version(given: &model::Version, at: At<'_>, out: &mut Out) -> Option<VersionSpec> {
    let read = patterns::line(&given.r#match, at.key("match"), out);
    if let Some(read) = &read
        && read.unnamed + read.named.len() == 0
    {
        out.push(
            Diagnostic::new(&VG0419, at.key("match").span(), "the pattern has no group that holds the version")
                .help(r"as in `^git version (\S+)`"),
        );
    }
    if given.supported.trim().is_empty() || semver::VersionReq::parse(&given.supported).is_err() {
        out.push(
            Diagnostic::new(
                &VG0510,
                at.key("supported").span(),
                format!("`{}` is no range of versions", given.supported),
            )
            .help("as in `>=2.30, <3`"),
        );
    }
    Some(VersionSpec {
        argv: given.argv.iter().map(|word| owned(word)).collect(),
        pattern: patterns::lowered(&read?),
        supported: owned(&given.supported),
    })
}

fn refuse_files(given: &model::Program, at: At<'_>, settings: &mut Settings, out: &mut Out) -> Vec<RefuseFile> {
    let lower = |(index, entry): (usize, &model::RefuseFile), settings: &mut Settings, out: &mut Out| {
        let at = at.index(index);
        if entry.name.contains(['/', '\\']) || matches!(entry.name.as_str(), "" | "." | "..") {
            out.push(
                Diagnostic::new(&VG0312, at.key("name").span(), format!("`{}` is no name of an entry", entry.name))
                    .help("names in the session's folder only, without `/`"),
            );
        }
        one_line(&entry.say, at.key("say"), "say", out);
        one_line(&entry.hint, at.key("hint"), "hint", out);
        RefuseFile {
            name: owned(&entry.name),
            say: owned(&entry.say),
            hint: owned(&entry.hint),
            unless: entry
                .unless
                .as_ref()
                .map_or(Setting::fixed(false), |given| settings.lower(given, at.key("unless"), |value| *value, out)),
        }
    };
    given.refuse_files.iter().enumerate().map(|entry| lower(entry, settings, out)).collect()
}

fn roots(file: &File<'_>, given: &model::Program, at: At<'_>, out: &mut Out) -> Vec<Root> {
    let Some(words) = &given.roots else { return vec![Root::Workspace] };
    let mut roots = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let span = at.index(index).span();
        if word == "workspace" {
            roots.push(Root::Workspace);
        } else if let Some(name) = word.strip_prefix('$') {
            variable(name, &span, out);
            roots.push(Root::Env(owned(name)));
        } else if word.starts_with('/')
            && word.split('/').any(|part| !part.is_empty())
            && !word.split('/').any(|part| part == "..")
        {
            roots.push(Root::Absolute(owned(word)));
        } else {
            let why = if word.starts_with('/') { "would let everything through" } else { "is no root" };
            out.push(
                Diagnostic::new(&VG0311, span, format!("`{word}` {why}"))
                    .help("a root is `workspace`, `$NAME` (folders in a variable), or an absolute folder below `/`"),
            );
        }
    }
    if words.is_empty() && has_paths(file) {
        out.push(
            Diagnostic::new(&VG0311, at.span(), "there are path arguments, but no root that a path could lie in")
                .help("add `workspace`"),
        );
    }
    roots
}

fn has_paths(file: &File<'_>) -> bool {
    let is_path = |arg: &model::Type| arg.access.is_some() || arg.of.as_ref().is_some_and(|of| of.access.is_some());
    file.model.types.iter().any(|(_, arg)| is_path(arg))
        || file.model.tools.iter().any(|(_, tool)| {
            tool.args.iter().any(|(_, arg)| is_path(arg))
                || tool
                    .actions
                    .iter()
                    .flat_map(crate::model::Entries::iter)
                    .any(|(_, verb)| verb.args.iter().any(|(_, arg)| is_path(arg)))
        })
}

fn never(given: &model::Program, at: At<'_>, out: &mut Out) -> NeverSpec {
    let Some(never) = &given.never else { return NeverSpec::default() };
    let at = at.key("never");
    let mut say = |key: &str, index: usize, text: &str| {
        out.push(Diagnostic::new(&VG0516, at.key(key).index(index).span(), format!("`{text}` rules out nothing")));
    };
    for (index, words) in never.verbs.iter().enumerate() {
        if words.split_whitespace().next().is_none_or(|word| word.starts_with('-')) {
            say("verbs", index, words);
        }
    }
    for (index, option) in never.options.iter().enumerate() {
        if option.is_empty() || option == "--" || option == "-" {
            say("options", index, option);
        }
    }
    for (index, name) in never.env.iter().enumerate() {
        variable(name, &at.key("env").index(index).span(), out);
    }
    NeverSpec {
        verbs: never.verbs.iter().map(|words| words.split_whitespace().map(owned).collect::<Vec<_>>().into()).collect(),
        options: never
            .options
            .iter()
            .filter(|option| !matches!(option.as_str(), "" | "-" | "--"))
            .map(|option| owned(option))
            .collect(),
        env: never.env.iter().map(|name| owned(name)).collect(),
    }
}

/// A variable that a manifest sets: not one that loads code, unless safe; not one of `never`.
pub(super) fn set(name: &str, value: Option<&str>, key: Span, never: &NeverSpec, never_at: At<'_>, out: &mut Out) {
    variable(name, &key, out);
    ruled_out(name, &key, never, never_at, out);
    let Some((_, why)) = data::loads_code(name, false) else { return };
    let safe = value.is_some_and(|value| value.is_empty() || data::SAFE_VALUES.contains(&(name, value)));
    if !safe {
        let mut found = Diagnostic::new(&VG0505, key, format!("`{name}` makes programs load code")).label(why);
        let known: Vec<_> = data::SAFE_VALUES
            .iter()
            .filter(|(known, _)| *known == name)
            .map(|(_, value)| format!("`'{value}'`"))
            .collect();
        found = if known.is_empty() {
            found.help("set it to `''`, which takes it away, or leave it out")
        } else {
            found.help(format!("the only safe value is {}", known.join(", ")))
        };
        out.push(found);
    }
}

fn ruled_out(name: &str, span: &Span, never: &NeverSpec, never_at: At<'_>, out: &mut Out) {
    if let Some(index) = never.env.iter().position(|promised| promised == name) {
        out.push(
            Diagnostic::new(&VG0504, span.clone(), format!("`{name}` is ruled out by `never.env`"))
                .also(never_at.key("env").index(index).span(), "the promise"),
        );
    }
}

fn env(given: &model::Program, never: &NeverSpec, at: At<'_>, out: &mut Out) -> EnvSpec {
    let Some(env) = &given.env else {
        return EnvSpec { pass: Vec::new().into(), set: Vec::new().into(), mask: Vec::new().into() };
    };
    let never_at = at.key("never");
    let at = at.key("env");
    let mut pass = Vec::new();
    for (index, name) in env.pass.iter().enumerate() {
        let span = at.key("pass").index(index).span();
        let prefix = name.strip_suffix('*');
        if name.contains('*') && name != "LC_*" {
            out.push(
                Diagnostic::new(&VG0506, span, format!("`{name}` would hand on variables that nobody has named"))
                    .help("name each variable; only `LC_*` can stand for many"),
            );
            continue;
        }
        if let Some(prefix) = prefix {
            if let Some(covered) = never.env.iter().position(|promised| promised.starts_with(prefix)) {
                out.push(
                    Diagnostic::new(
                        &VG0504,
                        span.clone(),
                        format!("`{name}` covers a variable that `never.env` rules out"),
                    )
                    .also(never_at.key("env").index(covered).span(), "the promise"),
                );
            }
            pass.push(EnvName::Prefix(owned(prefix)));
        } else {
            variable(name, &span, out);
            ruled_out(name, &span, never, never_at, out);
            pass.push(EnvName::Exact(owned(name)));
        }
        if let Some((_, why)) = data::loads_code(prefix.unwrap_or(name), prefix.is_some()) {
            out.push(
                Diagnostic::new(&VG0505, span.clone(), format!("`{name}` makes programs load code"))
                    .label(why)
                    .help("whoever sets it where the host was started would choose what runs: take it out"),
            );
        }
        if data::looks_secret(name) && !env.mask.contains(name) {
            out.push(
                Diagnostic::new(&VG0507, span, format!("`{name}` looks like a secret, and is not masked"))
                    .help("add it to `env.mask`, so that it is hidden wherever the program prints it"),
            );
        }
    }
    for (name, value) in env.set.iter() {
        set(name, Some(value), at.key("set").key(name).key_span(), never, never_at, out);
        if value.contains('\0') {
            out.push(Diagnostic::new(&VG0509, at.key("set").key(name).span(), "a variable can't hold NUL"));
        }
    }
    for (index, name) in env.mask.iter().enumerate() {
        variable(name, &at.key("mask").index(index).span(), out);
    }
    EnvSpec {
        pass: pass.into(),
        set: env.set.iter().map(|(name, value)| (owned(name), owned(value))).collect(),
        mask: env.mask.iter().map(|name| owned(name)).collect(),
    }
}
