//! `tools.d.ts`: arguments and fields of each tool, for extensions written in TypeScript.
//!
//! Names beside a tool's own hold an underscore, which no tool's name in this form does: none of them can clash.

use minijinja::Value;
use serde::Serialize;
use verbgate_table::{
    ArgKind, ArgSpec, Catalogue, FieldSource, FieldSpec, FieldType, FileSpec, Presence, Scalar, ToolSpec, VerbSpec,
};

use super::escape::{doc_comment, js_string};
use super::json_schema::ACTION;
use super::rust::pascal_text;
use super::template::{own, render};

const TEMPLATE: &str = include_str!("../../templates/tools.d.ts.jinja");

/// The declarations.
pub fn tools(catalogue: &Catalogue) -> String {
    let tools: Vec<Tool> =
        catalogue.files.iter().flat_map(|file| file.tools.iter().map(|tool| self::tool(file, tool))).collect();
    // What is printed as it stands in the manifest stands in comments only.
    render(TEMPLATE, doc_comment, Page { tools })
}

#[derive(Serialize)]
struct Page {
    tools: Vec<Tool>,
}

#[derive(Serialize)]
struct Tool {
    /// The name as a string literal.
    literal: Value,
    kind: Value,
    docs: Vec<String>,
    /// The one verb; or none, and `actions`.
    properties: Option<Vec<Property>>,
    actions: Vec<Action>,
    fields: Vec<Field>,
    before: Vec<Field>,
}

#[derive(Serialize)]
struct Action {
    kind: Value,
    docs: Vec<String>,
    properties: Vec<Property>,
}

#[derive(Serialize)]
struct Property {
    name: Value,
    optional: bool,
    kind: Value,
    docs: Vec<String>,
}

#[derive(Serialize)]
struct Field {
    name: Value,
    kind: Value,
}

fn tool(file: &FileSpec, it: &ToolSpec) -> Tool {
    let kind = pascal_text(&it.name);
    let single = match it.verbs.as_ref() {
        [verb] if verb.action.is_none() => Some(verb.args.iter().map(property).collect()),
        _ => None,
    };
    let actions = it.verbs.iter().filter_map(|verb| action(&kind, verb)).collect();
    let first = |verb: &VerbSpec| {
        let before = verb.before.as_ref()?;
        let verb = file.tools.get(usize::from(before.tool))?.verbs.get(usize::from(before.verb))?;
        Some(verb.fields.to_vec())
    };
    let before: Vec<FieldSpec> = it.verbs.iter().filter_map(first).flatten().collect();
    Tool {
        literal: own(&js_string(&it.name)),
        kind: own(&kind),
        docs: lines(&it.description),
        properties: single,
        actions,
        fields: fields(it.verbs.iter().flat_map(|verb| verb.fields.iter())),
        before: fields(before.iter()),
    }
}

fn action(tool: &str, it: &VerbSpec) -> Option<Action> {
    let action = it.action.as_deref()?;
    let chooser =
        Property { name: own(&js_string(ACTION)), optional: false, kind: own(&js_string(action)), docs: Vec::new() };
    Some(Action {
        kind: own(&format!("{tool}_{}", pascal_text(action))),
        docs: lines(&it.description),
        properties: std::iter::once(chooser).chain(it.args.iter().map(property)).collect(),
    })
}

fn property(it: &ArgSpec) -> Property {
    let kind = match &it.kind {
        ArgKind::One(of) => scalar(of),
        ArgKind::Many { of, .. } => format!("Array<{}>", scalar(of)),
    };
    Property {
        // A string literal is a property name whatever it holds.
        name: own(&js_string(&it.name)),
        optional: !matches!(it.presence, Presence::Required),
        kind: own(&kind),
        docs: lines(&it.description),
    }
}

fn scalar(it: &Scalar) -> String {
    match it {
        Scalar::String { .. } | Scalar::Path { .. } | Scalar::Secret { .. } => "string".to_owned(),
        Scalar::Integer { .. } | Scalar::Number { .. } => "number".to_owned(),
        Scalar::Boolean => "boolean".to_owned(),
        Scalar::Choice(choices) => choices.iter().map(|choice| js_string(&choice.word)).collect::<Vec<_>>().join(" | "),
    }
}

/// Fields by name in the order of coming. One that two actions give in different types is any of them.
fn fields<'a>(specs: impl Iterator<Item = &'a FieldSpec>) -> Vec<Field> {
    let mut found: Vec<(&str, Vec<String>)> = Vec::new();
    for spec in specs {
        let kind = field(&spec.source);
        match found.iter_mut().find(|(name, _)| *name == spec.name) {
            None => found.push((&spec.name, vec![kind])),
            Some((_, kinds)) if kinds.contains(&kind) => {}
            Some((_, kinds)) => kinds.push(kind),
        }
    }
    found
        .into_iter()
        .map(|(name, kinds)| Field { name: own(&js_string(name)), kind: own(&kinds.join(" | ")) })
        .collect()
}

fn field(it: &FieldSource) -> String {
    match it {
        FieldSource::Match { kind, .. } | FieldSource::Json { kind, .. } => field_type(*kind).to_owned(),
        FieldSource::Each { kind, .. } | FieldSource::JsonLines { kind, .. } => {
            format!("Array<{}>", field_type(*kind))
        }
        FieldSource::EachNamed { groups, .. } => {
            let groups: Vec<String> =
                groups.iter().map(|(name, kind)| format!("{}?: {}", js_string(name), field_type(*kind))).collect();
            format!("Array<{{ {} }}>", groups.join("; "))
        }
        FieldSource::Exit(_) => "boolean".to_owned(),
    }
}

fn field_type(it: FieldType) -> &'static str {
    match it {
        FieldType::String => "string",
        FieldType::Integer | FieldType::Number => "number",
        FieldType::Boolean => "boolean",
        FieldType::Json => "unknown",
    }
}

/// The lines of a description that hold something.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
