//! The table as Rust: one `static` and, per tool, a typed struct or enum.
//!
//! Everything passes through tokens (`quote`), a parser (`syn`) and a printer (`prettyplease`), item by item: a text of
//! the table can only ever become a string literal. Paths are absolute, so that no tool's name can hide one. Docs show
//! the manifest's text in code spans: rustdoc would otherwise run a description's code block as a test.

mod ident;
mod statics;
mod typed;

use proc_macro2::TokenStream;
use quote::quote;
use verbgate_table::Catalogue;

use super::escape::code_span;
pub(super) use ident::pascal_text;

/// First line of the file: tools that review or count code leave such files out.
const HEADER: &str = "// @generated from the manifest by verbgate: do not edit, change the manifest instead.\n";

/// The file that a crate includes: `include!(concat!(env!("OUT_DIR"), "/tools.rs"))`.
///
/// The crate depends on the runtime under its own name, `verbgate`. It gets `CATALOGUE` and one type per tool, named
/// after it (`cgc_context`: `CgcContext`); choices stand in a module of the tool's name (`cgc_context::Database`).
pub fn tools(catalogue: &Catalogue) -> String {
    let mut out = HEADER.to_owned();
    for item in std::iter::once(statics::catalogue(catalogue))
        .chain(std::iter::once(quote! {
            pub use self::__verbgate::CATALOGUE;
        }))
        .chain(catalogue.files.iter().flat_map(|file| file.tools.iter()).flat_map(typed::tool))
    {
        out.push('\n');
        out.push_str(&print(item));
    }
    out
}

/// One item as text. Tokens that are no item would be a fault of this module: whoever compiles the file is told.
fn print(item: TokenStream) -> String {
    match syn::parse2::<syn::Item>(item) {
        Ok(item) => {
            prettyplease::unparse(&syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items: vec![item] })
        }
        Err(fault) => {
            let message = format!("verbgate generated something that is no Rust ({fault}); please report it");
            quote!(::core::compile_error!(#message);).to_string()
        }
    }
}

/// `#[doc]` attributes that show a text literally, each of its lines as a paragraph of its own.
fn docs(text: &str) -> TokenStream {
    let lines: Vec<String> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| format!(" {}", code_span(line)))
        .collect();
    let lines = lines.iter().enumerate().map(|(at, line)| {
        let gap = (at > 0).then(|| quote!(#[doc = ""]));
        quote!(#gap #[doc = #line])
    });
    quote!(#(#lines)*)
}
