//! Installs the pinned `cgc` into a private folder, once.
//!
//! `target/cgc-0.6.13/` holds the virtual environment and, written last, a stamp that names everything that the
//! installation depends on. A folder without the right stamp (interrupted, moved, other pins) is made anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::run;

/// The version that the lock file pins.
pub(crate) const VERSION: &str = "0.6.13";

/// The pinned program, ready to run.
pub(crate) struct Cgc {
    /// The private folder.
    pub(crate) folder: PathBuf,
    /// `cgc`, absolute.
    pub(crate) program: PathBuf,
    /// The Python that it runs on, absolute.
    pub(crate) python: PathBuf,
}

/// Finds or makes the installation.
///
/// # Errors
/// One line: what can't be installed, and why.
pub(crate) fn cgc() -> Result<Cgc, Failure> {
    let target = run::target();
    let folder = target.join(format!("cgc-{VERSION}"));
    let lock_file = run::root().join(format!("tests/data/cgc-{VERSION}-py311.lock.txt"));
    let pins = fs::read_to_string(&lock_file).map_err(|error| format!("{}: {error}", lock_file.display()))?;

    fs::create_dir_all(&target).map_err(|error| format!("{}: {error}", target.display()))?;
    let _only_one = crate::files::alone(&target.join(format!("cgc-{VERSION}.lock")))?;

    let venv = folder.join("venv");
    let cgc = Cgc { program: venv.join("bin/cgc"), python: venv.join("bin/python"), folder };
    let stamp_file = cgc.folder.join("stamp");
    // A virtual environment can't be moved: its scripts hold its place.
    let stamp = format!("{}\n{pins}", venv.display());
    if fs::read_to_string(&stamp_file).is_ok_and(|found| found == stamp) && runs(&cgc) {
        return Ok(cgc);
    }

    let python = find_python()?;
    println!("installing cgc {VERSION} into {} (about 400 MB, once)", cgc.folder.display());
    match fs::remove_dir_all(&cgc.folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(format!("{} can't be removed: {error}", cgc.folder.display()));
        }
        _ => {}
    }
    fs::create_dir_all(&cgc.folder).map_err(|error| format!("{}: {error}", cgc.folder.display()))?;

    let made = run::kept(clean(Command::new(&python)).args(["-m", "venv"]).arg(&venv))?;
    if !made.status.success() {
        return Err(format!(
            "{} can't make a virtual environment: {} (on Debian: apt-get install python3.11-venv)",
            python.display(),
            run::last_line(&made)
        ));
    }
    let installed = run::kept(
        clean(Command::new(&cgc.python))
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"])
            .args(["--no-deps", "--only-binary", ":all:", "-r"])
            .arg(&lock_file),
    )?;
    if !installed.status.success() {
        let reason = pip_reason(&String::from_utf8_lossy(&installed.stderr));
        let reason = reason.unwrap_or_else(|| run::last_line(&installed));
        return Err(format!("cgc {VERSION} can't be installed: {reason}"));
    }
    if !runs(&cgc) {
        return Err(format!("cgc {VERSION} was installed, but `{} --version` does not run", cgc.program.display()));
    }
    crate::files::write(&stamp_file, &stamp)?;
    Ok(cgc)
}

/// Whether the installed program says the pinned version.
fn runs(cgc: &Cgc) -> bool {
    // A HOME of its own, since any verb may write the program's configuration there.
    let mut command = Command::new(&cgc.program);
    command.arg("--version").env_clear().env("HOME", cgc.folder.join("probe-home"));
    run::kept(&mut command).is_ok_and(|output| {
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8_lossy(&text).contains(&format!("CodeGraphContext {VERSION}"))
    })
}

/// A Python 3.11: by name on PATH, else one that pyenv keeps.
fn find_python() -> Result<PathBuf, Failure> {
    let mut candidates: Vec<PathBuf> = ["python3.11", "python3", "python"].map(PathBuf::from).to_vec();
    candidates.extend(pyenv_pythons());
    let answers = candidates.into_iter().filter_map(|candidate| {
        let mut command = clean(Command::new(&candidate));
        command.args(["-c", "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"]);
        // Not there, or a shim without a version behind it.
        let output = run::kept(&mut command).ok().filter(|output| output.status.success())?;
        Some((candidate, String::from_utf8_lossy(&output.stdout).into_owned()))
    });
    choose(answers)
}

/// The first Python that says 3.11, of candidates each with its version on one line and its file on the next.
fn choose(answers: impl Iterator<Item = (PathBuf, String)>) -> Result<PathBuf, Failure> {
    let mut seen = Vec::new();
    for (candidate, text) in answers {
        let mut lines = text.lines();
        match (lines.next(), lines.next()) {
            (Some("3.11"), Some(file)) => return Ok(PathBuf::from(file)),
            (Some(other), _) => seen.push(format!("{} is {other}", candidate.display())),
            _ => {}
        }
    }
    let found = if seen.is_empty() { "found none".to_owned() } else { format!("found: {}", seen.join(", ")) };
    Err(format!("cgc {VERSION} needs Python 3.11 ({found}); install it, for example with `pyenv install 3.11`"))
}

/// Where pyenv keeps versions 3.11, newest last.
fn pyenv_pythons() -> Vec<PathBuf> {
    let root = match (std::env::var_os("PYENV_ROOT"), std::env::var_os("HOME")) {
        (Some(root), _) if !root.is_empty() => PathBuf::from(root),
        (_, Some(home)) => Path::new(&home).join(".pyenv"),
        _ => return Vec::new(),
    };
    let Ok(entries) = fs::read_dir(root.join("versions")) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("3.11."))
        .map(|entry| entry.path().join("bin/python3.11"))
        .collect();
    found.sort();
    found
}

/// A Python that loads nothing but its own.
fn clean(mut command: Command) -> Command {
    for name in ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__"] {
        command.env_remove(name);
    }
    command
}

/// What pip says went wrong: its first `ERROR:` line, or what looks like no network. One line.
fn pip_reason(errors: &str) -> Option<String> {
    let no_network = ["NewConnectionError", "Failed to establish a new connection", "Temporary failure in name"];
    if no_network.iter().any(|sign| errors.contains(sign)) {
        return Some("the Python package registry can't be reached".to_owned());
    }
    let reason = errors.lines().find_map(|line| line.trim().strip_prefix("ERROR: "))?;
    // What pip says of a registry that it can't reach, if it was told not to try again.
    if reason.contains("(from versions: none)") {
        return Some(format!("the Python package registry can't be reached, or lacks a pinned package ({reason})"));
    }
    Some(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_python_of_another_version_is_passed_over_and_named() {
        let answer = |name: &str, text: &str| (PathBuf::from(name), text.to_owned());
        let both = [answer("python3", "3.13\n/usr/bin/python3.13\n"), answer("python", "3.11\n/opt/python3.11\n")];
        assert_eq!(choose(both.into_iter()), Ok(PathBuf::from("/opt/python3.11")));
        for (answers, found) in [
            (vec![], "(found none)"),
            (vec![answer("python3", "")], "(found none)"),
            (vec![answer("python3", "3.11")], "(found: python3 is 3.11)"),
            (
                vec![answer("python3", "3.12\n/a\n"), answer("python", "2.7\n/b\n")],
                "(found: python3 is 3.12, python is 2.7)",
            ),
        ] {
            let failure = choose(answers.into_iter()).unwrap_err();
            assert!(failure.contains(found) && failure.contains("needs Python 3.11"), "{failure}");
            assert_eq!(failure.lines().count(), 1);
        }
    }

    #[test]
    fn what_pip_says_becomes_one_line() {
        let unreachable = "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError(...)'\n\
                           ERROR: Could not find a version that satisfies the requirement kuzu (from versions: none)\n";
        let no_retry = "ERROR: Could not find a version that satisfies the requirement kuzu (from versions: none)\n\
                        ERROR: No matching distribution found for kuzu\n";
        let full =
            "Traceback\nERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n\n";
        for (errors, reason) in [
            (unreachable, "the Python package registry can't be reached"),
            (no_retry, "the Python package registry can't be reached, or lacks a pinned package"),
            (full, "Could not install packages due to an OSError: [Errno 28] No space left on device"),
        ] {
            let told = pip_reason(errors).unwrap();
            assert!(told.starts_with(reason), "{told}");
            assert_eq!(told.lines().count(), 1);
        }
        // Then its last line is told.
        assert_eq!(pip_reason("Killed\n"), None);
    }
}
