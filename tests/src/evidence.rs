//! Captured runs of the real program (`data/evidence/`), and what the table must make of each.

use std::fs;
use std::path::{Path, PathBuf};

use verbgate::table::capture::{Captured, Exit};

/// One captured run of a verb of the three tools.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name of its folder.
    pub name: String,
    /// The tool whose verb it is.
    pub tool: String,
    /// The action, if the tool has several.
    pub action: Option<String>,
    /// How it ended.
    pub exit: u8,
    /// `OK` or codes: each is right.
    pub codes: Vec<String>,
    /// Where its streams stand.
    pub folder: PathBuf,
}

/// Where the captured runs stand.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/evidence")
}

/// Every run that `expected.tsv` names, in its order.
///
/// # Panics
/// The table can't be read.
pub fn cases() -> Vec<Case> {
    let table = fs::read_to_string(folder().join("expected.tsv")).expect("expected.tsv is there");
    let rows = table.lines().skip(1).filter(|line| !line.is_empty());
    rows.map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, tool, action, exit, codes] = columns[..] else { panic!("five columns: {line}") };
        Case {
            name: name.to_owned(),
            tool: tool.to_owned(),
            action: (!action.is_empty()).then(|| action.to_owned()),
            exit: exit.parse().expect("an exit status"),
            codes: codes.split('|').map(str::to_owned).collect(),
            folder: folder().join(name),
        }
    })
    .collect()
}

impl Case {
    /// How it ended.
    pub fn ended(&self) -> Exit {
        Exit::Status(self.exit)
    }

    /// A stream, `stdout` or `stderr`, whole.
    ///
    /// # Panics
    /// The file can't be read.
    pub fn stream(&self, name: &str) -> Captured {
        Captured::whole(fs::read(self.folder.join(name)).expect("the stream is there"))
    }
}
