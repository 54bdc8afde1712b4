//! Compiles `tools.yaml` (a link to the workspace's own).

fn main() {
    verbgate_codegen::cargo::build("tools.yaml");
}
