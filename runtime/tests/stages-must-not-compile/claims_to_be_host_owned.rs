//! `HostOwned` has no public constructor, a claim is none, and it can't be copied.
use verbgate::host::Identity;
use verbgate::stages::{CaptureSeam, HostOwned, NameAndShape};

fn open(seam: &dyn CaptureSeam, claim: &NameAndShape) {
    seam.cleaned(claim, "text");
}

fn copy(owner: &HostOwned) -> HostOwned {
    owner.clone()
}

fn main() {
    let _ = HostOwned::of_call(Identity::default());
}
