//! Holds the table of secrets' shapes to what it needs at run time: a rule that can't be used fails the build, since it
//! would else mask nothing, silently.

#[allow(dead_code)] // the runtime uses the rest of it
#[path = "src/output/rule_table.rs"]
mod rule_table;

use rule_table::{RULES, Rule};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/output/rule_table.rs");
    for rule in RULES {
        if let Err(fault) = usable(rule) {
            println!("cargo::error=rule `{}` of src/output/rule_table.rs: {fault}", rule.name);
        }
    }
}

fn usable(rule: &Rule) -> Result<(), String> {
    regex::Regex::new(&rule.expression()).map_err(|fault| fault.to_string().replace('\n', " "))?;
    if rule.keywords.is_empty() || rule.keywords.contains(&"") {
        return Err(String::from("it has no keyword, so it would never be looked for"));
    }
    if rule.source.is_empty() || rule.name.is_empty() {
        return Err(String::from("it has no name or no source"));
    }
    Ok(())
}
