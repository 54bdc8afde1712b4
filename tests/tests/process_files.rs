//! What the runtime leaves on disk around a program: staged artifacts (C1.12) and locks (C1.13).

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use verbgate::Code;
use verbgate::abort::Abort;
use verbgate::artifact::{Artifact, PREFIX, Staging};
use verbgate::lock::Locks;
use verbgate::outcome::Failure;
use verbgate::paths::{Destination, FileIdentity, FolderIdentity, State};
use verbgate::process::{Runner, RunnerOptions};

struct Place {
    dir: tempfile::TempDir,
    runner: Runner,
}

impl Place {
    fn new() -> Self {
        let guardian = Some(PathBuf::from(env!("CARGO_BIN_EXE_test-guardian")));
        let runner = Runner::new(RunnerOptions { guardian, ..RunnerOptions::default() }).unwrap();
        Self { dir: tempfile::tempdir().unwrap(), runner }
    }

    fn folder(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap()
    }

    fn target(&self) -> PathBuf {
        self.folder().join("out.cgc")
    }

    fn look(&self) -> Destination {
        let path = self.target();
        let state = match fs::symlink_metadata(&path) {
            Err(_) => State::New,
            Ok(it) if it.is_symlink() => State::Link(FileIdentity::of(&it)),
            Ok(it) => State::File(FileIdentity::of(&it)),
        };
        Destination { path, folder: FolderIdentity::of(&fs::metadata(self.folder()).unwrap()), state }
    }

    /// Stages, has the program do something in its folder, and finishes.
    fn stage(&self, program: impl FnOnce(&Path)) -> Result<Artifact, Failure> {
        let staging = Staging::begin(&self.look(), &self.runner).unwrap();
        program(staging.staged_path());
        staging.finish()
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder()).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }
}

fn put(path: &Path, content: &str) {
    fs::write(path, content).unwrap();
}

#[test]
fn a_new_file_is_moved_to_its_place_with_mode_0600_and_nothing_is_left() {
    let place = Place::new();
    let got = place.stage(|staged| {
        assert_eq!(staged.file_name(), place.target().file_name());
        let folder = staged.parent().unwrap();
        assert_eq!(folder.parent().unwrap(), place.folder());
        assert!(folder.file_name().unwrap().to_str().unwrap().starts_with(PREFIX));
        assert_eq!(fs::metadata(folder).unwrap().mode() & 0o7777, 0o700);
        put(staged, "content");
        fs::set_permissions(staged, Permissions::from_mode(0o4777)).unwrap();
    });
    assert_eq!(got, Ok(Artifact { path: place.target(), size: 7 }));
    assert_eq!(fs::read_to_string(place.target()).unwrap(), "content");
    assert_eq!(fs::metadata(place.target()).unwrap().mode() & 0o7777, 0o600);
    assert_eq!(place.names(), ["out.cgc"]);
}

#[test]
fn a_replaced_file_keeps_its_mode() {
    let place = Place::new();
    put(&place.target(), "old");
    fs::set_permissions(place.target(), Permissions::from_mode(0o640)).unwrap();
    place.stage(|staged| put(staged, "new")).unwrap();
    assert_eq!(fs::read_to_string(place.target()).unwrap(), "new");
    assert_eq!(fs::metadata(place.target()).unwrap().mode() & 0o7777, 0o640);
    assert_eq!(place.names(), ["out.cgc"]);
}

#[test]
fn a_link_at_the_destination_is_replaced_and_not_followed() {
    let place = Place::new();
    let precious = place.folder().join("precious");
    put(&precious, "precious");
    symlink(&precious, place.target()).unwrap();
    place.stage(|staged| put(staged, "new")).unwrap();
    assert!(fs::symlink_metadata(place.target()).unwrap().is_file());
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    assert_eq!(fs::read_to_string(place.target()).unwrap(), "new");
}

#[test]
fn anything_but_the_one_expected_regular_file_is_refused_and_the_old_one_stays() {
    type Program = fn(&Path);
    let cases: [(&str, Program); 8] = [
        ("nothing", |_| {}),
        ("another name", |staged| put(&staged.with_file_name("other"), "x")),
        ("two", |staged| {
            put(staged, "x");
            put(&staged.with_file_name("other"), "x");
        }),
        ("a link", |staged| symlink("../elsewhere", staged).unwrap()),
        ("a dangling link", |staged| symlink("/no/such", staged).unwrap()),
        ("a folder", |staged| fs::create_dir(staged).unwrap()),
        ("a FIFO", |staged| {
            rustix::fs::mkfifoat(rustix::fs::CWD, staged, rustix::fs::Mode::RUSR).unwrap();
        }),
        ("a second name", |staged| {
            put(staged, "x");
            fs::hard_link(staged, staged.parent().unwrap().parent().unwrap().join("second")).unwrap();
        }),
    ];
    for (what, program) in cases {
        for old in [false, true] {
            let place = Place::new();
            if old {
                put(&place.target(), "old");
            }
            let failure = place.stage(program).unwrap_err();
            assert_eq!(failure.code, Code::CommandFailed, "{what}");
            assert!(failure.message.contains("out.cgc"), "{}", failure.message);
            assert_eq!(fs::read_to_string(place.target()).ok().as_deref(), old.then_some("old"), "{what}");
            let left: Vec<_> = place.names().into_iter().filter(|it| it != "second" && it != "out.cgc").collect();
            assert!(left.is_empty(), "{what}: {left:?}");
        }
    }
}

#[test]
fn a_destination_that_changed_meanwhile_is_left_alone() {
    type Change = fn(&Path);
    let changes: [(&str, bool, Change); 5] = [
        ("appeared", false, |path| put(path, "planted")),
        ("appeared as a link", false, |path| symlink("/no/such", path).unwrap()),
        ("other file", true, |path| {
            put(&path.with_extension("new"), "planted");
            fs::rename(path.with_extension("new"), path).unwrap();
        }),
        ("other content", true, |path| put(path, "planted")),
        ("gone", true, |path| fs::remove_file(path).unwrap()),
    ];
    for (what, old, change) in changes {
        let place = Place::new();
        if old {
            put(&place.target(), "old");
        }
        let staging = Staging::begin(&place.look(), &place.runner).unwrap();
        put(staging.staged_path(), "new");
        // Times of files are not that fine.
        thread::sleep(Duration::from_millis(20));
        change(&place.target());
        let before = fs::symlink_metadata(place.target()).ok().map(|it| (it.ino(), it.len()));
        assert_eq!(staging.finish().unwrap_err().code, Code::CommandFailed, "{what}");
        let after = fs::symlink_metadata(place.target()).ok().map(|it| (it.ino(), it.len()));
        assert_eq!(before, after, "{what}");
        assert!(!place.names().iter().any(|it| it.starts_with(PREFIX)), "{what}");
    }
}

#[test]
fn a_folder_that_is_another_one_meanwhile_is_refused_before_anything_is_made() {
    let place = Place::new();
    let outside = tempfile::tempdir().unwrap();
    let destination = place.look();
    let folder = place.folder();
    fs::rename(&folder, folder.with_extension("moved")).unwrap();
    symlink(outside.path(), &folder).unwrap();
    assert_eq!(Staging::begin(&destination, &place.runner).unwrap_err().code, Code::CommandFailed);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    fs::remove_file(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    assert_eq!(Staging::begin(&destination, &place.runner).unwrap_err().code, Code::CommandFailed);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    fs::remove_dir_all(folder.with_extension("moved")).unwrap();
}

#[test]
fn a_staging_that_is_dropped_removes_whatever_is_in_it_and_follows_no_link() {
    let place = Place::new();
    let precious = place.folder().join("precious");
    fs::create_dir(&precious).unwrap();
    put(&precious.join("file"), "precious");
    put(&place.target(), "old");
    let staging = Staging::begin(&place.look(), &place.runner).unwrap();
    let folder = staging.staged_path().parent().unwrap().to_owned();
    put(staging.staged_path(), "half");
    fs::create_dir_all(folder.join("deep/deeper")).unwrap();
    put(&folder.join("deep/deeper/file"), "x");
    symlink(&precious, folder.join("deep/link")).unwrap();
    fs::set_permissions(folder.join("deep"), Permissions::from_mode(0o0)).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o0)).unwrap();
    drop(staging);
    assert_eq!(place.names(), ["out.cgc", "precious"]);
    assert_eq!(fs::read_to_string(precious.join("file")).unwrap(), "precious");
    assert_eq!(fs::read_to_string(place.target()).unwrap(), "old");
}

fn code(result: Result<verbgate::lock::Lock, Failure>) -> Option<Code> {
    result.err().map(|failure| failure.code)
}

fn locks(dir: &Path) -> Locks {
    Locks::within(dir.join("locks"), Duration::from_millis(200))
}

#[test]
fn a_lock_holds_others_off_by_program_and_name_and_leaves_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let (locks, abort) = (locks(dir.path()), Abort::new().unwrap());
    let held = locks.take("cgc", "registry", &abort).unwrap();
    assert_eq!(fs::metadata(dir.path().join("locks")).unwrap().mode() & 0o7777, 0o700);
    assert!(dir.path().join("locks/cgc.registry").is_file());
    assert_eq!(code(locks.take("cgc", "registry", &abort)), Some(Code::Busy));
    assert_eq!(code(locks.take("cgc", "other", &abort)), None);
    assert_eq!(code(locks.take("git", "registry", &abort)), None);
    drop(held);
    assert_eq!(code(locks.take("cgc", "registry", &abort)), None);
    assert_eq!(fs::read_dir(dir.path().join("locks")).unwrap().count(), 0);
}

#[test]
fn many_at_once_hold_a_lock_one_at_a_time_though_its_file_comes_and_goes() {
    let dir = tempfile::tempdir().unwrap();
    let counter = dir.path().join("counter");
    put(&counter, "0");
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let locks = Locks::within(dir.path().join("locks"), Duration::from_secs(60));
                let abort = Abort::new().unwrap();
                for _ in 0..25 {
                    let _held = locks.take("cgc", "registry", &abort).unwrap();
                    // Loses counts unless one goes after the other.
                    let count: u64 = fs::read_to_string(&counter).unwrap().parse().unwrap();
                    thread::yield_now();
                    put(&counter, &(count + 1).to_string());
                }
            });
        }
    });
    assert_eq!(fs::read_to_string(&counter).unwrap(), "200");
    assert_eq!(fs::read_dir(dir.path().join("locks")).unwrap().count(), 0);
}

#[test]
fn an_abort_ends_the_wait() {
    let dir = tempfile::tempdir().unwrap();
    let locks = Locks::within(dir.path().join("locks"), Duration::from_secs(600));
    let abort = Abort::new().unwrap();
    let _held = locks.take("cgc", "registry", &abort).unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| code(locks.take("cgc", "registry", &abort)));
        thread::sleep(Duration::from_millis(100));
        abort.raise();
        assert_eq!(waiting.join().unwrap(), Some(Code::Cancelled));
    });
}

#[test]
fn a_folder_that_is_not_private_or_a_link_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("locks");
    let abort = Abort::new().unwrap();
    let refused = |what: &str| {
        assert_eq!(code(locks(dir.path()).take("cgc", "registry", &abort)), Some(Code::Unavailable), "{what}");
    };
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), &folder).unwrap();
    refused("a link");
    fs::remove_file(&folder).unwrap();
    put(&folder, "");
    refused("a file");
    fs::remove_file(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o750)).unwrap();
    refused("open to the group");
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
    for planted in ["link", "fifo"] {
        let file = folder.join("cgc.registry");
        match planted {
            "link" => symlink(elsewhere.path().join("made"), &file).unwrap(),
            _ => rustix::fs::mkfifoat(rustix::fs::CWD, &file, rustix::fs::Mode::RUSR).unwrap(),
        }
        refused(planted);
        fs::remove_file(&file).unwrap();
    }
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_program_given_by_its_path_has_a_lock_file_in_the_folder_and_nowhere_else() {
    let dir = tempfile::tempdir().unwrap();
    let _held = locks(dir.path()).take("/opt/../x y", "registry", &Abort::new().unwrap()).unwrap();
    assert!(dir.path().join("locks/%2Fopt%2F%2E%2E%2Fx%20y.registry").is_file());
}
