//! The one table of keys: which structs there are, which keys each has, and what each key takes.
//!
//! Everything that must know the keys reads these tables: the walk over a manifest (`read`), the JSON Schema for
//! editors (`schema`), and the tables of the reference page (`tables`). The tables are made by [`record!`] together
//! with the structs, so neither can say something else.

use std::fmt;

/// What a key takes.
#[derive(Clone, Copy)]
pub enum Kind {
    /// Text for people. A comment right after it, unquoted, is likely a part of it.
    Text,
    /// Text for the program or the runtime: an argv element, a value, a file name.
    Word,
    /// A name (LANGUAGE section 1); that it is one is checked in the checks phase.
    Name,
    /// A regular expression.
    Pattern,
    /// One of these words.
    Words(&'static [&'static str]),
    /// An outcome's code, in any case; which ones is checked in the checks phase.
    Code,
    /// `true` or `false`.
    Boolean,
    /// A whole number within these bounds.
    Integer(i64, i64),
    /// Any finite number.
    Number,
    /// A whole number with `ms`, `s`, `min` or `h`.
    Duration,
    /// A whole number with `B`, `KiB` or `MiB`.
    Size,
    /// An exit status or the name of a signal.
    Exit,
    /// Whether a stage runs: `true`, `false` or a word.
    Switch,
    /// Any value.
    Any,
    /// The plain value, or a mapping with `default` (LANGUAGE section 1, *setting*).
    Setting(&'static Kind),
    /// A list.
    List(&'static Kind),
    /// A mapping from names to values.
    Names(&'static Kind),
    /// A mapping from any text to values.
    Map(&'static Kind),
    /// A list of words, or a mapping from the agent's word to the program's.
    Choices,
    /// An argv template (LANGUAGE section 5).
    Argv,
    /// A text, or a mapping with these keys.
    TextOr(fn() -> Table),
    /// A mapping with these keys.
    Struct(fn() -> Table),
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kind")
    }
}

/// The keys of one mapping of the language.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// What the mapping is, as in "unknown key of a tool".
    pub title: &'static str,
    /// Keys of the struct, in the order of the reference.
    pub fields: &'static [Field],
    /// Those of them that this mapping lacks.
    pub without: &'static [&'static str],
}

impl Table {
    /// The keys of this mapping, in the order of the reference.
    pub fn keys(self) -> impl Iterator<Item = &'static Field> {
        self.fields.iter().filter(move |field| !self.without.contains(&field.key()))
    }

    /// One key.
    pub fn find(self, key: &str) -> Option<&'static Field> {
        self.keys().find(|field| field.key() == key)
    }
}

/// One key.
#[derive(Debug)]
pub struct Field {
    /// As in `stringify!` (perhaps with `r#` in front); see [`Field::key`].
    pub raw: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// The default in words; none if the key is required.
    pub default: Option<&'static str>,
    /// What it means: the lines of the doc comment.
    pub meaning: &'static [&'static str],
}

impl Field {
    /// The key as it is written in a manifest.
    pub fn key(&self) -> &'static str {
        self.raw.strip_prefix("r#").unwrap_or(self.raw)
    }
}

/// A Rust type that a key can have.
pub trait Shape {
    /// What is written in the manifest for it.
    const KIND: Kind;
}

impl<T: Shape> Shape for Option<T> {
    const KIND: Kind = T::KIND;
}

impl<T: Shape> Shape for Box<T> {
    const KIND: Kind = T::KIND;
}

impl<T: Shape> Shape for Vec<T> {
    const KIND: Kind = Kind::List(&T::KIND);
}

impl Shape for String {
    const KIND: Kind = Kind::Word;
}

impl Shape for bool {
    const KIND: Kind = Kind::Boolean;
}

impl Shape for u8 {
    const KIND: Kind = Kind::Integer(0, 255);
}

impl Shape for u32 {
    const KIND: Kind = Kind::Integer(0, u32::MAX as i64);
}

impl Shape for serde_json::Number {
    const KIND: Kind = Kind::Number;
}

impl Shape for serde_json::Value {
    const KIND: Kind = Kind::Any;
}

/// Defines structs of the model, each together with its table of keys.
///
/// A field without `= "..."` is required; the text after `=` is the default in words. `as KIND` says more closely
/// what the key takes than its Rust type does. The doc comment is the meaning in the reference and in the schema.
macro_rules! record {
    ($(
        $(#[doc = $doc:literal])+
        struct $name:ident($title:literal) {
            $(
                $(#[doc = $meaning:literal])+
                $field:ident: $type:ty $(= $default:literal)? $(as $kind:expr)?,
            )+
        }
    )+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $(
                $(#[doc = $meaning])+
                $(#[serde(default)] #[doc = ""] #[doc = concat!("Default: ", $default)])?
                pub $field: $type,
            )+
        }

        impl $name {
            /// The keys of this mapping.
            pub fn table() -> $crate::model::kind::Table {
                static FIELDS: &[$crate::model::kind::Field] = &[$(
                    $crate::model::kind::Field {
                        raw: stringify!($field),
                        kind: record!(@kind $type $(, $kind)?),
                        default: record!(@default $($default)?),
                        meaning: &[$($meaning),+],
                    },
                )+];
                $crate::model::kind::Table { title: $title, fields: FIELDS, without: &[] }
            }
        }

        impl $crate::model::kind::Shape for $name {
            const KIND: $crate::model::kind::Kind = $crate::model::kind::Kind::Struct($name::table);
        }
    )+};
    (@kind $type:ty) => { <$type as $crate::model::kind::Shape>::KIND };
    (@kind $type:ty, $kind:expr) => { $kind };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
}

pub(crate) use record;
