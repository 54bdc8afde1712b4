//! Who can change a program's file (C1.11).

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Reason, Refusal};

/// Links are resolved already: `file` is canonical.
pub(super) fn check(file: &Path, metadata: &Metadata) -> Result<(), Refusal> {
    check_for(&Me::of_process(), file, metadata)
}

/// The canonical folder in which `found` stands, and everything above it.
pub(super) fn check_folder(folder: &Path, found: &Path) -> Result<(), Refusal> {
    folders(&Me::of_process(), folder, found)
}

/// The user that programs run as.
pub(super) struct Me {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

impl Me {
    fn of_process() -> Self {
        Self { uid: rustix::process::geteuid().as_raw(), gid: rustix::process::getegid().as_raw() }
    }

    fn trusts(&self, owner: u32) -> bool {
        owner == 0 || owner == self.uid
    }

    /// Whether somebody else can write. A group of the user's own (same number as the user) is nobody else. With an
    /// access list, which plain modes do not show, the group bits are the most that the list gives to anybody.
    pub(super) fn others_write(&self, metadata: &Metadata) -> bool {
        let own_group = self.uid == self.gid && metadata.gid() == self.gid;
        metadata.mode() & 0o002 != 0 || (metadata.mode() & 0o020 != 0 && !own_group)
    }
}

pub(super) fn check_for(me: &Me, file: &Path, metadata: &Metadata) -> Result<(), Refusal> {
    let refuse = |reason| Err(Refusal { file: file.to_owned(), reason });
    if metadata.mode() & 0o6000 != 0 {
        return refuse(Reason::SetUid);
    }
    if !me.trusts(metadata.uid()) {
        return refuse(Reason::Owner(metadata.uid()));
    }
    if me.others_write(metadata) {
        return refuse(Reason::Writable(file.to_owned()));
    }
    file.parent().map_or(Ok(()), |folder| folders(me, folder, file))
}

/// `folder` is written by nobody else; above it a sticky bit is enough, since it keeps others from renaming what is
/// not theirs.
pub(super) fn folders(me: &Me, folder: &Path, file: &Path) -> Result<(), Refusal> {
    let refuse = |reason| Err(Refusal { file: file.to_owned(), reason });
    for at in folder.ancestors() {
        let metadata = match std::fs::symlink_metadata(at) {
            Ok(metadata) => metadata,
            Err(error) => return refuse(Reason::System(error)),
        };
        let sticky = at != folder && metadata.mode() & 0o1000 != 0;
        if !me.trusts(metadata.uid()) {
            return refuse(Reason::FolderOwner(PathBuf::from(at), metadata.uid()));
        }
        if me.others_write(&metadata) && !sticky {
            return refuse(Reason::Writable(PathBuf::from(at)));
        }
    }
    Ok(())
}
