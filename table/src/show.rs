//! Characters that no text of an agent holds, and texts on one line. (Landing in pieces.)

/// Whether the character is of category Cc or Cf, or U+2028 or U+2029.
pub fn is_hidden(c: char) -> bool {
    let _ = c;
    todo!()
}
