//! `HostOwned` has no public constructor, and a claim is none.
use verbgate::stages::{CaptureSeam, HostOwned, NameAndShape};

fn open(seam: &dyn CaptureSeam, claim: &NameAndShape) {
    seam.cleaned(claim, "text");
}

fn main() {
    let _ = HostOwned { call: String::new() };
    let _ = HostOwned::of_call("1");
}
