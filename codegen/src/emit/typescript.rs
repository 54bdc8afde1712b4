//! TypeScript (follows).

use verbgate_table::Catalogue;

/// Not there yet: an empty text.
pub fn tools(catalogue: &Catalogue) -> String {
    let _ = catalogue;
    String::new()
}
