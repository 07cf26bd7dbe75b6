//! Parses the arguments of a tag, which may be named.

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name, in lower case.
    pub name: Option<String>,
    /// Its value, without quotation marks.
    pub value: String,
    /// Whether it is quoted.
    pub is_quoted: bool,
}

/// The arguments of a tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments(pub Vec<Argument>);

/// The syntax of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `"a" b c="d"`, as in Hugo and in includes of Jekyll.
    Words,
    /// `"a", b=["c"], d: 1`, as in calls.
    List,
}

impl Arguments {
    /// Parses arguments.
    pub fn of(text: &str, notation: Notation) -> Self {
        let mut arguments = Vec::new();
        let mut rest = text;
        let is_between = |character: char| {
            character.is_whitespace() || character == ',' && notation == Notation::List
        };
        loop {
            rest = rest.trim_start_matches(is_between);
            if rest.is_empty() {
                return Self(arguments);
            }
            let (name, value) = name_and_value(rest, notation);
            let (argument, after) = word(value, notation);
            arguments.push(Argument {
                name: name.map(str::to_lowercase),
                ..argument
            });
            rest = after;
        }
    }

    /// Adds a named argument.
    pub fn add(&mut self, name: &str, value: impl Into<String>) {
        self.0.push(Argument {
            name: Some(name.to_lowercase()),
            value: value.into(),
            // The value is final: an unquoted one would be evaluated as a variable or a flag.
            is_quoted: true,
        });
    }

    /// Returns the value of the first of the named arguments that is present.
    pub fn named(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| {
            let argument = self
                .0
                .iter()
                .find(|known| known.name.as_deref() == Some(name));
            argument.map(|argument| argument.value.as_str())
        })
    }

    /// Returns the unnamed argument with this index, from 0.
    pub fn positional(&self, index: usize) -> Option<&str> {
        let mut positional = self.0.iter().filter(|argument| argument.name.is_none());
        positional
            .nth(index)
            .map(|argument| argument.value.as_str())
    }

    /// Returns the value of the first of the named arguments that is present, else the unnamed argument with this index.
    pub fn named_or(&self, names: &[&str], index: usize) -> Option<&str> {
        self.named(names).or_else(|| self.positional(index))
    }

    /// Returns whether one of the named arguments is present and not false, or one of the names is an unquoted unnamed
    /// argument.
    pub fn is_set(&self, names: &[&str]) -> bool {
        let is_false = |value: &str| ["false", "no", "0", "none"].contains(&value);
        match self.named(names) {
            Some(value) => !is_false(value),
            None => self.0.iter().any(|argument| {
                argument.name.is_none()
                    && !argument.is_quoted
                    && names.contains(&argument.value.as_str())
            }),
        }
    }
}

/// Splits off the name before `=` or, in a list, before `:`.
fn name_and_value(text: &str, notation: Notation) -> (Option<&str>, &str) {
    let end = text
        .find(|character: char| !(character.is_alphanumeric() || "-_.@".contains(character)))
        .unwrap_or(text.len());
    let after = text[end..].trim_start();
    let value = match notation {
        Notation::List => after.strip_prefix(['=', ':']),
        Notation::Words => after.strip_prefix('='),
    };
    match value {
        Some(value) if end > 0 => (Some(&text[..end]), value.trim_start()),
        _ => (None, text),
    }
}

/// Splits off a leading value.
fn word(text: &str, notation: Notation) -> (Argument, &str) {
    let argument = |value: String, is_quoted| Argument {
        name: None,
        value,
        is_quoted,
    };
    match text.chars().next() {
        Some('`') => {
            let (inside, rest) = text[1..].split_once('`').unwrap_or((&text[1..], ""));
            return (argument(inside.to_owned(), true), rest);
        }
        Some(quote @ ('"' | '\'')) => {
            let (value, rest) = quoted(&text[1..], quote);
            return (argument(value, true), rest);
        }
        // A list contains the separator of arguments, so it is taken as a whole.
        Some('[' | '{') if notation == Notation::List => {
            let (value, rest) = text.split_at(bracket_length(text));
            return (argument(value.to_owned(), false), rest);
        }
        _ => {}
    }
    // At least one character is consumed, so that parsing terminates.
    let first = text.chars().next().map_or(0, char::len_utf8);
    let end = text[first..]
        .find(|character: char| {
            character.is_whitespace() || character == ',' && notation == Notation::List
        })
        .map_or(text.len(), |end| first + end);
    (argument(text[..end].to_owned(), false), &text[end..])
}

/// Splits off a leading quoted text with escapes.
fn quoted(text: &str, quote: char) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((offset, character)) = characters.next() {
        match character {
            _ if character == quote => return (value, &text[offset + 1..]),
            '\\' => match characters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, escaped)) if escaped == quote || escaped == '\\' => value.push(escaped),
                Some((_, other)) => value.extend(['\\', other]),
                None => value.push('\\'),
            },
            _ => value.push(character),
        }
    }
    (value, "")
}

/// Returns the length of a leading list or map.
fn bracket_length(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut quote = None;
    for (offset, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(character),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return offset + character.len_utf8();
                }
            }
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, notation: Notation) -> Vec<(Option<String>, String)> {
        let arguments = Arguments::of(text, notation).0;
        arguments
            .into_iter()
            .map(|one| (one.name, one.value))
            .collect()
    }

    #[test]
    fn words_are_read_with_their_quotation_marks_and_escapes() {
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(
            read(
                r#"a "b \"c\" \d" `e"` F="g" h=i/j,k l = 'm'"#,
                Notation::Words
            ),
            [
                (None, "a".to_owned()),
                (None, r#"b "c" \d"#.to_owned()),
                (None, "e\"".to_owned()),
                (some("f"), "g".to_owned()),
                (some("h"), "i/j,k".to_owned()),
                (some("l"), "m".to_owned()),
            ]
        );
    }

    #[test]
    fn lists_are_read_with_commas_and_without() {
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(
            read(r#""a", b=["c", "d,"], e: 1 'f' g"#, Notation::List),
            [
                (None, "a".to_owned()),
                (some("b"), r#"["c", "d,"]"#.to_owned()),
                (some("e"), "1".to_owned()),
                (None, "f".to_owned()),
                (None, "g".to_owned()),
            ]
        );
    }
}
