//! Messages with arguments, in the form of ICU: `{name}`, `{n, number}`, `{n, plural, one {# post} other {# posts}}`,
//! `{kind, select, a {…} other {…}}`. The grammar is that of Ghost 6.65.

use std::sync::Arc;

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    front_end::helpers::{
        coercion::{is_space, number},
        dates, numbers,
    },
    templates::Value,
};

/// Most messages within each other.
const DEPTH_MAX: usize = 20;

/// The words for the numbers of a plural.
const PLURALS: [&str; 9] = [
    "=0", "=1", "=2", "zero", "one", "two", "few", "many", "other",
];

/// A message.
#[derive(Debug, PartialEq)]
pub struct Message(Vec<Part>);

/// The options of a choice: a word and a message.
type Options = Vec<(String, Message)>;

#[derive(Debug, PartialEq)]
enum Part {
    Text(String),
    /// `#` in a plural: the number.
    Count(String),
    Argument(String),
    Formatted {
        argument: String,
        kind: &'static str,
        style: Option<String>,
    },
    Plural {
        argument: String,
        is_ordinal: bool,
        offset: f64,
        options: Options,
    },
    Select {
        argument: String,
        options: Options,
    },
}

/// What messages are written with.
pub struct Formatting<'f> {
    /// The language.
    pub locale: &'f str,
    /// The zone of dates.
    pub time_zone: &'f TimeZone,
    /// The arguments.
    pub values: &'f [(Arc<str>, Value)],
}

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    ///
    /// If the text does not follow the grammar; the reason.
    pub fn parsed(text: &str) -> Result<Self, &'static str> {
        let mut parser = Parser { rest: text };
        let message = parser.message(0)?;
        if parser.rest.is_empty() {
            Ok(message)
        } else {
            Err("it has a bracket or a character too many")
        }
    }

    /// Returns the message with its arguments; `None` if it has no value for one. A message of one argument is its value.
    pub fn formatted(&self, formatting: &Formatting) -> Option<Value> {
        if let [Part::Argument(name)] = self.0.as_slice() {
            return Some(match formatting.value(name)? {
                value @ (Value::Html(_) | Value::Object(_) | Value::List(_)) => value.clone(),
                value => Value::from(shown(value)),
            });
        }
        let mut text = String::new();
        self.write(formatting, &mut text)?;
        Some(Value::from(text))
    }

    fn write(&self, formatting: &Formatting, text: &mut String) -> Option<()> {
        for part in &self.0 {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Argument(name) => text.push_str(&shown(formatting.value(name)?)),
                Part::Count(name) => {
                    let count = number(formatting.value(name)?);
                    text.push_str(&numbers::number(count, formatting.locale));
                }
                Part::Formatted {
                    argument,
                    kind,
                    style,
                } => {
                    let value = formatting.value(argument)?;
                    text.push_str(&formatting.formatted(value, kind, style.as_deref()));
                }
                Part::Plural {
                    argument,
                    is_ordinal,
                    offset,
                    options,
                } => {
                    let value = formatting.value(argument)?;
                    let rest = Value::from(number(value) - offset).to_string();
                    let category = numbers::plural_category(&rest, formatting.locale, *is_ordinal);
                    let exact = format!("={value}");
                    chosen(options, &[&exact, category, "other"])?.write(formatting, text)?;
                }
                Part::Select { argument, options } => {
                    let value = formatting.value(argument)?.to_string();
                    chosen(options, &[&value, "other"])?.write(formatting, text)?;
                }
            }
        }
        Some(())
    }
}

/// Returns the text of an argument: nothing for what is not true.
fn shown(value: &Value) -> String {
    match value {
        Value::Bool(false) => String::new(),
        value => value.to_string(),
    }
}

/// Returns the option of the first of the words that has one.
fn chosen<'o>(options: &'o Options, words: &[&str]) -> Option<&'o Message> {
    words.iter().find_map(|word| {
        // The last option of a word counts.
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
        let format = match (kind, style) {
            ("time", Some("short")) => "LT",
            ("time", _) => "LTS",
            (_, Some("medium")) => "ll",
            (_, Some("long")) => "LL",
            (_, Some("full")) => "dddd, LL",
            _ => "l",
        };
        dates::formatted(
            &time.to_zoned(self.time_zone.clone()),
            format,
            &dates::language(self.locale),
        )
    }
}

struct Parser<'t> {
    rest: &'t str,
}

impl Parser<'_> {
    fn message(&mut self, depth: usize) -> Result<Message, &'static str> {
        if depth > DEPTH_MAX {
            return Err("it has too many messages in each other");
        }
        let mut parts = Vec::new();
        loop {
            let text = self.text()?;
            if !text.is_empty() {
                parts.push(Part::Text(text));
            }
            if !self.takes("{") {
                return Ok(Message(parts));
            }
            parts.push(self.argument(depth)?);
        }
    }

    /// Reads the text up to the next bracket.
    fn text(&mut self) -> Result<String, &'static str> {
        let mut text = String::new();
        while let Some(character) = self.rest.chars().next() {
            match character {
                '{' | '}' => break,
                '\\' => text.push_str(&self.escape()?),
                '\'' if self.rest.starts_with("''") => {
                    text.push('\'');
                    self.rest = &self.rest[2..];
                }
                character if character.is_ascii_control() && !is_space(character) => {
                    return Err("it has a control character");
                }
                character => {
                    text.push(character);
                    self.rest = &self.rest[character.len_utf8()..];
                }
            }
        }
        Ok(text)
    }

    /// Reads a backslash and what is after it. A number sign stays escaped until the message of a plural is done.
    fn escape(&mut self) -> Result<String, &'static str> {
        const INVALID: &str = "it has an invalid escape";
        let after = self.rest.get(1..2).ok_or(INVALID)?;
        let (text, length) = match after {
            "\\" | "{" | "}" => (after.to_owned(), 2),
            "#" => ("\\#".to_owned(), 2),
            "u" => {
                let digits = self.rest.get(2..6).ok_or(INVALID)?;
                let code = u32::from_str_radix(digits, 16).map_err(|_| INVALID)?;
                (
                    char::from_u32(code)
                        .unwrap_or(char::REPLACEMENT_CHARACTER)
                        .to_string(),
                    6,
                )
            }
            _ => return Err(INVALID),
        };
        self.rest = &self.rest[length..];
        Ok(text)
    }

    /// Reads what follows an opening bracket.
    fn argument(&mut self, depth: usize) -> Result<Part, &'static str> {
        self.skip_spaces();
        let argument = self.name();
        self.skip_spaces();
        if self.takes("}") {
            return Ok(Part::Argument(argument));
        }
        self.expect(",")?;
        self.skip_spaces();
        let part = if self.takes("plural") {
            self.plural(argument, false, depth)?
        } else if self.takes("selectordinal") {
            self.plural(argument, true, depth)?
        } else if self.takes("select") {
            self.skip_spaces();
            self.expect(",")?;
            let options = self.options(depth, |parser| parser.word())?;
            Part::Select { argument, options }
        } else {
            let kinds = ["number", "date", "time"];
            let kind = kinds
                .into_iter()
                .find(|kind| self.takes(kind))
                .ok_or("it has an unknown kind of argument")?;
            self.skip_spaces();
            let has_style = self.takes(",");
            self.skip_spaces();
            let style = if has_style {
                Some(self.word().ok_or("it has no style after the comma")?)
            } else {
                None
            };
            Part::Formatted {
                argument,
                kind,
                style,
            }
        };
        self.skip_spaces();
        self.expect("}")?;
        Ok(part)
    }

    fn plural(
        &mut self,
        argument: String,
        is_ordinal: bool,
        depth: usize,
    ) -> Result<Part, &'static str> {
        self.skip_spaces();
        self.expect(",")?;
        self.skip_spaces();
        let mut offset = 0.0;
        if self.takes("offset:") {
            self.skip_spaces();
            offset = self
                .digits()
                .parse()
                .map_err(|_| "it has no number after offset")?;
        }
        let word = |parser: &mut Self| {
            let word = PLURALS.into_iter().find(|word| parser.takes(word))?;
            Some(word.to_owned())
        };
        let mut options = self.options(depth, word)?;
        for (_, message) in &mut options {
            count(message, &argument);
        }
        Ok(Part::Plural {
            argument,
            is_ordinal,
            offset,
            options,
        })
    }

    fn options(
        &mut self,
        depth: usize,
        word: impl Fn(&mut Self) -> Option<String>,
    ) -> Result<Options, &'static str> {
        let mut options = Vec::new();
        loop {
            self.skip_spaces();
            if self.rest.starts_with('}') && !options.is_empty() {
                return Ok(options);
            }
            let word = word(self).ok_or("it has no option where one is expected")?;
            self.skip_spaces();
            self.expect("{")?;
            let message = self.message(depth + 1)?;
            self.expect("}")?;
            options.push((word, message));
        }
    }

    /// Reads the name of an argument, or its number.
    fn name(&mut self) -> String {
        let is_end = |character: char| {
            matches!(
                character,
                ' ' | '\t' | '\n' | '\r' | ',' | '.' | '+' | '=' | '{' | '}' | '#'
            )
        };
        let digits = self.digits();
        if !digits.is_empty() {
            let digits = digits.trim_start_matches('0');
            return if digits.is_empty() {
                "0".to_owned()
            } else {
                digits.to_owned()
            };
        }
        let mut name = String::new();
        while let Some(character) = self.rest.chars().next() {
            if is_end(character) {
                break;
            }
            self.rest = &self.rest[character.len_utf8()..];
            if character != '\'' {
                name.push(character);
            } else if let Some(next) = self.rest.chars().next() {
                name.push(next);
                self.rest = &self.rest[next.len_utf8()..];
            }
        }
        name
    }

    fn word(&mut self) -> Option<String> {
        let is_end = |character: char| matches!(character, '{' | '}' | '\\') || is_space(character);
        let length = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        (!word.is_empty()).then(|| word.to_owned())
    }

    fn digits(&mut self) -> String {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(length);
        self.rest = rest;
        digits.to_owned()
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn takes(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, text: &str) -> Result<(), &'static str> {
        if self.takes(text) {
            Ok(())
        } else {
            Err("it has no bracket or comma where one is expected")
        }
    }
}

/// Puts the number in place of the number signs of the first text of a message that has them.
fn count(message: &mut Message, argument: &str) {
    let has_sign = |part: &Part| matches!(part, Part::Text(text) if signs(text).next().is_some());
    let Some(index) = message.0.iter().position(has_sign) else {
        return;
    };
    let Part::Text(text) = message.0.remove(index) else {
        return;
    };
    let mut parts = Vec::new();
    let mut start = 0;
    for sign in signs(&text) {
        parts.push(Part::Text(text[start..sign].to_owned()));
        parts.push(Part::Count(argument.to_owned()));
        start = sign + 1;
    }
    parts.push(Part::Text(text[start..].to_owned()));
    message.0.splice(index..index, parts);
}

/// Returns the positions of the number signs that are not escaped.
fn signs(text: &str) -> impl Iterator<Item = usize> + '_ {
    let found = text.match_indices('#').map(|(index, _)| index);
    found.filter(|index| !text[..*index].ends_with('\\'))
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
            time_zone: &TimeZone::UTC,
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
