//! An existing file stays as it was, byte for byte, unless a run went well (contract C1.12).

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::json;
use verbgate::Code;
use verbgate_tests::captured::Folder;

use crate::support::{Stand, all, set_mode, until, write};

const PRECIOUS: &str = "precious\nbytes\n";

fn arguments(action: &str) -> serde_json::Value {
    json!({ "action": action, "out": "bundle" })
}

/// What is different, but for the session's own folders and the record of starts.
fn changed(before: &Folder, stand: &Stand) -> Vec<String> {
    before.changed(&stand.seen()).into_iter().filter(|it| it != "record" && !it.starts_with("run/")).collect()
}

#[test]
fn a_run_that_does_not_go_well_leaves_the_bundle_as_it_was_and_nothing_else() {
    let cases = [
        ("fails", Code::CommandFailed),
        ("full", Code::CommandFailed),
        ("slow", Code::Timeout),
        ("killed", Code::CommandFailed),
        ("none", Code::CommandFailed),
        ("several", Code::CommandFailed),
        ("linked", Code::CommandFailed),
        ("hard", Code::CommandFailed),
        ("pipe", Code::CommandFailed),
        ("folder", Code::CommandFailed),
    ];
    for existing in [true, false] {
        for (action, code) in cases {
            let stand = Stand::new();
            if existing {
                write(&stand.inside("bundle"), PRECIOUS);
            }
            // What the link leads to.
            let kept = stand.place.root().join("kept");
            write(&kept, "kept");
            set_mode(&kept, 0o644);
            let before = stand.seen();
            let outcome = stand.session().call("fake_write", &arguments(action), &stand.willing());
            assert_eq!(outcome.code, Some(code), "{action}: {}", outcome.text);
            assert_eq!(fs::metadata(&kept).expect("it is there").mode() & 0o777, 0o644, "{action}");
            assert_eq!(stand.place.starts().len(), 1, "{action} ran");
            assert_eq!(changed(&before, &stand), Vec::<String>::new(), "{action}");
            assert!(!all(&outcome).contains(".verbgate-"), "{action}: {}", all(&outcome));
            stand.nothing_is_left(action);
        }
    }
}

#[test]
fn a_run_that_goes_well_replaces_the_file_keeps_its_mode_and_shows_the_destination_only() {
    for existing in [true, false] {
        let stand = Stand::new();
        let bundle = stand.inside("bundle");
        if existing {
            write(&bundle, PRECIOUS);
            set_mode(&bundle, 0o640);
        }
        let host = stand.willing().wanting_progress();
        let outcome = stand.session().call("fake_write", &arguments("good"), &host);
        assert!(outcome.is_ok(), "{}", outcome.text);
        let meta = fs::metadata(&bundle).expect("the file");
        assert_eq!((meta.len(), meta.mode() & 0o777), (2000, if existing { 0o640 } else { 0o600 }));
        let shown = bundle.to_str().expect("UTF-8");
        assert!(outcome.text.contains(&format!("wrote {shown} (2000 bytes)")), "{}", outcome.text);
        assert!(outcome.text.contains(&format!("saved {shown}")), "{}", outcome.text);
        assert_eq!(outcome.fields["place"], shown);
        let progress = host.progressed().join("\n");
        assert!(!progress.is_empty());
        for text in [all(&outcome), progress, host.asked()[0].text.clone(), host.logged().join("\n")] {
            assert!(!text.contains(".verbgate-"), "{text}");
        }
        stand.nothing_is_left("good");
    }
}

/// Whatever of the staged name a program prints: whole, the folder alone, without the folders above, as JSON.
#[test]
fn the_staged_name_is_never_shown_however_it_is_printed() {
    let stand = Stand::new();
    let tool = crate::support::TOOL;
    let script = format!(
        "out=$2; folder=$(dirname \"$out\"); name=$(basename \"$folder\")\n\
         echo \"saved $out\"; echo \"in $folder\"; echo \"also $folder/other\"; echo \"named $name\"\n\
         echo \"relative $name/bundle ./$name/bundle\"; echo \"{{\\\"path\\\": \\\"$out\\\"}}\" >&2\n\
         printf '%s\\n' \"$out\" | fold -w 30 >&2\n\
         exec '{tool}' \"$@\""
    );
    stand.place.install(&stand.place.bin(), &script);
    let host = stand.willing().wanting_progress();
    let outcome = stand.session().call("fake_write", &arguments("good"), &host);
    assert!(outcome.is_ok(), "{}", outcome.text);
    let (bundle, workspace) = (stand.inside("bundle"), stand.place.workspace());
    for line in [
        format!("saved {}", bundle.display()),
        format!("in {}", workspace.display()),
        format!("also {}/other", workspace.display()),
        "relative bundle ./bundle".to_owned(),
    ] {
        assert!(outcome.text.lines().any(|it| it == line), "{line}: {}", outcome.text);
    }
    let joined = |text: &str| text.replace('\n', "");
    for text in [all(&outcome), host.progressed().join("\n")] {
        assert!(!joined(&text).contains(".verbgate-"), "{text}");
    }
}

#[test]
fn a_bundle_stays_when_the_export_is_aborted_while_it_writes() {
    let stand = Stand::new();
    write(&stand.inside("bundle"), PRECIOUS);
    let before = stand.seen();
    let (session, host) = (stand.session(), stand.willing());
    thread::scope(|scope| {
        let call = scope.spawn(|| session.call("fake_write", &arguments("hangs"), &host));
        until("half of it is written", || half_written(&stand.place.workspace()));
        host.abort_now();
        let outcome = call.join().expect("a call");
        assert_eq!(outcome.code, Some(Code::Cancelled), "{}", outcome.text);
        assert!(!all(&outcome).contains(".verbgate-"), "{}", all(&outcome));
    });
    assert_eq!(changed(&before, &stand), Vec::<String>::new());
    stand.nothing_is_left("aborted");
}

fn half_written(workspace: &Path) -> bool {
    let folders = fs::read_dir(workspace).expect("the workspace").filter_map(Result::ok);
    folders.map(|it| it.path().join("bundle")).any(|file| fs::metadata(file).is_ok_and(|it| it.len() == 10))
}

#[test]
fn a_destination_that_is_no_file_is_refused_before_asking() {
    let stand = Stand::new();
    fs::create_dir(stand.inside("folder")).expect("a folder");
    rustix::fs::mkfifoat(rustix::fs::CWD, stand.inside("pipe"), rustix::fs::Mode::RUSR).expect("a pipe");
    for out in ["folder", "pipe"] {
        let host = stand.willing();
        let outcome = stand.session().call("fake_write", &json!({ "action": "good", "out": out }), &host);
        assert_eq!(outcome.code, Some(Code::InvalidArgument), "{out}: {}", outcome.text);
        assert_eq!(host.asked().len(), 0, "{out}");
    }
    let host = stand.willing();
    let outcome = stand.session().call("fake_write", &json!({ "action": "good", "out": "no/o" }), &host);
    assert_eq!((outcome.code, host.asked().len()), (Some(Code::NotFound), 0), "{}", outcome.text);
    assert_eq!(stand.place.starts().len(), 0);
}

/// A file system of one mebibyte, gone when it is dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    #[expect(clippy::disallowed_methods, reason = "mounting is no call")]
    fn mount(at: &Path, options: &str) -> Option<Self> {
        let mut command = std::process::Command::new("mount");
        command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at).stderr(std::process::Stdio::null());
        command.status().is_ok_and(|it| it.success()).then(|| Self(at.to_owned()))
    }
}

impl Drop for SmallDisk {
    #[expect(clippy::disallowed_methods, reason = "mounting is no call")]
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
#[allow(clippy::print_stderr)] // what did not run is said
fn a_disk_that_fills_up_leaves_the_bundle_as_it_was() {
    // Full while it writes; full before a folder can be made.
    for (options, code) in [("size=1m,mode=755", Code::CommandFailed), ("nr_inodes=2,mode=755", Code::CommandFailed)] {
        let stand = Stand::new();
        let Some(disk) = SmallDisk::mount(&stand.place.workspace(), options) else {
            eprintln!("did not run: the test of a full disk (mounting a small one is not allowed)");
            return;
        };
        write(&stand.inside("bundle"), PRECIOUS);
        let before = stand.seen();
        let outcome = stand.session().call("fake_write", &arguments("large"), &stand.willing());
        assert_eq!(outcome.code, Some(code), "{options}: {}", outcome.text);
        assert_eq!(changed(&before, &stand), Vec::<String>::new(), "{options}");
        stand.nothing_is_left(options);
        drop(disk);
    }
}
