use verbgate_table::capture::{Captured, Exit};
use verbgate_table::classify::{RunView, Verdict, classify, example_exit, example_run, first_fit, fits};
use verbgate_table::{Code, ExitIs, FileSpec, Index, NeverSpec, RowSpec, Setting, Stream, Streams, VerbSpec};

use crate::spec::*;

fn run(exit: Exit, stdout: &str, stderr: &str) -> RunView {
    let captured = |text: &str| Captured::whole(text.as_bytes().to_vec());
    RunView::new(exit, &captured(stdout), &captured(stderr))
}

fn veto(code: Code, pattern: &str) -> RowSpec {
    RowSpec { veto: true, ..row(code, &[], Some(pattern)) }
}

fn file() -> FileSpec {
    FileSpec {
        enabled: Setting::fixed(true),
        program: program(&[], NeverSpec::default()),
        tools: vec![].into(),
        groups: vec![
            group(
                "own",
                vec![
                    row(Code::NotFound, &[], Some("^not found: (?<what>.+)$")),
                    row(Code::Busy, &[ExitIs::Status(5)], Some("^locked")),
                    veto(Code::NotAllowed, "^Error saving"),
                ],
            ),
            group(
                "common",
                vec![
                    row(Code::CommandFailed, &[ExitIs::Status(2)], None),
                    row(Code::Unavailable, &[ExitIs::Signal(9)], None),
                    row(Code::Timeout, &[], Some("^not found")),
                    RowSpec { unless: Some(Setting::fixed(false)), ..veto(Code::NotAllowed, "^Mode: per-repo") },
                ],
            ),
            group("extra", vec![row(Code::InvalidArgument, &[], Some("^not found"))]),
        ]
        .into(),
    }
}

fn own_verb() -> VerbSpec {
    VerbSpec { success: success(&[0, 1], Some("^done")), groups: vec![0, 1].into(), ..verb(vec![], vec![]) }
}

fn verdict(first: &[Index], run: &RunView, staged: bool, allowed: bool) -> String {
    match classify(&file(), &own_verb(), first, run, staged, &|_| allowed) {
        Verdict::Success => "success".to_owned(),
        Verdict::Unexplained(exit) => format!("{exit:?}"),
        Verdict::Row(landed) => {
            let texts: Vec<_> = landed.texts.iter().map(|group| format!(" {}={}", group.name, group.text)).collect();
            format!("{}[{}] {}{}", landed.group.name, landed.index, landed.row.code, texts.concat())
        }
    }
}

#[test]
fn the_first_that_fits_decides() {
    let ok = Exit::Status(0);
    let cases = [
        (run(ok, "done", ""), "success"),
        (run(Exit::Status(1), "", "done"), "success"),
        (run(Exit::Status(3), "done", ""), "Status(3)"),
        (run(ok, "", ""), "Status(0)"),
        (run(Exit::Signal(15), "done", ""), "Signal(15)"),
        (run(Exit::Signal(9), "done", ""), "common[1] UNAVAILABLE"),
        (run(Exit::Status(2), "", ""), "common[0] COMMAND_FAILED"),
        (run(ok, "", "not found: a b"), "own[0] NOT_FOUND what=a b"),
        (run(Exit::Status(5), "locked", ""), "own[1] BUSY"),
        (run(Exit::Status(4), "locked", ""), "Status(4)"),
        // A success whose output also holds another row's text stays one; a veto beats it, wherever it stands.
        (run(ok, "not found: x\ndone", ""), "success"),
        (run(ok, "done", "Error saving x"), "own[2] NOT_ALLOWED"),
        (run(ok, "not found: x\ndone", "Mode: per-repo"), "common[3] NOT_ALLOWED"),
    ];
    for (run, expected) in cases {
        assert_eq!(verdict(&[], &run, true, false), expected, "{run:?}");
    }
}

#[test]
fn a_staged_file_that_is_not_there_is_no_success() {
    assert_eq!(verdict(&[], &run(Exit::Status(0), "done", ""), false, false), "Status(0)");
}

#[test]
fn the_groups_of_before_are_looked_at_first() {
    let run = run(Exit::Status(1), "not found: x", "");
    assert_eq!(verdict(&[2], &run, true, false), "extra[0] INVALID_ARGUMENT");
    assert_eq!(verdict(&[99], &run, true, false), "own[0] NOT_FOUND what=x");
}

#[test]
fn what_the_user_allows_takes_its_row_out() {
    let run = run(Exit::Status(0), "done", "Mode: per-repo");
    assert_eq!(verdict(&[], &run, true, false), "common[3] NOT_ALLOWED");
    assert_eq!(verdict(&[], &run, true, true), "success");
    let failed = self::run(Exit::Status(3), "Mode: per-repo", "");
    assert_eq!(verdict(&[], &failed, true, true), "Status(3)", "out of the rows of failures, too");
    // A veto without `unless` is nobody's to allow.
    let run = self::run(Exit::Status(0), "done", "Error saving x");
    assert_eq!(verdict(&[], &run, true, true), "own[2] NOT_ALLOWED");
}

#[test]
fn a_pattern_looks_where_it_is_told_and_never_across_both_streams() {
    let only = |streams| RowSpec { streams, ..row(Code::Busy, &[], Some("^a b$")) };
    let on = |stream| only(Streams::Only(stream));
    let cases = [
        (only(Streams::Both), run(Exit::Status(1), "", "a b"), true),
        (only(Streams::Both), run(Exit::Status(1), "a", "b"), false),
        (on(Stream::Stdout), run(Exit::Status(1), "", "a b"), false),
        (on(Stream::Stderr), run(Exit::Status(1), "", "a b"), true),
        (on(Stream::Stderr), run(Exit::Status(1), "a b", ""), false),
    ];
    for (row, run, fit) in cases {
        assert_eq!(fits(&row, &run).is_some(), fit, "{row:?} {run:?}");
    }
    assert!(fits(&row(Code::Busy, &[], None), &run(Exit::Status(1), "", "")).is_none(), "a row that says nothing");
    assert!(fits(&row(Code::Busy, &[], Some("(")), &run(Exit::Status(1), "(", "")).is_none(), "a broken pattern");
}

#[test]
fn an_example_counts_with_the_exit_that_reaches_its_row() {
    use ExitIs::{Signal, Status};
    let of = |row: &RowSpec, exit: &[u8], pattern: Option<&str>| example_exit(row, &success(exit, pattern));
    let plain = |exit: &[ExitIs]| row(Code::Busy, exit, Some("x"));
    let vetoing = |exit: &[ExitIs]| RowSpec { veto: true, ..plain(exit) };
    assert_eq!(of(&plain(&[]), &[0], None), Exit::Status(1));
    assert_eq!(of(&plain(&[]), &[0, 1], None), Exit::Status(2));
    assert_eq!(of(&plain(&[]), &[0, 1, 2, 4], None), Exit::Status(3));
    assert_eq!(of(&plain(&[]), &[0, 1], Some("done")), Exit::Status(1));
    assert_eq!(of(&plain(&[Status(7), Status(8)]), &[0], None), Exit::Status(7));
    assert_eq!(of(&plain(&[Signal(9)]), &[0], None), Exit::Signal(9));
    assert_eq!(of(&vetoing(&[]), &[3, 0], None), Exit::Status(3));
    assert_eq!(of(&vetoing(&[Status(9), Status(0)]), &[3, 0], None), Exit::Status(0));
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(of(&plain(&[]), &all, None), Exit::Status(1));
}

#[test]
fn an_example_is_printed_on_its_stream_and_lands_on_the_first_row_that_fits() {
    let view = example_run(Streams::Only(Stream::Stderr), Exit::Status(1), "  not found: x \n");
    assert_eq!((view.stdout.as_str(), view.stderr.as_str()), ("", "not found: x"));
    assert_eq!(first_fit(&file().groups[0].rows, &view), Some(0));
    assert_eq!(example_run(Streams::Both, Exit::Status(1), "x").stdout, "x");
    assert_eq!(first_fit(&file().groups[0].rows, &example_run(Streams::Both, Exit::Status(1), "x")), None);
}

#[test]
fn a_large_table_gives_what_its_rows_give_one_by_one() {
    let rows: Vec<RowSpec> = (0..200)
        .map(|n| match n % 4 {
            0 => row(Code::NotFound, &[], Some("^Error[ \\n]E9999:")),
            1 => row(Code::Busy, &[ExitIs::Status(5)], Some(".*anything at all")),
            2 => RowSpec { streams: Streams::Only(Stream::Stdout), ..row(Code::Busy, &[], Some("^here")) },
            _ => row(Code::Busy, &[], Some(if n == 151 { "^(?i)last (?<what>.+)$" } else { "^not this" })),
        })
        .collect();
    let mut file = file();
    file.groups = vec![group("own", rows.clone())].into();
    let verb = verb(vec![], vec![]);
    let verb = VerbSpec { groups: vec![Index::MIN].into(), ..verb };
    for (out, err) in [
        ("", "Error\nE9999: x"),
        ("", "a\nLAST one\n"),
        ("here", ""),
        ("", "here"),
        ("", "anything at all"),
        ("Error E9999:", "here"),
        ("", ""),
    ] {
        for status in [1, 5] {
            let run = run(Exit::Status(status), out, err);
            let expected = first_fit(&rows, &run);
            let found = match classify(&file, &verb, &[], &run, true, &|_| false) {
                Verdict::Row(landed) => Some(landed.index),
                _ => None,
            };
            assert_eq!(found, expected, "{out:?} {err:?} {status}");
        }
    }
}
