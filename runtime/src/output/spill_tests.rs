//! Each rule of C3.4, with what happens where it is broken.

use super::*;
use crate::output::{Mask, Stage};
use crate::table::secret::Secret;

/// The usual limits, but for the free space, which is the machine's.
const ANY: Limits = Limits { call: PER_CALL, session: PER_SESSION, free: 0 };

fn random() -> impl FnMut() -> u32 {
    let mut number = 0;
    move || {
        number += 1;
        number
    }
}

fn session(base: &Path, limits: Limits) -> Spill {
    Spill::session(&[base.to_path_buf()], &[], limits, &mut random()).unwrap()
}

fn cleaner() -> Cleaner {
    let value = Secret::new(String::from("planted-secret-value"));
    Cleaner::new(vec![Mask { name: String::from("key"), value }], true)
}

#[test]
fn folder_and_file_are_private_and_go_with_the_session() {
    let base = tempfile::tempdir().unwrap();
    let spill = session(base.path(), ANY);
    let folder = spill.folder().to_path_buf();
    assert_eq!(std::fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
    let cleaner = cleaner();
    let mut writer = spill.begin_call(&cleaner);
    writer.push(Stream::Stdout, b"a planted-sec");
    writer.push(Stream::Stderr, b"\x1b[31moops\n");
    writer.push(Stream::Stdout, b"ret-value b\n");
    let spilled = writer.finish().unwrap().unwrap();
    let text = std::fs::read_to_string(&spilled.path).unwrap();
    assert_eq!(text, "--- standard output ---\na (redacted: key) b\n\n--- standard error ---\noops\n");
    assert_eq!(spilled.bytes, text.len() as u64);
    assert_eq!(std::fs::metadata(&spilled.path).unwrap().mode() & 0o777, 0o600);
    drop(spill);
    assert!(!folder.exists());
}

#[test]
fn it_is_cut_at_the_limits_of_call_and_session() {
    let base = tempfile::tempdir().unwrap();
    let spill = session(base.path(), Limits { call: 100, session: 150, free: 0 });
    let cleaner = cleaner();
    for expected in [100, 50, 0] {
        let mut writer = spill.begin_call(&cleaner);
        for _ in 0..3000 {
            writer.push(Stream::Stdout, "zeile é\n".repeat(50).as_bytes());
        }
        let spilled = writer.finish().unwrap().unwrap();
        assert!(spilled.cut && spilled.bytes <= expected && spilled.bytes + 2 > expected.min(98));
        assert_eq!(std::fs::metadata(&spilled.path).unwrap().len(), spilled.bytes);
    }
}

#[test]
fn the_folder_of_a_dead_session_is_removed_and_a_live_one_stays() {
    let base = tempfile::tempdir().unwrap();
    let live = session(base.path(), ANY);
    let dead = base.path().join(format!("{PREFIX}dead"));
    std::fs::DirBuilder::new().mode(0o700).create(&dead).unwrap();
    drop(lock(&dead.join(LOCK), true).unwrap());
    let mut other = random();
    let _skipped = [other(), other(), other()];
    let next = Spill::session(&[base.path().to_path_buf()], &[], ANY, &mut other).unwrap();
    assert!(!dead.exists());
    assert!(live.folder().exists() && next.folder().exists());
}

#[test]
fn it_never_lies_in_a_root_and_never_in_a_relative_or_missing_folder() {
    let base = tempfile::tempdir().unwrap();
    let inner = base.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let roots = [base.path().to_path_buf()];
    for bases in
        [vec![inner], vec![PathBuf::from("."), PathBuf::from("tests")], vec![PathBuf::from("/does/not/exist")], vec![]]
    {
        assert!(Spill::session(&bases, &roots, ANY, &mut random()).is_err());
    }
}

#[test]
fn a_full_disk_or_a_lost_folder_leaves_it_out_and_says_so() {
    let base = tempfile::tempdir().unwrap();
    let spill = session(base.path(), ANY);
    let cleaner = cleaner();
    std::fs::remove_dir_all(spill.folder()).unwrap();
    let mut writer = spill.begin_call(&cleaner);
    writer.push(Stream::Stdout, &b"line\n".repeat(100_000));
    assert!(writer.finish().is_err_and(|fault| fault.0.starts_with("its file can't be made")));

    let mut writer = spill.begin_call(&cleaner);
    writer.file = Some(OpenOptions::new().write(true).open("/dev/full").unwrap());
    writer.push(Stream::Stdout, &b"line\n".repeat(100_000));
    assert!(writer.finish().is_err_and(|fault| fault.0.starts_with("it can't be written")));
}

#[test]
fn nothing_is_written_to_a_disk_that_is_nearly_full() {
    let base = tempfile::tempdir().unwrap();
    let spill = session(base.path(), Limits { free: 101, ..ANY });
    let cleaner = cleaner();
    let mut writer = spill.begin_call(&cleaner);
    writer.push(Stream::Stdout, &b"line\n".repeat(100_000));
    assert!(writer.finish().is_err_and(|fault| fault.0.starts_with("less than 101 %")));
    assert_eq!(std::fs::read_dir(spill.folder()).unwrap().count(), 1, "the lock alone");
    assert_eq!(Limits::default().free, 5);
}

#[test]
fn a_failing_stage_withholds_it() {
    let base = tempfile::tempdir().unwrap();
    let spill = session(base.path(), ANY);
    let cleaner = cleaner().failing_at(Stage::Redact);
    let mut writer = spill.begin_call(&cleaner);
    writer.push(Stream::Stdout, b"planted-secret-value\n");
    assert_eq!(writer.finish(), Err(SpillFault(String::from(WITHHELD))));
    assert_eq!(std::fs::read_dir(spill.folder()).unwrap().count(), 1, "the lock alone");
}

#[test]
fn the_limits_are_those_of_the_contract() {
    let Limits { call, session, free } = Limits::default();
    assert_eq!((call, session, free), (64 << 20, 256 << 20, 5));
}

#[test]
fn a_folder_or_link_of_its_name_that_is_there_is_never_used() {
    let base = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let name = |last: u32| base.path().join(format!("{PREFIX}{:08x}{:08x}{:08x}", last - 2, last - 1, last));
    std::fs::DirBuilder::new().mode(0o700).create(name(3)).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), name(6)).unwrap();
    let spill = session(base.path(), ANY);
    assert_eq!(spill.folder(), name(9), "the names that are taken are passed over");
    let cleaner = cleaner();
    let mut writer = spill.begin_call(&cleaner);
    writer.push(Stream::Stdout, b"line\n");
    writer.finish().unwrap();
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(name(3)).unwrap().count(), 0);
}

#[test]
fn a_folder_that_others_may_enter_is_not_used() {
    let base = tempfile::tempdir().unwrap();
    let folder = base.path().join("open");
    std::fs::DirBuilder::new().mode(0o755).create(&folder).unwrap();
    let refused = Spill::in_folder(folder, ANY).err().unwrap();
    assert_eq!(refused.0, "its folder is not private");
}

#[test]
fn a_base_in_which_others_could_change_folders_is_passed_over() {
    use std::os::unix::fs::PermissionsExt as _;
    let base = tempfile::tempdir().unwrap();
    for (mode, used) in [(0o777, false), (0o1777, true), (0o755, true), (0o700, true)] {
        std::fs::set_permissions(base.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        let made = Spill::session(&[base.path().to_path_buf()], &[], ANY, &mut random());
        assert_eq!(made.is_ok(), used, "{mode:o}");
    }
}

#[test]
fn the_first_base_that_will_do_is_taken() {
    let (root, base) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let bases = [PathBuf::from("tests"), PathBuf::from("/does/not/exist"), root.path().into(), base.path().into()];
    let spill = Spill::session(&bases, &[root.path().to_path_buf()], ANY, &mut random()).unwrap();
    assert!(spill.folder().starts_with(base.path().canonicalize().unwrap()));
    assert!(spill.lies_outside(&[root.path().to_path_buf()]));
    assert!(!spill.lies_outside(&[base.path().to_path_buf()]), "a root of a later call may hold it");
    let usual = super::bases(|name| (name == "XDG_RUNTIME_DIR").then(|| "/run/user/1".into()));
    assert_eq!(usual, [PathBuf::from("/run/user/1"), PathBuf::from("/tmp")]);
}

#[test]
fn a_disk_that_fills_up_meanwhile_ends_it_and_removes_it() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static LOOKS: AtomicU32 = AtomicU32::new(0);
    let base = tempfile::tempdir().unwrap();
    let mut spill = session(base.path(), ANY);
    spill.has_room = |_, _| LOOKS.fetch_add(1, Ordering::Relaxed) == 0;
    let cleaner = cleaner();
    let mut writer = spill.begin_call(&cleaner);
    for _ in 0..24 {
        writer.push(Stream::Stdout, &b"line\n".repeat(100_000));
    }
    assert!(writer.finish().is_err_and(|fault| fault.0.starts_with("less than 0 %")));
    assert_eq!(std::fs::read_dir(spill.folder()).unwrap().count(), 1, "the lock alone");
}

#[test]
fn what_is_kept_of_an_orphan_is_held_to_the_same_limits() {
    let base = tempfile::tempdir().unwrap();
    let spill = session(base.path(), Limits { call: 10, session: 15, free: 0 });
    let kept = |text: &str| spill.keep(text).map(|kept| (kept.bytes, kept.cut));
    assert_eq!(kept("0123456789abc"), Ok((10, true)));
    assert_eq!(kept("01234"), Ok((5, false)));
    assert_eq!(kept("01234"), Ok((0, true)), "the session's own limit");
    let full = session(base.path().join("other").parent().unwrap(), Limits { free: 101, ..ANY });
    assert!(full.keep("text").is_err());
    assert_eq!(std::fs::read_dir(full.folder()).unwrap().count(), 1, "the lock alone");
}

#[test]
fn a_folder_without_a_lock_is_left_for_a_minute() {
    let base = tempfile::tempdir().unwrap();
    let (young, old) = (base.path().join(format!("{PREFIX}young")), base.path().join(format!("{PREFIX}old")));
    for folder in [&young, &old] {
        std::fs::DirBuilder::new().mode(0o700).create(folder).unwrap();
    }
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(120);
    File::open(&old).unwrap().set_modified(then).unwrap();
    remove_dead(base.path());
    assert!(young.exists() && !old.exists());
}
