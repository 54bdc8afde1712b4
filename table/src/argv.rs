//! Rendering the argv: one renderer, one guard (LANGUAGE section 5, contracts C1.2 and C1.9).
//!
//! A value is one element, or a part of one, whatever it holds; nothing here splits, quotes or expands. Every way to an
//! argv goes through [`render`], and so through the guard against values that would be read as options and through the
//! promises of `never`.

use crate::args::{Refusal, Value, Values};
use crate::template::{self, Bound};
use crate::{ArgKind, Element, Piece, ProgramSpec, Scalar, VerbSpec};

/// Most bytes of one element: Linux takes 128 KiB with the NUL behind it (`MAX_ARG_STRLEN`).
pub const ELEMENT_LIMIT: usize = 128 * 1024 - 1;

/// Most bytes of an argv, each element counted with its NUL and pointer. Half of what Linux takes by default, since the
/// environment stands beside it; also what keeps lists inside lists from growing without bound.
pub const ARGV_LIMIT: usize = 1 << 20;

/// The argv behind the program's name: [`ProgramSpec::argv`], then the verb's own (LANGUAGE section 5).
///
/// # Errors
/// A value that would be read as an option; an argv that breaks a promise of `never` or is longer than a system takes;
/// a placeholder without a value (the compiler refuses such a manifest).
pub fn render(program: &ProgramSpec, verb: &VerbSpec, values: &Values<'_>) -> Result<Vec<String>, Refusal> {
    let mut renderer = Renderer { verb, values, items: Vec::new(), words: Vec::new(), bytes: 0, guarded: true };
    for word in program.argv.iter() {
        renderer.guarded &= word != END_OF_OPTIONS;
        renderer.push(word.to_string(), true)?;
    }
    for element in verb.argv.iter() {
        renderer.guarded &= !matches!(element, Element::One(pieces) if is_end_of_options(pieces));
        renderer.element(element)?;
    }
    keeps_promises(program, &renderer.words)?;
    Ok(renderer.words.into_iter().map(|word| word.text).collect())
}

/// The literal elements of the verb's own argv up to the first option, placeholder, condition or `--` (LANGUAGE
/// section 11).
pub fn leading_words(verb: &VerbSpec) -> Vec<String> {
    verb.argv
        .iter()
        .map_while(|element| match element {
            Element::One(pieces) => literal(pieces).filter(|word| !word.starts_with('-')),
            Element::Spread(_) | Element::When { .. } => None,
        })
        .collect()
}

/// Whether an element of an argv is this option, alone or as `option=...`.
pub fn is_option(element: &str, option: &str) -> bool {
    element.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

const END_OF_OPTIONS: &str = "--";

fn is_end_of_options(pieces: &[Piece]) -> bool {
    literal(pieces).is_some_and(|text| text == END_OF_OPTIONS)
}

/// The text of an element without placeholders.
fn literal(pieces: &[Piece]) -> Option<String> {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Literal(text) => Some(&**text),
            Piece::Arg(_) | Piece::Group(_) => None,
        })
        .collect()
}

struct Word {
    text: String,
    /// Wholly the manifest's: no value took part.
    literal: bool,
}

struct Renderer<'r> {
    verb: &'r VerbSpec,
    values: &'r Values<'r>,
    /// The items that the conditions around the current element stand for.
    items: Vec<Bound<'r>>,
    words: Vec<Word>,
    bytes: usize,
    /// Before the first literal unconditional `--`.
    guarded: bool,
}

impl<'r> Renderer<'r> {
    fn element(&mut self, element: &'r Element) -> Result<(), Refusal> {
        match element {
            Element::One(pieces) => self.one(pieces),
            Element::Spread(name) => self.spread(name),
            Element::When { arg, body } => self.when(arg, body),
        }
    }

    fn one(&mut self, pieces: &'r [Piece]) -> Result<(), Refusal> {
        let mut text = String::new();
        // Whose placeholder the element starts with, unless it is a choice, whose words are the manifest's.
        let mut starts_with = None;
        for (at, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Arg(name) => {
                    // Behind nothing but an empty word of a choice, the next value is what the element starts with.
                    if (at == 0 || text.is_empty()) && starts_with.is_none() && !self.is_choice(name) {
                        starts_with = Some(&**name);
                    }
                    text.push_str(&template::element_text(self.verb, self.values, &self.items, name)?);
                }
                Piece::Group(name) => return Err(template::no_value(name)),
            }
        }
        self.guard(starts_with, &text)?;
        let literal = pieces.iter().all(|piece| matches!(piece, Piece::Literal(_)));
        self.push(text, literal)
    }

    fn spread(&mut self, name: &'r str) -> Result<(), Refusal> {
        let starts_with = (!self.is_choice(name)).then_some(name);
        match self.values.get(name) {
            None => Ok(()),
            Some(value @ Value::List(_)) => {
                for text in value.argv_texts().ok_or_else(|| template::no_value(name))? {
                    self.guard(starts_with, &text)?;
                    self.push(text, false)?;
                }
                Ok(())
            }
            Some(_) => Err(template::no_value(name)),
        }
    }

    fn when(&mut self, name: &'r str, body: &'r [Element]) -> Result<(), Refusal> {
        let arg = template::arg(self.verb, name)?;
        if !self.values.is_given(name) {
            return Ok(());
        }
        match (&arg.kind, self.values.get(name)) {
            // Inside its own condition a list stands for one item already.
            (ArgKind::Many { join: None, .. }, Some(Value::List(items)))
                if !self.items.iter().any(|bound| bound.name == name) =>
            {
                for item in items {
                    self.items.push(Bound { name, item });
                    let done = body.iter().try_for_each(|element| self.element(element));
                    self.items.pop();
                    done?;
                }
                Ok(())
            }
            _ => body.iter().try_for_each(|element| self.element(element)),
        }
    }

    fn is_choice(&self, name: &str) -> bool {
        template::arg(self.verb, name).is_ok_and(|arg| {
            let (ArgKind::One(scalar) | ArgKind::Many { of: scalar, .. }) = &arg.kind;
            matches!(scalar, Scalar::Choice(_))
        })
    }

    /// Refuses an element that starts with a value and that the program would read as an option.
    fn guard(&self, starts_with: Option<&str>, text: &str) -> Result<(), Refusal> {
        match starts_with {
            Some(name) if self.guarded && text.starts_with('-') => Err(Refusal {
                argument: Some(name.to_owned()),
                message: format!("`{name}` begins with `-`, so that the program would read it as an option"),
                hint: "give a value that does not begin with `-`".to_owned(),
            }),
            _ => Ok(()),
        }
    }

    fn push(&mut self, text: String, literal: bool) -> Result<(), Refusal> {
        self.bytes = self.bytes.saturating_add(text.len()).saturating_add(1 + size_of::<usize>());
        if text.len() > ELEMENT_LIMIT || self.bytes > ARGV_LIMIT {
            return Err(Refusal {
                argument: None,
                message: "these arguments make a command line that is longer than the system takes".to_owned(),
                hint: "give fewer or shorter values".to_owned(),
            });
        }
        self.words.push(Word { text, literal });
        Ok(())
    }
}

/// The promises of `never`, on what was rendered (LANGUAGE section 3). That they hold for the template was checked
/// when compiling; this is the check that no mistake there gets round.
fn keeps_promises(program: &ProgramSpec, words: &[Word]) -> Result<(), Refusal> {
    let broken = |what: &str| Refusal {
        argument: None,
        message: format!("this would run `{what}`, which the manifest promises never to do"),
        hint: "choose other values; this can't be allowed".to_owned(),
    };
    // Only a `--` of the manifest's own ends the options: one that came out of a value may be read as a value.
    let before_end = || words.iter().take_while(|word| !(word.literal && word.text == END_OF_OPTIONS));
    let never = &program.never;
    for option in never.options.iter() {
        if before_end().any(|word| is_option(&word.text, option)) {
            return Err(broken(option));
        }
    }
    // The words that a program may take for its subcommand: with and without the prefix, options left out or not.
    // A prefix with options may also hold their values, which are no words of a subcommand.
    let own = if program.argv.iter().any(|word| word.starts_with('-')) { program.argv.len() } else { 0 };
    let all: Vec<_> = before_end().map(|word| word.text.as_str()).collect();
    let without_options: Vec<_> = all.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let begins = |argv: &[&str], verb: &[crate::Text]| {
        !verb.is_empty() && argv.len() >= verb.len() && argv.iter().zip(verb).all(|(word, never)| word == never)
    };
    for verb in never.verbs.iter() {
        let behind_prefix = all.get(own..).unwrap_or_default();
        if [&all, behind_prefix, &without_options].into_iter().any(|argv| begins(argv, verb)) {
            return Err(broken(&verb.join(" ")));
        }
    }
    Ok(())
}
