//! The examples of success: `VG0413` and `VG0422` (LANGUAGE sections 9 and 10).

use verbgate_table::capture::{Captured, Exit};
use verbgate_table::classify::{RunView, Verdict, classify, example_run};
use verbgate_table::{FileSpec, Stream, Streams, VerbSpec, fields};

use super::{File, Out};
use crate::codes::outcome::{VG0413, VG0422};
use crate::diag::Diagnostic;
use crate::model::{self, At, Sample};

/// The examples of success: each is one, and gives the fields that it names.
pub(super) fn check(
    spec: &FileSpec,
    verb: &VerbSpec,
    given: Option<&model::Success>,
    at: At<'_>,
    file: &File<'_>,
    out: &mut Out,
) {
    let Some(given) = given.filter(|given| given.r#match.is_none() || verb.success.pattern.is_some()) else { return };
    let at = at.key("success").key("examples");
    for (index, sample) in given.examples.iter().enumerate() {
        let at = at.index(index);
        let first = verb.success.exit.first().copied().unwrap_or(0);
        let (run, stdout, wanted) = match sample {
            Sample::Text(text) => {
                let is_stderr = verb.success.streams == Streams::Only(Stream::Stderr);
                let stdout = if is_stderr { String::new() } else { text.clone() };
                (example_run(verb.success.streams, Exit::Status(first), text), stdout, None)
            }
            Sample::Output(output) => {
                let bytes = |text: &Option<String>| Captured::whole(text.clone().unwrap_or_default().into_bytes());
                let exit = Exit::Status(output.exit.unwrap_or(first));
                (
                    RunView::new(exit, &bytes(&output.stdout), &bytes(&output.stderr)),
                    output.stdout.clone().unwrap_or_default(),
                    output.fields.as_ref(),
                )
            }
        };
        match classify(spec, verb, &[], &run, true, &|_| false) {
            Verdict::Success => {}
            Verdict::Row(landed) => {
                let span = file.at.key("errors").key(&landed.group.name).index(landed.index).span();
                out.push(
                    Diagnostic::new(&VG0413, at.span(), "this example is no success")
                        .also(span, "it lands on this row"),
                );
                continue;
            }
            Verdict::Unexplained(_) => {
                out.push(
                    Diagnostic::new(
                        &VG0413,
                        at.span(),
                        "this example is no success: exit status or marker are not there",
                    )
                    .help("patterns see lines: trimmed, runs of blanks as one space, empty lines dropped"),
                );
                continue;
            }
        }
        let Some(wanted) = wanted else { continue };
        let found = fields::take(verb, &run, Some(stdout.as_bytes()));
        for (name, value) in wanted.iter() {
            let at = at.key("fields").key(name);
            match found.get(name) {
                _ if !verb.fields.iter().any(|field| field.name == name) => {
                    out.push(Diagnostic::new(&VG0422, at.key_span(), format!("there is no field `{name}`")));
                }
                Some(found) if found == value => {}
                Some(found) => {
                    out.push(Diagnostic::new(&VG0422, at.span(), format!("the field `{name}` is `{found}` here")));
                }
                None if value.is_null() => {}
                None => out.push(Diagnostic::new(&VG0422, at.span(), format!("the field `{name}` is not found here"))),
            }
        }
    }
}
