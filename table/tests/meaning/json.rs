use serde_json::json;
use verbgate_table::json::{INPUT, OUTPUT, read, read_within};

#[test]
fn ordinary_documents_are_read_as_they_stand() {
    assert_eq!(read(br#" {"b": [1, -2, 5.0, 1e3], "a": {"x": null}} "#).unwrap().to_string().as_str(), {
        r#"{"b":[1,-2,5.0,1000.0],"a":{"x":null}}"#
    });
    assert_eq!(read(r#""\ud83d\ude00 é""#.as_bytes()).unwrap(), json!("😀 é"));
    assert_eq!(read(b"9007199254740993").unwrap(), json!(9_007_199_254_740_993_i64));
    assert_eq!(read(b"18446744073709551615").unwrap(), json!(u64::MAX));
    assert_eq!(read(b"1e30").unwrap(), json!(1e30));
    assert_eq!(read(b"[0.1, -0, 0e0, 1.50e1, 0.0, 5e-1]").unwrap(), json!([0.1, -0.0, 0.0, 15.0, 0.0, 0.5]));
}

#[test]
fn what_two_readers_could_read_differently_is_refused_with_its_place() {
    let cases: &[(&[u8], &str, usize, usize)] = &[
        (b"{\"a\": 1,\n \"a\": 2}", "the key `a` stands twice", 2, 4),
        (b"{\"x\": {\"\\u0061\": 1, \"a\": 2}}", "the key `a` stands twice", 1, 23),
        (b"\"\\ud800\"", "unexpected end of hex escape", 1, 8),
        (b"\"\\udc00\"", "lone leading surrogate in hex escape", 1, 7),
        (b"\"\\ud800\\u0041\"", "lone leading surrogate in hex escape", 1, 13),
        (b"[1,\n \"\xff\"]", "not UTF-8", 2, 3),
        (b"{} {}", "trailing characters", 1, 4),
        (b"[1,]", "trailing comma", 1, 4),
        (b"[1", "the text ends too early", 1, 2),
        (b"", "the text ends too early", 1, 1),
        (b"[NaN]", "expected value", 1, 2),
        (b"01", "invalid number", 1, 2),
        (b"1e999", "number out of range", 1, 5),
        (b"[\"-1\",\n 18446744073709551616]", "a whole number beyond 64 bits can't be held exactly", 2, 2),
        (b"9007199254740993.0", "this number can't be held exactly, it would become another whole number", 1, 1),
        (b"[9007199254740993e0]", "this number can't be held exactly, it would become another whole number", 1, 2),
        (b"0.99999999999999999999", "this number can't be held exactly, it would become another whole number", 1, 1),
        (b"1e-400", "this number can't be held exactly, it would become another whole number", 1, 1),
        (b"1e-99999999999999999999", "this number can't be held exactly, it would become another whole number", 1, 1),
        (b"\"\n\"", "control character (\\u0000-\\u001F) found while parsing a string", 2, 0),
    ];
    for (input, message, line, column) in cases {
        let error = read(input).unwrap_err();
        let shown = String::from_utf8_lossy(input);
        assert_eq!((error.message.as_str(), error.line), (*message, *line), "{shown}");
        assert_eq!(error.column, (*column).max(1), "{shown}");
    }
}

#[test]
fn depth_and_size_have_limits() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(nested(INPUT.depth).as_bytes()).is_ok());
    let error = read(nested(INPUT.depth + 1).as_bytes()).unwrap_err();
    assert_eq!(error.message, "more than 32 arrays and objects inside each other");
    assert!(read(nested(100_000).as_bytes()).is_err());
    assert!(read_within(nested(OUTPUT.depth).as_bytes(), OUTPUT).is_ok());
    assert!(read_within(nested(OUTPUT.depth + 1).as_bytes(), OUTPUT).is_err());

    let full = format!("\"{}\"", "x".repeat(INPUT.bytes - 2));
    assert!(read(full.as_bytes()).is_ok());
    assert_eq!(read(format!("{full} ").as_bytes()).unwrap_err().message, "longer than 1048576 bytes");
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        let _ = read(&bytes);
    }

    #[test]
    fn every_whole_number_within_the_limit_keeps_its_value_in_every_writing(n in -(1_i64 << 53)..=(1 << 53), z in 0_usize..20) {
        let zeros = "0".repeat(z);
        for written in [format!("{n}"), format!("{n}.0{zeros}"), format!("{n}{zeros}e-{z}"), format!("{n}e0")] {
            let value = read(written.as_bytes()).unwrap();
            #[allow(clippy::cast_possible_truncation)] // within ±2^53
            let whole = value.as_i64().or_else(|| value.as_f64().map(|float| float as i64));
            proptest::prop_assert_eq!(whole, Some(n), "{}", written);
        }
    }
}
