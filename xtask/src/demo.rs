//! `cargo xtask demo`: the three tools on the real program, as an agent would see them.

use crate::{Failure, sample, setup};

/// Runs the demo.
pub(crate) fn run() -> Result<(), Failure> {
    let cgc = setup::cgc()?;
    let sample = sample::make(&cgc)?;
    println!("indexed {} as `{}`: {} nodes", sample.workspace.display(), sample::REPOSITORY, sample.nodes);
    println!("home: {}", sample.home.display());
    Ok(())
}
