//! Refuses parts of a path that `verbgate_table::sensitive` names.

use std::path::{Component, Path};

use super::{Naming, visible};
use crate::Code;
use crate::outcome::Failure;
use crate::table::{Text, sensitive};

/// Refuses a path with a sensitive component that the manifest does not name for this argument.
pub(super) fn refuse(name: &Naming<'_>, allowed: &[Text], path: &Path) -> Result<(), Failure> {
    for component in path.components() {
        let Component::Normal(part) = component else { continue };
        let part = part.to_string_lossy();
        let Some(why) = sensitive::refused(&part, allowed) else { continue };
        let part = sensitive::fold(&part);
        let what = format!("has the part `{}`, where nothing is written: {why}", visible(&part));
        return Err(name.failure(Code::NotAllowed, &what, "choose another place"));
    }
    Ok(())
}
