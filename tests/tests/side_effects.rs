//! What the reading verbs leave behind on the real program: its own first-run files in HOME, and nothing else.
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test that can't go on says why

use std::fs;

use cgc_tools::{CgcContext, CgcDoctor};
use verbgate_tests::captured::Folder;
use verbgate_tests::program::cgc;
use verbgate_tests::{Place, Recorder};

#[test]
fn the_first_list_makes_the_programs_own_files_and_the_second_changes_nothing() {
    let Some(cgc) = cgc() else { return };
    let place = Place::with(&cgc);
    let host = Recorder::new(place.workspace());
    let (home, workspace) = (Folder::of(&place.home()), Folder::of(&place.workspace()));

    assert!(CgcContext::List.call(&place.session(), &host).is_ok());
    let first = Folder::of(&place.home());
    assert_eq!(home.changed(&first), [".codegraphcontext/config.yaml", ".codegraphcontext/logs"]);
    assert_eq!(workspace.changed(&Folder::of(&place.workspace())), Vec::<String>::new());

    assert!(CgcContext::List.call(&place.session(), &host).is_ok());
    assert_eq!(first.changed(&Folder::of(&place.home())), Vec::<String>::new());
    assert_eq!(workspace.changed(&Folder::of(&place.workspace())), Vec::<String>::new());
}

#[test]
fn the_first_doctor_makes_the_programs_own_files_and_the_second_changes_nothing() {
    let Some(cgc) = cgc() else { return };
    let place = Place::with(&cgc);
    // What `list` has left is made here, too.
    fs::remove_dir_all(place.home().join(".codegraphcontext")).expect("the folder goes");
    let host = Recorder::new(place.workspace());
    let (home, workspace) = (Folder::of(&place.home()), Folder::of(&place.workspace()));

    // Without a configuration the program looks for FalkorDB, which it does not find: it reports that.
    assert!(CgcDoctor.call(&place.session(), &host).is_ok());
    let first = Folder::of(&place.home());
    let made =
        ["", "/.env", "/.first_run_done", "/config.yaml", "/global", "/global/.cgcignore", "/global/db", "/logs"];
    assert_eq!(home.changed(&first), made.map(|name| format!(".codegraphcontext{name}")));
    let env = fs::read_to_string(place.home().join(".codegraphcontext/.env")).expect("it is there");
    assert!(env.lines().any(|line| line == "DEFAULT_DATABASE=falkordb"), "{env}");
    assert_eq!(workspace.changed(&Folder::of(&place.workspace())), Vec::<String>::new());

    assert!(CgcDoctor.call(&place.session(), &host).is_ok());
    assert_eq!(first.changed(&Folder::of(&place.home())), Vec::<String>::new());
    assert_eq!(workspace.changed(&Folder::of(&place.workspace())), Vec::<String>::new());
}
