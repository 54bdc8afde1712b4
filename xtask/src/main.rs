//! The project's own commands: `cargo xtask demo | test [--long] | codegen [--check] | mutants | pi | tidy`.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a program for a terminal

mod codegen;
mod demo;
mod files;
mod mutants;
mod pi;
mod run;
mod sample;
mod setup;
mod test;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What went wrong, in one line for a person.
type Failure = String;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The project's own commands", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install the pinned `cgc`, index a sample repository and call the three tools, as an agent would see them
    Demo,
    /// Run every test of the 25-minute set, on the real `cgc` where Python 3.11 is there
    Test {
        /// Also run the slow tests
        #[arg(long)]
        long: bool,
    },
    /// Write the review artefacts of tools.yaml beside the generated crate
    Codegen {
        /// Write nothing; fail if one is stale
        #[arg(long)]
        check: bool,
    },
    /// Take each safety mechanism out of a copy of the project, one at a time, and see a test fail
    Mutants {
        /// Only those with this in their names
        #[arg(default_value = "")]
        only: String,
    },
    /// Build the package for Pi in hosts/pi
    Pi,
    /// Check what no compiler checks: file lengths, headers, leftovers
    Tidy,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Task::Demo => demo::run(),
        Task::Test { long } => test::run(long),
        Task::Codegen { check } => codegen::run(check),
        Task::Mutants { only } => mutants::run(&only),
        Task::Pi => pi::run(),
        Task::Tidy => tidy::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
