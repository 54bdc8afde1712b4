//! Emits the corpus of tables as Rust, so that `tests/emitted_rust.rs` can include it: what does not compile fails here.

#[allow(dead_code, clippy::indexing_slicing, clippy::unwrap_used)] // shared with the tests of the compiler, which use all of it
#[path = "../codegen/tests/emit/sample.rs"]
mod sample;

use std::path::Path;

use verbgate_codegen::emit;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../codegen/tests/emit/sample.rs");
    let Some(out) = std::env::var_os("OUT_DIR") else {
        println!("cargo::error=OUT_DIR is not set: this is a build script");
        return;
    };
    for (name, words) in [("plain", sample::plain as fn(&str) -> String), ("hostile", sample::hostile)] {
        let text = emit::rust::tools(&sample::catalogue(&words));
        if let Err(fault) = emit::write_if_changed(&Path::new(&out).join(format!("{name}.rs")), &text) {
            println!("cargo::error={fault}");
        }
    }
}
