//! A private home and workspace for the demo, with the sample repository indexed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::setup::Cgc;
use crate::{Failure, files, run};

/// Where the demo runs.
pub(crate) struct Sample {
    /// The HOME of everything that runs.
    pub(crate) home: PathBuf,
    /// The session's folder; the sample repository is `library` in it.
    pub(crate) workspace: PathBuf,
    /// Nodes in the graph.
    pub(crate) nodes: u64,
}

/// Name of the repository's copy in the workspace.
pub(crate) const REPOSITORY: &str = "library";

const COUNT: &str = "
import kuzu, sys
connection = kuzu.Connection(kuzu.Database(sys.argv[1], read_only=True))
print(connection.execute('MATCH (n) RETURN count(n)').get_next()[0])
";

/// Makes both folders anew and indexes the repository.
///
/// # Errors
/// One line; also when the index holds a single node, which is what `cgc` makes, and calls a success, without parsers.
pub(crate) fn make(cgc: &Cgc) -> Result<Sample, Failure> {
    let demo = cgc.folder.join("demo");
    match fs::remove_dir_all(&demo) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(format!("{} can't be removed: {error}", demo.display()));
        }
        _ => {}
    }
    let (home, workspace) = (demo.join("home"), demo.join("workspace"));
    let state = home.join(".codegraphcontext");
    fs::create_dir_all(&state).map_err(|error| format!("{}: {error}", state.display()))?;
    files::write(&state.join(".env"), "DEFAULT_DATABASE=kuzudb\n")?;
    // A copy, since indexing leaves a file of its own in the repository.
    files::copy_folder(&run::root().join("tests/data/sample-repo"), &workspace.join(REPOSITORY))?;

    let mut index = Command::new(&cgc.program);
    index.args(["index", "."]).current_dir(workspace.join(REPOSITORY)).env_clear().env("HOME", &home);
    let indexed = run::kept(index.env("PATH", "/usr/bin:/bin").env("NO_COLOR", "1"))?;
    if !indexed.status.success() {
        return Err(format!("the sample repository can't be indexed: {}", run::last_line(&indexed)));
    }
    let mut count = Command::new(&cgc.python);
    count.args(["-c", COUNT]).arg(state.join("global/db/kuzudb")).env_clear().env("HOME", &home);
    let counted = run::kept(&mut count)?;
    let text = String::from_utf8_lossy(&counted.stdout).into_owned();
    match text.trim().parse::<u64>() {
        Ok(nodes) if nodes > 1 => Ok(Sample { home, workspace, nodes }),
        Ok(nodes) => Err(format!("the sample repository's graph has {nodes} node: cgc found no parsers")),
        Err(_) => Err(format!("the graph's nodes can't be counted: {}", run::last_line(&counted))),
    }
}
