//! Arguments and templates: VG02xx.

use super::codes;

codes! {}
