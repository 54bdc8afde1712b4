//! Environment and `never`: VG05xx.

use super::codes;

codes! {}
