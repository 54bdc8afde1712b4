//! What the first bytes of a file tell before it is started. What they do not tell the start itself will.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{Ground, Reason, Refusal, trust};

/// As much as Linux reads of a `#!` line.
const HEAD: u64 = 256;

/// Refuses what is text without `#!`, and what names an interpreter that can't be run or that an agent could write.
pub(super) fn check(file: &Path, ground: Option<&Ground<'_>>) -> Result<(), Refusal> {
    let refuse = |reason| Err(Refusal { file: file.to_owned(), reason });
    let mut head = Vec::new();
    // A file that may be run but not read is left to the start.
    if File::open(file).and_then(|file| file.take(HEAD).read_to_end(&mut head)).is_err() {
        return Ok(());
    }
    let Some(line) = head.strip_prefix(b"#!") else {
        let text = head.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0x80..));
        return if text { refuse(Reason::NotAProgram) } else { Ok(()) };
    };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    let interpreter = Path::new(OsStr::from_bytes(words.next().unwrap_or_default()));
    let broken = |why| refuse(Reason::BrokenInterpreter(interpreter.to_string_lossy().into_owned(), why));
    if interpreter.as_os_str().is_empty() {
        return broken("is no name");
    }
    if !interpreter.is_absolute() {
        return broken("is not absolute, so it would be looked for in the working directory");
    }
    let Ok(real) = std::fs::canonicalize(interpreter) else { return broken("does not exist") };
    let Ok(metadata) = std::fs::metadata(&real) else { return broken("can't be looked at") };
    if !metadata.is_file() || metadata.mode() & 0o111 == 0 {
        return broken("is not executable");
    }
    if ground.is_some_and(|ground| ground.holds(&real).is_some()) {
        return broken("lies in a folder where agents can write");
    }
    // The name may be a link (as in a virtual environment): whoever can turn it can choose the interpreter.
    let folder = interpreter.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
    let Some(folder) = folder else { return broken("can't be looked at") };
    if ground.is_some_and(|ground| ground.holds(&folder).is_some()) {
        return broken("lies in a folder where agents can write");
    }
    if trust::check(&real, &metadata).is_err() || trust::check_folder(&folder, interpreter).is_err() {
        return broken("others can change, or runs with other rights");
    }
    Ok(())
}
