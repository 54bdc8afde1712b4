//! The guardian, where the tests of the runner find it.

fn main() -> std::process::ExitCode {
    verbgate::process::guardian::main()
}
