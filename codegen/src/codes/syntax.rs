//! Syntax: VG00xx.

use super::codes;

codes! {}
