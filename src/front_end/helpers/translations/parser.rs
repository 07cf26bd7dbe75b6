//! The grammar of messages.

use super::message::{Message, MessageElement, Options};
use crate::front_end::helpers::coercion::is_space;

/// Maximum nesting depth of messages.
const DEPTH_MAX: usize = 20;

/// The selectors of a plural.
const PLURALS: [&str; 9] = [
    "=0", "=1", "=2", "zero", "one", "two", "few", "many", "other",
];

impl Message {
    /// Parses a message.
    ///
    /// # Errors
    ///
    /// The reason, if the text does not follow the grammar.
    pub fn parsed(text: &str) -> Result<Self, &'static str> {
        parse(text)
    }
}

/// Parses a message.
///
/// # Errors
///
/// The reason, if the text does not follow the grammar.
fn parse(text: &str) -> Result<Message, &'static str> {
    let mut parser = Parser { rest: text };
    let mut message = parser.message(0)?;
    if !parser.rest.is_empty() {
        return Err("unexpected closing bracket");
    }
    // In a second pass, because a number sign belongs to a plural that is only known once its
    // options have been parsed.
    count_plurals(&mut message);
    Ok(message)
}

struct Parser<'t> {
    rest: &'t str,
}

impl Parser<'_> {
    fn message(&mut self, depth: usize) -> Result<Message, &'static str> {
        if depth > DEPTH_MAX {
            return Err("messages are nested too deeply");
        }
        let mut parts = Vec::new();
        loop {
            let text = self.text()?;
            if !text.is_empty() {
                parts.push(MessageElement::Text(text));
            }
            if !self.takes("{") {
                return Ok(Message(parts));
            }
            parts.push(self.argument(depth)?);
        }
    }

    /// Parses the text up to the next bracket.
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
                character if character.is_ascii_control() && !"\t\n\r".contains(character) => {
                    return Err("invalid control character");
                }
                character => {
                    text.push(character);
                    self.rest = &self.rest[character.len_utf8()..];
                }
            }
        }
        Ok(text)
    }

    /// Parses an escape sequence. A number sign stays escaped until the plural that contains it has been parsed.
    fn escape(&mut self) -> Result<String, &'static str> {
        const INVALID: &str = "invalid escape sequence";
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

    /// Parses the argument after an opening bracket.
    fn argument(&mut self, depth: usize) -> Result<MessageElement, &'static str> {
        self.skip_spaces();
        let argument = self.name();
        self.skip_spaces();
        if self.takes("}") {
            return Ok(MessageElement::Argument(argument));
        }
        self.expect(",")?;
        self.skip_spaces();
        // `selectordinal` is tested before its prefix `select`.
        let part = if self.takes("plural") {
            self.plural(argument, false, depth)?
        } else if self.takes("selectordinal") {
            self.plural(argument, true, depth)?
        } else if self.takes("select") {
            self.skip_spaces();
            self.expect(",")?;
            let options = self.options(depth, |parser| parser.word())?;
            MessageElement::Select { argument, options }
        } else {
            let kinds = ["number", "date", "time"];
            let kind = kinds
                .into_iter()
                .find(|kind| self.takes(kind))
                .ok_or("unknown type of argument")?;
            self.skip_spaces();
            let has_style = self.takes(",");
            self.skip_spaces();
            let style = if has_style {
                Some(self.word().ok_or("missing style after a comma")?)
            } else {
                None
            };
            MessageElement::Formatted {
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
    ) -> Result<MessageElement, &'static str> {
        self.skip_spaces();
        self.expect(",")?;
        self.skip_spaces();
        let mut offset = 0.0;
        if self.takes("offset:") {
            self.skip_spaces();
            offset = self
                .digits()
                .parse()
                .map_err(|_| "missing number after offset")?;
        }
        let word = |parser: &mut Self| {
            let word = PLURALS.into_iter().find(|word| parser.takes(word))?;
            Some(word.to_owned())
        };
        let options = self.options(depth, word)?;
        Ok(MessageElement::Plural {
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
            let word = word(self).ok_or("missing or unknown option")?;
            self.skip_spaces();
            self.expect("{")?;
            let message = self.message(depth + 1)?;
            self.expect("}")?;
            options.push((word, message));
        }
    }

    /// Parses the name or the number of an argument.
    fn name(&mut self) -> String {
        let is_end = |character: char| {
            matches!(
                character,
                ' ' | '\t' | '\n' | '\r' | ',' | '.' | '+' | '=' | '{' | '}' | '#'
            )
        };
        let digits = self.digits();
        if !digits.is_empty() {
            // The name of an argument is a number in the grammar, so `{00}` is `{0}`.
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
            // An apostrophe escapes the next character of a name.
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
            Err("missing bracket or comma")
        }
    }
}

/// Replaces the number signs in the plurals of a message by numbers, also in plurals directly inside their options, but not in
/// plurals inside a `select` (Ghost 6.65).
fn count_plurals(message: &mut Message) {
    for part in &mut message.0 {
        if let MessageElement::Plural {
            argument, options, ..
        } = part
        {
            for (_, option) in options {
                count(option, argument);
                count_plurals(option);
            }
        }
    }
}

/// Replaces the number signs in the first text of a message that contains any.
fn count(message: &mut Message, argument: &str) {
    let has_sign = |part: &MessageElement| matches!(part, MessageElement::Text(text) if signs(text).next().is_some());
    let Some(index) = message.0.iter().position(has_sign) else {
        return;
    };
    let MessageElement::Text(text) = message.0.remove(index) else {
        return;
    };
    let mut parts = Vec::new();
    let mut start = 0;
    for sign in signs(&text) {
        parts.push(MessageElement::Text(text[start..sign].to_owned()));
        parts.push(MessageElement::Count(argument.to_owned()));
        start = sign + 1;
    }
    parts.push(MessageElement::Text(text[start..].to_owned()));
    message.0.splice(index..index, parts);
}

/// Returns the indexes of the number signs that are not escaped.
fn signs(text: &str) -> impl Iterator<Item = usize> + '_ {
    let found = text.match_indices('#').map(|(index, _)| index);
    found.filter(|index| !text[..*index].ends_with('\\'))
}
