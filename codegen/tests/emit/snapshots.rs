//! Everything that is emitted for the plain table, for a person to read when it changes.

use verbgate_codegen::emit;

use crate::sample;

#[test]
fn every_artefact_of_the_plain_table_reads_well() {
    for (path, text) in emit::all(&sample::catalogue(&sample::plain)) {
        // Of the language, not of a table; the model's own tests show it.
        if path == "manifest.schema.json" {
            continue;
        }
        insta::assert_snapshot!(path.replace('/', "_"), text);
    }
}

#[test]
fn emitting_twice_gives_the_same_bytes() {
    let once = emit::all(&sample::catalogue(&sample::hostile));
    assert_eq!(once, emit::all(&sample::catalogue(&sample::hostile)));
}
