//! What `cargo build` itself makes of a manifest: a broken one fails it with the report, a changed one is compiled again
//! and only a changed one, and no text of a manifest is obeyed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

/// A crate whose build script compiles a manifest, as a user's would.
struct Crate {
    name: &'static str,
    folder: PathBuf,
}

/// target/debug/deps/this: what is compiled already is not compiled again.
fn target() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_path_buf()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

impl Crate {
    /// With the shipped manifest and its catalogue. `manifest`: the name that it gets.
    fn new(name: &'static str, manifest: &str) -> Self {
        // The place is always the same, so that cargo keeps one crate and not one for each run.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-build").join(name);
        let _ = std::fs::remove_dir_all(&folder);
        let built = Self { name, folder };
        built.write(
            "Cargo.toml",
            &format!(
                "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
                 [build-dependencies]\nverbgate-codegen = {{ path = {:?} }}\n\n\
                 [profile.dev]\ndebug = \"line-tables-only\"\n",
                root().join("codegen")
            ),
        );
        built.write("build.rs", &format!("fn main() {{\n    verbgate_codegen::cargo::build({manifest:?});\n}}\n"));
        built.write("src/lib.rs", "const _: () = assert!(option_env!(\"SMUGGLED\").is_none());\n");
        let copy = |from: &str, to: &str| built.write(to, &std::fs::read_to_string(root().join(from)).unwrap());
        copy("Cargo.lock", "Cargo.lock");
        copy("tools.yaml", manifest);
        copy(CATALOGUE, CATALOGUE);
        built
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    /// Replaces what stands there exactly once.
    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.folder.join(name)).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{name} holds not once: {from}");
        self.write(name, &text.replacen(from, to, 1));
    }

    fn cargo(&self) -> Output {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // A check runs the build script as a build does.
        command.args(["check", "--offline", "--color", "never", "--target-dir"]).arg(target());
        command.env_remove("SMUGGLED").current_dir(&self.folder).output().unwrap()
    }

    fn passes(&self) {
        let output = self.cargo();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// What cargo prints when it refuses.
    fn fails(&self) -> String {
        let output = self.cargo();
        assert_eq!(output.status.code(), Some(101));
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!text.contains("panicked") && !text.contains("Caused by"), "the report and no trace: {text}");
        text
    }

    /// When its build script ran last, and what it printed.
    fn ran(&self) -> (SystemTime, String) {
        let prefix = format!("{}-", self.name);
        let folders = std::fs::read_dir(target().join("debug/build")).unwrap().map(|entry| entry.unwrap());
        let outputs = folders
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
            .map(|entry| entry.path().join("output"))
            .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, std::fs::read_to_string(file).ok()?)));
        outputs.max().unwrap()
    }

    /// Whether a build runs the build script.
    fn runs(&self) -> bool {
        let before = self.ran();
        self.passes();
        self.ran() != before
    }
}

const CATALOGUE: &str = "catalogs/codegraphcontext-mcp-0.6.13.json";

#[test]
fn a_collision_fails_the_build_with_both_places_and_the_three_tools_pass() {
    let built = Crate::new("verbgate-collides", "tools.yaml");
    built.passes();

    // By name.
    built.edit("tools.yaml", "\n  cgc_doctor:\n", "\n  find_code:\n");
    let report = built.fails();
    for place in ["find_code", "tools.yaml:", &format!("{CATALOGUE}:")] {
        assert!(report.contains(place), "{place} is missing: {report}");
    }
    built.edit("tools.yaml", "\n  find_code:\n", "\n  cgc_doctor:\n");
    built.passes();

    // By name, behind a host's prefix.
    built.edit(CATALOGUE, "\"name\": \"find_code\"", "\"name\": \"mcp__x__cgc_doctor\"");
    let report = built.fails();
    for place in ["mcp__x__cgc_doctor", "cgc_doctor", "tools.yaml:", &format!("{CATALOGUE}:")] {
        assert!(report.contains(place), "{place} is missing: {report}");
    }
    built.edit(CATALOGUE, "\"name\": \"mcp__x__cgc_doctor\"", "\"name\": \"find_code\"");
    built.passes();

    // By behaviour.
    built.edit("tools.yaml", "\n    argv: [doctor]\n", "\n    argv: [list]\n");
    let report = built.fails();
    for place in ["list_indexed_repositories", "tools.yaml:", &format!("{CATALOGUE}:")] {
        assert!(report.contains(place), "{place} is missing: {report}");
    }
}

#[test]
fn a_broken_manifest_fails_the_build_with_its_whole_report_and_a_mended_one_passes() {
    let built = Crate::new("verbgate-broken", "tools.yaml");
    built.edit("tools.yaml", "argv: [context, list]", "argv: [context, <lst>]");
    built.edit("tools.yaml", "\nenabled: {", "\nenabeld: {");
    // One phase at a time: what can't be read is not checked.
    let report = built.fails();
    assert!(report.contains("error[VG0101]") && report.contains("did you mean `enabled`?"), "{report}");
    assert!(report.contains("  --> tools.yaml:"), "{report}");
    built.edit("tools.yaml", "\nenabeld: {", "\nenabled: {");
    let report = built.fails();
    assert!(report.contains("error[VG0201]") && report.contains("`lst`"), "{report}");
    built.edit("tools.yaml", "argv: [context, <lst>]", "argv: [context, list]");
    built.passes();
}

#[test]
fn a_build_compiles_the_manifest_again_when_it_or_a_file_that_it_names_has_changed_and_only_then() {
    let built = Crate::new("verbgate-changes", "tools.yaml");
    built.passes();
    assert!(built.ran().1.contains("cargo::rerun-if-changed=tools.yaml"), "{:?}", built.ran());
    assert!(!built.runs(), "nothing has changed");
    built.write("README.md", "# Other files are none of its concern\n");
    built.write("catalogs/other.json", "{}");
    built.edit("src/lib.rs", "const _", "#[allow(unused)] const _");
    assert!(!built.runs(), "nothing that the manifest names has changed");
    built.edit("tools.yaml", "manifest: 1\n", "manifest: 1 # changed\n");
    assert!(built.runs(), "the manifest has changed");
    built.edit(CATALOGUE, "\"name\": \"find_code\"", "\"name\":  \"find_code\"");
    assert!(built.runs(), "the catalogue has changed");
    assert!(!built.runs(), "nothing has changed any more");
    // A manifest that includes another waits for that, too.
    let words: String =
        (0..3).map(|at| format!("  other_{at}: {{ description: Look., consent: read, argv: [look] }}\n")).collect();
    let other = format!(
        "manifest: 1\nprogram:\n  executable: {{ default: other }}\n  install: install it\n  env: {{ pass: [PATH] }}\ntools:\n{words}"
    );
    built.write("other.yaml", &other);
    built.write("tools.yaml", &format!("include: [other.yaml]\n{}", "manifest: 1\n"));
    built.passes();
    assert!(!built.runs(), "nothing has changed");
    built.edit("other.yaml", "other_2", "other_3");
    assert!(built.runs(), "the included file has changed");
}

#[test]
fn a_name_or_a_text_that_holds_an_instruction_is_not_obeyed() {
    // Cargo would set a variable, which the crate then refuses.
    let manifest = "tools\ncargo::rustc-env=SMUGGLED=1\n.yaml";
    let built = Crate::new("verbgate-smuggles", manifest);
    built.passes();
    built.edit(manifest, "\nenabled: {", "\n\"cargo::rustc-env=SMUGGLED=1\": 3\nenabled: {");
    built.fails();
    let printed = built.ran().1;
    let instructions = printed.lines().filter(|line| line.starts_with("cargo:"));
    for line in instructions {
        let known = ["cargo::rerun-if-changed=", "cargo::error="].iter().any(|known| line.starts_with(known));
        assert!(known, "{line}");
    }
}

/// The first block of the README in this language.
fn block(language: &str) -> String {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let start = format!("```{language}\n");
    let found = readme.lines().position(|line| line == start.trim_end());
    let lines = readme.lines().skip(found.unwrap_or_else(|| panic!("no block of {language}")) + 1);
    lines.take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_readmes_manifest_builds_as_it_says_and_its_mistake_is_reported_as_it_shows() {
    let built = Crate::new("verbgate-readme", "tools.yaml");
    built.write("tools.yaml", &block("yaml"));
    // Both files stand in one block, each behind its name.
    let both = block("rust");
    let (build, lib) = both.split_once("// src/lib.rs\n").unwrap();
    built.write("build.rs", build);
    assert_eq!(lib.trim_end(), "include!(concat!(env!(\"OUT_DIR\"), \"/tools.rs\"));");
    built.passes();
    built.edit("tools.yaml", "<glob>", "<globb>");
    let report = built.fails();
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let shown = readme.split("error[VG0201]").nth(1).and_then(|text| text.split("```").next()).unwrap();
    for line in format!("error[VG0201]{shown}").lines().map(str::trim).filter(|line| line.len() > 1) {
        assert!(report.contains(line), "the README shows `{line}`, and the build says {report}");
    }
}
