//! Catalogues: VG06xx.

use super::codes;

codes! {}
