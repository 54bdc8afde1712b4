//! Installs the pinned `cgc` into a private folder, once.
//!
//! `target/cgc-0.6.13/` holds the virtual environment and, written last, a stamp that names everything that the
//! installation depends on. A folder without the right stamp (interrupted, moved, other pins) is made anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{FlockOperation, flock};

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
    let _only_one = alone(&target.join(format!("cgc-{VERSION}.lock")))?;

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
        return Err(format!("cgc {VERSION} can't be installed: {}", pip_reason(&installed)));
    }
    if !runs(&cgc) {
        return Err(format!("cgc {VERSION} was installed, but `{} --version` does not run", cgc.program.display()));
    }
    crate::files::write(&stamp_file, &stamp)?;
    Ok(cgc)
}

/// Waits until no other xtask installs.
fn alone(lock: &Path) -> Result<fs::File, Failure> {
    let file = fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(lock)
        .map_err(|error| format!("{}: {error}", lock.display()))?;
    flock(&file, FlockOperation::LockExclusive).map_err(|error| format!("{}: {error}", lock.display()))?;
    Ok(file)
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
    let mut seen = Vec::new();
    let mut candidates: Vec<PathBuf> = ["python3.11", "python3", "python"].map(PathBuf::from).to_vec();
    candidates.extend(pyenv_pythons());
    for candidate in candidates {
        let mut command = clean(Command::new(&candidate));
        command.args(["-c", "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"]);
        // Not there, or a shim without a version behind it.
        let Ok(output) = run::kept(&mut command) else { continue };
        if !output.status.success() {
            continue;
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
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

/// What pip says went wrong: its first `ERROR:` line, or what looks like no network.
fn pip_reason(output: &std::process::Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    let no_network = ["NewConnectionError", "Failed to establish a new connection", "Temporary failure in name"];
    if no_network.iter().any(|sign| errors.contains(sign)) {
        return "the Python package registry can't be reached".to_owned();
    }
    match errors.lines().find_map(|line| line.trim().strip_prefix("ERROR: ")) {
        // What pip says of a registry that it can't reach, if it was told not to try again.
        Some(reason) if reason.contains("(from versions: none)") => {
            format!("the Python package registry can't be reached, or lacks a pinned package ({reason})")
        }
        Some(reason) => reason.to_owned(),
        None => run::last_line(output),
    }
}
