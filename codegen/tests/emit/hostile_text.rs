//! No text of a manifest leaves the place it was put in.

use std::path::PathBuf;

use pulldown_cmark::{Event, Options, Parser, Tag};
use verbgate_codegen::emit::{escape, markdown, typescript};

use crate::sample;

/// What a Markdown reader sees: the events, and the texts of the code spans apart.
fn seen(page: &str) -> (Vec<String>, Vec<String>) {
    let mut spans = Vec::new();
    let events = Parser::new_ext(page, Options::all())
        .map(|event| match event {
            Event::Code(text) => {
                spans.push(text.to_string());
                "code span".to_owned()
            }
            other => format!("{other:?}"),
        })
        .collect();
    (events, spans)
}

#[test]
fn the_review_page_has_the_same_structure_whatever_the_texts_are() {
    let (plain, plain_spans) = seen(&markdown::tools(&sample::catalogue(&sample::plain)));
    let (hostile, hostile_spans) = seen(&markdown::tools(&sample::catalogue(&sample::hostile)));
    for (plain, hostile) in plain.iter().zip(&hostile) {
        assert_eq!(plain, hostile);
    }
    assert_eq!(plain.len(), hostile.len());
    assert_eq!(plain_spans.len(), hostile_spans.len());
    // And the words are all there, made visible.
    assert!(hostile_spans.contains(&escape::visible(&sample::hostile("Name all items."))));
}

#[test]
fn each_hostile_word_alone_leaves_the_review_page_as_it_is() {
    let (plain, _) = seen(&markdown::tools(&sample::catalogue(&sample::plain)));
    for word in sample::HOSTILE {
        for words in
            [|text: &str, word: &str| format!("{text}{word}"), |text: &str, word: &str| format!("{word}{text}")]
        {
            let (hostile, _) = seen(&markdown::tools(&sample::catalogue(&|text| words(text, word))));
            assert_eq!(plain, hostile, "{word:?}");
        }
    }
}

#[test]
fn the_review_page_shows_every_verb_and_no_element_that_a_manifest_could_want() {
    let page = markdown::tools(&sample::catalogue(&sample::hostile));
    let mut headings: Vec<String> = Vec::new();
    let mut inside = false;
    for event in Parser::new_ext(&page, Options::all()) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                headings.push(String::new());
                inside = true;
            }
            Event::End(pulldown_cmark::TagEnd::Heading(_)) => inside = false,
            Event::Text(text) | Event::Code(text) if inside => headings.last_mut().unwrap().push_str(&text),
            Event::Html(text) => assert!(text.starts_with("<!-- @generated "), "{text}"),
            Event::Start(Tag::HtmlBlock | Tag::Paragraph | Tag::List(None) | Tag::Item) => {}
            Event::Start(tag) => panic!("{tag:?}"),
            Event::InlineHtml(text) => panic!("{text}"),
            Event::Rule | Event::HardBreak | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {
                panic!("{event:?}")
            }
            _ => {}
        }
    }
    let verbs: Vec<&String> = headings.iter().filter(|heading| heading.starts_with("demo_")).collect();
    assert_eq!(verbs, ["demo_item list", "demo_item create", "demo_item delete", "demo_write", "demo_report"]);
}

/// The declarations without comments, line by line. Ends at the first `*/` of each, as every reader does.
fn code_of(declarations: &str) -> String {
    let mut code = String::new();
    let mut rest = declarations;
    while let Some(start) = rest.find("/**") {
        code.push_str(&rest[..start]);
        let end = rest[start..].find("*/").expect("a comment ends");
        rest = &rest[start + end + 2..];
    }
    code.push_str(rest);
    // A line without text or only blanks says nothing.
    code.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_declarations_without_comments_hold_hostile_text_in_string_literals_only() {
    let plain = code_of(&typescript::tools(&sample::catalogue(&sample::plain)));
    let mut mended = typescript::tools(&sample::catalogue(&sample::hostile));
    for word in ["newest", "-size", "2.0", "Self"] {
        mended = mended.replace(&escape::js_string(&sample::hostile(word)), &escape::js_string(word));
    }
    assert_eq!(code_of(&mended), plain);
}

/// Every manifest that compiles: the examples, the corpus, the shipped one.
fn manifests() -> Vec<PathBuf> {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![here.join("../tools.yaml")];
    for folder in ["../examples", "tests/ok"] {
        let entries = std::fs::read_dir(here.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        found.extend(entries.filter(|path| path.extension().is_some_and(|end| end == "yaml")));
    }
    found.sort();
    found
}

/// `tsc` is named by `VERBGATE_TSC`, which `cargo xtask test` sets where npm is there.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test's own use of the TypeScript compiler, not a wrapped program")]
fn the_declarations_pass_the_typescript_compiler() {
    let Some(tsc) = std::env::var_os("VERBGATE_TSC").map(PathBuf::from) else {
        println!("left out: the emitted tools.d.ts was not checked by tsc, since VERBGATE_TSC is not set");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let hostile = typescript::tools(&sample::catalogue(&sample::hostile));
    std::fs::write(folder.path().join("hostile.d.ts"), hostile).unwrap();
    std::fs::write(folder.path().join("tools.d.ts"), typescript::tools(&sample::catalogue(&sample::plain))).unwrap();
    let good = r#"import type { DemoItem, Tool_Arguments, Tool_Fields } from "./tools.js";
export const create: DemoItem = { action: "create", name: "a", kind: "newest" };
export const write: Tool_Arguments["demo_write"] = { output: "a.out", inputs: ["x"], depth: 3 };
export const sizes = (fields: Tool_Fields["demo_item"]): number[] => (fields.items ?? []).map((it) => it.size ?? 0);
"#;
    // Each line is a mistake that the declarations must find.
    let bad = r#"import type { DemoItem, Tool_Arguments } from "./tools.js";
export const unknown: DemoItem = { action: "purge" };
export const foreign: DemoItem = { action: "delete", name: "a", kind: "newest" };
export const missing: Tool_Arguments["demo_write"] = { output: "a.out" };
"#;
    std::fs::write(folder.path().join("good.ts"), good).unwrap();
    std::fs::write(folder.path().join("bad.ts"), bad).unwrap();
    let run = |files: &[&str]| {
        let output = std::process::Command::new(&tsc)
            .args(["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"])
            .args(files)
            .current_dir(folder.path())
            .output()
            .expect("VERBGATE_TSC names a program that starts");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (ok, said) = run(&["hostile.d.ts", "good.ts"]);
    assert!(ok, "{said}");
    // Every manifest of the corpus, the examples and the shipped one.
    let mut all = Vec::new();
    for manifest in manifests() {
        let compiled = verbgate_codegen::compile(&manifest, &verbgate_codegen::Options::default())
            .unwrap_or_else(|report| panic!("{}", report.render(false)));
        let name = format!("corpus_{}.d.ts", all.len());
        std::fs::write(folder.path().join(&name), typescript::tools(&compiled.catalogue)).unwrap();
        all.push(name);
    }
    assert!(all.len() > 10, "{all:?}");
    let (ok, said) = run(&all.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(ok, "{said}");
    let (_, said) = run(&["bad.ts"]);
    let lines: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("bad.ts(")?.split(',').next()).collect();
    assert_eq!(lines, ["2", "3", "4"], "{said}");
}
