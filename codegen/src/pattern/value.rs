//! Patterns that the whole of a value must match.

use std::fmt::Write as _;
use std::ops::Range;

use regex_syntax::ast::{
    AssertionKind, Ast, ClassBracketed, ClassSet, ClassSetItem, GroupKind, RepetitionKind, RepetitionRange,
};
use verbgate_table::pattern::compile_value;

use super::{CharSet, Fault, FaultKind, compile_fault, loops, parse, span};

/// A value pattern that all engines read alike.
#[derive(Clone, Debug)]
pub struct Value {
    /// The canonical text, without anchors.
    pub source: String,
    /// Warnings.
    pub warnings: Vec<Fault>,
}

/// What a value pattern is made of: only what has the same meaning everywhere.
#[derive(Clone, Debug)]
pub(super) enum Re {
    /// Nothing.
    Empty,
    /// One character of a set.
    Set(CharSet),
    /// `^`
    Start,
    /// `$`
    End,
    /// `\b`
    Border,
    /// One after the other.
    Concat(Vec<Re>),
    /// One of.
    Alternatives(Vec<Re>),
    /// Again and again.
    Repeat {
        /// What.
        body: Box<Re>,
        /// How often at least.
        min: u32,
        /// How often at most.
        max: Option<u32>,
        /// As often as possible.
        greedy: bool,
        /// Where it stands.
        bytes: Range<usize>,
    },
}

/// Reads a value pattern.
///
/// # Errors
/// All that is wrong with it.
pub fn value(text: &str) -> Result<Value, Vec<Fault>> {
    let ast = parse(text).map_err(|fault| vec![fault])?;
    let mut reader = Reader { faults: Vec::new(), warnings: Vec::new(), borders: Vec::new() };
    let re = reader.read(&ast);
    if !reader.borders.is_empty() && !all_ascii(&re) {
        for bytes in std::mem::take(&mut reader.borders) {
            reader.fault(
                bytes,
                r"`\b` next to characters beyond ASCII means something else in Python",
                "leave it out: the whole value must match anyway",
            );
        }
    }
    let mut source = String::new();
    print(&re, Place::Whole, &mut source);
    if reader.faults.is_empty() {
        reader.faults.extend(loops::nested(&re).map(|bytes| {
            Fault {
                bytes,
                kind: FaultKind::Nested,
                message: "this repetition can take the same text in many ways".into(),
                help:
                    "the pattern also runs in the host's engine, which tries all of them: let each round begin or end \
                   with a character that the rest can't take"
                        .into(),
            }
        }));
    }
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    match compile_value(&source) {
        Ok(_) => Ok(Value { source, warnings: reader.warnings }),
        Err(error) => Err(vec![compile_fault(text, &error)]),
    }
}

/// Whether a value that matches may begin with this character. May say yes where it can't, never the other way.
pub fn may_begin_with(text: &str, c: char) -> bool {
    let mut reader = Reader { faults: Vec::new(), warnings: Vec::new(), borders: Vec::new() };
    parse(text).map_or(true, |ast| first(&reader.read(&ast)).0.contains(c))
}

struct Reader {
    faults: Vec<Fault>,
    warnings: Vec<Fault>,
    borders: Vec<Range<usize>>,
}

impl Reader {
    fn fault(&mut self, bytes: Range<usize>, message: &str, help: &str) {
        self.faults.push(Fault { bytes, kind: FaultKind::Meaning, message: message.into(), help: help.into() });
    }

    fn read(&mut self, ast: &Ast) -> Re {
        match ast {
            Ast::Empty(_) => Re::Empty,
            Ast::Flags(flags) => {
                self.flags(span(&flags.span));
                Re::Empty
            }
            Ast::Literal(literal) => Re::Set(CharSet::one(literal.c)),
            Ast::Dot(_) => Re::Set(CharSet::one('\n').complement()),
            Ast::Assertion(assertion) => self.assertion(&assertion.kind, span(&assertion.span)),
            Ast::ClassUnicode(class) => {
                self.unicode(span(&class.span));
                Re::Empty
            }
            Ast::ClassPerl(class) => Re::Set(signed(CharSet::perl(&class.kind), class.negated)),
            Ast::ClassBracketed(class) => {
                let set = self.bracketed(class);
                if set.is_empty() {
                    self.fault(span(&class.span), "this class holds no character", "");
                } else if set.print(&mut String::new()).is_none() {
                    self.fault(
                        span(&class.span),
                        "JavaScript can read a character beyond U+FFFF in `[ ]` as two",
                        "write the characters as alternatives, as in `(?:a|b)`",
                    );
                }
                Re::Set(set)
            }
            Ast::Repetition(repetition) => {
                let (min, max) = match &repetition.op.kind {
                    RepetitionKind::ZeroOrOne => (0, Some(1)),
                    RepetitionKind::ZeroOrMore => (0, None),
                    RepetitionKind::OneOrMore => (1, None),
                    RepetitionKind::Range(RepetitionRange::Exactly(n)) => (*n, Some(*n)),
                    RepetitionKind::Range(RepetitionRange::AtLeast(n)) => (*n, None),
                    RepetitionKind::Range(RepetitionRange::Bounded(n, m)) => (*n, Some(*m)),
                };
                let body = Box::new(self.read(&repetition.ast));
                Re::Repeat { body, min, max, greedy: repetition.greedy, bytes: span(&repetition.span) }
            }
            Ast::Group(group) => {
                if let GroupKind::NonCapturing(flags) = &group.kind
                    && !flags.items.is_empty()
                {
                    self.flags(span(&flags.span));
                }
                // Captures mean nothing here; `(?<n>` and `(?P<n>` are spelled differently elsewhere.
                self.read(&group.ast)
            }
            Ast::Alternation(alternation) => {
                Re::Alternatives(alternation.asts.iter().map(|ast| self.read(ast)).collect())
            }
            Ast::Concat(concat) => Re::Concat(concat.asts.iter().map(|ast| self.read(ast)).collect()),
        }
    }

    fn assertion(&mut self, kind: &AssertionKind, bytes: Range<usize>) -> Re {
        match kind {
            AssertionKind::StartLine | AssertionKind::EndLine => {
                self.warnings.push(Fault {
                    bytes,
                    kind: FaultKind::Anchor,
                    message: "`^` and `$` say nothing in an argument's pattern".into(),
                    help: "leave them out: the whole value must match anyway".into(),
                });
                if matches!(kind, AssertionKind::StartLine) { Re::Start } else { Re::End }
            }
            AssertionKind::WordBoundary => {
                self.borders.push(bytes);
                Re::Border
            }
            AssertionKind::StartText | AssertionKind::EndText => {
                self.fault(
                    bytes,
                    r"`\A` and `\z` mean something else in JavaScript",
                    "leave them out: the whole value must match anyway",
                );
                Re::Empty
            }
            _ => {
                self.fault(
                    bytes,
                    "JavaScript or Python reads this border otherwise",
                    "spell out the characters on both sides",
                );
                Re::Empty
            }
        }
    }

    fn flags(&mut self, bytes: Range<usize>) {
        self.fault(
            bytes,
            "JavaScript knows no flags inside a pattern",
            "spell out what is allowed, as in `[Aa]` for either case",
        );
    }

    fn unicode(&mut self, bytes: Range<usize>) {
        self.fault(
            bytes,
            r"`\p` means something else in JavaScript and nothing in Python",
            "spell out the characters, as in `[A-Za-z]`",
        );
    }

    fn bracketed(&mut self, class: &ClassBracketed) -> CharSet {
        let set = match &class.kind {
            ClassSet::Item(item) => self.item(item),
            ClassSet::BinaryOp(operation) => {
                self.fault(
                    span(&operation.span),
                    "`&&`, `--` and `~~` inside `[ ]` are plain characters elsewhere",
                    r"spell out the characters, or escape the sign, as in `\&`",
                );
                CharSet::one('\0')
            }
        };
        signed(set, class.negated)
    }

    fn item(&mut self, item: &ClassSetItem) -> CharSet {
        match item {
            ClassSetItem::Empty(_) => CharSet::default(),
            ClassSetItem::Literal(literal) => CharSet::one(literal.c),
            ClassSetItem::Range(range) => CharSet::ranges(&[(range.start.c, range.end.c)]),
            ClassSetItem::Ascii(class) => signed(CharSet::posix(&class.kind), class.negated),
            ClassSetItem::Unicode(class) => {
                self.unicode(span(&class.span));
                CharSet::one('\0')
            }
            ClassSetItem::Perl(class) => signed(CharSet::perl(&class.kind), class.negated),
            ClassSetItem::Bracketed(class) => self.bracketed(class),
            ClassSetItem::Union(union) => {
                let mut set = CharSet::default();
                for item in &union.items {
                    set.add(&self.item(item));
                }
                set
            }
        }
    }
}

fn signed(set: CharSet, negated: bool) -> CharSet {
    if negated { set.complement() } else { set }
}

fn all_ascii(re: &Re) -> bool {
    match re {
        Re::Set(set) => set.is_ascii(),
        Re::Concat(list) | Re::Alternatives(list) => list.iter().all(all_ascii),
        Re::Repeat { body, .. } => all_ascii(body),
        Re::Empty | Re::Start | Re::End | Re::Border => true,
    }
}

/// The characters that a match may begin with, and whether it may be empty.
fn first(re: &Re) -> (CharSet, bool) {
    match re {
        Re::Empty | Re::Start | Re::End | Re::Border | Re::Repeat { max: Some(0), .. } => (CharSet::default(), true),
        Re::Set(set) => (set.clone(), false),
        Re::Concat(list) => {
            let mut all = CharSet::default();
            for re in list {
                let (set, empty) = first(re);
                all.add(&set);
                if !empty {
                    return (all, false);
                }
            }
            (all, true)
        }
        Re::Alternatives(list) => list.iter().fold((CharSet::default(), false), |(mut all, any), re| {
            let (set, empty) = first(re);
            all.add(&set);
            (all, any || empty)
        }),
        Re::Repeat { body, min, .. } => {
            let (set, empty) = first(body);
            (set, empty || *min == 0)
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing stands beside it.
    Whole,
    /// Between others: an alternation needs a group.
    Inside,
    /// Under a repetition: anything but one character needs a group.
    Repeated,
}

fn print(re: &Re, place: Place, out: &mut String) {
    let grouped = match re {
        Re::Set(_) => false,
        Re::Empty | Re::Start | Re::End | Re::Border | Re::Repeat { .. } => place == Place::Repeated,
        Re::Concat(list) => place == Place::Repeated || (place == Place::Inside && list.is_empty()),
        Re::Alternatives(_) => place != Place::Whole,
    };
    if grouped {
        out.push_str("(?:");
    }
    match re {
        Re::Empty => {}
        // Refused by `Reader::read` where it can't be written; see `CharSet::print`.
        Re::Set(set) => {
            if set.print(out).is_none() {
                out.push('\u{FFFD}');
            }
        }
        Re::Start => out.push('^'),
        Re::End => out.push('$'),
        Re::Border => out.push_str(r"\b"),
        Re::Concat(list) => list.iter().for_each(|re| print(re, Place::Inside, out)),
        Re::Alternatives(list) => {
            for (at, re) in list.iter().enumerate() {
                if at > 0 {
                    out.push('|');
                }
                print(re, Place::Inside, out);
            }
        }
        Re::Repeat { body, min, max, greedy, .. } => {
            print(body, Place::Repeated, out);
            match (min, max) {
                (0, Some(1)) => out.push('?'),
                (0, None) => out.push('*'),
                (1, None) => out.push('+'),
                (n, None) => drop(write!(out, "{{{n},}}")),
                (n, Some(m)) if n == m => drop(write!(out, "{{{n}}}")),
                (n, Some(m)) => drop(write!(out, "{{{n},{m}}}")),
            }
            if !greedy {
                out.push('?');
            }
        }
    }
    if grouped {
        out.push(')');
    }
}
