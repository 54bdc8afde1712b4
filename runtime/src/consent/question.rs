//! The question (C2.2). Pure: the same draft gives the same text.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

use super::desk::WITHIN;
use crate::Code;
use crate::host::Question;
use crate::outcome::Failure;
use crate::output::Cleaner;
use crate::paths::{Destination, State};
use crate::plan::Plan;
use crate::table::args::{Value, Values};
use crate::table::{Class, Piece};

/// Most characters of a question.
pub const LONGEST: usize = 2000;

/// Most letters beyond ASCII that are pointed out one by one.
const MOST_POINTED_OUT: usize = 8;

/// The value of an argument, as a question shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Whole text: of a path the absolute one.
    Text(String),
    /// Items, on one line.
    Items(Vec<String>),
    /// Never shown.
    Secret,
}

/// What a question is built from.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// The verb's class; one that asks.
    pub class: Class,
    /// The manifest's sentence.
    pub ask: &'a [Piece],
    /// The values that were given, by argument, in manifest order. A boolean only when it is true.
    pub values: &'a [(String, Shown)],
    /// What will be run.
    pub plan: &'a Plan,
    /// The standard input holds a secret.
    pub secret_stdin: bool,
}

/// The values of a call for [`Draft::values`]; its paths are located already.
pub fn shown(values: &Values<'_>) -> Vec<(String, Shown)> {
    let mut all = Vec::new();
    for (arg, value) in values.iter() {
        let value = match value {
            Value::Boolean(false) => continue,
            Value::List(items) if items.iter().any(|item| matches!(item, Value::Secret(_))) => Shown::Secret,
            Value::List(items) => Shown::Items(items.iter().filter_map(plain).collect()),
            single => plain(single).map_or(Shown::Secret, Shown::Text),
        };
        all.push((arg.name.to_string(), value));
    }
    all
}

/// The text of one value; none of a secret.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Boolean(flag) => Some(flag.to_string()),
        Value::List(items) => Some(items.iter().filter_map(plain).collect::<Vec<_>>().join(", ")),
        Value::Secret(_) => None,
    }
}

/// Builds the question (C2.2): the manifest's sentence; one line per value; program, directory, argv with the
/// destination, standard input, what is replaced; letters beyond ASCII.
///
/// # Errors
/// `INVALID_ARGUMENT`: it would be longer than 2,000 characters. It is never cut.
pub fn question(draft: &Draft<'_>) -> Result<Question, Failure> {
    let plan = draft.plan;
    let mut text = Writer::default();
    for piece in draft.ask {
        match piece {
            Piece::Literal(literal) => text.words(literal),
            Piece::Arg(name) | Piece::Group(name) => {
                let value = draft.values.iter().find(|(shown, _)| shown == name);
                text.value(value.map_or(&Shown::Secret, |(_, value)| value));
            }
        }
    }
    for (name, value) in draft.values {
        text.line(name);
        text.value(value);
    }
    text.line("program");
    text.quoted(&plan.program.to_string_lossy());
    text.line("directory");
    text.quoted(&plan.directory.to_string_lossy());
    text.line("argv");
    text.list(plan.argv.iter().map(|element| element.to_string_lossy()));
    if let Some(stdin) = &plan.stdin {
        text.line("standard input");
        if draft.secret_stdin {
            text.words("(secret)");
        } else {
            text.quoted(&String::from_utf8_lossy(stdin));
        }
    }
    for destination in &plan.destinations {
        text.destination(destination, plan.destinations.len() > 1);
    }
    text.point_out();
    let length = text.text.chars().count();
    if length > LONGEST {
        return Err(too_long(draft, length));
    }
    Ok(Question {
        tool: plan.tool.clone(),
        action: plan.action.clone(),
        class: draft.class,
        text: text.text,
        effect: match draft.class {
            Class::FileWrite => "write the file",
            Class::RegistryMutation => "change the registration",
            Class::Replace => "replace",
            // These never ask; should one come here all the same, the words are true.
            Class::Read | Class::Additive => "run it",
        },
        within: WITHIN,
    })
}

/// Whether the question may be shown: nothing in it is masked as a secret (docs/adr/0012). It can't be shown masked, since
/// a person must see what they agree to (C2.2), and not as it is, since a dialog's text leaves (C3.3).
///
/// # Errors
/// `INVALID_ARGUMENT`: an argument holds a secret; the words name both, never the value. `UNAVAILABLE`: something that the
/// agent did not choose does, or the text could not be looked through.
pub fn shows_no_secret(draft: &Draft<'_>, question: &Question, cleaner: &Cleaner) -> Result<(), Failure> {
    let plan = draft.plan;
    let look = |text: &str| cleaner.secret_in(text).map_err(|why| not_shown(Code::Unavailable, why));
    for (name, value) in draft.values {
        let texts: &[String] = match value {
            Shown::Text(text) => std::slice::from_ref(text),
            Shown::Items(items) => items,
            Shown::Secret => &[],
        };
        // Each by itself, and all together: a value may be split over items.
        for text in texts.iter().cloned().chain([texts.join("\n")]) {
            if let Some(secret) = look(&text)? {
                let message = format!("`{name}` holds what is masked as a secret (`{secret}`), so it can't be shown");
                return Err(Failure::new(Code::InvalidArgument, message, "leave it out: a person must see all of it"));
            }
        }
    }
    let lossy = |text: &OsStr| text.to_string_lossy().into_owned();
    let mut others = vec![lossy(plan.program.as_os_str()), lossy(plan.directory.as_os_str())];
    others.extend(plan.destinations.iter().map(|destination| lossy(destination.path.as_os_str())));
    others.extend(plan.argv.iter().map(|element| lossy(element)));
    others.push(plan.argv.iter().map(|element| lossy(element)).collect::<Vec<_>>().join("\n"));
    others
        .extend(plan.stdin.iter().filter(|_| !draft.secret_stdin).map(|all| String::from_utf8_lossy(all).into_owned()));
    others.push(question.text.clone());
    for text in &others {
        if let Some(secret) = look(text)? {
            let why = format!("what would be run holds what is masked as a secret (`{secret}`)");
            return Err(not_shown(Code::Unavailable, &why));
        }
    }
    Ok(())
}

fn not_shown(code: Code, why: &str) -> Failure {
    let message = format!("the question to the person can't be shown: {why}");
    Failure::new(code, message, "tell the user; nothing was run")
}

fn too_long(draft: &Draft<'_>, length: usize) -> Failure {
    let size = |value: &Shown| match value {
        Shown::Text(text) => text.len(),
        Shown::Items(items) => items.iter().map(String::len).sum(),
        Shown::Secret => 0,
    };
    let longest = draft.values.iter().max_by_key(|(_, value)| size(value));
    let hint = longest.map_or_else(
        || "use a working directory with a shorter path".to_owned(),
        |(name, _)| format!("give a shorter `{name}`; it must be shown whole"),
    );
    let message = format!("the question to the person would have {length} characters, {LONGEST} are the most");
    Failure::new(Code::InvalidArgument, message, hint)
}

/// Writes a question: nothing gets in but through [`Writer::put`].
#[derive(Default)]
struct Writer {
    text: String,
    /// Letters beyond ASCII, each once, in order.
    beyond: Vec<char>,
    /// A mark may follow: the last character is a letter, a digit or a mark on one.
    carries: bool,
}

impl Writer {
    /// One character, as itself or as `\u{X}`.
    fn put(&mut self, char: char) {
        let printable = matches!(char, ' '..='~');
        let as_itself = printable || (is_letter(char) && (self.carries || !is_mark(char)));
        if as_itself {
            self.text.push(char);
            if !printable && !self.beyond.contains(&char) {
                self.beyond.push(char);
            }
            self.carries = !printable || char.is_ascii_alphanumeric();
        } else {
            let _ = write!(self.text, "\\u{{{:x}}}", u32::from(char));
            self.carries = false;
        }
    }

    /// The manifest's or our own words, on one line.
    fn words(&mut self, words: &str) {
        for char in words.chars() {
            self.put(if matches!(char, '\n' | '\r' | '\t') { ' ' } else { char });
        }
    }

    /// A new line that begins with a name.
    fn line(&mut self, name: &str) {
        self.text.push('\n');
        self.carries = false;
        self.words(name);
        self.words(": ");
    }

    fn value(&mut self, value: &Shown) {
        match value {
            Shown::Text(text) => self.quoted(text),
            Shown::Items(items) => self.list(items.iter()),
            Shown::Secret => self.words("(secret)"),
        }
    }

    fn quoted(&mut self, text: &str) {
        self.put('"');
        for char in text.chars() {
            if matches!(char, '"' | '\\') {
                self.put('\\');
            }
            self.put(char);
        }
        self.put('"');
    }

    fn list(&mut self, items: impl Iterator<Item = impl AsRef<str>>) {
        self.put('[');
        for (at, item) in items.enumerate() {
            if at > 0 {
                self.words(", ");
            }
            self.quoted(item.as_ref());
        }
        self.put(']');
    }

    /// What is lost. With several destinations each is named.
    fn destination(&mut self, destination: &Destination, several: bool) {
        let state = match destination.state {
            State::New => "new file".to_owned(),
            State::File(file) => format!("replaces: {} bytes", file.size),
            State::Link(_) => "replaces: a link (the link itself, not what it leads to)".to_owned(),
        };
        self.text.push('\n');
        self.carries = false;
        self.words(&state);
        if several {
            self.put(' ');
            self.quoted(&destination.path.to_string_lossy());
        }
    }

    /// Letters that can look like others.
    fn point_out(&mut self) {
        let beyond = std::mem::take(&mut self.beyond);
        if beyond.is_empty() {
            return;
        }
        self.line("letters beyond ASCII");
        for (at, char) in beyond.iter().take(MOST_POINTED_OUT).enumerate() {
            if at > 0 {
                self.words(", ");
            }
            if !is_mark(*char) {
                self.put(*char);
                self.put(' ');
            }
            let _ = write!(self.text, "\\u{{{:x}}}", u32::from(*char));
        }
        if beyond.len() > MOST_POINTED_OUT {
            self.words(&format!(" and {} more", beyond.len() - MOST_POINTED_OUT));
        }
    }
}

/// Letters, marks and digits, without those that show nothing.
fn is_letter(char: char) -> bool {
    static LETTER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^[[\p{L}\p{M}\p{Nd}]--\p{Default_Ignorable_Code_Point}]$").ok());
    LETTER.as_ref().is_some_and(|letter| letter.is_match(char.encode_utf8(&mut [0; 4])))
}

fn is_mark(char: char) -> bool {
    static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{M}$").ok());
    // Not known: taken for one, which only escapes more.
    MARK.as_ref().is_none_or(|mark| mark.is_match(char.encode_utf8(&mut [0; 4])))
}
