//! `cargo xtask pi`: the npm package for Pi, complete in its folder (`hosts/pi`), so that `pi -e hosts/pi`, `pi install`
//! and `npm pack` take it from there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::Failure;
use crate::{files, run};

/// What is written by hand, and what is generated beside it.
const BY_HAND: [&str; 4] = ["package.json", "extension.ts", "addon.ts", "README.md"];

/// Builds for users, into the package's own folder.
pub(crate) fn run() -> Result<(), Failure> {
    let folder = source();
    assemble(true, &folder)?;
    println!("{} is ready: pi -e {0}, or pi install {0}", folder.display());
    Ok(())
}

/// Where the package's hand-written files stand.
fn source() -> PathBuf {
    run::root().join("hosts/pi")
}

/// A complete package somewhere else, built quickly: for tests.
pub(crate) fn for_tests() -> Result<PathBuf, Failure> {
    let folder = run::target().join("pi/package");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for name in BY_HAND {
        copy(&source().join(name), &folder.join(name))?;
    }
    assemble(false, &folder)?;
    Ok(folder)
}

/// Where npm has put Node, Pi and TypeScript, with the versions that the project pins; put there if they are not.
///
/// # Errors
/// One line: what can't be installed, and why.
pub(crate) fn npm() -> Result<PathBuf, Failure> {
    let (os, arch) = platform()?;
    if (os, arch) != ("linux", "x64") {
        return Err(format!("the tests in Pi run on a Node for linux-x64, not for {os}-{arch}"));
    }
    let pins = run::root().join("hosts/pi/tests/npm");
    let folder = run::target().join("pi/npm");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let _only_one = files::alone(&run::target().join("pi/npm.lock"))?;
    let lock = pins.join("package-lock.json");
    let wanted = fs::read_to_string(&lock).map_err(|error| format!("{}: {error}", lock.display()))?;
    let stamp = folder.join("stamp");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(folder);
    }
    println!("installing Node and Pi into {} (about 900 MB, once)", folder.display());
    for name in ["package.json", "package-lock.json"] {
        copy(&pins.join(name), &folder.join(name))?;
    }
    let mut command = Command::new("npm");
    command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]).current_dir(&folder);
    let installed = run::kept(&mut command).map_err(|_| "npm is not there; install Node".to_owned())?;
    if !installed.status.success() {
        return Err(npm_reason(&String::from_utf8_lossy(&installed.stderr)));
    }
    files::write(&stamp, &wanted)?;
    Ok(folder)
}

/// What npm says went wrong, in one line.
fn npm_reason(errors: &str) -> String {
    let no_network = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "ECONNRESET", "ENETUNREACH"];
    if no_network.iter().any(|sign| errors.contains(sign)) {
        return "the npm registry can't be reached".to_owned();
    }
    let mut lines = errors.lines().map(|line| line.trim_start_matches("npm error").trim());
    let reason = lines.find(|line| !line.is_empty() && !line.starts_with("code "));
    format!("npm can't install what the project pins: {}", reason.unwrap_or("it printed nothing"))
}

/// Runs the tests of Node and Pi. `variables`: where the real `cgc` is.
pub(crate) fn test(npm: &Path, cgc: &crate::setup::Cgc, long: bool) -> Result<(), Failure> {
    let package = for_tests()?;
    let tests = source().join("tests");
    let all = ["addon.test.mjs", "package.test.mjs", "pi.test.mjs"];
    // Pi itself runs on one Node, its oldest; the addon is one binary for all.
    for (version, files) in [("22", &all[..]), ("24", &all[..1]), ("26", &all[..1])] {
        let mut command = Command::new(npm.join(format!("node_modules/node-{version}/bin/node")));
        command.args(["--test", "--test-reporter=spec"]).args(files.iter().map(|file| tests.join(file)));
        command.current_dir(run::target());
        command.env("VERBGATE_PI_PACKAGE", &package).env("VERBGATE_PI_NPM", npm).env("VERBGATE_ROOT", run::root());
        command.env("VERBGATE_CGC", &cgc.program).env("VERBGATE_PYTHON", &cgc.python);
        if long {
            command.env("VERBGATE_LONG", "1");
        } else {
            command.env_remove("VERBGATE_LONG");
        }
        println!("the tests of the Pi host on Node {version}");
        if !run::shown(&mut command)?.success() {
            return Err(format!("tests of the Pi host failed on Node {version}"));
        }
    }
    Ok(())
}

/// Builds addon and guardian, and puts them with all that is generated beside the hand-written files.
fn assemble(release: bool, folder: &Path) -> Result<(), Failure> {
    let (os, arch) = platform()?;
    let mut command = run::cargo();
    command.args(["build", "--quiet", "-p", "verbgate-pi", "-p", "verbgate", "--lib", "--bin", "verbgate-guardian"]);
    command.args(release.then_some("--release"));
    if !run::shown(&mut command)?.success() {
        return Err("the addon does not compile".to_owned());
    }
    let built = run::target().join(if release { "release" } else { "debug" });
    let native = folder.join("native");
    // Nothing of another platform or an older build stays behind.
    match fs::remove_dir_all(&native) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(format!("{} can't be removed: {error}", native.display()));
        }
        _ => {}
    }
    fs::create_dir_all(&native).map_err(|error| format!("{}: {error}", native.display()))?;
    let library = if os == "darwin" { "libverbgate_pi.dylib" } else { "libverbgate_pi.so" };
    let mut hashes = BTreeMap::new();
    let mut parts = vec![(library, format!("verbgate-pi.{os}-{arch}.node"))];
    if os == "linux" {
        parts.push(("verbgate-guardian", format!("verbgate-guardian.{os}-{arch}")));
    }
    for (from, name) in parts {
        let to = native.join(&name);
        copy(&built.join(from), &to)?;
        let bytes = fs::read(&to).map_err(|error| format!("{}: {error}", to.display()))?;
        let hash = format!("{:x}", Sha256::digest(&bytes));
        hashes.insert(name, hash);
    }
    let lines: Vec<String> = hashes.iter().map(|(name, hash)| format!("  \"{name}\": \"{hash}\"")).collect();
    files::write(&native.join("sha256.json"), &format!("{{\n{}\n}}\n", lines.join(",\n")))?;
    copy(&run::root().join("generated/tools.d.ts"), &folder.join("tools.d.ts"))?;
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&run::root().join(name), &folder.join(name))?;
    }
    Ok(())
}

/// This platform, as Node names it.
fn platform() -> Result<(&'static str, &'static str), Failure> {
    let os = match std::env::consts::OS {
        "linux" => "linux",
        "macos" => "darwin",
        other => return Err(format!("the addon is not made for {other}: it needs Linux or macOS")),
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => return Err(format!("the addon is not made for {other}: it needs x86_64 or aarch64")),
    };
    Ok((os, arch))
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    // A file that is mapped can't be written over; a new one can take its name.
    let _ = fs::remove_file(to);
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{}: {error}", from.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_npm_says_becomes_one_line() {
        let unreachable = "npm error code EAI_AGAIN\nnpm error request to the registry failed, reason: getaddrinfo\n";
        assert_eq!(npm_reason(unreachable), "the npm registry can't be reached");
        let full = "npm error code ENOSPC\nnpm error nospc There appears to be insufficient space\n";
        assert_eq!(
            npm_reason(full),
            "npm can't install what the project pins: nospc There appears to be insufficient space"
        );
        assert_eq!(npm_reason(""), "npm can't install what the project pins: it printed nothing");
    }
}
