//! The guardian of a session, for hosts that are libraries: lies beside them, and is started by the runtime only.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    return verbgate::process::guardian::main();
    #[cfg(not(target_os = "linux"))]
    ExitCode::from(2)
}
