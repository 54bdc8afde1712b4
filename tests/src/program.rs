//! The real program, where `cargo xtask test` has installed it.

use std::path::PathBuf;

/// The pinned `cgc`.
#[derive(Clone, Debug)]
pub struct Cgc {
    /// Its file, absolute.
    pub program: PathBuf,
    /// The Python that it runs on, which has its database driver.
    pub python: PathBuf,
}

/// The installed program. None: the test can't run, which `cargo xtask test` says (and fails of on build machines).
///
/// # Panics
/// `CI=true` and nobody has looked for it: a test that did not run must not pass unnoticed there. (`cargo xtask test`
/// has looked, says that it is missing, and fails of that itself.)
pub fn cgc() -> Option<Cgc> {
    let path = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let found = path("VERBGATE_CGC").zip(path("VERBGATE_PYTHON"));
    if found.is_none() {
        let looked = std::env::var_os("VERBGATE_CGC").is_some();
        assert!(looked || std::env::var_os("CI").is_none_or(|ci| ci != "true"), "no cgc: run `cargo xtask test`");
        eprintln!("did not run: no cgc (cargo xtask test installs it)");
    }
    found.map(|(program, python)| Cgc { program, python })
}
