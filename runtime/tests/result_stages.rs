//! The decision record on tool-result stage ordering, sentence by sentence; `docs/result-stages.md` names each test.

use std::borrow::Cow;
use std::cell::RefCell;

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use verbgate::stages::{
    Block, ContextGateway, CredentialFirewall, Delivered, Downstream, Enrich, Fault, Mode, NameAndShape, Normalise,
    Observe, Sanitise, Stage, TruncationMetadataNormalizer, UnsupportedMode, WITHHELD, measure,
};

fn truncation(content: &str) -> Json {
    json!({
        "content": content, "truncated": true, "truncatedBy": "lines", "totalLines": 10, "totalBytes": 100,
        "outputLines": 2, "outputBytes": 20, "lastLinePartial": false, "firstLineExceedsLimit": false,
        "maxLines": 2, "maxBytes": 50
    })
}

fn read_result(text: &str, content: &str) -> Delivered {
    Delivered {
        content: vec![Block::Text(text.into())],
        details: json!({ "before": 1, "truncation": truncation(content), "after": [2] }),
    }
}

fn normalise(tool: &str, delivered: Delivered) -> Delivered {
    let stage = TruncationMetadataNormalizer { tools: &[] };
    Stage::Normalise(&stage).apply("truncation_metadata_normalizer", tool, delivered, &|_| {})
}

struct Append(&'static str);
impl Enrich for Append {
    fn enrich(&self, _: &str, _: &Delivered) -> Result<Vec<Block>, Fault> {
        Ok(vec![Block::Text(self.0.into())])
    }
}

struct Panics;
impl Enrich for Panics {
    fn enrich(&self, _: &str, _: &Delivered) -> Result<Vec<Block>, Fault> {
        panic!("s3cr3t-in-a-panic")
    }
}
impl Observe for Panics {
    fn observe(&self, _: &str, _: &Delivered) -> Result<(), Fault> {
        panic!("s3cr3t-in-a-panic")
    }
}
impl Normalise for Panics {
    fn normalise(&self, _: &NameAndShape, _: &Delivered) -> Result<Option<Json>, Fault> {
        panic!("s3cr3t-in-a-panic")
    }
}
impl Downstream for Panics {
    fn pass(&self, _: &str, _: Delivered) -> Result<Delivered, Fault> {
        panic!("s3cr3t-in-a-panic")
    }
}
impl Sanitise for Panics {
    fn sanitise(&self, _: &str, _: &Delivered) -> Result<Delivered, Fault> {
        panic!("s3cr3t-in-a-panic")
    }
}

/// A downstream observer of nobody's: keeps what it was handed.
struct Recorder(RefCell<Vec<Delivered>>);
impl Downstream for Recorder {
    fn pass(&self, _: &str, delivered: Delivered) -> Result<Delivered, Fault> {
        self.0.borrow_mut().push(delivered.clone());
        Ok(delivered)
    }
}

#[test]
fn the_whole_order_runs_with_a_fake_downstream_observer() {
    let observed = RefCell::new(Vec::new());
    let hand_over = |measured: &Json| observed.borrow_mut().push(measured.clone());
    let redact = |text: &str| Some(text.replace("hunter2hunter2", "(redacted)"));
    let (lsp, comments, recorder) = (Append(" lsp"), Append(" comments"), Recorder(RefCell::new(Vec::new())));
    let gateway = ContextGateway { mode: Mode::Observe, observed: &hand_over };
    let normaliser = TruncationMetadataNormalizer { tools: &[] };
    let firewall = CredentialFirewall { redact: &redact };
    let order: [(&str, Stage<'_>); 6] = [
        ("lsp_diagnostics", Stage::Enrich(&lsp)),
        ("comment_checker", Stage::Enrich(&comments)),
        ("context_gateway", Stage::Observe(&gateway)),
        ("truncation_metadata_normalizer", Stage::Normalise(&normaliser)),
        ("downstream", Stage::Downstream(&recorder)),
        ("credential_firewall", Stage::Sanitise(&firewall)),
    ];
    assert!(order.windows(2).all(|pair| pair[0].1.kind() <= pair[1].1.kind()), "the kinds stand in the record's order");
    let mut result = read_result("hunter2hunter2", "hunter2");
    for (name, stage) in &order {
        result = stage.apply(name, "read", result, &|fault| panic!("{fault}"));
    }
    assert_eq!(result.text(), "(redacted) lsp comments");
    assert_eq!(observed.borrow()[0]["duplicates"], 1, "observe sees the boundary before the clean-up");
    assert_eq!(observed.borrow()[0]["bytes"], "hunter2hunter2 lsp comments".len());
    let kept = recorder.0.borrow();
    assert!(kept[0].details["truncation"].get("content").is_none(), "downstream holds no copy from before shaping");
    assert_eq!(kept[0].text(), "hunter2hunter2 lsp comments");
}

#[test]
fn the_normaliser_removes_only_a_proven_duplicate_and_keeps_every_other_key_in_order() {
    let cleaned = normalise("read", read_result("head and more", "head"));
    assert_eq!(cleaned.text(), "head and more");
    let keys: Vec<_> = cleaned.details.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["before", "truncation", "after"]);
    let mut expected = truncation("head");
    expected.as_object_mut().unwrap().shift_remove("content");
    assert_eq!(cleaned.details["truncation"].to_string(), expected.to_string());
}

#[test]
fn the_normaliser_joins_text_blocks_without_separator_and_leaves_images_alone() {
    let image = Block::Other(json!({ "type": "image", "data": "AAAA" }));
    let mut result = read_result("he", "head");
    result.content.push(image.clone());
    result.content.push(Block::Text("ad".into()));
    let cleaned = normalise("bash", result.clone());
    assert!(cleaned.details["truncation"].get("content").is_none());
    assert_eq!(cleaned.content, result.content);
}

#[test]
fn the_normaliser_leaves_what_is_not_proven() {
    let whole = |details: Json| Delivered { content: vec![Block::Text("head and more".into())], details };
    let changed = |key: &str, value: Json| {
        let mut details = json!({ "truncation": truncation("head") });
        details["truncation"][key] = value;
        whole(details)
    };
    let mut cases = vec![
        ("another tool", "grep", read_result("head", "head")),
        ("case of the name", "Read", read_result("head", "head")),
        ("text elsewhere", "read", read_result("a head", "head")),
        ("no text", "read", Delivered { content: vec![], ..read_result("", "head") }),
        ("details are no object", "read", whole(json!([1]))),
        ("truncation is no object", "read", whole(json!({ "truncation": "head" }))),
        ("empty content proves nothing", "read", changed("content", json!(""))),
        ("content is no text", "read", changed("content", json!(["head"]))),
        ("not truncated", "read", changed("truncated", json!(false))),
        ("truncated by something else", "read", changed("truncatedBy", json!("words"))),
        ("a key that was not measured", "read", changed("path", json!("/etc/passwd"))),
        ("flag is no boolean", "read", changed("lastLinePartial", json!(0))),
        ("flag is no boolean", "read", changed("firstLineExceedsLimit", json!(null))),
    ];
    for number in ["totalLines", "totalBytes", "outputLines", "outputBytes", "maxLines", "maxBytes"] {
        cases.push(("negative", "read", changed(number, json!(-1))));
        cases.push(("no number", "read", changed(number, json!("1"))));
    }
    for (why, tool, result) in cases {
        assert_eq!(normalise(tool, result.clone()), result, "{why}");
    }
}

#[test]
fn the_normaliser_takes_the_names_that_the_manifest_lists() {
    let tools = [Cow::Borrowed("ast_grep")];
    let stage = TruncationMetadataNormalizer { tools: &tools };
    let cleaned = Stage::Normalise(&stage).apply("n", "ast_grep", read_result("head", "head"), &|_| {});
    assert!(cleaned.details["truncation"].get("content").is_none());
}

#[test]
fn with_the_firewall_off_nothing_says_that_something_was_redacted() {
    let cleaned = normalise("read", read_result("password=hunter2hunter2", "password"));
    let all = format!("{cleaned:?}");
    assert!(all.contains("hunter2hunter2"));
    assert!(!all.to_lowercase().contains("redact") && !all.to_lowercase().contains("withheld"), "{all}");
}

#[test]
fn observe_never_changes_a_result_and_off_measures_nothing() {
    for (mode, times) in [(Mode::Off, 0), (Mode::Observe, 1)] {
        let seen = RefCell::new(0);
        let count = |_: &Json| *seen.borrow_mut() += 1;
        let stage = ContextGateway { mode, observed: &count };
        let before = read_result("text", "te");
        let after = Stage::Observe(&stage).apply("context_gateway", "read", before.clone(), &|_| {});
        assert_eq!(format!("{after:?}"), format!("{before:?}"));
        assert_eq!(*seen.borrow(), times);
    }
    assert_eq!(Mode::default(), Mode::Off);
}

#[test]
fn enforce_is_refused_at_run_time_with_the_records_reason() {
    assert_eq!(Mode::read("enforce"), Err(UnsupportedMode));
    assert_eq!(Mode::read("on please"), Err(UnsupportedMode));
    assert_eq!(Mode::read("observe"), Ok(Mode::Observe));
    assert!(UnsupportedMode::REASON.contains("put raw content back"));
}

#[test]
fn a_stage_that_panics_or_errors_is_skipped_and_its_words_stay_inside() {
    let result = read_result("text", "te");
    for stage in
        [Stage::Enrich(&Panics), Stage::Observe(&Panics), Stage::Normalise(&Panics), Stage::Downstream(&Panics)]
    {
        let log = RefCell::new(String::new());
        let after = stage.apply("s", "read", result.clone(), &|fault| log.borrow_mut().push_str(fault));
        assert_eq!(after, result, "{:?}", stage.kind());
        assert!(log.borrow().contains("stage `s` was left out") && !log.borrow().contains("s3cr3t"));
    }
}

#[test]
fn a_sanitiser_that_panics_withholds_and_says_so() {
    let after = Stage::Sanitise(&Panics).apply("s", "cgc_doctor", read_result("token", "to"), &|_| {});
    assert_eq!(after.text(), WITHHELD);
    assert_eq!(after.details, json!({ "withheld": true }));
}

#[test]
fn the_firewall_cleans_content_and_every_string_of_details_keys_too() {
    let redact = |text: &str| Some(text.replace("hunter2", "(redacted)"));
    let stage = CredentialFirewall { redact: &redact };
    let image = Block::Other(json!({ "type": "image", "data": "hunter2" }));
    let result = Delivered {
        content: vec![Block::Text("a hunter2".into()), image.clone(), Block::Other(json!({ "type": "new" }))],
        details: json!({ "hunter2": [{ "x": "hunter2" }], "n": 1 }),
    };
    let after = Stage::Sanitise(&stage).apply("credential_firewall", "bash", result, &|_| {});
    assert_eq!(after.content, vec![Block::Text("a (redacted)".into()), image, Block::Text(WITHHELD.into())]);
    assert_eq!(after.details, json!({ "(redacted)": [{ "x": "(redacted)" }], "n": 1 }));
}

#[test]
fn details_that_the_firewall_cannot_look_into_are_withheld_and_pass_unchanged_without_it() {
    let mut deep = json!("end");
    for _ in 0..100 {
        deep = json!([deep]);
    }
    let huge = "x".repeat(50 << 20);
    let redact = |text: &str| Some(text.to_owned());
    for details in [json!("no object"), json!([1]), json!({ "deep": deep }), json!({ "huge": huge })] {
        let result = Delivered { content: vec![Block::Text("t".into())], details };
        assert!(normalise("read", result.clone()) == result);
        measure("read", &result);
        let stage = CredentialFirewall { redact: &redact };
        let after = Stage::Sanitise(&stage).apply("credential_firewall", "read", result, &|_| {});
        assert_eq!(after.details, json!({ "withheld": WITHHELD }));
    }
}

fn sanitised(content: Vec<Block>, details: Json, redact: &dyn Fn(&str) -> Option<String>) -> Delivered {
    let stage = CredentialFirewall { redact };
    Stage::Sanitise(&stage).apply("credential_firewall", "read", Delivered { content, details }, &|_| {})
}

#[test]
fn the_firewall_looks_as_deep_and_as_far_as_it_says_and_withholds_the_rest() {
    let same = |text: &str| Some(text.to_owned());
    let deep = |levels: usize| (0..levels).fold(json!("end"), |inner, _| json!({ "d": inner }));
    for (details, fits) in [
        (deep(31), true),
        (deep(32), false),
        (json!({ "x": "x".repeat((8 << 20) - 1) }), true),
        (json!({ "x": "x".repeat(8 << 20) }), false),
        (json!({ "x": ["x".repeat(4 << 20), "x".repeat(4 << 20)] }), false),
        (Json::Null, true),
    ] {
        let after = sanitised(vec![Block::Text("t".into())], details.clone(), &same);
        assert!(after.details == if fits { details } else { json!({ "withheld": WITHHELD }) }, "{fits}");
        assert_eq!(after.text(), "t", "the content is its own part");
    }
}

#[test]
fn what_the_firewall_could_not_look_through_is_withheld_part_by_part() {
    let refuse = |text: &str| (text != "bad").then(|| text.to_owned());
    let after = sanitised(
        vec![Block::Text("good".into()), Block::Text("bad".into())],
        json!({ "a": { "b": ["good", "bad"] } }),
        &refuse,
    );
    assert_eq!(after.content, [Block::Text("good".into()), Block::Text(WITHHELD.into())]);
    assert_eq!(after.details, json!({ "withheld": WITHHELD }));
    assert_eq!(sanitised(vec![], json!({ "bad": 1 }), &refuse).details, json!({ "withheld": WITHHELD }));
}

#[test]
fn the_firewall_cleans_what_stands_beside_an_images_bytes() {
    let redact = |text: &str| Some(text.replace("hunter2", "(redacted)"));
    let image = |alt: &str| Block::Other(json!({ "type": "image", "data": "AAAA", "alt": alt, "more": [alt] }));
    assert_eq!(sanitised(vec![image("a hunter2")], Json::Null, &redact).content, [image("a (redacted)")]);
    let none = |text: &str| (!text.contains("hunter2")).then(|| text.to_owned());
    assert_eq!(sanitised(vec![image("a hunter2")], Json::Null, &none).content, [Block::Text(WITHHELD.into())]);
    let odd = vec![Block::Other(json!("image")), Block::Other(json!(["type", "image"])), Block::Other(Json::Null)];
    assert_eq!(sanitised(odd, Json::Null, &none).content, vec![Block::Text(WITHHELD.into()); 3]);
}

#[test]
fn a_later_extension_that_puts_a_sentinel_back_reaches_the_model_as_the_record_says() {
    struct PutsBack;
    impl Downstream for PutsBack {
        fn pass(&self, _: &str, mut delivered: Delivered) -> Result<Delivered, Fault> {
            delivered.content.push(Block::Text("raw sentinel".into()));
            Ok(delivered)
        }
    }
    let redact = |text: &str| Some(text.replace("raw sentinel", "(redacted)"));
    let firewall = CredentialFirewall { redact: &redact };
    let cleaned = Stage::Sanitise(&firewall).apply("f", "read", read_result("raw sentinel", "r"), &|_| {});
    assert!(!cleaned.text().contains("raw sentinel"));
    let after = Stage::Downstream(&PutsBack).apply("later extension", "read", cleaned, &|_| {});
    assert!(after.text().contains("raw sentinel"), "no claim of enforcement is made");
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<f64>().prop_map(|number| json!(number)),
        ".{0,12}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec((".{0,6}", inner), 0..4)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

fn any_delivered() -> impl Strategy<Value = Delivered> {
    let block = prop_oneof![".{0,20}".prop_map(Block::Text), any_json().prop_map(Block::Other)];
    (prop::collection::vec(block, 0..4), any_json(), any::<bool>()).prop_map(|(content, details, duplicate)| {
        let mut delivered = Delivered { content, details };
        if duplicate {
            let copy: String = delivered.text().chars().take(3).collect();
            delivered.details = json!({ "truncation": truncation(&copy), "rest": delivered.details });
        }
        delivered
    })
}

proptest! {
    #[test]
    fn the_normaliser_is_idempotent_and_never_changes_delivered_content(result in any_delivered()) {
        let once = normalise("read", result.clone());
        prop_assert_eq!(&once.content, &result.content);
        prop_assert_eq!(normalise("read", once.clone()), once);
    }

    #[test]
    fn observe_is_the_identity(result in any_delivered()) {
        let stage = ContextGateway { mode: Mode::Observe, observed: &|_| {} };
        prop_assert_eq!(Stage::Observe(&stage).apply("g", "bash", result.clone(), &|_| {}), result);
    }

    #[test]
    fn a_panicking_stage_anywhere_gives_a_bounded_truthful_result(result in any_delivered(), at in 0_usize..5) {
        let redact = |text: &str| Some(text.to_owned());
        let (enrich, recorder) = (Append("+"), Recorder(RefCell::new(Vec::new())));
        let gateway = ContextGateway { mode: Mode::Observe, observed: &|_| {} };
        let normaliser = TruncationMetadataNormalizer { tools: &[] };
        let firewall = CredentialFirewall { redact: &redact };
        let mut order = [
            Stage::Enrich(&enrich),
            Stage::Observe(&gateway),
            Stage::Normalise(&normaliser),
            Stage::Downstream(&recorder),
            Stage::Sanitise(&firewall),
        ];
        order[at] = match at {
            0 => Stage::Enrich(&Panics),
            1 => Stage::Observe(&Panics),
            2 => Stage::Normalise(&Panics),
            3 => Stage::Downstream(&Panics),
            _ => Stage::Sanitise(&Panics),
        };
        let mut after = result.clone();
        for stage in &order {
            after = stage.apply("s", "read", after, &|_| {});
        }
        prop_assert!(after.text().len() <= result.text().len() + 1 + WITHHELD.len() * (result.content.len() + 1));
        let all = format!("{after:?}");
        prop_assert!(!all.contains("s3cr3t"));
    }
}
