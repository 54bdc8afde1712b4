//! A limit on what runs at once, with a fair queue: first come, first served.

use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;

use crate::abort::Abort;

use super::pipes;

/// The host aborted while waiting.
#[derive(Debug)]
pub(super) struct Aborted;

/// The places and who waits for one.
#[derive(Clone, Debug)]
pub(super) struct Queue(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    free: usize,
    waiting: VecDeque<Arc<OwnedFd>>,
}

/// One place; given to the next in the queue when it is dropped.
#[derive(Debug)]
pub(super) struct Place(Queue);

impl Queue {
    pub(super) fn new(places: usize) -> Self {
        Self(Arc::new(Mutex::new(State { free: places, waiting: VecDeque::new() })))
    }

    /// A place, after those who asked before.
    pub(super) fn enter(&self, abort: &Abort) -> Result<Place, Aborted> {
        // A place is handed over by writing one byte into the waiter's pipe, since a wait has to end for the abort too
        // and a condition variable can't be polled.
        let (read, ticket) = {
            let mut state = self.lock();
            if state.free > 0 {
                state.free -= 1;
                return Ok(Place(self.clone()));
            }
            let Ok((read, write)) = pipes::pair() else {
                drop(state);
                // Without a descriptor to wait by nothing could be started either: the spawn will say so.
                return self.enter_slowly(abort);
            };
            let ticket = Arc::new(write);
            state.waiting.push_back(Arc::clone(&ticket));
            (read, ticket)
        };
        let mut fds = [PollFd::from_borrowed_fd(abort.fd(), PollFlags::IN), PollFd::new(&read, PollFlags::IN)];
        let _ = retry_on_intr(|| poll(&mut fds, None));
        let mut state = self.lock();
        let still_waits = state.waiting.iter().any(|other| Arc::ptr_eq(other, &ticket));
        if still_waits {
            state.waiting.retain(|other| !Arc::ptr_eq(other, &ticket));
            return Err(Aborted);
        }
        drop(state);
        Ok(Place(self.clone()))
    }

    /// For when there are no descriptors: asks again every 20 ms, out of order.
    fn enter_slowly(&self, abort: &Abort) -> Result<Place, Aborted> {
        loop {
            if abort.is_raised() {
                return Err(Aborted);
            }
            let mut state = self.lock();
            if state.free > 0 {
                state.free -= 1;
                return Ok(Place(self.clone()));
            }
            drop(state);
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole after each statement, so a panic elsewhere can't have left it half-written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        match state.waiting.pop_front() {
            Some(next) => {
                // The place goes over to `next`; one byte in an empty pipe can't block.
                let _ = retry_on_intr(|| rustix::io::write(next.as_fd(), &[1]));
            }
            None => state.free += 1,
        }
    }
}
