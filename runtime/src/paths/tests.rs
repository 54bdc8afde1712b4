use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use super::MustBe::{Absent, Directory, File, Present};
use super::*;
use crate::config::Environment;
use crate::table::Root;

/// A folder with a workspace `w`, and `out` outside of it.
struct Place {
    base: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        std::fs::create_dir(base.path().join("w")).unwrap();
        std::fs::create_dir(base.path().join("out")).unwrap();
        let place = Self { base };
        place.file("w/there", "1234");
        place.file("out/there", "1234");
        place
    }

    fn path(&self, below: &str) -> PathBuf {
        std::fs::canonicalize(self.base.path()).unwrap().join(below)
    }

    fn text(&self, below: &str) -> String {
        self.path(below).to_str().unwrap().to_owned()
    }

    fn file(&self, below: &str, content: &str) {
        use std::io::Write;
        std::fs::File::create(self.path(below)).unwrap().write_all(content.as_bytes()).unwrap();
    }

    fn folder(&self, below: &str) {
        std::fs::create_dir_all(self.path(below)).unwrap();
    }

    fn link(&self, below: &str, target: impl AsRef<Path>) {
        symlink(target, self.path(below)).unwrap();
    }

    fn workspace(&self) -> Workspace {
        Workspace::open(&self.path("w")).unwrap()
    }

    fn roots(&self, variable: &str) -> Roots {
        let environment: Environment = [("ROOTS", variable)].into_iter().collect();
        Roots::read(&[Root::Workspace, Root::Env("ROOTS".into())], &self.workspace(), &environment)
    }

    fn locate(&self, given: &str, access: Access) -> Result<Located, Failure> {
        let rule = Rule { argument: "path", access, must_be: None, sensitive: &[] };
        locate(given, &rule, &self.workspace(), &self.roots(""))
    }

    fn code(&self, given: &str, access: Access) -> Option<Code> {
        self.locate(given, access).err().map(|failure| failure.code)
    }
}

const ALL: [Access; 4] = [Access::Read, Access::Create, Access::Write, Access::Update];

#[test]
fn a_path_inside_is_made_absolute() {
    let place = Place::new();
    place.folder("w/a/b");
    for (given, path) in [
        ("there", "w/there"),
        ("./there", "w/there"),
        ("a/../there", "w/there"),
        ("a/b/../../there", "w/there"),
        ("new", "w/new"),
        ("a//b", "w/a/b"),
        ("a/b/", "w/a/b"),
        (".", "w"),
    ] {
        assert_eq!(place.locate(given, Access::Read).unwrap().path, place.text(path), "{given}");
    }
    assert_eq!(place.locate(&place.text("w/there"), Access::Write).unwrap().path, place.text("w/there"));
}

#[test]
fn a_path_outside_is_refused_and_the_refusal_names_roots_and_variable() {
    let place = Place::new();
    for given in [
        "../out/there",
        "/etc/passwd",
        "/",
        "..",
        "a/../../out/x",
        &place.text("out/there"),
        &place.text("out/none/none"),
    ] {
        for access in ALL {
            // A folder that does not exist behind which `..` stands is not followed at all.
            let failure = place.locate(given, access).unwrap_err();
            if given.starts_with("a/") || (access == Access::Write && matches!(given, "/" | "..")) {
                assert_eq!(failure.code, Code::InvalidArgument, "{given} {access:?}");
                continue;
            }
            assert_eq!(failure.code, Code::NotAllowed, "{given} {access:?}");
            assert!(failure.message.contains(&place.text("w")), "{}", failure.message);
            assert!(failure.hint.contains("`ROOTS`"), "{}", failure.hint);
        }
    }
}

#[test]
fn report_5_a_root_does_not_hold_a_sibling_whose_name_begins_alike() {
    let place = Place::new();
    place.folder("w-evil");
    place.file("w-evil/x", "");
    for access in ALL {
        assert_eq!(place.code(&place.text("w-evil/x"), access), Some(Code::NotAllowed));
        assert_eq!(place.code("../w-evil/x", access), Some(Code::NotAllowed));
    }
}

#[test]
fn report_6_a_link_that_leads_out_is_refused() {
    let place = Place::new();
    place.link("w/abs", place.path("out"));
    place.link("w/rel", "../out");
    place.link("w/file", "../out/there");
    place.link("w/two", "rel");
    for given in ["abs/there", "rel/there", "two/there", "abs/../there"] {
        for access in ALL {
            assert_eq!(place.code(given, access), Some(Code::NotAllowed), "{given} {access:?}");
        }
    }
    for access in [Access::Read, Access::Create, Access::Update] {
        assert_eq!(place.code("file", access), Some(Code::NotAllowed), "{access:?}");
    }
}

#[test]
fn report_7_a_path_that_does_not_exist_yet_is_followed_as_far_as_it_exists() {
    let place = Place::new();
    place.link("w/abs", place.path("out"));
    place.link("w/dangling", place.path("out/not/yet"));
    place.link("w/inside", "new-target");
    for given in ["abs/new", "abs/new/deeper", "dangling", "dangling/x"] {
        for access in [Access::Read, Access::Create, Access::Update] {
            assert_eq!(place.code(given, access), Some(Code::NotAllowed), "{given} {access:?}");
        }
    }
    assert_eq!(place.code("abs/new", Access::Write), Some(Code::NotAllowed));
    assert_eq!(place.locate("inside", Access::Create).unwrap().path, place.text("w/new-target"));
}

#[test]
fn report_8_a_root_that_is_a_link_accepts_its_own_children() {
    let place = Place::new();
    place.link("to-w", "w");
    place.link("to-out", "out");
    let workspace = Workspace::open(&place.base.path().join("to-w")).unwrap();
    let environment: Environment = [("ROOTS", place.text("to-out"))].into_iter().collect();
    let roots = Roots::read(&[Root::Workspace, Root::Env("ROOTS".into())], &workspace, &environment);
    let rule = Rule { argument: "path", access: Access::Read, must_be: None, sensitive: &[] };
    for (given, path) in [
        ("there".to_owned(), "w/there"),
        (place.text("to-w/there"), "w/there"),
        (place.text("to-out/there"), "out/there"),
        (place.text("out/there"), "out/there"),
    ] {
        assert_eq!(locate(&given, &rule, &workspace, &roots).unwrap().path, place.text(path));
    }
}

#[test]
fn report_9_what_looks_like_a_short_form_is_a_name() {
    let place = Place::new();
    for given in ["~", "~root", "$HOME", "@file", "%2e%2e", "*", "-x"] {
        assert_eq!(place.locate(given, Access::Create).unwrap().path, place.text(&format!("w/{given}")));
    }
    assert_eq!(place.locate("$HOME/x", Access::Create).unwrap().path, place.text("w/$HOME/x"));
    assert_eq!(place.locate("~/x", Access::Create).unwrap().path, place.text("w/~/x"));
    // The empty part of `file://` in what does not exist.
    assert_eq!(place.code("file:///etc/passwd", Access::Read), Some(Code::InvalidArgument));
    place.folder("w/file:");
    assert_eq!(place.locate("file:///etc/passwd", Access::Read).unwrap().path, place.text("w/file:/etc/passwd"));
}

#[test]
fn what_does_not_exist_has_no_dots_and_no_empty_parts() {
    let place = Place::new();
    for given in ["new/../there", "new/./x", "new//x", "new/", "new/..", "a/b/../../../out"] {
        assert_eq!(place.code(given, Access::Read), Some(Code::InvalidArgument), "{given}");
    }
    assert_eq!(place.code("there/x", Access::Read), Some(Code::InvalidArgument));
    assert_eq!(place.code("there/", Access::Read), Some(Code::InvalidArgument));
    assert_eq!(place.code("there/..", Access::Read), Some(Code::InvalidArgument));
}

#[test]
fn loops_of_links_and_endless_names_are_refused() {
    let place = Place::new();
    place.link("w/a", "b");
    place.link("w/b", "a");
    assert_eq!(place.code("a", Access::Read), Some(Code::InvalidArgument));
    assert_eq!(place.code(&"x".repeat(300), Access::Read), Some(Code::InvalidArgument));
    assert_eq!(place.code(&"x/".repeat(2040), Access::Read), Some(Code::InvalidArgument));
    assert_eq!(place.code("", Access::Read), Some(Code::InvalidArgument));
}

#[test]
fn control_and_format_characters_are_refused_in_the_text_and_in_what_a_link_leads_to() {
    let place = Place::new();
    place.folder("w/a\nb");
    place.folder("w/a\u{202e}b");
    place.link("w/one", "a\nb");
    place.link("w/two", "a\u{202e}b");
    for given in ["a\nb", "a\u{202e}b", "x\0y", "x\u{2028}y", "x\u{7f}y", "one/x", "two/x"] {
        let failure = place.locate(given, Access::Create).unwrap_err();
        assert_eq!(failure.code, Code::InvalidArgument, "{given:?}");
        assert!(!failure.message.contains(['\n', '\u{202e}', '\0', '\u{2028}']), "{:?}", failure.message);
    }
    assert_eq!(place.locate("größe/日本", Access::Create).unwrap().path, place.text("w/größe/日本"));
}

#[test]
fn a_folder_whose_name_is_no_utf_8_is_an_error_and_no_panic() {
    let place = Place::new();
    let odd = place.path("w").join(std::ffi::OsStr::from_bytes(b"\xff\xfe"));
    std::fs::create_dir(&odd).unwrap();
    place.link("w/odd", &odd);
    assert_eq!(place.code("odd/x", Access::Read), Some(Code::InvalidArgument));
    let failure = Workspace::open(&odd).unwrap_err();
    assert_eq!(failure.code, Code::Unavailable);
    assert!(failure.message.contains("not UTF-8"));
}

#[test]
fn a_working_directory_that_cannot_be_used_is_told_apart() {
    let place = Place::new();
    place.folder("a\nb");
    for (path, words) in [
        (place.path("none"), "does not exist"),
        (place.path("w/there"), "is not a folder"),
        (place.path("w/there/x"), "is not a folder"),
        (PathBuf::from("w"), "is not absolute"),
        (place.path("a\nb"), "control characters"),
    ] {
        let failure = Workspace::open(&path).unwrap_err();
        assert_eq!(failure.code, Code::Unavailable);
        assert!(failure.message.contains(words), "{}", failure.message);
    }
}

#[test]
fn a_bad_root_refuses_every_path_and_is_named() {
    let place = Place::new();
    let rule = Rule { argument: "path", access: Access::Read, must_be: None, sensitive: &[] };
    let (out, file, none) = (place.text("out"), place.text("out/there"), place.text("none"));
    place.link("to-top", "/");
    for (variable, words) in [
        ("/".to_owned(), "is `/`"),
        (place.text("to-top"), "is `/`"),
        ("rel".to_owned(), "is not absolute"),
        (file, "is not a folder"),
        (none, "does not exist"),
        (format!("{out}:"), "is empty"),
        (format!("{out}::{out}"), "is empty"),
        (format!("{out}:rel"), "`rel`"),
    ] {
        let failure = locate("there", &rule, &place.workspace(), &place.roots(&variable)).unwrap_err();
        assert_eq!(failure.code, Code::NotAllowed);
        assert!(failure.message.contains(words) && failure.message.contains("`ROOTS`"), "{}", failure.message);
    }
    let good = place.roots(&format!("{out}:{}", place.text("w")));
    assert_eq!(good.folders().count(), 2);
    assert!(locate("../out/there", &rule, &place.workspace(), &good).is_ok());
    let top = Workspace::open(Path::new("/")).unwrap();
    let roots = Roots::read(&[Root::Workspace], &top, &Environment::default());
    assert_eq!(locate("etc", &rule, &top, &roots).unwrap_err().code, Code::NotAllowed);
}

#[test]
fn no_root_at_all_allows_nothing() {
    let place = Place::new();
    let roots = Roots::read(&[Root::Env("ROOTS".into())], &place.workspace(), &Environment::default());
    let rule = Rule { argument: "path", access: Access::Read, must_be: None, sensitive: &[] };
    assert_eq!(locate("there", &rule, &place.workspace(), &roots).unwrap_err().code, Code::NotAllowed);
}

#[test]
fn sensitive_parts_are_refused_for_anything_but_reading() {
    let place = Place::new();
    let parts = [
        ".git",
        ".GIT",
        ".pi",
        ".ssh",
        ".\u{17f}sh",
        ".vscode",
        ".envrc",
        ".env",
        ".env.local",
        ".ENV",
        "node_modules",
        ".venv",
        "tools.yaml",
        "Tools.YAML",
    ];
    for part in parts {
        place.folder(&format!("w/{part}/x"));
        assert!(place.locate(&format!("{part}/x"), Access::Read).is_ok(), "{part}");
        for access in [Access::Create, Access::Write, Access::Update] {
            for given in [part.to_owned(), format!("{part}/x/new"), format!("./{part}/x/new")] {
                let failure = place.locate(&given, access).unwrap_err();
                assert_eq!(failure.code, Code::NotAllowed, "{given} {access:?}: {}", failure.message);
            }
        }
    }
    for harmless in ["git", ".github", "x.git", "xnode_modules", "env", ".gitignore", "my.tools.yaml"] {
        assert!(place.locate(harmless, Access::Write).is_ok(), "{harmless}");
    }
}

#[test]
fn a_sensitive_part_behind_a_link_or_as_a_link_is_refused_too() {
    let place = Place::new();
    place.folder("w/.git/hooks");
    place.folder("w/elsewhere");
    place.link("w/innocent", ".git/hooks");
    place.link("w/.venv", "elsewhere");
    for given in ["innocent/post-commit", ".venv/x"] {
        assert_eq!(place.code(given, Access::Write), Some(Code::NotAllowed), "{given}");
        assert_eq!(place.code(given, Access::Create), Some(Code::NotAllowed), "{given}");
    }
}

#[test]
fn the_manifest_can_name_a_sensitive_part_for_one_argument() {
    let place = Place::new();
    let locate = |given: &str, allowed: &[Text]| {
        let rule = Rule { argument: "path", access: Access::Create, must_be: None, sensitive: allowed };
        locate(given, &rule, &place.workspace(), &place.roots(""))
    };
    assert!(locate(".env.local", &[".env*".into()]).is_ok());
    assert!(locate(".env.local", &[".env.local".into()]).is_ok());
    assert!(locate(".env.local", &[".env".into()]).is_err());
    assert!(locate(".git/x", &[".git".into()]).is_ok());
    assert!(locate(".git/.ssh", &[".git".into()]).is_err());
}

#[test]
fn a_root_below_a_sensitive_folder_can_be_written() {
    let place = Place::new();
    place.folder("w/.pi/project");
    let workspace = Workspace::open(&place.path("w/.pi/project")).unwrap();
    let roots = Roots::read(&[Root::Workspace], &workspace, &Environment::default());
    let rule = Rule { argument: "path", access: Access::Write, must_be: None, sensitive: &[] };
    for given in ["out".to_owned(), place.text("w/.pi/project/out")] {
        assert!(locate(&given, &rule, &workspace, &roots).is_ok());
    }
}

#[test]
fn the_state_of_a_destination_is_seen_without_following_a_link() {
    let place = Place::new();
    place.link("w/out-link", place.path("out/there"));
    place.link("w/dangling", "none");
    assert_eq!(place.locate("new", Access::Write).unwrap().destination.unwrap().state, State::New);
    let there = place.locate("there", Access::Write).unwrap().destination.unwrap();
    assert!(matches!(there.state, State::File(FileIdentity { size: 4, .. })));
    assert_eq!(there.path, place.path("w/there"));
    for link in ["out-link", "dangling"] {
        let located = place.locate(link, Access::Write).unwrap();
        assert_eq!(located.path, place.text(&format!("w/{link}")));
        assert!(matches!(located.destination.unwrap().state, State::Link(_)));
    }
    assert_eq!(place.locate("new", Access::Create).unwrap().destination, None);
}

#[test]
fn a_rewritten_destination_and_a_swapped_folder_are_seen() {
    let place = Place::new();
    place.folder("w/d");
    let before = place.locate("d/x", Access::Write).unwrap();
    place.file("w/d/x", "planted");
    assert_ne!(place.locate("d/x", Access::Write).unwrap(), before);
    std::fs::remove_file(place.path("w/d/x")).unwrap();
    assert_eq!(place.locate("d/x", Access::Write).unwrap(), before);
    std::fs::rename(place.path("w/d"), place.path("w/e")).unwrap();
    place.folder("w/d");
    assert_ne!(place.locate("d/x", Access::Write).unwrap(), before);
}

#[test]
fn a_destination_that_cannot_be_one_is_refused_before_asking() {
    let place = Place::new();
    place.folder("w/folder");
    rustix::fs::mknodat(rustix::fs::CWD, place.path("w/fifo"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .unwrap();
    let _socket = UnixListener::bind(place.path("w/socket")).unwrap();
    for (given, words) in [
        ("folder", "is a folder"),
        ("fifo", "is a FIFO"),
        ("socket", "is a socket"),
        ("folder/", "names no file"),
        (".", "names no file"),
        ("folder/..", "names no file"),
        ("there/x", "no folder"),
    ] {
        let failure = place.locate(given, Access::Write).unwrap_err();
        assert_eq!(failure.code, Code::InvalidArgument, "{given}");
        assert!(failure.message.contains(words), "{}", failure.message);
    }
    let roots = place.roots("/dev");
    let rule = Rule { argument: "path", access: Access::Write, must_be: None, sensitive: &[] };
    let failure = locate("/dev/null", &rule, &place.workspace(), &roots).unwrap_err();
    assert_eq!((failure.code, failure.message.contains("is a device")), (Code::InvalidArgument, true));
    assert_eq!(place.code("none/x", Access::Write), Some(Code::NotFound));
}

#[test]
fn must_be_is_held() {
    let place = Place::new();
    place.folder("w/folder");
    place.link("w/to-folder", "folder");
    let must = |given: &str, must_be| {
        let rule = Rule { argument: "path", access: Access::Create, must_be: Some(must_be), sensitive: &[] };
        locate(given, &rule, &place.workspace(), &place.roots("")).err().map(|failure| failure.code)
    };
    for (given, must_be, expected) in [
        ("there", Present, None),
        ("none", Present, Some(Code::NotFound)),
        ("there", File, None),
        ("folder", File, Some(Code::InvalidArgument)),
        ("none", File, Some(Code::NotFound)),
        ("folder", Directory, None),
        ("to-folder", Directory, None),
        ("there", Directory, Some(Code::InvalidArgument)),
        ("none", Directory, Some(Code::NotFound)),
        ("none", Absent, None),
        ("there", Absent, Some(Code::InvalidArgument)),
        ("folder", Absent, Some(Code::InvalidArgument)),
    ] {
        assert_eq!(must(given, must_be), expected, "{given} {must_be:?}");
    }
}

#[test]
fn nothing_outside_is_told_by_the_kind_of_refusal() {
    let place = Place::new();
    place.link("w/abs", place.path("out"));
    for given in ["abs/there/x", "abs/there/", "abs/none", "/etc/passwd/x"] {
        assert_eq!(place.code(given, Access::Read), Some(Code::NotAllowed), "{given}");
    }
}
