use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::config::OutputSettings;
use crate::table::{Bytes, EnvSpec, Millis, NeverSpec, RefuseFile, Root, Setting};

/// A safe folder with `bin`, a workspace `w` and a root `r`. Under the temporary folder, which is sticky.
struct Place {
    base: tempfile::TempDir,
}

const SCRIPT: &str = "#!/bin/sh\nexit 0\n";

impl Place {
    fn new() -> Self {
        let place = Self { base: tempfile::tempdir().unwrap() };
        for folder in ["bin", "w", "w/bin", "r"] {
            std::fs::create_dir(place.path(folder)).unwrap();
            place.mode(folder, 0o755);
        }
        place
    }

    fn path(&self, below: &str) -> PathBuf {
        std::fs::canonicalize(self.base.path()).unwrap().join(below)
    }

    fn text(&self, below: &str) -> String {
        self.path(below).to_str().unwrap().to_owned()
    }

    fn mode(&self, below: &str, mode: u32) {
        std::fs::set_permissions(self.path(below), std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn program(&self, below: &str, content: &str) {
        std::fs::File::create(self.path(below)).unwrap().write_all(content.as_bytes()).unwrap();
        self.mode(below, 0o755);
    }

    fn workspace(&self) -> Workspace {
        Workspace::open(&self.path("w")).unwrap()
    }

    fn find_as(&self, executable: &Resolved<String>, path: &str) -> Result<Program, Failure> {
        let environment: Environment = [("PATH", path), ("ROOTS", &self.text("r"))].into_iter().collect();
        let roots = Roots::read(&[Root::Workspace, Root::Env("ROOTS".into())], &self.workspace(), &environment);
        find(executable, &spec(), &environment, &self.workspace(), &roots)
    }

    fn find(&self, path: &str) -> Result<Program, Failure> {
        self.find_as(&Resolved { value: "prog".into(), source: Source::Default }, path)
    }

    /// What a search in `bin` says.
    fn refusal(&self) -> String {
        let failure = self.find(&self.text("bin")).unwrap_err();
        assert_eq!(failure.code, Code::Unavailable);
        failure.message
    }
}

fn spec() -> ProgramSpec {
    ProgramSpec {
        executable: Setting {
            config: Some("prog.executable".into()),
            env: Some("PROG".into()),
            ..Setting::fixed("prog".into())
        },
        argv: Vec::new().into(),
        install: "pip install prog".into(),
        version: None,
        timeout: Setting::fixed(Millis(1000)),
        refuse_files: Vec::new().into(),
        roots: Vec::new().into(),
        env: EnvSpec {
            pass: vec![EnvName::Exact("PATH".into()), EnvName::Exact("HOME".into()), EnvName::Prefix("LC_".into())]
                .into(),
            set: vec![("NO_COLOR".into(), "1".into()), ("HOME".into(), "/set".into()), ("EMPTY".into(), "".into())]
                .into(),
            mask: Vec::new().into(),
        },
        never: NeverSpec { env: vec!["GATE".into()].into(), ..NeverSpec::default() },
        help: None,
        network: false,
        notes: Vec::new().into(),
    }
}

#[test]
fn a_program_on_path_is_found_and_links_are_resolved() {
    let place = Place::new();
    place.program("bin/real", SCRIPT);
    symlink("real", place.path("bin/prog")).unwrap();
    let program = place.find(&format!("/nowhere:{}", place.text("bin"))).unwrap();
    assert_eq!((program.file, program.found), (place.path("bin/real"), place.path("bin/prog")));
}

#[test]
fn nothing_is_found_without_a_program_and_the_install_line_is_given() {
    let place = Place::new();
    for path in ["", "/nowhere", &place.text("bin")] {
        let failure = place.find(path).unwrap_err();
        assert_eq!(failure.code, Code::Unavailable);
        assert!(failure.message.contains("was not found"), "{}", failure.message);
        assert!(failure.hint.contains("pip install prog"));
    }
}

#[test]
fn a_program_in_the_workspace_or_a_root_is_not_run_and_named() {
    let place = Place::new();
    place.program("w/bin/prog", SCRIPT);
    place.program("w/prog", SCRIPT);
    place.program("r/prog", SCRIPT);
    symlink("../w/bin/prog", place.path("bin/prog")).unwrap();
    symlink("w/bin", place.path("to-bin")).unwrap();
    for (path, words) in [
        (place.text("w/bin"), "it lies in the working directory"),
        (place.text("bin"), "it lies in the working directory"),
        (place.text("to-bin"), "it lies in the working directory"),
        (place.text("bin/../w/bin"), "it lies in the working directory"),
        (place.text("r"), "it lies in a folder where tools may write"),
        (".".to_owned(), "relative to the working directory"),
        ("bin".to_owned(), "relative to the working directory"),
        ("/nowhere:".to_owned(), "relative to the working directory"),
    ] {
        let failure = place.find(&path).unwrap_err();
        assert_eq!(failure.code, Code::Unavailable);
        assert!(failure.message.contains(words), "{path}: {}", failure.message);
        assert!(failure.hint.contains("`PROG`") && failure.hint.contains("pip install prog"), "{}", failure.hint);
    }
}

#[test]
fn a_program_elsewhere_is_found_past_the_one_in_the_workspace() {
    let place = Place::new();
    place.program("w/bin/prog", SCRIPT);
    place.program("bin/prog", SCRIPT);
    let path = format!("{}:.:bin::{}:{}", place.text("w/bin"), place.text("r"), place.text("bin"));
    let program = place.find(&path).unwrap();
    assert_eq!(program.file, place.path("bin/prog"));
    assert_eq!(program.path.unwrap().to_str().unwrap(), place.text("bin"));
}

#[test]
fn each_fault_of_a_file_has_words_of_its_own() {
    let place = Place::new();
    let mut seen = std::collections::BTreeSet::new();
    let mut is = |words: &str| {
        let message = place.refusal();
        assert!(message.contains(words), "{message}");
        assert!(message.contains(&place.text("bin/prog")), "{message}");
        assert!(seen.insert(message.clone()), "{message}");
    };
    std::fs::create_dir(place.path("bin/prog")).unwrap();
    is("is not a regular file");
    std::fs::remove_dir(place.path("bin/prog")).unwrap();
    symlink("none", place.path("bin/prog")).unwrap();
    is("is a link that leads to nothing");
    std::fs::remove_file(place.path("bin/prog")).unwrap();
    place.program("bin/prog", SCRIPT);
    place.mode("bin/prog", 0o644);
    is("is not executable");
    place.mode("bin/prog", 0o757);
    is("can be written by others");
    place.mode("bin/prog", 0o4755);
    is("setuid");
    place.mode("bin/prog", 0o2755);
    assert!(place.refusal().contains("setgid"));
    place.mode("bin/prog", 0o755);
    place.mode("bin", 0o1777);
    is("which others can write");
    place.mode("bin", 0o755);
    place.program("bin/prog", "echo no shell\n");
    is("is not a program");
    place.program("bin/prog", "");
    assert!(place.refusal().contains("is not a program"));
    place.program("bin/prog", "#!/none/python\n");
    is("`/none/python`, which does not exist");
    place.program("bin/prog", "#!python\n");
    is("is not absolute");
    place.program("bin/prog", "#!\n");
    is("is no name");
    place.program("bin/python", SCRIPT);
    place.mode("bin/python", 0o644);
    place.program("bin/prog", &format!("#! {} x\n", place.text("bin/python")));
    assert!(place.refusal().contains(&format!("`{}`, which is not executable", place.text("bin/python"))));
    place.program("w/bin/python", SCRIPT);
    place.program("bin/prog", &format!("#!{} -x\n", place.text("w/bin/python")));
    is("agents can write");
    place.program("bin/prog", SCRIPT);
    assert!(place.find(&place.text("bin")).is_ok());
}

#[test]
fn an_interpreter_that_is_a_link_in_the_workspace_is_refused() {
    let place = Place::new();
    symlink("/bin/cat", place.path("w/bin/python")).unwrap();
    place.program("bin/prog", &format!("#!{}\n", place.text("w/bin/python")));
    assert!(place.refusal().contains("agents can write"));
}

#[test]
fn what_others_can_write_above_the_folder_is_refused_unless_it_is_sticky() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("up/bin")).unwrap();
    place.mode("up/bin", 0o755);
    place.program("up/bin/prog", SCRIPT);
    place.mode("up", 0o1777);
    assert!(place.find(&place.text("up/bin")).is_ok());
    place.mode("up", 0o777);
    let failure = place.find(&place.text("up/bin")).unwrap_err();
    assert!(
        failure.message.contains(&format!("`{}`, which others can write", place.text("up"))),
        "{}",
        failure.message
    );
    // A link in a folder that others can write leads where they want.
    place.mode("up", 0o755);
    std::fs::create_dir(place.path("open")).unwrap();
    symlink("../up/bin/prog", place.path("open/prog")).unwrap();
    place.mode("open", 0o777);
    assert!(place.find(&place.text("open")).unwrap_err().message.contains("which others can write"));
}

#[test]
fn a_program_that_would_have_run_is_not_replaced_by_a_later_one() {
    let place = Place::new();
    std::fs::create_dir(place.path("first")).unwrap();
    place.mode("first", 0o755);
    place.program("first/prog", SCRIPT);
    place.program("bin/prog", SCRIPT);
    let path = format!("{}:{}", place.text("first"), place.text("bin"));
    place.mode("first/prog", 0o757);
    assert!(place.find(&path).unwrap_err().message.contains(&place.text("first/prog")));
    place.mode("first/prog", 0o644);
    assert_eq!(place.find(&path).unwrap().file, place.path("bin/prog"));
}

#[test]
fn another_users_file_and_group_write_are_judged_by_numbers() {
    let place = Place::new();
    place.program("bin/prog", SCRIPT);
    let metadata = std::fs::metadata(place.path("bin/prog")).unwrap();
    let (uid, gid) = (metadata.uid(), metadata.gid());
    let file = place.path("bin/prog");
    if uid != 0 {
        let stranger = trust::Me { uid: uid + 1, gid: uid + 1 };
        assert!(
            matches!(trust::check_for(&stranger, &file, &metadata).unwrap_err().reason, Reason::Owner(owner) if owner == uid)
        );
    }
    place.mode("bin/prog", 0o775);
    let metadata = std::fs::metadata(&file).unwrap();
    assert!(!trust::Me { uid: gid, gid }.others_write(&metadata));
    assert!(trust::Me { uid: gid + 1, gid }.others_write(&metadata));
    assert!(trust::Me { uid: gid + 1, gid: gid + 1 }.others_write(&metadata));
}

#[test]
fn another_users_program_is_refused_where_it_can_be_made() {
    let place = Place::new();
    place.program("bin/prog", SCRIPT);
    // Only root can give a file away.
    if std::os::unix::fs::chown(place.path("bin/prog"), Some(12345), None).is_ok() {
        assert!(place.refusal().contains("the number 12345"));
        std::os::unix::fs::chown(place.path("bin/prog"), Some(0), None).unwrap();
        std::os::unix::fs::chown(place.path("bin"), Some(12345), None).unwrap();
        assert!(place.refusal().contains("which belongs to the user with the number 12345"));
    }
}

#[test]
fn the_users_own_absolute_path_may_lie_anywhere_and_the_rest_holds() {
    let place = Place::new();
    place.program("w/bin/prog", SCRIPT);
    for source in [Source::User("prog.executable".into()), Source::Variable("PROG".into())] {
        let own = Resolved { value: place.text("w/bin/prog"), source };
        place.mode("w/bin/prog", 0o755);
        assert_eq!(place.find_as(&own, "").unwrap().file, place.path("w/bin/prog"));
        place.mode("w/bin/prog", 0o757);
        let failure = place.find_as(&own, "").unwrap_err();
        assert!(
            failure.message.contains("can be written by others") && failure.message.contains("set by"),
            "{}",
            failure.message
        );
    }
    place.mode("w/bin/prog", 0o755);
    let manifests = Resolved { value: place.text("w/bin/prog"), source: Source::Default };
    assert!(place.find_as(&manifests, "").unwrap_err().message.contains("working directory"));
    let missing = Resolved { value: place.text("none"), source: Source::Variable("PROG".into()) };
    assert!(place.find_as(&missing, "").unwrap_err().message.contains("(set by the variable `PROG`) does not exist"));
}

#[test]
fn shells_batch_files_and_relative_paths_are_refused_from_configuration() {
    let place = Place::new();
    place.program("bin/bash", SCRIPT);
    symlink("bash", place.path("bin/prog")).unwrap();
    let path = place.text("bin");
    for (value, words) in [
        ("sh", "is a shell"),
        ("/bin/bash", "is a shell"),
        ("ZSH", "is a shell"),
        ("cmd.exe", "is a shell"),
        ("pwsh", "is a shell"),
        ("x.bat", "batch file"),
        ("/a/X.CMD", "batch file"),
        ("./prog", "relative path"),
        ("bin/prog", "relative path"),
        ("../prog", "relative path"),
    ] {
        let executable = Resolved { value: value.to_owned(), source: Source::User("prog.executable".into()) };
        let failure = place.find_as(&executable, &path).unwrap_err();
        assert_eq!(failure.code, Code::Unavailable);
        assert!(
            failure.message.contains(words) && failure.message.contains("`prog.executable`"),
            "{}",
            failure.message
        );
    }
    assert!(place.refusal().contains("is a shell"));
}

fn program(path: Option<&str>) -> Program {
    let metadata = std::fs::metadata("/").unwrap();
    Program { file: "/p".into(), found: "/p".into(), identity: FileIdentity::of(&metadata), path: path.map(Into::into) }
}

#[test]
fn the_childs_environment_holds_what_is_declared_and_nothing_else() {
    let host: Environment = [
        ("PATH", "/x:."),
        ("HOME", "/h"),
        ("LC_ALL", "C"),
        ("LCX", "1"),
        ("TOKEN", "t"),
        ("home", "x"),
        ("NO_COLOR", "0"),
    ]
    .into_iter()
    .collect();
    let verb = [("PGPASSWORD".to_owned(), "pw".to_owned()), ("LC_ALL".to_owned(), "verb".to_owned())];
    let child = environment(&spec(), &host, &verb, &program(Some("/filtered"))).unwrap();
    let child: Vec<_> = child.iter().map(|(name, value)| (name.to_str().unwrap(), value.to_str().unwrap())).collect();
    assert_eq!(
        child,
        [
            ("EMPTY", ""),
            ("HOME", "/set"),
            ("LC_ALL", "verb"),
            ("NO_COLOR", "1"),
            ("PATH", "/filtered"),
            ("PGPASSWORD", "pw")
        ]
    );
    assert!(environment(&spec(), &host, &[], &program(None)).unwrap().iter().all(|(name, _)| name != "PATH"));
}

#[test]
fn a_home_that_would_lead_into_the_working_directory_is_refused_and_none_at_all_is_not() {
    let mut spec = spec();
    spec.env.set = Vec::new().into();
    for value in ["", ".", "home", "~"] {
        let host: Environment = [("HOME", value)].into_iter().collect();
        let failure = environment(&spec, &host, &[], &program(None)).unwrap_err();
        assert_eq!(failure.code, Code::Unavailable);
        assert_eq!(failure.message, format!("HOME is `{value}`, which is no absolute path"));
    }
    for host in [Environment::default(), [("HOME", "/h")].into_iter().collect()] {
        assert!(environment(&spec, &host, &[], &program(None)).is_ok());
    }
    // What is not passed on harms nobody.
    let host: Environment = [("TMPDIR", ".")].into_iter().collect();
    assert!(environment(&spec, &host, &[], &program(None)).is_ok());
}

#[test]
fn a_promised_variable_never_reaches_the_child_by_any_way() {
    let host: Environment = [("GATE", "true")].into_iter().collect();
    assert!(environment(&spec(), &host, &[], &program(None)).unwrap().iter().all(|(name, _)| name != "GATE"));
    let verb = [("GATE".to_owned(), "true".to_owned())];
    let mut set = spec();
    set.env.set = vec![("GATE".into(), "true".into())].into();
    let mut passed = spec();
    passed.env.pass = vec![EnvName::Prefix("GA".into())].into();
    for (spec, verb) in [(spec(), &verb[..]), (set, &[][..]), (passed, &[][..])] {
        let failure = environment(&spec, &host, verb, &program(None)).unwrap_err();
        assert_eq!((failure.code, failure.message.contains("`GATE`")), (Code::NotAllowed, true));
    }
}

#[test]
fn a_variable_that_is_no_utf_8_is_passed_by_value_and_never_by_name() {
    let odd = OsStr::from_bytes(b"LC_\xff");
    let host: Environment = [(OsStr::new("LC_ALL"), odd), (odd, odd)].into_iter().collect();
    let child = environment(&spec(), &host, &[], &program(None)).unwrap();
    assert!(child.contains(&("LC_ALL".into(), odd.into())));
    assert!(child.iter().all(|(name, _)| name != odd));
}

#[test]
fn the_childs_path_can_be_set_and_is_filtered_too() {
    let place = Place::new();
    place.program("bin/prog", SCRIPT);
    let mut spec = spec();
    spec.env.set = vec![("PATH".into(), format!("{}:{}:.", place.text("w/bin"), place.text("bin")).into())].into();
    let environment: Environment = [("PATH", "/nowhere")].into_iter().collect();
    let roots = Roots::read(&[Root::Workspace], &place.workspace(), &environment);
    let executable = Resolved { value: "prog".to_owned(), source: Source::Default };
    let program = find(&executable, &spec, &environment, &place.workspace(), &roots).unwrap();
    assert_eq!(program.path.unwrap().to_str().unwrap(), place.text("bin"));
}

fn refusing(place: &Place, allowed: bool) -> Result<(), Failure> {
    let mut spec = spec();
    let refused = |name: &'static str| RefuseFile {
        name: name.into(),
        say: format!("holds {name}").into(),
        hint: "move it".into(),
        unless: Setting::fixed(false),
    };
    spec.refuse_files = vec![refused("other"), refused("Mcp.json")].into();
    let settings = FileSettings {
        executable: Resolved { value: "prog".into(), source: Source::Default },
        timeout: Millis(1000),
        files_allowed: vec![false, allowed],
        rows_allowed: Vec::new(),
        output: OutputSettings { budget: Bytes(1024), error_tail: Bytes(512), redact: true, spill: false },
    };
    refuse_files(&spec, &settings, &place.workspace())
}

#[test]
fn a_refused_name_is_seen_in_any_case_and_whatever_it_is() {
    for name in ["mcp.json", "MCP.JSON", "Mcp.Json"] {
        for kind in ["file", "folder", "dangling", "fifo"] {
            let place = Place::new();
            assert_eq!(refusing(&place, false), Ok(()));
            let path = place.path("w").join(name);
            match kind {
                "file" => drop(std::fs::File::create(&path).unwrap()),
                "folder" => std::fs::create_dir(&path).unwrap(),
                "dangling" => symlink("none", &path).unwrap(),
                _ => rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
                    .unwrap(),
            }
            let failure = refusing(&place, false).unwrap_err();
            assert_eq!((failure.code, failure.hint.as_str()), (Code::NotAllowed, "move it"));
            assert!(
                failure.message.starts_with("holds Mcp.json") && failure.message.contains(name),
                "{}",
                failure.message
            );
            assert_eq!(refusing(&place, true), Ok(()));
        }
    }
}

#[test]
fn a_working_directory_that_vanished_is_refused() {
    let place = Place::new();
    let workspace = place.workspace();
    std::fs::remove_dir_all(place.path("w")).unwrap();
    let mut spec = spec();
    spec.refuse_files =
        vec![RefuseFile { name: "x".into(), say: "s".into(), hint: "h".into(), unless: Setting::fixed(false) }].into();
    let settings = FileSettings {
        executable: Resolved { value: "prog".into(), source: Source::Default },
        timeout: Millis(1000),
        files_allowed: vec![false],
        rows_allowed: Vec::new(),
        output: OutputSettings { budget: Bytes(1024), error_tail: Bytes(512), redact: true, spill: false },
    };
    assert_eq!(refuse_files(&spec, &settings, &workspace).unwrap_err().code, Code::NotAllowed);
}
