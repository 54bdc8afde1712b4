//! The entry for a `build.rs`: compiles the manifest into `OUT_DIR`, and tells cargo what to wait for.
//!
//! Cargo obeys every line of a build script's output that begins with `cargo:`, and a report quotes the manifest. So
//! each line goes through one printer, [`Instructions`], that lets no text begin a line.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use verbgate_table::Catalogue;

use crate::diag::Report;
use crate::emit::{self, escape};
use crate::{Compiled, Options, compile};

/// Compiles `manifest` and writes `tools.rs` into `OUT_DIR`, if it changed.
///
/// Takes the manifest's path, relative to the package's folder, where cargo starts build scripts. A manifest with
/// mistakes, or a folder that can't be written, makes the build fail with a report; this function returns normally all
/// the same, since cargo hides a report behind a script's trace. A `build.rs` needs no more than this call.
pub fn build(manifest: impl AsRef<Path>) {
    let manifest = manifest.as_ref();
    let out_dir = std::env::var_os("OUT_DIR").map(PathBuf::from);
    let options = Options { today: today(SystemTime::now()), ..Options::default() };
    let mut instructions = Instructions(io::stdout().lock());
    let printed = match compile(manifest, &options) {
        Ok(Compiled { catalogue, warnings, sources, inputs }) => {
            let report = Report { sources, diagnostics: warnings, deny_warnings: false, inputs };
            finish(&mut instructions, &report.inputs, Ok(&catalogue), &report.render(false), out_dir.as_deref())
        }
        Err(report) => {
            finish(&mut instructions, &report.inputs, Err(Refused), &report.render(false), out_dir.as_deref())
        }
    };
    // Nobody reads the output: then there is nobody to tell that, either.
    let _ = printed;
}

/// The manifest has errors.
#[derive(Clone, Copy)]
struct Refused;

/// Tells cargo what to wait for, and the report; writes the file.
fn finish(
    instructions: &mut Instructions<impl Write>,
    inputs: &[PathBuf],
    outcome: Result<&Catalogue, Refused>,
    report: &str,
    out_dir: Option<&Path>,
) -> io::Result<()> {
    for input in inputs {
        instructions.rerun_if_changed(input)?;
    }
    let Ok(catalogue) = outcome else {
        // Cargo goes on after a script without an error line, and would then miss the file.
        let said = if report.trim().is_empty() { "the manifest was refused without a report" } else { report };
        return instructions.say("error", said);
    };
    instructions.say("warning", report)?;
    let Some(out_dir) = out_dir else {
        return instructions.say("error", "OUT_DIR is not set: call this from a build script");
    };
    match emit::write_if_changed(&out_dir.join("tools.rs"), &emit::rust::tools(catalogue)) {
        Ok(_) => Ok(()),
        Err(fault) => instructions.say("error", &fault.to_string()),
    }
}

/// The one printer of lines for cargo.
struct Instructions<W>(W);

impl<W: Write> Instructions<W> {
    /// One instruction per line of the text. What could end a line, or does not show, is made visible.
    fn say(&mut self, key: &'static str, text: &str) -> io::Result<()> {
        for line in text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line).trim_end()) {
            if !line.is_empty() {
                writeln!(self.0, "cargo::{key}={}", escape::visible(line))?;
            }
        }
        Ok(())
    }

    /// A path that an instruction can't hold is waited for by the nearest folder above that one can hold.
    fn rerun_if_changed(&mut self, path: &Path) -> io::Result<()> {
        let fits = |path: &&Path| path.to_str().is_some_and(|text| !text.is_empty() && escape::visible(text) == text);
        match path.ancestors().find(fits).and_then(Path::to_str) {
            Some(path) => writeln!(self.0, "cargo::rerun-if-changed={path}"),
            None => Ok(()),
        }
    }
}

/// The day of a moment as `YYYY-MM-DD` in UTC; none before 1970.
pub fn today(now: SystemTime) -> Option<String> {
    let days = i64::try_from(now.duration_since(UNIX_EPOCH).ok()?.as_secs() / 86_400).ok()?;
    // Howard Hinnant, "chrono-compatible low-level date algorithms", civil_from_days: years begin in March, so that the
    // leap day is a year's last.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::time::Duration;

    use verbgate_table::{Bytes, OutputSpec, Setting};

    use super::*;

    fn catalogue() -> Catalogue {
        Catalogue {
            files: Cow::Borrowed(&[]),
            output: OutputSpec {
                budget: Setting::fixed(Bytes(16_384)),
                error_tail: Setting::fixed(Bytes(4096)),
                redact: Setting::fixed(true),
                spill: Setting::fixed(false),
            },
            result_stages: Cow::Borrowed(&[]),
            provider_stages: Cow::Borrowed(&[]),
            capabilities: Cow::Borrowed(&[]),
        }
    }

    fn printed(inputs: &[&str], outcome: Result<&Catalogue, Refused>, report: &str, out: Option<&Path>) -> String {
        let inputs: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
        let mut instructions = Instructions(Vec::new());
        finish(&mut instructions, &inputs, outcome, report, out).unwrap();
        String::from_utf8(instructions.0).unwrap()
    }

    #[test]
    fn no_text_of_a_manifest_becomes_an_instruction() {
        let report =
            "error: x\ncargo::rustc-env=A=B\r\n\rcargo:rustc-cfg=y\u{85}cargo::metadata=z\u{2028}\u{b}cargo::q=1";
        let text = printed(&["tools.yaml", "a\ncargo::rustc-env=C=D"], Err(Refused), report, None);
        assert!(
            text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{b}'])
                .filter(|line| !line.is_empty())
                .all(|line| { line.starts_with("cargo::error=") || line.starts_with("cargo::rerun-if-changed=") })
        );
        insta::assert_snapshot!(text, @r"
        cargo::rerun-if-changed=tools.yaml
        cargo::error=error: x
        cargo::error=cargo::rustc-env=A=B
        cargo::error=␍cargo:rustc-cfg=y⟨U+0085⟩cargo::metadata=z⟨U+2028⟩⟨U+000B⟩cargo::q=1
        ");
    }

    #[test]
    fn a_path_with_a_line_end_is_waited_for_by_its_folder() {
        let text = printed(&["dir/a\nb"], Err(Refused), "e", None);
        assert_eq!(text, "cargo::rerun-if-changed=dir\ncargo::error=e\n");
    }

    #[test]
    fn a_manifest_with_errors_writes_nothing() {
        let out = tempfile::tempdir().unwrap();
        assert_eq!(
            printed(&[], Err(Refused), "error[VG0001]: bad", Some(out.path())),
            "cargo::error=error[VG0001]: bad\n"
        );
        assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_good_manifest_is_written_once_with_its_warnings_beside() {
        let out = tempfile::tempdir().unwrap();
        let table = catalogue();
        assert_eq!(
            printed(&["t.yaml"], Ok(&table), "warning: w\n", Some(out.path())),
            "cargo::rerun-if-changed=t.yaml\ncargo::warning=warning: w\n"
        );
        let file = out.path().join("tools.rs");
        let first = std::fs::metadata(&file).unwrap().modified().unwrap();
        printed(&["t.yaml"], Ok(&table), "", Some(out.path()));
        assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), first);
        assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_can_not_be_written_is_one_clear_line_and_leaves_nothing_half() {
        let out = tempfile::tempdir().unwrap();
        let file = out.path().join("no-folder");
        std::fs::File::create(&file).unwrap();
        let text = printed(&[], Ok(&catalogue()), "", Some(&file));
        assert!(text.starts_with("cargo::error=can't write `") && text.lines().count() == 1, "{text}");
        assert!(printed(&[], Ok(&catalogue()), "", None).starts_with("cargo::error=OUT_DIR is not set"));
        // What is renamed over a folder fails after the text was written: then that is taken back.
        let blocked = out.path().join("out");
        std::fs::create_dir_all(blocked.join("tools.rs/x")).unwrap();
        assert!(printed(&[], Ok(&catalogue()), "", Some(&blocked)).starts_with("cargo::error=can't write `"));
        assert_eq!(std::fs::read_dir(&blocked).unwrap().count(), 1);
    }

    #[test]
    fn days_are_dates() {
        let day = |seconds| today(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(951_782_399), "2000-02-28");
        assert_eq!(day(951_782_400), "2000-02-29");
        assert_eq!(day(951_868_800), "2000-03-01");
        assert_eq!(day(1_798_761_599), "2026-12-31");
        assert_eq!(today(UNIX_EPOCH - Duration::from_secs(1)), None);
    }
}
