//! Messages with arguments in ICU syntax: `{name}`, `{n, number}`, `{n, plural, one {# post} other {# posts}}`, `{kind, select, a
//! {…} other {…}}`. The grammar is that of Ghost 6.65.

use std::sync::Arc;

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    front_end::helpers::{coercion::number, dates, numbers},
    templates::Value,
};

/// Maximum length of a formatted message, in bytes.
const BYTES_MAX: usize = 1 << 20;

/// A message.
#[derive(Debug, PartialEq)]
pub struct Message(pub(super) Vec<MessageElement>);

/// The options of a plural or a select: a word and a message each.
pub(super) type Options = Vec<(String, Message)>;

/// A part of a message.
#[derive(Debug, PartialEq)]
pub(super) enum MessageElement {
    /// Text, in which number signs may be escaped.
    Text(String),
    /// The number of a plural, written as `#`.
    Count(String),
    /// An argument.
    Argument(String),
    /// A number, a date or a time.
    Formatted {
        argument: String,
        kind: &'static str,
        style: Option<String>,
    },
    /// A choice by number.
    Plural {
        argument: String,
        is_ordinal: bool,
        offset: f64,
        options: Options,
    },
    /// A choice by word.
    Select { argument: String, options: Options },
}

/// The language and the values that messages are formatted with.
pub struct Formatting<'f> {
    /// The language.
    pub locale: &'f str,
    /// The arguments.
    pub values: &'f [(Arc<str>, Value)],
}

impl Message {
    /// Formats the message; `None` if an argument has no value or the result is too long. A message that consists of one argument
    /// is the value of the argument.
    pub fn formatted(&self, formatting: &Formatting) -> Option<Value> {
        if let [MessageElement::Argument(name)] = self.0.as_slice() {
            return Some(match formatting.value(name)? {
                value @ (Value::Html(_) | Value::Time(_) | Value::Object(_) | Value::List(_)) => {
                    value.clone()
                }
                value => Value::from(shown(value)),
            });
        }
        let mut text = String::new();
        self.write(formatting, &mut text)?;
        Some(Value::from(text))
    }

    fn write(&self, formatting: &Formatting, text: &mut String) -> Option<()> {
        for part in &self.0 {
            // Values are inserted as often as a message names them.
            if text.len() > BYTES_MAX {
                return None;
            }
            match part {
                MessageElement::Text(plain) => text.push_str(&plain.replace("\\#", "#")),
                MessageElement::Argument(name) => text.push_str(&shown(formatting.value(name)?)),
                MessageElement::Count(name) => {
                    let count = number(formatting.value(name)?);
                    text.push_str(&numbers::number(count, formatting.locale));
                }
                MessageElement::Formatted {
                    argument,
                    kind,
                    style,
                } => {
                    let value = formatting.value(argument)?;
                    text.push_str(&formatting.formatted(value, kind, style.as_deref()));
                }
                MessageElement::Plural {
                    argument,
                    is_ordinal,
                    offset,
                    options,
                } => {
                    let value = formatting.value(argument)?;
                    let rest = Value::from(number(value) - offset).to_string();
                    let category = numbers::plural_category(&rest, formatting.locale, *is_ordinal);
                    // An exact option is chosen by the value itself, categories by the value minus
                    // the offset.
                    let exact = format!("={value}");
                    chosen(options, &[&exact, category, "other"])?.write(formatting, text)?;
                }
                MessageElement::Select { argument, options } => {
                    let value = formatting.value(argument)?.to_string();
                    chosen(options, &[&value, "other"])?.write(formatting, text)?;
                }
            }
        }
        Some(())
    }
}

/// Returns the text of an argument; `false` is empty.
fn shown(value: &Value) -> String {
    match value {
        Value::Bool(false) => String::new(),
        value => value.to_string(),
    }
}

/// Returns the option for the first of the words that has an option.
fn chosen<'o>(options: &'o Options, words: &[&str]) -> Option<&'o Message> {
    words.iter().find_map(|word| {
        // If a word occurs twice, its last option applies.
        let option = options.iter().rev().find(|(own, _)| own == word);
        option.map(|(_, message)| message)
    })
}

impl Formatting<'_> {
    fn value(&self, name: &str) -> Option<&Value> {
        self.values
            .iter()
            .find(|(own, _)| &**own == name)
            .map(|(_, value)| value)
    }

    fn formatted(&self, value: &Value, kind: &str, style: Option<&str>) -> String {
        if kind == "number" {
            let value = number(value);
            return match style {
                Some("percent") => {
                    format!("{}%", numbers::number((value * 100.0).round(), self.locale))
                }
                _ => numbers::number(value, self.locale),
            };
        }
        let Ok(time) = Timestamp::from_millisecond(number(value) as i64) else {
            return String::new();
        };
        let (format, is_short) = match (kind, style) {
            ("time", Some("short")) => ("LT", false),
            ("time", Some("long" | "full")) => ("LTS [UTC]", false),
            ("time", Some(_)) => ("LTS", false),
            (_, Some("medium")) => ("ll", false),
            (_, Some("long")) => ("LL", false),
            (_, Some("full")) => ("dddd, LL", false),
            (_, style) => ("l", style == Some("short")),
        };
        // Messages use the time zone of Ghost's server, which is UTC, instead of that of the site.
        let time = time.to_zoned(TimeZone::UTC);
        let text = dates::formatted(&time, format, &dates::language(self.locale));
        if is_short {
            let year = time.year();
            return text.replacen(&format!("{year:04}"), &format!("{:02}", year % 100), 1);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(message: &str, values: &[(&str, Value)]) -> Option<String> {
        let values: Vec<_> = values
            .iter()
            .map(|(name, value)| (Arc::from(*name), value.clone()))
            .collect();
        let formatting = Formatting {
            locale: "en",
            values: &values,
        };
        let message = Message::parsed(message).expect("it is a message");
        message
            .formatted(&formatting)
            .map(|value| value.to_string())
    }

    #[test]
    fn arguments_are_put_in() {
        assert_eq!(
            formatted(
                "Hi {name}, it's {n, number}",
                &[("name", "Ada".into()), ("n", 1234.5.into())]
            )
            .as_deref(),
            Some("Hi Ada, it's 1,234.5")
        );
        assert_eq!(
            formatted("{a}{b}", &[("a", "1".into()), ("b", "2".into())]).as_deref(),
            Some("12")
        );
        assert_eq!(formatted("{a}{b}", &[("a", "1".into())]), None);
        assert_eq!(formatted("{0}", &[("0", Value::Null)]).as_deref(), Some(""));
    }

    #[test]
    fn dates_and_times_are_in_utc() {
        let of = |message| formatted(message, &[("d", 0.0.into())]);
        assert_eq!(of("{d, date, short}").as_deref(), Some("1/1/70"));
        assert_eq!(of("{d, date}").as_deref(), Some("1/1/1970"));
        assert_eq!(of("{d, time}").as_deref(), Some("1/1/1970"));
        assert_eq!(of("{d, time, full}").as_deref(), Some("12:00:00 AM UTC"));
    }

    #[test]
    fn plurals_and_choices_follow_their_argument() {
        let message = "{n, plural, =0 {none} one {# letter} other {# letters}}";
        let of = |n: f64| formatted(message, &[("n", n.into())]);
        assert_eq!(of(0.0).as_deref(), Some("none"));
        assert_eq!(of(1.0).as_deref(), Some("1 letter"));
        assert_eq!(of(1500.0).as_deref(), Some("1,500 letters"));
        let message = "{who, select, you {your {n} posts} other {posts}}";
        assert_eq!(
            formatted(message, &[("who", "you".into()), ("n", 3.0.into())]).as_deref(),
            Some("your 3 posts")
        );
        assert_eq!(
            formatted(message, &[("who", "me".into())]).as_deref(),
            Some("posts")
        );
    }

    #[test]
    fn broken_messages_are_refused() {
        for message in [
            "bad {brace",
            "a } b",
            "{n, plural, one {x}",
            "{n, nope}",
            "\\x",
        ] {
            assert!(Message::parsed(message).is_err(), "{message}");
        }
    }
}
