//! Whole calls, from the host's word to the agent's text, over a program that misbehaves on demand, and against
//! everybody who might: the agent, the program, the workspace, and whoever moves things while a person is asked.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test that can't go on says why

#[path = "call_parts/support.rs"]
mod support;

#[path = "call_parts/consent.rs"]
mod consent;
#[path = "call_parts/ending.rs"]
mod ending;
#[path = "call_parts/in_turn.rs"]
mod in_turn;
#[path = "call_parts/input.rs"]
mod input;
#[path = "call_parts/secrets.rs"]
mod secrets;
#[path = "call_parts/staging.rs"]
mod staging;
#[path = "call_parts/words.rs"]
mod words;
