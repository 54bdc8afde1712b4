//! Outcomes: VG04xx.

use super::codes;

codes! {}
