//! Values of the model that are no plain struct: each with its own visitor.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserialize, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use verbgate_table::{Access, Bytes, Capture, Class, Millis, MustBe, ProviderKind, Stream};

use super::kind::{Kind, Shape};
use super::{Sample, SampleOutput};

/// A mapping in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries<T>(pub Vec<(String, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Entries<T> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&T> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Keys and values, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl<T: Shape> Shape for Entries<T> {
    const KIND: Kind = Kind::Names(&T::KIND);
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Keys<T> {
            type Value = Entries<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Keys(PhantomData))
    }
}

/// A setting (LANGUAGE section 1): written as the plain value, or as a mapping.
///
/// Places: [`super::At::key`]`("default")` of the plain form falls back to the value itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting<T> {
    /// The value when nothing is set.
    pub default: T,
    /// Key in the user's configuration, dotted.
    pub config: Option<String>,
    /// Environment variable.
    pub env: Option<String>,
    /// Smallest value from outside.
    pub min: Option<T>,
    /// Largest value from outside.
    pub max: Option<T>,
}

impl<T: Shape> Shape for Setting<T> {
    const KIND: Kind = Kind::Setting(&T::KIND);
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Setting<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PlainOrKeys<T>(PhantomData<T>);
        impl<T> PlainOrKeys<T> {
            fn plain(default: T) -> Setting<T> {
                Setting { default, config: None, env: None, min: None, max: None }
            }
        }
        impl<'de, T: Deserialize<'de>> Visitor<'de> for PlainOrKeys<T> {
            type Value = Setting<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value, or a mapping with `default`")
            }
            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Setting<T>, E> {
                T::deserialize(value.into_deserializer()).map(Self::plain)
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Setting<T>, E> {
                T::deserialize(value.into_deserializer()).map(Self::plain)
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Setting<T>, E> {
                T::deserialize(value.into_deserializer()).map(Self::plain)
            }
            fn visit_str<E: de::Error>(self, value: &str) -> Result<Setting<T>, E> {
                T::deserialize(value.into_deserializer()).map(Self::plain)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Setting<T>, A::Error> {
                let (mut default, mut config, mut env, mut min, mut max) = (None, None, None, None, None);
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "default" => default = Some(map.next_value()?),
                        "config" => config = Some(map.next_value()?),
                        "env" => env = Some(map.next_value()?),
                        "min" => min = Some(map.next_value()?),
                        "max" => max = Some(map.next_value()?),
                        other => {
                            return Err(de::Error::unknown_field(other, &["default", "config", "env", "min", "max"]));
                        }
                    }
                }
                let default = default.ok_or_else(|| de::Error::missing_field("default"))?;
                Ok(Setting { default, config, env, min, max })
            }
        }
        deserializer.deserialize_any(PlainOrKeys(PhantomData))
    }
}

/// `choices`: a list, or a mapping from the agent's word to the program's.
#[derive(Clone, Debug, PartialEq)]
pub enum Choices {
    /// Both words are the same.
    List(Vec<String>),
    /// The agent's word and the program's.
    Map(Entries<String>),
}

impl Choices {
    /// The agent's word and the program's, in the order of the file.
    pub fn pairs(&self) -> Vec<(&str, &str)> {
        match self {
            Choices::List(words) => words.iter().map(|word| (word.as_str(), word.as_str())).collect(),
            Choices::Map(entries) => entries.iter().map(|(word, program)| (word, program.as_str())).collect(),
        }
    }
}

impl Shape for Choices {
    const KIND: Kind = Kind::Choices;
}

impl<'de> Deserialize<'de> for Choices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListOrMap;
        impl<'de> Visitor<'de> for ListOrMap {
            type Value = Choices;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list or a mapping of text")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Choices, A::Error> {
                Vec::deserialize(de::value::SeqAccessDeserializer::new(seq)).map(Choices::List)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Choices, A::Error> {
                Entries::deserialize(de::value::MapAccessDeserializer::new(map)).map(Choices::Map)
            }
        }
        deserializer.deserialize_any(ListOrMap)
    }
}

/// One entry of an argv template, texts not yet read (LANGUAGE section 5).
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// Text with placeholders.
    Text(String),
    /// `ARG: body`, a mapping with one key. Places: `.key(ARG)`, and `.index(i)` of that for the body's elements
    /// (falls back to the text where the body is one).
    When(String, Vec<Element>),
}

impl Shape for Element {
    const KIND: Kind = Kind::Argv;
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrWhen;
        impl<'de> Visitor<'de> for TextOrWhen {
            type Value = Element;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text, or one `argument: text or list`")
            }
            fn visit_str<E: de::Error>(self, value: &str) -> Result<Element, E> {
                Ok(Element::Text(value.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Element, A::Error> {
                let Some((argument, Body(body))) = map.next_entry::<String, Body>()? else {
                    return Err(de::Error::custom("empty mapping in an argv"));
                };
                if map.next_key::<String>()?.is_some() {
                    return Err(de::Error::custom("mapping with two keys in an argv"));
                }
                Ok(Element::When(argument, body))
            }
        }
        deserializer.deserialize_any(TextOrWhen)
    }
}

struct Body(Vec<Element>);

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrList;
        impl<'de> Visitor<'de> for TextOrList {
            type Value = Body;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text or a list")
            }
            fn visit_str<E: de::Error>(self, value: &str) -> Result<Body, E> {
                Ok(Body(vec![Element::Text(value.to_owned())]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Body, A::Error> {
                Vec::deserialize(de::value::SeqAccessDeserializer::new(seq)).map(Body)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Body, A::Error> {
                Element::deserialize(de::value::MapAccessDeserializer::new(map)).map(|element| Body(vec![element]))
            }
        }
        deserializer.deserialize_any(TextOrList)
    }
}

/// An exit status, or the name of a signal (`SIGKILL`), as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExitWord {
    /// 0 to 255.
    Status(u8),
    /// Not yet looked up.
    Signal(String),
}

impl Shape for ExitWord {
    const KIND: Kind = Kind::Exit;
}

/// Whether a stage runs, as written (LANGUAGE section 12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switch {
    /// `true` or `false`.
    Boolean(bool),
    /// `off`, `observe`, `enforce`, or another word.
    Word(String),
}

impl Shape for Switch {
    const KIND: Kind = Kind::Switch;
}

impl Shape for Sample {
    const KIND: Kind = Kind::TextOr(SampleOutput::table);
}

impl<'de> Deserialize<'de> for Sample {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrOutput;
        impl<'de> Visitor<'de> for TextOrOutput {
            type Value = Sample;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text or a mapping")
            }
            fn visit_str<E: de::Error>(self, value: &str) -> Result<Sample, E> {
                Ok(Sample::Text(value.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Sample, A::Error> {
                SampleOutput::deserialize(de::value::MapAccessDeserializer::new(map)).map(Sample::Output)
            }
        }
        deserializer.deserialize_any(TextOrOutput)
    }
}

macro_rules! scalar_or_text {
    ($type:ident, $expecting:literal, $($visit:ident($of:ty) => $make:expr),+) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Either;
                impl Visitor<'_> for Either {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expecting)
                    }
                    $(fn $visit<E: de::Error>(self, value: $of) -> Result<$type, E> {
                        $make(value).ok_or_else(|| de::Error::custom(concat!("not ", $expecting)))
                    })+
                }
                deserializer.deserialize_any(Either)
            }
        }
    };
}

scalar_or_text!(ExitWord, "an exit status or the name of a signal",
    visit_u64(u64) => |value| u8::try_from(value).ok().map(ExitWord::Status),
    visit_i64(i64) => |value| u8::try_from(value).ok().map(ExitWord::Status),
    visit_str(&str) => |value: &str| Some(ExitWord::Signal(value.to_owned())));
scalar_or_text!(Switch, "true, false or a word",
    visit_bool(bool) => |value| Some(Switch::Boolean(value)),
    visit_str(&str) => |value: &str| Some(Switch::Word(value.to_owned())));

/// Reads `90 s` (LANGUAGE section 1).
pub fn duration(text: &str) -> Option<u64> {
    with_unit(text, &[("ms", 1), ("s", 1_000), ("min", 60_000), ("h", 3_600_000)])
}

/// Reads `16 KiB` (LANGUAGE section 1).
pub fn size(text: &str) -> Option<u64> {
    with_unit(text, &[("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20)])
}

fn with_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, unit) = text.split_once(' ')?;
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    let canonical = number.bytes().all(|byte| byte.is_ascii_digit()) && (number == "0" || !number.starts_with('0'));
    canonical.then(|| number.parse::<u64>().ok()?.checked_mul(*factor)).flatten()
}

/// A value of the table that is written as one text.
macro_rules! from_text {
    ($name:ident, $type:ty, $kind:expr, $read:expr) => {
        impl Shape for $name {
            const KIND: Kind = $kind;
        }
        impl std::ops::Deref for $name {
            type Target = $type;
            fn deref(&self) -> &$type {
                &self.0
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                $read(text.as_str()).map($name).ok_or_else(|| de::Error::custom(format!("`{text}` does not fit here")))
            }
        }
    };
}

macro_rules! words {
    ($(#[doc = $doc:literal] $name:ident: $type:ty { $($word:literal => $value:expr),+ })+) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub $type);
        from_text!($name, $type, Kind::Words(&[$($word),+]), |text| match text {
            $($word => Some($value),)+
            _ => None,
        });
    )+};
}

/// A duration, as text in the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurationWord(pub Millis);
from_text!(DurationWord, Millis, Kind::Duration, |text| duration(text).map(Millis));

/// A size, as text in the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeWord(pub Bytes);
from_text!(SizeWord, Bytes, Kind::Size, |text| size(text).map(Bytes));

words! {
    /// A consent class.
    ClassWord: Class {
        "read" => Class::Read, "additive" => Class::Additive, "file_write" => Class::FileWrite,
        "registry_mutation" => Class::RegistryMutation, "replace" => Class::Replace
    }
    /// What the program does at a path.
    AccessWord: Access {
        "read" => Access::Read, "create" => Access::Create, "write" => Access::Write, "update" => Access::Update
    }
    /// What a path must be.
    MustBeWord: MustBe {
        "present" => MustBe::Present, "file" => MustBe::File, "directory" => MustBe::Directory,
        "absent" => MustBe::Absent
    }
    /// A stream.
    StreamWord: Stream { "stdout" => Stream::Stdout, "stderr" => Stream::Stderr }
    /// What a field's text becomes.
    FieldTypeWord: verbgate_table::FieldType {
        "string" => verbgate_table::FieldType::String, "integer" => verbgate_table::FieldType::Integer,
        "number" => verbgate_table::FieldType::Number, "boolean" => verbgate_table::FieldType::Boolean,
        "json" => verbgate_table::FieldType::Json
    }
    /// What a provider stage does.
    ProviderWord: ProviderKind { "redact" => ProviderKind::Redact, "sanitise" => ProviderKind::Sanitise }
    /// How much can be captured.
    CaptureWord: Capture {
        "exact" => Capture::Exact, "limited" => Capture::Limited, "unsupported" => Capture::Unsupported
    }
}
