//! `HostOwned` has no public constructor, a claim is none, and an outcome of one's own has no owner.
use verbgate::host::Identity;
use verbgate::outcome::Outcome;
use verbgate::stages::{CaptureSeam, HostOwned, NameAndShape};

fn open(seam: &dyn CaptureSeam, claim: &NameAndShape) {
    seam.cleaned(claim, "text");
}

fn forge(own: Outcome, theirs: Outcome) -> Outcome {
    Outcome { text: own.text, ..theirs }
}

fn copy(owner: &HostOwned) -> HostOwned {
    owner.clone()
}

fn main() {
    let _ = HostOwned { origin: Identity::default() };
    let _ = HostOwned::of_call(Identity::default());
}
