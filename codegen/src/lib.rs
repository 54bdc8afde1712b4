//! Compiles a manifest.
//!
//! ```text
//! text -> syntax::parse -> Node -> model::read -> Model -> check::run -> Catalogue (the Ir) -> emit::* -> Artifacts
//! ```
//!
//! A phase reports all its errors; the next starts only on a clean one. Pure but for [`load`] and [`cargo`].

pub mod cargo;
pub mod check;
pub mod codes;
pub mod diag;
pub mod emit;
pub mod load;
pub mod model;
pub mod pattern;
pub mod syntax;
