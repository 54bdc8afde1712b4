//! Keeps the fault of a stage from becoming the fault of a call, and a panic's text from leaving (contract C3.5).

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static SILENT: Cell<u32> = const { Cell::new(0) };
}

/// Runs `work`; none if it panicked.
///
/// Rust prints a panic's text to standard error before anything can catch it, and a text of ours may quote what it was
/// about to clean. So the first use puts a hook before the one that is there: silent for panics inside `work`, without
/// effect on all others. A hook is the only way, and it is the process's: this is the one thing here that is global.
pub fn shield<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if SILENT.try_with(Cell::get).unwrap_or(0) == 0 {
                before(panic);
            }
        }));
    });
    SILENT.with(|silent| silent.set(silent.get() + 1));
    let done = catch_unwind(AssertUnwindSafe(work));
    SILENT.with(|silent| silent.set(silent.get().saturating_sub(1)));
    done.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_none() {
        assert_eq!(shield(|| 1), Some(1));
        assert_eq!(shield(|| -> u8 { panic!("the secret is in this text") }), None);
    }
}
