//! The system's random numbers.

use std::io;

/// Bytes that nobody can guess.
///
/// # Errors
/// The system gives none.
pub(crate) fn bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    #[cfg(target_os = "linux")]
    {
        use rustix::rand::{GetRandomFlags, getrandom};
        // Up to 256 bytes come whole, without /dev.
        let got = rustix::io::retry_on_intr(|| getrandom(&mut bytes[..], GetRandomFlags::empty()))?;
        if got != N {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    #[cfg(not(target_os = "linux"))]
    io::Read::read_exact(&mut std::fs::File::open("/dev/urandom")?, &mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_two_draws_are_alike() {
        assert_ne!(super::bytes::<16>().unwrap(), super::bytes::<16>().unwrap());
    }
}
