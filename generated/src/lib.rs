//! cgc-tools
