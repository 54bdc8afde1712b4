//! Which file, which folder: what a later look is compared with.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// A file, and the state of its content as far as the system tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    /// Device.
    pub dev: u64,
    /// Inode.
    pub ino: u64,
    /// Bytes.
    pub size: u64,
    /// Last change of the content: seconds and nanoseconds.
    pub modified: (i64, i64),
    /// Last change of content or properties, which no program can set back.
    pub changed: (i64, i64),
}

impl FileIdentity {
    /// From what the system says of a file.
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            dev: metadata.dev(),
            ino: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// A folder. Its content may change, so only which one it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderIdentity {
    /// Device.
    pub dev: u64,
    /// Inode.
    pub ino: u64,
}

impl FolderIdentity {
    /// From what the system says of a folder.
    pub fn of(metadata: &Metadata) -> Self {
        Self { dev: metadata.dev(), ino: metadata.ino() }
    }
}
