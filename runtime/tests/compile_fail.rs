//! What must not compile: consent that is made outside of the consent layer, a start without it (C2), a secret in a text, and a
//! result stage that oversteps. One runner, so that the crate is built once.

#[test]
fn consent_is_not_made_elsewhere_and_a_stage_does_not_overstep() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile-fail/*.rs");
    cases.compile_fail("tests/stages-must-not-compile/*.rs");
}
