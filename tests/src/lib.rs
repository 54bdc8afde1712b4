//! verbgate-tests
