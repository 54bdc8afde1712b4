//! Names that are never the program (C1.2: never a shell).

use std::path::Path;

const SHELLS: &[&str] = &[
    "ash",
    "bash",
    "cmd",
    "csh",
    "dash",
    "elvish",
    "fish",
    "ksh",
    "ksh93",
    "mksh",
    "nu",
    "oksh",
    "powershell",
    "pwsh",
    "rbash",
    "rksh",
    "rzsh",
    "sh",
    "tcsh",
    "xonsh",
    "yash",
    "zsh",
];

/// Why a program of this name or path is refused; none: it is not.
pub(super) fn refused(name: &str) -> Option<&'static str> {
    let file = Path::new(name).file_name()?.to_str()?.to_lowercase();
    if Path::new(&file).extension().is_some_and(|ending| ending == "bat" || ending == "cmd") {
        return Some("is a batch file, which a shell would run");
    }
    let stem = file.strip_suffix(".exe").unwrap_or(&file);
    SHELLS.contains(&stem).then_some("is a shell")
}
