//! Names and limits: VG08xx.

use super::codes;

codes! {}
