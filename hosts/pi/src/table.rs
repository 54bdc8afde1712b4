//! The table for JavaScript: nothing of a tool is written there a second time.

use serde_json::{Value as Json, json};
use verbgate::stages::{MEASURED, withheld};
use verbgate::table::{ArgKind, Catalogue, ProviderKind, Scalar, StageKind, ToolSpec};

/// All of it, as JSON text.
pub(crate) fn of(catalogue: &Catalogue) -> String {
    let tools: Vec<Json> = catalogue
        .files
        .iter()
        .flat_map(|file| file.tools.iter().map(|spec| tool(spec, &file.program.executable.default)))
        .collect();
    let stages: Vec<Json> = catalogue
        .result_stages
        .iter()
        .map(|stage| {
            let measured: &[&str] = if stage.kind == StageKind::Normalise { &MEASURED } else { &[] };
            let tools: Vec<&str> = measured.iter().copied().chain(stage.tools.iter().map(AsRef::as_ref)).collect();
            json!({ "name": stage.name, "kind": kind(stage.kind), "tools": tools })
        })
        .collect();
    let provider: Vec<Json> = catalogue
        .provider_stages
        .iter()
        .map(|stage| json!({ "name": stage.name, "ours": stage.kind == ProviderKind::Redact }))
        .collect();
    let withheld = crate::calls::result(&withheld(), &[]);
    json!({ "tools": tools, "resultStages": stages, "providerStages": provider, "withheld": withheld }).to_string()
}

const fn kind(kind: StageKind) -> &'static str {
    match kind {
        StageKind::Enrich => "enrich",
        StageKind::Observe => "observe",
        StageKind::Normalise => "normalise",
        StageKind::Downstream => "downstream",
        StageKind::Sanitise => "sanitise",
    }
}

fn tool(tool: &ToolSpec, program: &str) -> Json {
    // The compiler has written the texts; should one be no JSON after all, an empty object promises nothing.
    let schema = |text: &str| serde_json::from_str::<Json>(text).unwrap_or_else(|_| json!({}));
    let secret = tool.verbs.iter().flat_map(|verb| verb.args.iter()).find(|arg| {
        let (ArgKind::One(scalar) | ArgKind::Many { of: scalar, .. }) = &arg.kind;
        matches!(scalar, Scalar::Secret { .. })
    });
    json!({
        "name": tool.name,
        "label": label(&tool.name),
        "program": program,
        "description": tool.description,
        "parameters": schema(&tool.input_schema),
        "outputSchema": schema(&tool.output_schema),
        "annotations": tool.annotations.json(),
        "secretArgument": secret.map(|arg| arg.name.as_ref()),
    })
}

/// `cgc_bundle_export` as a person reads it: `cgc bundle export`.
fn label(name: &str) -> String {
    name.replace('_', " ")
}
