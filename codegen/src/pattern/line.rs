//! Patterns that are looked for in a stream seen as lines (LANGUAGE section 9).

use std::ops::Range;

use regex_syntax::ast::{
    AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSet, ClassSetItem, Flag, Flags, FlagsItemKind, GroupKind,
    LiteralKind, RepetitionKind, RepetitionRange,
};
use verbgate_table::pattern::compile_line;

use super::{Fault, FaultKind, compile_fault, parse, span};

/// A line pattern in canonical text.
///
/// A space outside `[ ]` is `[ \n]`, `\ ` is `[ ]`, Perl classes and `\b` are ASCII. `\s` holds the line break, as in
/// every engine: it can stand for a break just like a space can.
#[derive(Clone, Debug)]
pub struct Line {
    /// The canonical text.
    pub source: String,
    /// Names of the named groups, in the order of the pattern, and where each stands in what was written.
    pub named: Vec<(String, Range<usize>)>,
    /// How many groups have no name.
    pub unnamed: usize,
    /// Alternatives that may begin in the middle of a line.
    pub loose: Vec<Range<usize>>,
}

/// Reads a line pattern.
///
/// # Errors
/// All that is wrong with it.
pub fn line(text: &str) -> Result<Line, Vec<Fault>> {
    let ast = parse(text).map_err(|fault| vec![fault])?;
    let mut reader = Reader { edits: Vec::new(), faults: Vec::new(), named: Vec::new(), unnamed: 0 };
    reader.read(&ast);
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    let source = edited(text, reader.edits);
    compile_line(&source).map_err(|error| vec![compile_fault(text, &error)])?;
    let mut loose = Vec::new();
    unanchored(&ast, &mut loose);
    Ok(Line { source, named: reader.named, unnamed: reader.unnamed, loose })
}

struct Reader {
    edits: Vec<(Range<usize>, String)>,
    faults: Vec<Fault>,
    named: Vec<(String, Range<usize>)>,
    unnamed: usize,
}

impl Reader {
    fn read(&mut self, ast: &Ast) {
        match ast {
            Ast::Empty(_) | Ast::Dot(_) | Ast::ClassUnicode(_) => {}
            Ast::Flags(flags) => self.flags(&flags.flags),
            Ast::Literal(literal) => {
                if literal.c == ' ' {
                    match literal.kind {
                        LiteralKind::Verbatim => self.edits.push((span(&literal.span), r"[ \n]".into())),
                        LiteralKind::Meta | LiteralKind::Superfluous | LiteralKind::Special(_) => {
                            self.edits.push((span(&literal.span), "[ ]".into()));
                        }
                        _ => {}
                    }
                }
            }
            Ast::Assertion(assertion) => {
                if !matches!(
                    assertion.kind,
                    AssertionKind::StartLine
                        | AssertionKind::EndLine
                        | AssertionKind::StartText
                        | AssertionKind::EndText
                ) {
                    let bytes = span(&assertion.span);
                    self.edits.push((bytes.start..bytes.start, "(?-u:".into()));
                    self.edits.push((bytes.end..bytes.end, ")".into()));
                }
            }
            Ast::ClassPerl(class) => {
                let sign = if class.negated { "^" } else { "" };
                self.edits.push((span(&class.span), format!("[{sign}{}]", perl(class))));
            }
            Ast::ClassBracketed(class) => self.set(&class.kind),
            Ast::Repetition(repetition) => self.read(&repetition.ast),
            Ast::Group(group) => {
                match &group.kind {
                    GroupKind::CaptureIndex(_) => self.unnamed += 1,
                    GroupKind::CaptureName { name, .. } => self.named.push((name.name.clone(), span(&name.span))),
                    GroupKind::NonCapturing(flags) => self.flags(flags),
                }
                self.read(&group.ast);
            }
            Ast::Alternation(alternation) => alternation.asts.iter().for_each(|ast| self.read(ast)),
            Ast::Concat(concat) => concat.asts.iter().for_each(|ast| self.read(ast)),
        }
    }

    /// `^`, `$`, `.`, spaces and classes have one meaning in all line patterns.
    fn flags(&mut self, flags: &Flags) {
        for item in &flags.items {
            if let FlagsItemKind::Flag(flag) = &item.kind
                && !matches!(flag, Flag::CaseInsensitive | Flag::SwapGreed)
            {
                self.faults.push(Fault {
                    bytes: span(&item.span),
                    kind: FaultKind::Meaning,
                    message: "this flag would change what `^`, `$`, `.`, spaces or classes mean".into(),
                    help: "only `i` and `U` can be set".into(),
                });
            }
        }
    }

    fn set(&mut self, set: &ClassSet) {
        match set {
            ClassSet::Item(item) => self.item(item),
            ClassSet::BinaryOp(operation) => {
                self.set(&operation.lhs);
                self.set(&operation.rhs);
            }
        }
    }

    fn item(&mut self, item: &ClassSetItem) {
        match item {
            ClassSetItem::Perl(class) => {
                let text = if class.negated { format!("[^{}]", perl(class)) } else { perl(class).into() };
                self.edits.push((span(&class.span), text));
            }
            ClassSetItem::Bracketed(class) => self.set(&class.kind),
            ClassSetItem::Union(union) => union.items.iter().for_each(|item| self.item(item)),
            ClassSetItem::Empty(_)
            | ClassSetItem::Literal(_)
            | ClassSetItem::Range(_)
            | ClassSetItem::Ascii(_)
            | ClassSetItem::Unicode(_) => {}
        }
    }
}

fn perl(class: &ClassPerl) -> &'static str {
    match class.kind {
        ClassPerlKind::Digit => "0-9",
        ClassPerlKind::Space => r"\t-\r ",
        ClassPerlKind::Word => "0-9A-Za-z_",
    }
}

fn edited(text: &str, edits: Vec<(Range<usize>, String)>) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut at = 0;
    for (range, new) in edits {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Collects the alternatives that can begin elsewhere than at the beginning of a line; true if there are some.
fn unanchored(ast: &Ast, loose: &mut Vec<Range<usize>>) -> bool {
    match ast {
        Ast::Alternation(alternation) => {
            let mut any = false;
            for ast in &alternation.asts {
                any |= unanchored(ast, loose);
            }
            any
        }
        Ast::Group(group) => unanchored(&group.ast, loose),
        Ast::Assertion(assertion) if matches!(assertion.kind, AssertionKind::StartLine | AssertionKind::StartText) => {
            false
        }
        Ast::Concat(concat) => {
            if let Some(first @ (Ast::Alternation(_) | Ast::Group(_) | Ast::Assertion(_) | Ast::Repetition(_))) =
                concat.asts.iter().find(|ast| !matches!(ast, Ast::Flags(_) | Ast::Empty(_)))
            {
                unanchored(first, loose)
            } else {
                loose.push(span(&concat.span));
                true
            }
        }
        Ast::Repetition(repetition) => {
            let optional = matches!(
                repetition.op.kind,
                RepetitionKind::ZeroOrOne
                    | RepetitionKind::ZeroOrMore
                    | RepetitionKind::Range(
                        RepetitionRange::Exactly(0) | RepetitionRange::AtLeast(0) | RepetitionRange::Bounded(0, _)
                    )
            );
            if optional {
                loose.push(span(&repetition.span));
                true
            } else {
                unanchored(&repetition.ast, loose)
            }
        }
        other => {
            loose.push(span(other.span()));
            true
        }
    }
}
