//! Stages: VG07xx.

use super::codes;

codes! {}
