//! `tools` and `schema`: what is there.

use serde_json::{Value as Json, json};
use verbgate::table::{ToolSpec, VerbSpec};

use super::Tools;
use crate::answer::{Answer, Usage, note};
use crate::args::Config;
use crate::config;

/// The tools that are switched on; standard error names the others.
///
/// # Errors
/// What a session needs of the machine is not there.
pub(crate) fn tools(config: &Config) -> Result<Answer, Usage> {
    let tools = Tools::read(&config::read(config.config.as_deref()))?;
    for (name, reason) in &tools.off {
        note(&format!("note: `{name}` is off: {reason}"));
    }
    let lines: Vec<(String, &VerbSpec, &str)> = tools.on.iter().flat_map(|tool| lines_of(tool)).collect();
    let width = lines.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    let text: Vec<String> = lines
        .iter()
        .map(|(name, verb, about)| format!("{name:width$}  {:17}  {}", verb.class.as_str(), sentence(about)))
        .collect();
    Ok(Answer { text: text.join("\n"), json: tools.on.iter().map(|tool| summary(tool)).collect(), status: 0 })
}

/// What a client is told.
///
/// # Errors
/// The tool that was named is unknown or off.
pub(crate) fn schema(tool: Option<&str>, config: &Config) -> Result<Answer, Usage> {
    let tools = Tools::read(&config::read(config.config.as_deref()))?;
    let shown = match tool {
        Some(name) => vec![tools.find(name)?],
        None => tools.on,
    };
    let json: Json = shown.iter().map(|tool| entry(tool)).collect();
    let text = serde_json::to_string_pretty(&json).unwrap_or_else(|_| json.to_string());
    Ok(Answer { text, json, status: 0 })
}

/// One line per verb: name, verb, description.
fn lines_of(tool: &'static ToolSpec) -> Vec<(String, &'static VerbSpec, &'static str)> {
    tool.verbs
        .iter()
        .map(|verb| match &verb.action {
            Some(action) => (format!("{} {action}", tool.name), verb, verb.description.as_ref()),
            None => (tool.name.to_string(), verb, tool.description.as_ref()),
        })
        .collect()
}

/// The first sentence: the rest is for whoever calls the tool.
fn sentence(text: &str) -> &str {
    let first = text.lines().next().unwrap_or_default();
    first.split_once(". ").map_or(first, |(sentence, _)| sentence).trim_end_matches('.')
}

fn summary(tool: &ToolSpec) -> Json {
    let verbs: Vec<Json> = tool
        .verbs
        .iter()
        .map(|verb| json!({ "action": verb.action, "class": verb.class.as_str(), "asks": verb.class.asks() }))
        .collect();
    json!({ "name": tool.name, "description": tool.description, "verbs": verbs })
}

fn entry(tool: &ToolSpec) -> Json {
    // The compiler has written the text; should it be no JSON after all, an empty object promises nothing.
    let input: Json = serde_json::from_str(&tool.input_schema).unwrap_or_else(|_| json!({}));
    json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": input,
        "annotations": tool.annotations.json(),
    })
}
