//! `cargo xtask mutants`: takes each safety mechanism out of a copy of the project, one at a time, and sees a test fail.
//! A change that no test notices is a survivor: a mechanism that somebody could remove without being told.

mod table;

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::Failure;
use crate::{files, run, setup};
use table::{Edit, MUTANTS, Mutant};

/// Applies each change whose name holds `only` and reports survivors.
pub(crate) fn run(only: &str) -> Result<(), Failure> {
    let folder = run::target().join("mutants");
    let tree = folder.join("tree");
    files::mirror(&run::root(), &tree, &["target", ".git"])?;
    let chosen: Vec<&Mutant> = MUTANTS.iter().filter(|mutant| mutant.name.contains(only)).collect();
    if chosen.is_empty() {
        return Err(format!("no mechanism has `{only}` in its name"));
    }
    // A test that has no program to run passes, and would notice nothing.
    let cgc = setup::cgc()?;
    let with_cgc = [("VERBGATE_CGC", cgc.program.as_path()), ("VERBGATE_PYTHON", cgc.python.as_path())];
    let work = Work { folder: &folder, variables: &with_cgc };
    let mut survivors = Vec::new();
    let mut passed: Vec<(&[&str], &str)> = Vec::new();
    for mutant in &chosen {
        // A test that fails anyway, or that is not there, shows nothing.
        if !passed.contains(&(mutant.test, mutant.filter)) {
            work.must_pass(mutant)?;
            passed.push((mutant.test, mutant.filter));
        }
        let noticed = with(&tree, mutant.edits, || work.noticed(mutant))?;
        println!("{} without {}", if noticed { "fails, as it must," } else { "SURVIVED" }, mutant.name);
        if !noticed {
            survivors.push(mutant.name);
        }
    }
    if survivors.is_empty() {
        println!("{} mechanisms taken out, each was noticed", chosen.len());
        Ok(())
    } else {
        Err(format!("no test fails without: {}", survivors.join("; ")))
    }
}

/// Does something while the edits are in force.
fn with<T>(tree: &Path, edits: &'static [Edit], work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let mut before = Vec::new();
    for edit in edits {
        let file = tree.join(edit.file);
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        files::write(&file, &replaced(&text, edit)?)?;
        before.push((file, text));
    }
    let done = work();
    for (file, text) in before.iter().rev() {
        files::write(file, text)?;
    }
    done
}

/// The file's text with the edit made.
fn replaced(text: &str, edit: &Edit) -> Result<String, Failure> {
    match text.matches(edit.from).count() {
        1 => Ok(text.replacen(edit.from, edit.to, 1)),
        count => Err(format!("{} holds {count} times, not once: {}", edit.file, edit.from)),
    }
}

/// Where the tests of a copy run, and with which variables.
struct Work<'a> {
    folder: &'a Path,
    variables: &'a [(&'a str, &'a Path)],
}

impl Work<'_> {
    fn cargo_test(&self, mutant: &Mutant, more: &[&str]) -> Result<Output, Failure> {
        let mut command = run::cargo();
        command.current_dir(self.folder.join("tree")).env("CARGO_TARGET_DIR", self.folder.join("build"));
        // Warnings of a change are nobody's concern, but a build machine may forbid them.
        command.env_remove("RUSTFLAGS");
        command.envs(self.variables.iter().copied());
        command.arg("test").args(mutant.test).args(more);
        run::kept(&mut command)
    }

    fn must_pass(&self, mutant: &Mutant) -> Result<(), Failure> {
        let output = self.cargo_test(mutant, &["--", mutant.filter])?;
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("`{}` fails without any change:\n{told}{errors}", mutant.filter));
        }
        if told.contains("running 0 tests") {
            return Err(format!("`{}` is the name of no test", mutant.filter));
        }
        Ok(())
    }

    fn noticed(&self, mutant: &Mutant) -> Result<bool, Failure> {
        let built = self.cargo_test(mutant, &["--no-run"])?;
        if !built.status.success() {
            let errors = String::from_utf8_lossy(&built.stderr).into_owned();
            return Err(format!(
                "the project does not compile without {}, so nothing is shown:\n{errors}",
                mutant.name
            ));
        }
        Ok(!self.cargo_test(mutant, &["--", mutant.filter])?.status.success())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_still_has_its_place_and_its_test() {
        for mutant in MUTANTS {
            for edit in mutant.edits {
                let text = fs::read_to_string(run::root().join(edit.file)).unwrap();
                assert_ne!(replaced(&text, edit).unwrap(), text, "{}", mutant.name);
            }
            assert!(!mutant.edits.is_empty() && !mutant.test.is_empty(), "{}", mutant.name);
        }
    }

    #[test]
    fn an_edit_needs_its_text_exactly_once() {
        let edit = Edit { file: "f", from: "a", to: "b" };
        assert_eq!(replaced("xax", &edit), Ok("xbx".to_owned()));
        assert!(replaced("xx", &edit).unwrap_err().contains("0 times"));
        assert!(replaced("axa", &edit).unwrap_err().contains("2 times"));
    }
}
