//! Frames between the host, the guardian and its workers: length, number of descriptors, a kind, texts and numbers.
//!
//! Both ends are the same build of this module (the greeting says so), on a socket that nobody else has. A frame that
//! can't be read is an error all the same, never a panic.

use std::collections::VecDeque;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

/// Descriptors in one frame, at most.
const FDS: usize = 4;
/// Bytes in one frame, at most: more than the system takes as an argument list.
pub(super) const FRAME: usize = 32 * 1024 * 1024;
const HEADER: usize = 5;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Guardian to host: it stands. Text: the version.
    Hello,
    /// Host to guardian: another worker, please. Answer: [`Kind::Worker`] or [`Kind::Failed`].
    NewWorker,
    /// Its socket and its pidfd.
    Worker,
    /// Host to guardian: remove this folder if the host dies. Number: an id; text: the name; descriptor: its parent.
    /// Answer: [`Kind::Noted`].
    Keep,
    /// The answer to it.
    Noted,
    /// Host to guardian: the folder of this id is gone. No answer.
    Release,
    /// Host to worker: start this.
    Job,
    /// Worker to host: started, and still there after a moment. Number: the pid; descriptor: its pidfd.
    Started,
    /// Not started, or no worker. Number: the system's error.
    Failed,
    /// Host to worker: end it.
    End,
    /// Worker to host: all of it is gone.
    Ended,
}

const KINDS: [Kind; 11] = [
    Kind::Hello,
    Kind::NewWorker,
    Kind::Worker,
    Kind::Keep,
    Kind::Noted,
    Kind::Release,
    Kind::Job,
    Kind::Started,
    Kind::Failed,
    Kind::End,
    Kind::Ended,
];

/// A frame that is being written.
#[derive(Debug)]
pub(super) struct Draft(Vec<u8>);

impl Draft {
    pub(super) fn new(kind: Kind) -> Self {
        let tag = KINDS.iter().position(|it| *it == kind).and_then(|it| u8::try_from(it).ok()).unwrap_or(u8::MAX);
        Self(vec![0, 0, 0, 0, 0, tag])
    }

    pub(super) fn number(mut self, number: u64) -> Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    pub(super) fn text(self, text: &[u8]) -> Self {
        let mut this = self.number(text.len() as u64);
        this.0.extend_from_slice(text);
        this
    }

    pub(super) fn texts<'a>(self, texts: impl ExactSizeIterator<Item = &'a [u8]>) -> Self {
        let count = self.number(texts.len() as u64);
        texts.fold(count, Draft::text)
    }

    /// Sends the frame with its descriptors; all of it, or an error.
    ///
    /// # Errors
    /// `EMSGSIZE`: too large. `ETIMEDOUT`. Whatever the socket says; `EPIPE` when the other end is gone.
    pub(super) fn send(mut self, socket: BorrowedFd<'_>, fds: &[BorrowedFd<'_>], until: Instant) -> Result<(), Errno> {
        let length = self.0.len() - HEADER;
        let (Ok(length), Ok(count)) = (u32::try_from(length), u8::try_from(fds.len())) else {
            return Err(Errno::MSGSIZE);
        };
        if self.0.len() > FRAME || fds.len() > FDS {
            return Err(Errno::MSGSIZE);
        }
        if let Some(header) = self.0.get_mut(..HEADER) {
            let bytes = length.to_le_bytes();
            header.copy_from_slice(&[bytes[0], bytes[1], bytes[2], bytes[3], count]);
        }
        let mut fds = fds;
        let mut rest = self.0.as_slice();
        while !rest.is_empty() {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FDS))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            if !fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(fds)) {
                return Err(Errno::MSGSIZE);
            }
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            match retry_on_intr(|| sendmsg(socket, &[IoSlice::new(rest)], &mut control, flags)) {
                Ok(sent) => {
                    fds = &[];
                    rest = rest.get(sent..).unwrap_or_default();
                }
                Err(Errno::AGAIN) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(Errno::TIMEDOUT);
                    }
                    let _ = poll(&mut [PollFd::from_borrowed_fd(socket, PollFlags::OUT)], Some(&super::timespec(left)));
                }
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }
}

/// A frame that came.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    bytes: Vec<u8>,
    at: usize,
    pub(super) fds: VecDeque<OwnedFd>,
}

impl Frame {
    pub(super) fn number(&mut self) -> Option<u64> {
        let bytes = self.bytes.get(self.at..self.at.checked_add(8)?)?;
        self.at += 8;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    pub(super) fn text(&mut self) -> Option<&[u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let text = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(text)
    }

    pub(super) fn texts(&mut self) -> Option<Vec<Vec<u8>>> {
        let count = self.number()?;
        (0..count).map(|_| self.text().map(<[u8]>::to_vec)).collect()
    }
}

/// What has come through a socket and was not looked at yet.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    bytes: Vec<u8>,
    fds: VecDeque<OwnedFd>,
    closed: bool,
}

/// Why no frame comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nothing {
    /// None yet.
    Yet,
    /// The other end is gone.
    Closed,
    /// A frame can't be read; the system's error says why (`EMFILE`: its descriptors did not fit).
    Broken(Errno),
}

impl Inbox {
    /// The next frame, without waiting.
    pub(super) fn next(&mut self, socket: BorrowedFd<'_>) -> Result<Frame, Nothing> {
        loop {
            if let Some(frame) = self.take()? {
                return Ok(frame);
            }
            if self.closed {
                return Err(Nothing::Closed);
            }
            self.fill(socket)?;
        }
    }

    /// The next frame, waiting for it.
    pub(super) fn wait(&mut self, socket: BorrowedFd<'_>, until: Instant) -> Result<Frame, Nothing> {
        loop {
            match self.next(socket) {
                Err(Nothing::Yet) => {}
                other => return other,
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Nothing::Broken(Errno::TIMEDOUT));
            }
            let _ = poll(&mut [PollFd::from_borrowed_fd(socket, PollFlags::IN)], Some(&super::timespec(left)));
        }
    }

    fn take(&mut self) -> Result<Option<Frame>, Nothing> {
        let Some(&[a, b, c, d, count]) = self.bytes.first_chunk::<HEADER>() else { return Ok(None) };
        let broken = Nothing::Broken(Errno::BADMSG);
        let length = usize::try_from(u32::from_le_bytes([a, b, c, d])).map_err(|_| broken)?;
        if length == 0 || length > FRAME {
            return Err(broken);
        }
        if self.bytes.len() < HEADER + length {
            return Ok(None);
        }
        let body = self.bytes.split_off(HEADER);
        let (tag, bytes) = match body.split_at_checked(length) {
            Some((body, rest)) => {
                self.bytes = rest.to_vec();
                body.split_first().ok_or(broken)?
            }
            None => return Err(broken),
        };
        let kind = *KINDS.get(usize::from(*tag)).ok_or(broken)?;
        let count = usize::from(count);
        if self.fds.len() < count {
            self.fds.clear();
            return Err(Nothing::Broken(Errno::MFILE));
        }
        Ok(Some(Frame { kind, bytes: bytes.to_vec(), at: 0, fds: self.fds.drain(..count).collect() }))
    }

    fn fill(&mut self, socket: BorrowedFd<'_>) -> Result<(), Nothing> {
        let mut bytes = [0; 16 * 1024];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FDS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
        let got = retry_on_intr(|| recvmsg(socket, &mut [IoSliceMut::new(&mut bytes)], &mut control, flags));
        match got {
            Ok(got) => {
                for message in control.drain() {
                    if let RecvAncillaryMessage::ScmRights(fds) = message {
                        self.fds.extend(fds);
                    }
                }
                self.closed = got.bytes == 0;
                self.bytes.extend_from_slice(bytes.get(..got.bytes).unwrap_or_default());
                Ok(())
            }
            Err(Errno::AGAIN) => Err(Nothing::Yet),
            Err(Errno::CONNRESET | Errno::PIPE) => {
                self.closed = true;
                Ok(())
            }
            Err(errno) => Err(Nothing::Broken(errno)),
        }
    }
}

/// A pair of connected sockets.
pub(super) fn pair() -> Result<(OwnedFd, OwnedFd), Errno> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::time::Duration;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[test]
    fn a_frame_of_any_size_arrives_whole_with_its_descriptors_and_in_order() {
        for size in [0, 1, 16 * 1024, 3_000_000] {
            let (one, two) = pair().unwrap();
            let text = vec![7_u8; size];
            let sent = text.clone();
            let sender = std::thread::spawn(move || {
                let fds = [one.as_fd()];
                let draft = Draft::new(Kind::Job).number(9).texts([&sent[..], b"x"].into_iter());
                draft.send(one.as_fd(), &fds, soon()).unwrap();
                Draft::new(Kind::End).send(one.as_fd(), &[], soon()).unwrap();
            });
            let mut inbox = Inbox::default();
            let mut frame = inbox.wait(two.as_fd(), soon()).unwrap();
            assert_eq!((frame.kind, frame.fds.len(), frame.number()), (Kind::Job, 1, Some(9)));
            assert_eq!(frame.texts(), Some(vec![text, b"x".to_vec()]));
            assert_eq!(frame.number(), None);
            drop(frame);
            assert_eq!(inbox.wait(two.as_fd(), soon()).unwrap().kind, Kind::End);
            sender.join().unwrap();
            assert_eq!(inbox.wait(two.as_fd(), soon()).unwrap_err(), Nothing::Closed);
        }
    }

    #[test]
    fn nonsense_is_an_error() {
        for bytes in [&[0, 0, 0, 0, 0][..], &[255, 255, 255, 255, 0], &[1, 0, 0, 0, 0, 200], &[1, 0, 0, 0, 3, 0]] {
            let (one, two) = pair().unwrap();
            rustix::io::write(&one, bytes).unwrap();
            assert!(matches!(Inbox::default().next(two.as_fd()), Err(Nothing::Broken(_))), "{bytes:?}");
        }
    }

    #[test]
    fn a_text_that_claims_to_be_longer_than_its_frame_is_refused() {
        let mut frame = Frame { kind: Kind::Job, bytes: u64::MAX.to_le_bytes().to_vec(), at: 0, fds: VecDeque::new() };
        assert_eq!(frame.text(), None);
    }
}
