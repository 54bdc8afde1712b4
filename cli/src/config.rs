//! The user's own file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value as Json;
use verbgate::config::Configuration;
use verbgate::table::{json, show};

/// Reads `--config FILE`. A file that can't be read is kept as broken: the tools then count as off.
pub(crate) fn read(file: Option<&Path>) -> Configuration {
    let Some(file) = file else { return Configuration::default() };
    let name = show::one_line(&file.to_string_lossy());
    match object(file) {
        Ok(user) => Configuration { user, ..Configuration::default() },
        Err(reason) => Configuration { broken: Some(format!("`{name}` {reason}")), ..Configuration::default() },
    }
}

fn object(file: &Path) -> Result<Json, String> {
    let bytes = bytes_of(file, json::INPUT.bytes as u64).map_err(|error| format!("can't be read: {error}"))?;
    match json::read(&bytes) {
        Ok(user @ Json::Object(_)) => Ok(user),
        Ok(_) => Err("is no JSON object".to_owned()),
        Err(error) => Err(format!("is no JSON: line {}, column {}: {}", error.line, error.column, error.message)),
    }
}

/// Opens a file that ends: a pipe may never, and opening one waits for its writer.
///
/// # Errors
/// It can't be opened, or is neither a regular file nor the null device.
pub(crate) fn open(file: &Path) -> std::io::Result<File> {
    if !std::fs::metadata(file)?.is_file() && file != Path::new("/dev/null") {
        return Err(std::io::Error::other("it is no regular file"));
    }
    File::open(file)
}

/// A file's bytes, one more than the limit at most: whoever reads them then sees that they are too many.
pub(crate) fn bytes_of(file: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(file)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}
