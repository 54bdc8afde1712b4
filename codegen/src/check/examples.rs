//! Examples of verbs: VG0234, VG0235 (LANGUAGE section 6). Compiled by the functions that run-time calls use, as if in
//! the folder `/w`, which is also the only root, without a file system.

use std::str::FromStr;

use serde_json::{Map, Value as Json};
use verbgate_table::{Access, Code, FileSpec, ToolSpec, VerbSpec, args, argv, sensitive};

use super::Out;
use super::verbs::VerbPlace;
use crate::codes::args::{VG0234, VG0235};
use crate::diag::Diagnostic;

const FOLDER: &str = "/w";

/// Checks the examples of all verbs of a file.
pub(super) fn run(spec: &FileSpec, places: &[VerbPlace<'_>], out: &mut Out) {
    let verbs = spec.tools.iter().flat_map(|tool| tool.verbs.iter().map(move |verb| (tool, verb)));
    for ((tool, verb), place) in verbs.zip(places) {
        for (index, example) in place.verb.examples.iter().enumerate() {
            let at = place.at.key("examples").index(index);
            let wanted = match (&example.argv, &example.error) {
                (Some(argv), None) => Ok(argv),
                (None, Some(code)) => Err(code),
                (Some(_), Some(_)) => {
                    out.push(
                        Diagnostic::new(
                            &VG0235,
                            at.key("error").key_span(),
                            "this example has an `argv` and an `error`",
                        )
                        .also(at.key("argv").key_span(), "what is refused has no argv"),
                    );
                    continue;
                }
                (None, None) => {
                    out.push(
                        Diagnostic::new(&VG0235, at.span(), "this example does not say what comes of it")
                            .help("add the `argv` or the `error` that the arguments give"),
                    );
                    continue;
                }
            };
            let given = render(spec, tool, verb, example.args.iter());
            match (wanted, given) {
                (Ok(wanted), Ok(given)) if *wanted == given => {}
                (Ok(_), Ok(given)) => {
                    let shown = shown(&given);
                    out.push(
                        Diagnostic::new(&VG0234, at.key("argv").span(), "the arguments give another argv")
                            .help(format!("they give {shown}"))
                            .mend(at.key("argv").span(), shown),
                    );
                }
                (Ok(_), Err((code, message))) => {
                    out.push(
                        Diagnostic::new(&VG0234, at.key("argv").span(), format!("the arguments are refused: {code}"))
                            .help(message),
                    );
                }
                (Err(code), given) => match Code::from_str(code) {
                    Err(_) => {
                        out.push(Diagnostic::new(
                            &VG0235,
                            at.key("error").span(),
                            format!("there is no code `{code}`"),
                        ));
                    }
                    Ok(wanted) => match given {
                        Err((given, _)) if given == wanted => {}
                        Err((given, message)) => out.push(
                            Diagnostic::new(&VG0234, at.key("error").span(), format!("the arguments give {given}"))
                                .help(message),
                        ),
                        Ok(given) => out.push(
                            Diagnostic::new(&VG0234, at.key("error").span(), "the arguments are taken")
                                .help(format!("they give {}", shown(&given))),
                        ),
                    },
                },
            }
        }
    }
}

/// An argv as a manifest's author would write it.
fn shown(argv: &[String]) -> String {
    let words: Vec<String> = argv
        .iter()
        .map(|word| {
            let plain = word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '/')
                && word != "-"
                && word.parse::<f64>().is_err()
                && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
                    .contains(&word.to_ascii_lowercase().as_str())
                && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=+@%".contains(c));
            if plain {
                word.clone()
            } else if word.contains(|c: char| c.is_control()) {
                Json::from(word.as_str()).to_string()
            } else {
                format!("'{}'", word.replace('\'', "''"))
            }
        })
        .collect();
    format!("[{}]", words.join(", "))
}

fn render<'a>(
    spec: &FileSpec,
    tool: &ToolSpec,
    verb: &VerbSpec,
    given: impl Iterator<Item = (&'a str, &'a Json)>,
) -> Result<Vec<String>, (Code, String)> {
    let mut arguments = Map::new();
    if let Some(action) = &verb.action {
        arguments.insert("action".to_owned(), Json::from(action.as_ref()));
    }
    for (name, value) in given {
        arguments.insert(name.to_owned(), value.clone());
    }
    let refused = |refusal: args::Refusal| (Code::InvalidArgument, format!("{}; {}", refusal.message, refusal.hint));
    let mut values = args::check(tool, &Json::Object(arguments)).map_err(refused)?;
    values.try_map_paths(|path, text| resolve(&path, text))?;
    let argv = argv::render(&spec.program, verb, &values).map_err(refused)?;
    Ok(argv.into_iter().skip(spec.program.argv.len()).collect())
}

/// Where a path lies, by its text alone.
fn resolve(path: &args::PathArg<'_>, text: &str) -> Result<String, (Code, String)> {
    let absolute = if text.starts_with('/') { text.to_owned() } else { format!("{FOLDER}/{text}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in absolute.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    if parts.first() != Some(&"w") {
        return Err((Code::NotAllowed, format!("`{}` is outside `{FOLDER}`, the only root of examples", path.name)));
    }
    if path.access != Access::Read {
        let refused = parts.iter().find(|part| sensitive::refused(part, path.sensitive).is_some());
        if let Some(part) = refused {
            return Err((Code::NotAllowed, format!("`{part}` is a sensitive component")));
        }
    }
    Ok(format!("/{}", parts.join("/")))
}
