//! A folder as it stood at one moment, to be compared with later.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Every entry below a folder with what it held: bytes of a file, the text of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder(BTreeMap<PathBuf, Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Folder,
    File { inode: u64, bytes: Vec<u8> },
    Link(PathBuf),
    Other,
}

impl Folder {
    /// Looks at everything below.
    ///
    /// # Panics
    /// The folder can't be read.
    pub fn of(folder: &Path) -> Self {
        let mut seen = Self::default();
        seen.look(folder, Path::new(""));
        seen
    }

    fn look(&mut self, folder: &Path, below: &Path) {
        for entry in fs::read_dir(folder.join(below)).expect("the folder can be read") {
            let name = below.join(entry.expect("the entry can be read").file_name());
            let path = folder.join(&name);
            let meta = fs::symlink_metadata(&path).expect("the entry is there");
            let kind = if meta.is_dir() {
                self.look(folder, &name);
                Entry::Folder
            } else if meta.is_symlink() {
                Entry::Link(fs::read_link(&path).expect("the link can be read"))
            } else if meta.is_file() {
                Entry::File { inode: meta.ino(), bytes: fs::read(&path).expect("the file can be read") }
            } else {
                Entry::Other
            };
            self.0.insert(name, kind);
        }
    }

    /// Names of all entries, in order.
    pub fn names(&self) -> Vec<String> {
        self.0.keys().map(|name| name.to_string_lossy().into_owned()).collect()
    }

    /// Names of entries that a later look shows new, gone or different.
    pub fn changed(&self, later: &Self) -> Vec<String> {
        let mut names: Vec<&PathBuf> = self.0.keys().chain(later.0.keys()).collect();
        names.sort();
        names.dedup();
        let differ = |name: &&PathBuf| self.0.get(*name) != later.0.get(*name);
        names.into_iter().filter(differ).map(|name| name.to_string_lossy().into_owned()).collect()
    }
}
