//! Success and error rows: `VG04xx` (LANGUAGE section 9).

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use verbgate_table::capture::{Captured, Exit, SIGNALS};
use verbgate_table::classify::{RunView, Verdict, classify, example_exit, example_run, first_fit};
use verbgate_table::{
    Access, ArgKind, Code, ExitIs, FieldType, FileSpec, GroupSpec, Index, Piece, RowSpec, Scalar, Streams, SuccessSpec,
    VerbSpec,
};

use super::program::Settings;
use super::template::{Part, always, parse};
use super::verbs::VerbPlace;
use super::{File, Out, owned, patterns};
use crate::codes::outcome::{
    VG0401, VG0402, VG0403, VG0405, VG0406, VG0407, VG0408, VG0409, VG0410, VG0411, VG0412, VG0414, VG0415, VG0416,
    VG0417, VG0423, VG0424, VG0425,
};
use crate::diag::{Diagnostic, Span};
use crate::model::{self, At, ExitWord, StreamWord};
use crate::pattern::Line;

/// What is known of a row beside its specification.
pub(super) struct RowInfo {
    pub line: Option<Line>,
    /// Names in `say` and `hint` that are no groups, and where.
    pub args: Vec<(String, Span)>,
}

pub(super) fn streams(given: Option<StreamWord>) -> Streams {
    given.map_or(Streams::Both, |StreamWord(stream)| Streams::Only(stream))
}

/// Text of one line, 1 to 200 characters.
pub(super) fn one_line(text: &str, at: At<'_>, key: &str, out: &mut Out) {
    let count = text.chars().count();
    let trouble = if text.trim().is_empty() {
        "says nothing".to_owned()
    } else if text.contains(['\n', '\r']) {
        "has a line break".to_owned()
    } else if count > 200 {
        format!("has {count} characters, more than 200")
    } else {
        return;
    };
    out.push(
        Diagnostic::new(&VG0408, at.span(), format!("`{key}` {trouble}"))
            .help("one line: `say` what happened, `hint` what to do"),
    );
}

/// The groups of a file, with what the checks need of each row.
pub(super) fn groups(file: &File<'_>, settings: &mut Settings, out: &mut Out) -> (Vec<GroupSpec>, Vec<Vec<RowInfo>>) {
    let mut specs = Vec::new();
    let mut infos = Vec::new();
    for (name, rows) in file.model.errors.iter() {
        let at = file.at.key("errors").key(name);
        let (mut group, mut info) = (Vec::new(), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let (spec, known) = lower_row(row, at.index(index), settings, out);
            group.push(spec);
            info.push(known);
        }
        shadowed(&group, at, out);
        specs.push(GroupSpec { name: owned(name), rows: group.into() });
        infos.push(info);
    }
    (specs, infos)
}

fn lower_row(row: &model::Row, at: At<'_>, settings: &mut Settings, out: &mut Out) -> (RowSpec, RowInfo) {
    let code = match Code::from_str(&row.code) {
        Ok(code) if code.may_stand_in_a_row() => code,
        Ok(code) => {
            out.push(
                Diagnostic::new(&VG0402, at.key("code").span(), format!("`{code}` is made by the runtime alone"))
                    .help("a row can't know that: choose another code"),
            );
            code
        }
        Err(_) => {
            let known = || Code::ALL.into_iter().filter(|code| code.may_stand_in_a_row()).map(Code::as_str);
            let mut found = Diagnostic::new(&VG0402, at.key("code").span(), format!("there is no code `{}`", row.code));
            match super::nearest(&row.code.to_ascii_uppercase(), known()) {
                Some(near) => found = found.help(format!("did you mean `{near}`?")).mend(at.key("code").span(), near),
                None => found = found.help(format!("codes: `{}`", known().collect::<Vec<_>>().join("`, `"))),
            }
            out.push(found);
            Code::CommandFailed
        }
    };
    let mut exit = Vec::new();
    for (index, word) in row.exit.iter().flatten().enumerate() {
        match word {
            ExitWord::Status(status) => exit.push(ExitIs::Status(*status)),
            ExitWord::Signal(name) => {
                if let Some((_, number)) = SIGNALS.iter().find(|(known, _)| known == name) {
                    exit.push(ExitIs::Signal(*number));
                } else {
                    let mut found = Diagnostic::new(
                        &VG0403,
                        at.key("exit").index(index).span(),
                        format!("there is no signal `{name}`"),
                    );
                    if let Some(near) = super::nearest(name, SIGNALS.iter().map(|(name, _)| *name)) {
                        found = found.help(format!("did you mean `{near}`?"));
                    }
                    out.push(found);
                }
            }
        }
    }
    if row.r#match.is_none() && row.exit.as_ref().is_none_or(Vec::is_empty) {
        out.push(
            Diagnostic::new(
                &VG0401,
                at.span(),
                "this row has neither `match` nor `exit`: it would fit everything or nothing",
            )
            .help("what no row explains is COMMAND_FAILED anyway"),
        );
    }
    if row.r#match.is_none() && row.r#in.is_some() {
        out.push(Diagnostic::new(
            &VG0405,
            at.key("in").key_span(),
            "`in` says where `match` looks, and there is no `match`",
        ));
    }
    let veto = row.veto.unwrap_or(false);
    if row.unless.is_some() && !veto {
        out.push(
            Diagnostic::new(&VG0406, at.key("unless").key_span(), "`unless` takes out a veto, and this row is none")
                .help("add `veto: true`, or delete `unless`"),
        );
    }
    one_line(&row.say, at.key("say"), "say", out);
    one_line(&row.hint, at.key("hint"), "hint", out);
    if row.r#match.is_some() && row.examples.is_empty() {
        out.push(
            Diagnostic::new(&VG0409, at.key("match").key_span(), "this row has no example of what the program prints")
                .help("add `examples`: they prove that the row is reached"),
        );
    }
    if row.r#match.is_none() && !row.examples.is_empty() {
        out.push(Diagnostic::new(
            &VG0405,
            at.key("examples").key_span(),
            "`examples` show what `match` finds, and there is no `match`",
        ));
    }
    let line = row.r#match.as_ref().and_then(|text| patterns::line(text, at.key("match"), out));
    let mut info = RowInfo { line, args: Vec::new() };
    let say = pieces(&row.say, at.key("say"), &mut info, out);
    let hint = pieces(&row.hint, at.key("hint"), &mut info, out);
    let spec = RowSpec {
        code,
        exit: exit.into(),
        pattern: info.line.as_ref().map(patterns::lowered),
        streams: streams(row.r#in),
        veto,
        unless: row.unless.as_ref().map(|given| settings.lower(given, at.key("unless"), |value| *value, out)),
        say: say.into(),
        hint: hint.into(),
    };
    (spec, info)
}

fn pieces(text: &str, at: At<'_>, info: &mut RowInfo, out: &mut Out) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (part, bytes) in parse(text, at, out).parts {
        match part {
            Part::Literal(literal) => pieces.push(Piece::Literal(literal.into())),
            Part::Arg { name, spread } => {
                let span = patterns::within(at, &bytes);
                if spread {
                    out.push(Diagnostic::new(
                        &crate::codes::args::VG0207,
                        span.clone(),
                        format!("`<{name}...>` can stand in an argv only"),
                    ));
                }
                let is_group =
                    info.line.as_ref().is_some_and(|line| line.named.iter().any(|(group, _)| *group == name));
                if is_group {
                    pieces.push(Piece::Group(name.into()));
                } else {
                    info.args.push((name.clone(), span));
                    pieces.push(Piece::Arg(name.into()));
                }
            }
        }
    }
    pieces
}

/// Rows without a pattern hide those behind them.
fn shadowed(rows: &[RowSpec], at: At<'_>, out: &mut Out) {
    for (index, row) in rows.iter().enumerate() {
        let before = rows.iter().take(index).enumerate();
        let hides = |other: &RowSpec| {
            // A veto is looked at first; an allowance can take it out.
            let order = if row.veto { other.veto && other.unless.is_none() } else { !other.veto };
            let exits = other.exit.is_empty()
                || (!row.exit.is_empty() && row.exit.iter().all(|exit| other.exit.contains(exit)));
            let same = other.pattern.is_none() && !other.exit.is_empty()
                || matches!((&other.pattern, &row.pattern), (Some(a), Some(b)) if a.source() == b.source()
                    && (other.streams == Streams::Both || other.streams == row.streams));
            order && exits && same
        };
        if let Some((first, _)) = before.into_iter().find(|(_, other)| hides(other)) {
            out.push(
                Diagnostic::new(
                    &VG0424,
                    at.index(index).span(),
                    "this row is never reached: one above it takes all that it would",
                )
                .also(at.index(first).span(), "this row is looked at first")
                .help("put the closer row first"),
            );
        }
    }
}

/// `success` of a verb.
pub(super) fn success(given: Option<&model::Success>, at: At<'_>, out: &mut Out) -> (SuccessSpec, Option<Line>) {
    let Some(given) = given else {
        return (SuccessSpec { exit: vec![0].into(), pattern: None, streams: Streams::Both }, None);
    };
    let at = at.key("success");
    let exit = given.exit.clone().unwrap_or_else(|| vec![0]);
    if exit.is_empty() {
        out.push(
            Diagnostic::new(&VG0414, at.key("exit").span(), "no exit status could be a success")
                .help("delete `exit`: it is [0] then"),
        );
    }
    if given.r#match.is_none() && given.r#in.is_some() {
        out.push(Diagnostic::new(
            &VG0405,
            at.key("in").key_span(),
            "`in` says where `match` looks, and there is no `match`",
        ));
    }
    if given.r#match.is_some() && given.examples.is_empty() {
        out.push(
            Diagnostic::new(&VG0409, at.key("match").key_span(), "there is no example of a success")
                .help("add `examples`: they prove that the marker is found"),
        );
    }
    let line = given.r#match.as_ref().and_then(|text| patterns::line(text, at.key("match"), out));
    let spec =
        SuccessSpec { exit: exit.into(), pattern: line.as_ref().map(patterns::lowered), streams: streams(given.r#in) };
    (spec, line)
}

/// Which groups a verb looks at: its own, then `common`.
pub(super) fn group_list(
    names: &[String],
    at: At<'_>,
    groups: &[GroupSpec],
    with_common: bool,
    out: &mut Out,
) -> Vec<Index> {
    let mut list: Vec<Index> = Vec::new();
    let find = |name: &str| groups.iter().position(|group| group.name == name).and_then(|at| Index::try_from(at).ok());
    for (index, name) in names.iter().enumerate() {
        let span = at.index(index).span();
        if name == "common" {
            out.push(
                Diagnostic::new(&VG0417, span, "every verb has the group `common`, last")
                    .help("take it out of this list"),
            );
            continue;
        }
        match find(name) {
            None => {
                let mut found =
                    Diagnostic::new(&VG0417, span.clone(), format!("there is no group `{name}` under `errors`"));
                if let Some(near) = super::nearest(name, groups.iter().map(|group| group.name.as_ref())) {
                    found = found.help(format!("did you mean `{near}`?")).mend(span, near);
                }
                out.push(found);
            }
            Some(group) if list.contains(&group) => {
                out.push(Diagnostic::new(&VG0417, span, format!("the group `{name}` is there twice")));
            }
            Some(group) => list.push(group),
        }
    }
    if with_common {
        list.extend(find("common"));
    }
    list
}

/// How a group is used: by a verb itself, or for the verb before it.
struct Usage<'a> {
    /// The verb whose arguments are known.
    caller: &'a VerbSpec,
    /// The verb that runs.
    runs: &'a VerbSpec,
    /// Groups that are looked at first.
    first: &'a [Index],
}

/// Everything about rows that needs the verbs.
pub(super) fn rows(file: &File<'_>, spec: &FileSpec, infos: &[Vec<RowInfo>], places: &[VerbPlace<'_>], out: &mut Out) {
    let mut usages: Vec<Vec<Usage<'_>>> = spec.groups.iter().map(|_| Vec::new()).collect();
    let mut known: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for verb in spec.tools.iter().flat_map(|tool| tool.verbs.iter()) {
        let before = verb.before.as_ref().and_then(|before| {
            let runs = spec.tools.get(usize::from(before.tool))?.verbs.get(usize::from(before.verb))?;
            Some((runs, before.groups.as_ref()))
        });
        let own = verb.groups.iter().map(|group| (*group, verb, [].as_slice()));
        let first = before.into_iter().flat_map(|(runs, first)| first.iter().map(move |group| (*group, runs, first)));
        for (group, runs, first) in own.chain(first) {
            let at = usize::from(group);
            // Verbs that classify alike prove alike.
            let key = format!("{:?}{:?}{:?}", runs.groups, runs.success, first);
            let placeholders = infos.get(at).is_some_and(|rows| rows.iter().any(|row| !row.args.is_empty()));
            if (placeholders || known.entry(at).or_default().insert(key))
                && let Some(list) = usages.get_mut(at)
            {
                list.push(Usage { caller: verb, runs, first });
            }
        }
    }
    for (at, group) in spec.groups.iter().enumerate() {
        let place = file.at.key("errors").key(&group.name);
        let (Some(usages), Some(infos), Some((_, written))) =
            (usages.get(at), infos.get(at), file.model.errors.0.get(at))
        else {
            continue;
        };
        if usages.is_empty() {
            out.push(
                Diagnostic::new(&VG0416, place.key_span(), format!("no verb looks at the group `{}`", group.name))
                    .help("name it under `errors` of a verb, or delete it"),
            );
            continue;
        }
        for (index, ((row, info), written)) in group.rows.iter().zip(infos).zip(written).enumerate() {
            let place = place.index(index);
            placeholders(info, row, usages, place, out);
            vetoes(row, usages, place, out);
            if row.pattern.is_none() {
                if written.r#match.is_none() {
                    reached_by_status(spec, &group.name, index, row, usages, place, out);
                }
                continue; // none, or reported
            }
            for (number, example) in written.examples.iter().enumerate() {
                example_lands(spec, at, index, row, example, usages, place.key("examples").index(number), file, out);
            }
        }
    }
    loose(spec, infos, places, file, out);
}

/// A row without a pattern fits by its exit status alone: in some verb that must lead to it.
fn reached_by_status(
    spec: &FileSpec,
    group: &str,
    index: usize,
    row: &RowSpec,
    usages: &[Usage<'_>],
    at: At<'_>,
    out: &mut Out,
) {
    let nothing = Captured::default();
    let reaches = |usage: &Usage<'_>, exit: &ExitIs| {
        let exit = match exit {
            ExitIs::Status(status) => Exit::Status(*status),
            ExitIs::Signal(signal) => Exit::Signal(*signal),
        };
        let run = RunView::new(exit, &nothing, &nothing);
        // A success whose file is not there is a failure, too.
        let stages = usage.runs.args.iter().any(|arg| {
            matches!(
                arg.kind,
                ArgKind::One(Scalar::Path { access: Access::Write, .. })
                    | ArgKind::Many { of: Scalar::Path { access: Access::Write, .. }, .. }
            )
        });
        [true, false].into_iter().filter(|present| *present || stages).any(|present| {
            matches!(classify(spec, usage.runs, usage.first, &run, present, &|_| false),
                Verdict::Row(landed) if landed.group.name == group && landed.index == index)
        })
    };
    let told = out.iter().any(|found| *found.code == VG0424 && found.primary.span == at.span());
    if row.exit.is_empty() || told || usages.iter().any(|usage| row.exit.iter().any(|exit| reaches(usage, exit))) {
        return;
    }
    out.push(
        Diagnostic::new(
            &VG0424,
            at.span(),
            "this row is never reached: in each verb that looks at it, something else goes first",
        )
        .help("a success is looked at before rows without `veto`, and groups in the order of `errors`, `common` last"),
    );
}

fn placeholders(info: &RowInfo, row: &RowSpec, usages: &[Usage<'_>], at: At<'_>, out: &mut Out) {
    let _ = row;
    for (name, span) in &info.args {
        for usage in usages {
            let verb = usage.caller;
            let who = verb.action.as_deref().map_or_else(|| "a verb".to_owned(), |action| format!("`{action}`"));
            match verb.args.iter().find(|arg| arg.name == *name) {
                None => {
                    out.push(
                        Diagnostic::new(&crate::codes::args::VG0201, span.clone(), format!("`{name}` is neither a group of this row's pattern nor an argument of {who} that looks at it"))
                            .help("name a group of the pattern `(?<name>...)`, or put the row into a group of its own"),
                    );
                    break;
                }
                Some(arg) if matches!(arg.kind, ArgKind::One(Scalar::Secret { .. })) => {
                    out.push(Diagnostic::new(
                        &crate::codes::args::VG0205,
                        span.clone(),
                        format!("`{name}` is a secret, which is never shown"),
                    ));
                    break;
                }
                Some(arg) if matches!(arg.kind, ArgKind::One(Scalar::Boolean)) => {
                    out.push(Diagnostic::new(
                        &crate::codes::args::VG0204,
                        span.clone(),
                        format!("`{name}` is a boolean, which has no text"),
                    ));
                    break;
                }
                Some(arg) if !always(arg) => {
                    out.push(Diagnostic::new(
                        &crate::codes::args::VG0203,
                        span.clone(),
                        format!("`{name}` may be absent in {who}"),
                    ));
                    break;
                }
                Some(_) => {}
            }
        }
    }
    for (group, bytes) in info.line.iter().flat_map(|line| line.named.iter()) {
        if let Some(arg) = usages.iter().find_map(|usage| usage.caller.args.iter().find(|arg| arg.name == *group)) {
            out.push(
                Diagnostic::new(
                    &VG0425,
                    patterns::within(at.key("match"), bytes),
                    format!("the group `{group}` is named like the argument `{}`", arg.name),
                )
                .help("nobody could tell which of them `say` means: choose another name"),
            );
        }
    }
}

fn vetoes(row: &RowSpec, usages: &[Usage<'_>], at: At<'_>, out: &mut Out) {
    if !row.veto || row.exit.is_empty() {
        return;
    }
    let beside = |usage: &Usage<'_>| {
        row.exit.iter().any(|exit| matches!(exit, ExitIs::Status(status) if usage.runs.success.exit.contains(status)))
    };
    if !usages.iter().any(beside) {
        out.push(
            Diagnostic::new(
                &VG0407,
                at.key("exit").span(),
                "a veto beats a success, and none of these statuses is one",
            )
            .help("delete `veto`, or `exit`"),
        );
    }
}

#[allow(clippy::too_many_arguments)] // one place, all of it needed
fn example_lands(
    spec: &FileSpec,
    group: usize,
    index: usize,
    row: &RowSpec,
    example: &str,
    usages: &[Usage<'_>],
    at: At<'_>,
    file: &File<'_>,
    out: &mut Out,
) {
    let Some(own) = spec.groups.get(group) else { return };
    let place = |group: &str, index: usize| file.at.key("errors").key(group).index(index).span();
    let run_in = |usage: &Usage<'_>| example_run(row.streams, example_exit(row, &usage.runs.success), example);
    // Vetoes are looked at before the others.
    let order: Vec<usize> = {
        let (veto, other): (Vec<_>, Vec<_>) =
            (0..own.rows.len()).partition(|at| own.rows.get(*at).is_some_and(|row| row.veto));
        veto.into_iter().chain(other).collect()
    };
    let Some(first) = usages.first() else { return };
    let run = run_in(first);
    let fitting = order
        .iter()
        .copied()
        .find(|at| own.rows.get(*at).is_some_and(|row| first_fit(std::slice::from_ref(row), &run).is_some()));
    match fitting {
        Some(landed) if landed == index => {}
        Some(landed) => {
            out.push(
                Diagnostic::new(&VG0410, at.span(), "this example lands on another row")
                    .also(place(&own.name, landed), "it lands here")
                    .help("the first row that fits wins: put the closer row first"),
            );
            return;
        }
        None => {
            out.push(
                Diagnostic::new(&VG0410, at.span(), "this row's pattern does not match its example")
                    .help("patterns see lines: trimmed, runs of blanks as one space, empty lines dropped"),
            );
            return;
        }
    }
    let mut reached = false;
    let mut taken: Option<(Span, Code)> = None;
    for usage in usages {
        let run = run_in(usage);
        match classify(spec, usage.runs, usage.first, &run, true, &|_| false) {
            Verdict::Row(landed) if landed.group.name == own.name && landed.index == index => reached = true,
            Verdict::Row(landed) if landed.row.code != row.code => {
                taken.get_or_insert((place(&landed.group.name, landed.index), landed.row.code));
            }
            Verdict::Row(_) | Verdict::Success | Verdict::Unexplained(_) => {}
        }
    }
    if !reached {
        let mut found = Diagnostic::new(&VG0423, at.span(), "this example reaches its row in no verb");
        found = match &taken {
            Some((span, code)) => found.also(span.clone(), format!("it lands here, as {code}")),
            None => found
                .help("what the verbs that look at this group call a success goes first, and so do their other groups"),
        };
        out.push(found);
    } else if let Some((span, code)) = taken {
        out.push(
            Diagnostic::new(
                &VG0411,
                at.span(),
                format!("in some verb this example lands on another group's row, as {code}"),
            )
            .also(span, "it lands here")
            .help("make that row's pattern closer, or the order of `errors` another"),
        );
    }
}

/// Whether an agent chooses what stands in a value, and a program may print it anywhere.
fn free_text(verb: &VerbSpec) -> Option<&str> {
    verb.args.iter().find_map(|arg| {
        let (ArgKind::One(scalar) | ArgKind::Many { of: scalar, .. }) = &arg.kind;
        matches!(scalar, Scalar::String { pattern: None, .. } | Scalar::Path { .. }).then_some(arg.name.as_ref())
    })
}

/// Alternatives that a value in the middle of a line can fake, and markers that a wrapped value can.
fn loose(spec: &FileSpec, infos: &[Vec<RowInfo>], places: &[VerbPlace<'_>], file: &File<'_>, out: &mut Out) {
    let mut told = BTreeSet::new();
    let width = spec
        .program
        .env
        .set
        .iter()
        .find(|(name, _)| name == "COLUMNS")
        .map(|(_, value)| value.parse::<u64>().unwrap_or(0));
    let verbs = spec.tools.iter().flat_map(|tool| tool.verbs.iter());
    for (verb, place) in verbs.zip(places) {
        if let (Some(line), Some(arg)) = (&place.success, free_text(verb)) {
            for bytes in &line.loose {
                out.push(
                    Diagnostic::new(
                        &VG0412,
                        patterns::within(place.at.key("success").key("match"), bytes),
                        "this alternative may begin in the middle of a line",
                    )
                    .label(format!("a value of `{arg}` that the program prints could fake a success"))
                    .help("begin it with `^`"),
                );
            }
        }
        if place.success.is_some() {
            faked(verb, place, width, out);
        }
        let Some(arg) = free_text(verb) else { continue };
        let before = verb.before.iter().flat_map(|before| before.groups.iter());
        for group in verb.groups.iter().chain(before).map(|at| usize::from(*at)) {
            let (Some(rows), Some(group)) = (infos.get(group), spec.groups.get(group)) else { continue };
            if !told.insert(group.name.clone()) {
                continue;
            }
            for (index, row) in rows.iter().enumerate() {
                let at = file.at.key("errors").key(&group.name).index(index).key("match");
                for bytes in row.line.iter().flat_map(|line| &line.loose) {
                    out.push(
                        Diagnostic::new(
                            &VG0412,
                            patterns::within(at, bytes),
                            "this alternative may begin in the middle of a line",
                        )
                        .label(format!("a value of `{arg}` that the program prints could lead here"))
                        .help("begin it with `^`"),
                    );
                }
            }
        }
    }
}

/// The longest text that a value can put on one line.
fn longest(kind: &ArgKind) -> u64 {
    let one = |scalar: &Scalar| match scalar {
        Scalar::String { max, .. } | Scalar::Path { max, .. } => u64::from(*max),
        _ => 0,
    };
    match kind {
        ArgKind::One(scalar) => one(scalar),
        ArgKind::Many { of, max, join: Some(join), .. } => (one(of) + join.chars().count() as u64) * u64::from(*max),
        ArgKind::Many { of, .. } => one(of),
    }
}

fn faked(verb: &VerbSpec, place: &VerbPlace<'_>, width: Option<u64>, out: &mut Out) {
    let at = place.at.key("success").key("match");
    for arg in verb.args.iter() {
        let (ArgKind::One(scalar) | ArgKind::Many { of: scalar, .. }) = &arg.kind;
        let free = matches!(scalar, Scalar::String { pattern: None, .. } | Scalar::Path { .. });
        if free && matches!(scalar, Scalar::String { multiline: true, .. }) {
            out.push(
                Diagnostic::new(&VG0415, at.span(), "a value with a line break can begin a line with this marker")
                    .also(place.at.key("args").key(&arg.name).key_span(), "it can hold line breaks")
                    .help(
                        "choose a marker that the program does not print beside the value, or do without `multiline`",
                    ),
            );
        }
        let long = longest(&arg.kind);
        if free && width.unwrap_or(80) <= long {
            out.push(
                Diagnostic::new(&VG0415, at.span(), "a value that the program wraps can begin a line with this marker")
                    .also(place.at.key("args").key(&arg.name).key_span(), format!("up to {long} characters"))
                    .help(format!(
                        "pin the width above the longest value: `set: {{ COLUMNS: '{}' }}` under `program.env`",
                        (long / 1000 + 1) * 1000
                    )),
            );
        }
    }
}

/// The type of a field, or of a group.
pub(super) fn field_type(given: Option<model::FieldTypeWord>) -> FieldType {
    given.map_or(FieldType::String, |word| word.0)
}
