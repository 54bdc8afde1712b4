//! Templates that only print.
//!
//! What a template prints is made harmless unless it was marked as our own words: a forgotten filter shows a text in an
//! ugly way, but never lets it out. Undefined names are errors, so that a misspelt key can't print nothing.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, ValueKind};
use minijinja::{Environment, UndefinedBehavior, Value};
use serde::Serialize;

/// Our own words: printed as they are.
pub(super) fn own(words: &str) -> Value {
    Value::from_safe_string(words.to_owned())
}

/// Renders a template that is part of this crate.
///
/// Can't fail but for a fault of the template itself, which a test of each would find; the text then says so.
pub(super) fn render(template: &str, escape: fn(&str) -> String, context: impl Serialize) -> String {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    match SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build() {
        Ok(syntax) => environment.set_syntax(syntax),
        Err(fault) => debug_assert!(false, "{fault:#}"),
    }
    environment.set_formatter(move |out, _state, value| {
        let text = value.to_string();
        let plain = value.is_safe() || matches!(value.kind(), ValueKind::Number | ValueKind::Bool);
        Ok(out.write_str(if plain { text } else { escape(&text) }.as_str())?)
    });
    environment.render_str(template, Serde(context)).unwrap_or_else(|fault| {
        debug_assert!(false, "{fault:#}");
        format!("verbgate could not render its own template ({fault}); please report it\n")
    })
}
