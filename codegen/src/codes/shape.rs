//! Shape: VG01xx.

use super::codes;

codes! {}
