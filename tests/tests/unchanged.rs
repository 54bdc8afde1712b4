//! An unchanged manifest costs a build nothing: its build script is not run again.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)] // a test that fails, fails; it starts cargo

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// What the build scripts of the crate printed, and when. Cargo writes the file each time it runs one.
fn outputs(target: &Path) -> Vec<(PathBuf, SystemTime, String)> {
    let mut found: Vec<_> = std::fs::read_dir(target.join("debug/build"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("cgc-tools-")))
        .map(|path| path.join("output"))
        .filter_map(|path| {
            let written = std::fs::metadata(&path).ok()?.modified().ok()?;
            let text = std::fs::read_to_string(&path).ok()?;
            Some((path, written, text))
        })
        .collect();
    found.sort();
    found
}

fn build(target: &Path) {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--quiet", "--package", "cgc-tools", "--target-dir"]).arg(target);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    assert!(command.current_dir(root).status().unwrap().success());
}

#[test]
fn a_second_build_of_an_unchanged_manifest_does_not_run_its_build_script() {
    if std::env::var("VERBGATE_LONG").as_deref() != Ok("1") {
        eprintln!("left out: builds a crate twice (cargo xtask test --long)");
        return;
    }
    // target/debug/deps/this: what is compiled already is not compiled again.
    let target = std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_path_buf();
    build(&target);
    let first = outputs(&target);
    assert!(first.iter().any(|(_, _, text)| text.contains("cargo::rerun-if-changed=tools.yaml")), "{first:?}");
    build(&target);
    assert!(outputs(&target) == first, "the build script ran again");
}
