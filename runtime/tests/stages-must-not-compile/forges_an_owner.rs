//! Neither `HostOwned` nor an outcome of one's own that has one can be put together.
use verbgate::host::Identity;
use verbgate::outcome::Outcome;
use verbgate::stages::HostOwned;

fn forge(own: Outcome, theirs: Outcome) -> Outcome {
    Outcome { text: own.text, ..theirs }
}

fn main() {
    let _ = HostOwned { origin: Identity::default() };
}
