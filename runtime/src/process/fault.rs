//! Why a program did not start: an error number says too little, so the files are looked at again.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;

use super::SpawnFault;

/// Bytes of a file that are looked at: the kernel reads 256 of a `#!` line, and a binary's table of segments stands
/// near its start.
const LOOK: u64 = 4096;

/// The fault behind an error of `posix_spawn`.
///
/// One number stands for several faults (`ENOENT`: the file, its interpreter or the working directory), so the folder
/// is checked first, then the file, then its interpreter.
pub(super) fn explain(errno: i32, file: &Path, cwd: &Path) -> SpawnFault {
    match Errno::from_raw_os_error(errno) {
        Errno::TOOBIG => return SpawnFault::TooLong,
        Errno::AGAIN => return SpawnFault::NoMoreProcesses,
        Errno::MFILE | Errno::NFILE => return SpawnFault::NoMoreDescriptors,
        _ => {}
    }
    let enters = fs::metadata(cwd).is_ok_and(|it| it.is_dir()) && allowed(cwd);
    if !cwd.is_absolute() || !enters {
        return SpawnFault::NoWorkingDirectory;
    }
    match Errno::from_raw_os_error(errno) {
        Errno::NOENT | Errno::NOTDIR => {
            if fs::metadata(file).is_err() {
                SpawnFault::NotFound
            } else {
                SpawnFault::BrokenInterpreter(interpreter(file).unwrap_or_else(|| "its loader".to_owned()))
            }
        }
        Errno::ACCESS | Errno::PERM => match interpreter(file) {
            Some(name)
                if is_file(file) && allowed(file) && !(is_file(Path::new(&name)) && allowed(Path::new(&name))) =>
            {
                SpawnFault::BrokenInterpreter(name)
            }
            _ => SpawnFault::NotExecutable,
        },
        Errno::ISDIR => SpawnFault::NotExecutable,
        // Interpreters of interpreters, without end.
        Errno::LOOP => match interpreter(file) {
            Some(name) => SpawnFault::BrokenInterpreter(name),
            None => SpawnFault::NotFound,
        },
        Errno::NOEXEC => match interpreter(file) {
            // A `#!` line that names nothing, or an interpreter that is no program either.
            Some(name) => SpawnFault::BrokenInterpreter(name),
            None => SpawnFault::NotAProgram,
        },
        _ => SpawnFault::Other(errno),
    }
}

fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| it.is_file())
}

fn allowed(path: &Path) -> bool {
    accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

/// What the file says it needs to be run by: the first word of its `#!` line, or a binary's loader.
fn interpreter(file: &Path) -> Option<String> {
    if !is_file(file) {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(LOOK).read_to_end(&mut bytes).ok()?;
    let name = match bytes.strip_prefix(b"#!") {
        Some(line) => {
            let line = line.split(|&byte| byte == b'\n').next()?;
            line.split(|byte| b" \t".contains(byte)).find(|word| !word.is_empty()).unwrap_or_default()
        }
        None => loader(&bytes)?,
    };
    Some(String::from_utf8_lossy(name).into_owned())
}

/// The `PT_INTERP` segment of a 64-bit little-endian ELF file.
fn loader(bytes: &[u8]) -> Option<&[u8]> {
    const PT_INTERP: usize = 3;
    let number = |at: usize, size: usize| -> Option<usize> {
        let mut eight = [0; 8];
        eight.get_mut(..size)?.copy_from_slice(bytes.get(at..at.checked_add(size)?)?);
        usize::try_from(u64::from_le_bytes(eight)).ok()
    };
    if !bytes.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    for index in 0..count {
        let entry = table.checked_add(index.checked_mul(size)?)?;
        if number(entry, 4)? == PT_INTERP {
            let (start, length) = (number(entry.checked_add(8)?, 8)?, number(entry.checked_add(32)?, 8)?);
            let text = bytes.get(start..start.checked_add(length)?)?;
            return Some(text.strip_suffix(b"\0").unwrap_or(text));
        }
    }
    None
}

/// The fault behind an error of making a pipe or opening the null device.
pub(super) fn of_descriptors(errno: Errno) -> SpawnFault {
    match errno {
        Errno::MFILE | Errno::NFILE => SpawnFault::NoMoreDescriptors,
        other => SpawnFault::Other(other.raw_os_error()),
    }
}
