//! What must not compile: consent that is made outside of the consent layer, and a start without it (C2, DESIGN 4).

#[test]
fn a_permit_cannot_be_made_or_gone_round() {
    trybuild::TestCases::new().compile_fail("tests/compile-fail/*.rs");
}
