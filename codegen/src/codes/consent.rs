//! Consent and paths: VG03xx.

use super::codes;

codes! {}
