//! Whatever the bytes of a manifest are, compiling and reporting end without a panic.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use verbgate_codegen::{Options, compile_sources, emit};

fuzz_target!(|bytes: &[u8]| {
    let files = BTreeMap::from([("tools.yaml".to_owned(), bytes.to_vec())]);
    match compile_sources("tools.yaml", &files, &Options::default()) {
        Ok(compiled) => drop(emit::all(&compiled.catalogue)),
        Err(report) => {
            report.render(true);
            report.json();
        }
    }
});
