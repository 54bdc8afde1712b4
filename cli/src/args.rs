//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// What stands under every help text.
const EXIT_STATUS: &str = "\
Exit status:
  0  done: a call that succeeded, a manifest without errors, and whatever `classify`, `explain` or `render` show
  1  the call failed, its arguments were refused (by `render`, too), or the manifest has errors
  2  the command line is wrong, --json holds no JSON, or the tool is unknown or switched off

Answers go to standard output; reports of `check`, notes and errors go to standard error. With `--format json` standard
output has one object in any case but a wrong command line: {\"error\": ...} where there is no answer.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "verbgate",
    version,
    about = "Shows, checks and calls the tools of a manifest",
    long_about = "Shows, checks and calls the tools of a manifest.\n\nThe tools are compiled into this program from \
                  tools.yaml. Nothing that is not written there can be run with it.",
    after_help = EXIT_STATUS,
    disable_help_subcommand = true
)]
pub(crate) struct CommandLine {
    /// How the answer is written
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For a person
    Text,
    /// One line of JSON
    Json,
}

/// What is asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the tools that are switched on
    #[command(
        long_about = "List the tools that are switched on: each verb with its consent class and what it does.\n\n\
                            Classes that ask a person before anything runs: file_write, registry_mutation, replace."
    )]
    Tools {
        #[command(flatten)]
        config: Config,
    },

    /// Print what a client is told of the tools
    #[command(long_about = "Print what a client is told of the tools: a JSON array of {name, description, \
                            inputSchema, annotations}.")]
    Schema {
        /// Only this tool
        tool: Option<String>,
        #[command(flatten)]
        config: Config,
    },

    /// Show what a call would run and ask, and run nothing
    #[command(long_about = "Show what a call would run and ask: the argv, the consent class and the question. Does \
                            all that a call does up to the question, with the same codes, and starts nothing. Shows \
                            the program's bare name if the program is missing.")]
    Render(Call),

    /// Call a tool
    #[command(long_about = "Call a tool and print what an agent would see.\n\nA verb that writes or removes asks on \
                            the terminal first and goes on only at the word `yes`. Without a terminal the call is \
                            declined, and nothing skips the question.")]
    Call(Call),

    /// Check a manifest
    #[command(long_about = "Check a manifest, with all files that it names. The report goes to standard error, each \
                            mistake with its place and a code that `verbgate explain` knows.")]
    Check {
        /// The manifest
        file: PathBuf,
    },

    /// Explain a code of a report
    #[command(
        long_about = "Explain a code of a report, as in `verbgate explain VG0101`: why it is a mistake, and the \
                            same text wrong and right."
    )]
    Explain {
        /// The code
        code: String,
    },

    /// Say what a captured run of the program means
    #[command(long_about = "Say what a captured run of the program means: the code and the row of the error table \
                            that it lands on, the text that an agent would get, and the fields.\n\nNothing is run. As \
                            the arguments are not known, placeholders stay as written, and files that the run should \
                            have made count as there.")]
    Classify(Classify),
}

/// The user's own configuration.
#[derive(Args, Debug)]
pub(crate) struct Config {
    /// Your own configuration: nested JSON, as in {"tools": {"cliGap": {"enabled": false}}}
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// One call.
#[derive(Args, Debug)]
pub(crate) struct Call {
    /// The tool's name
    pub(crate) tool: String,

    /// The arguments, a JSON object
    #[arg(long, value_name = "OBJECT", default_value = "{}", allow_hyphen_values = true)]
    pub(crate) json: String,

    /// The session's folder, in which the program runs and paths are looked up [default: the working directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) config: Config,
}

/// One captured run.
#[derive(Args, Debug)]
pub(crate) struct Classify {
    /// The tool's name
    pub(crate) tool: String,

    /// The action, for a tool that has several
    #[arg(long, value_name = "NAME")]
    pub(crate) action: Option<String>,

    /// How the program ended: an exit status, or a signal as in SIGKILL
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) exit: String,

    /// What it printed on standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) stdout: PathBuf,

    /// What it printed on standard error
    #[arg(long, value_name = "FILE")]
    pub(crate) stderr: PathBuf,
}
