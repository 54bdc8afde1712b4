//! What is kept of the output (C1.6, C5.4; reports 15, 16).

use crate::process::{End, Sink};
use crate::support::{Call, direct, runners};
use crate::table::Stream;
use crate::table::capture::Exit;

const KEEP: usize = 64 * 1024;

#[test]
fn totals_are_exact_and_head_and_tail_are_kept_at_every_size_around_the_caps() {
    for (who, runner) in runners() {
        for count in [0, 1, KEEP - 1, KEEP, KEEP + 1, 2 * KEEP, 2 * KEEP + 1, 5 * KEEP, 9 * KEEP + 3] {
            let got = Call::new(&["out", &count.to_string(), "err", "7"]).run(&runner);
            assert_eq!(got.stdout.total, count as u64, "{who}");
            assert_eq!(got.stdout.head.len(), count.min(KEEP), "{who} {count}");
            assert_eq!(got.stdout.tail.len(), count.saturating_sub(KEEP).min(KEEP), "{who} {count}");
            assert_eq!((got.stderr.total, got.end), (7, End::Exited(Exit::Status(0))), "{who}");
        }
    }
}

#[test]
fn both_streams_at_once_do_not_block_each_other() {
    for (who, runner) in runners() {
        let got = Call::new(&["both", "1000000"]).run(&runner);
        assert_eq!((got.stdout.total, got.stderr.total), (1_000_000, 1_000_000), "{who}");
    }
}

#[test]
fn one_byte_at_a_time_is_captured_whole() {
    for (who, runner) in runners() {
        assert_eq!(Call::new(&["drip", "3000"]).run(&runner).stdout.total, 3000, "{who}");
    }
}

#[test]
fn bytes_arrive_as_they_are_whatever_they_mean() {
    for (who, runner) in runners() {
        // Invalid UTF-8, half a character, a NUL, a lone CR.
        let got = Call::new(&["hex", "fffe00e282", "hexerr", "0d1b"]).run(&runner);
        assert_eq!(got.stdout.head, [0xff, 0xfe, 0, 0xe2, 0x82], "{who}");
        assert_eq!(got.stderr.head, [0x0d, 0x1b], "{who}");
    }
}

#[test]
fn report_15_a_flood_without_end_is_read_on_and_memory_stays() {
    for (who, runner) in runners() {
        let got = Call::new(&["flood"]).within(700).run(&runner);
        assert_eq!(got.end, End::TimedOut, "{who}");
        assert!(got.stdout.total > 4 * KEEP as u64, "{who}");
        assert!(got.stdout.head.len() == KEEP && got.stdout.tail.len() == KEEP, "{who}");
        assert!(got.stdout.head.capacity() <= KEEP && got.stdout.tail.capacity() <= KEEP, "{who}");
    }
}

#[derive(Default)]
struct Seen(Vec<u8>, Vec<u8>);

impl Sink for Seen {
    fn chunk(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Stdout => self.0.extend_from_slice(bytes),
            Stream::Stderr => self.1.extend_from_slice(bytes),
        }
    }
}

#[test]
fn a_sink_sees_every_byte_in_order() {
    let mut seen = Seen::default();
    let abort = crate::abort::Abort::new().unwrap();
    let call = Call::new(&["out", "1000000", "say", "end", "warn", "w"]);
    let got = call.run_with(&direct(), &abort, Some(&mut seen));
    assert_eq!(seen.0.len() as u64, got.stdout.total);
    assert!(seen.0.ends_with(b"xend\n") && seen.1 == b"w\n");
}
