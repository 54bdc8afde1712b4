//! Emits the corpus of tables as Rust, so that `tests/emitted_rust.rs` can include it: what does not compile fails here.
#![allow(clippy::format_push_string)] // a build script

#[allow(dead_code, clippy::indexing_slicing, clippy::unwrap_used)] // shared with the tests of the compiler, which use all of it
#[path = "../codegen/tests/emit/sample.rs"]
mod sample;

use std::path::Path;

use verbgate_codegen::{Options, compile, emit};

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
    for (folder, name) in [("../examples", "examples"), ("../codegen/tests/ok", "corpus")] {
        if let Err(fault) = manifests(folder, &Path::new(&out).join(format!("{name}.rs"))) {
            println!("cargo::error={fault}");
        }
    }
}

/// One module for each manifest of the folder, in one file.
fn manifests(folder: &str, out: &Path) -> Result<(), String> {
    println!("cargo::rerun-if-changed={folder}");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .map_err(|fault| format!("{folder}: {fault}"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .collect();
    paths.sort();
    let (mut modules, mut list) = (String::new(), String::new());
    for path in &paths {
        println!("cargo::rerun-if-changed={}", path.display());
        let name = path.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_");
        let compiled = compile(path, &Options::default()).map_err(|report| {
            let report = report.render(false).replace('\n', "\\n");
            format!("{} does not compile: {report}", path.display())
        })?;
        modules.push_str(&format!("pub mod {name} {{\n{}\n}}\n", emit::rust::tools(&compiled.catalogue)));
        list.push_str(&format!("    ({name:?}, &{name}::CATALOGUE),\n"));
    }
    let text = format!(
        "{modules}/// Each manifest's name and table.\npub static ALL: &[(&str, &::verbgate::table::Catalogue)] = &[\n{list}];\n"
    );
    emit::write_if_changed(out, &text).map_err(|fault| fault.to_string())?;
    Ok(())
}
