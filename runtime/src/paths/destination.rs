//! What is at the place that a `write` path names.

use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use super::walk::{Fault, Found};
use super::{Destination, FileIdentity, FolderIdentity, Naming, State};
use crate::Code;
use crate::outcome::Failure;

/// Looks, without following a link at the destination itself.
pub(super) fn look(name: &Naming<'_>, path: &Path, folder: &Found) -> Result<Destination, Failure> {
    if !folder.exists {
        return Err(name.failure(
            Code::NotFound,
            "lies in a folder that does not exist",
            "use a folder that exists, or make it first",
        ));
    }
    let fault = |error| name.walk(&Fault::System(path.to_owned(), error));
    let parent = std::fs::symlink_metadata(&folder.path).map_err(fault)?;
    if !parent.is_dir() {
        return Err(name.walk(&Fault::NotAFolder(folder.path.clone())));
    }
    let state = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => State::New,
        Err(error) if error.kind() == ErrorKind::InvalidFilename => return Err(name.walk(&Fault::TooLong)),
        Err(error) => return Err(fault(error)),
        Ok(there) => {
            let kind = there.file_type();
            if kind.is_file() {
                State::File(FileIdentity::of(&there))
            } else if kind.is_symlink() {
                State::Link(FileIdentity::of(&there))
            } else {
                let what = if kind.is_dir() {
                    "is a folder"
                } else if kind.is_fifo() {
                    "is a FIFO"
                } else if kind.is_socket() {
                    "is a socket"
                } else {
                    "is a device"
                };
                return Err(name.invalid(what, "name a file that is new or may be replaced"));
            }
        }
    };
    Ok(Destination { path: path.to_owned(), folder: FolderIdentity::of(&parent), state })
}
