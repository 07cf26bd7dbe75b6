//! A minimal parser of JavaScript: ends of expressions and statements, and literals.

use std::collections::HashMap;

use serde_json::{Map, Number, Value};

/// Maximum nesting of brackets.
const DEPTH_MAX: usize = 100;

/// Returns the length of a leading expression in braces, or the number of scanned bytes if it is not closed.
pub fn braces(text: &str) -> Result<usize, usize> {
    let mut scan = Scan::new(text);
    while scan.step() {
        if scan.open.is_empty() {
            return Ok(scan.offset);
        }
        if scan.open.len() > DEPTH_MAX {
            break;
        }
    }
    Err(scan.offset)
}

/// Returns the length of a leading statement with its line break, and the number of scanned bytes. The statement ends at a
/// line break outside of brackets.
pub fn statement(text: &str) -> (usize, usize) {
    let mut scan = Scan::new(text);
    loop {
        let is_at_break = text[scan.offset..].starts_with('\n');
        // Statements need no semicolon, so a line break ends one unless an operator continues it.
        if is_at_break
            && scan.open.is_empty()
            && is_complete(&text[..scan.offset], &text[scan.offset + 1..])
        {
            return (scan.offset + 1, scan.offset + 1);
        }
        if !scan.step() || scan.open.len() > DEPTH_MAX {
            break;
        }
    }
    let length = if scan.open.is_empty() {
        text.len()
    } else {
        // An unclosed statement extends to the next blank line.
        text.find("\n\n").map_or(text.len(), |found| found + 1)
    };
    (length, scan.offset.max(length))
}

/// Returns the length of a leading expression, up to the comma, semicolon or bracket that ends it.
pub fn expression_length(text: &str) -> usize {
    let mut scan = Scan::new(text);
    loop {
        let is_end = text[scan.offset..].starts_with([',', ';', '}', ']', ')']);
        if scan.open.is_empty() && is_end || scan.open.len() > DEPTH_MAX || !scan.step() {
            return scan.offset;
        }
    }
}

/// Returns whether a statement does not continue on the next line.
fn is_complete(before: &str, after: &str) -> bool {
    let ends = ["=", ",", "=>", "(", "+", "?", ":", "&&", "||", " from"];
    let starts = [".", "?", ":", "+", "&&", "||", "from ", "="];
    let line = before.rsplit('\n').next().unwrap_or(before).trim_end();
    let next = after.split('\n').next().unwrap_or_default().trim_start();
    !ends.iter().any(|end| line.ends_with(end))
        && !starts.iter().any(|start| next.starts_with(start))
}

struct Scan<'t> {
    text: &'t str,
    offset: usize,
    /// Open brackets and templates.
    open: Vec<u8>,
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            offset: 0,
            open: Vec::new(),
        }
    }

    /// Advances by a character, a string or a comment. Returns false at the end of the text.
    fn step(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let Some(byte) = bytes.get(self.offset).copied() else {
            return false;
        };
        let next = bytes.get(self.offset + 1).copied();
        if self.open.last() == Some(&b'`') {
            match (byte, next) {
                (b'\\', _) => self.offset += 1,
                (b'`', _) => {
                    self.open.pop();
                }
                (b'$', Some(b'{')) => {
                    self.open.push(b'{');
                    self.offset += 1;
                }
                _ => {}
            }
            self.offset = self.next_boundary(self.offset + 1);
            return true;
        }
        match (byte, next) {
            (b'"' | b'\'', _) => self.offset += self.quoted_length(char::from(byte)),
            (b'`' | b'{' | b'(' | b'[', _) => {
                self.open.push(byte);
                self.offset += 1;
            }
            (b'}' | b')' | b']', _) => {
                self.open.pop();
                self.offset += 1;
            }
            // After a colon, `//` is part of a URL and does not begin a comment.
            (b'/', Some(b'/')) if self.offset == 0 || bytes[self.offset - 1] != b':' => {
                let rest = &self.text[self.offset..];
                self.offset += rest.find('\n').unwrap_or(rest.len());
            }
            (b'/', Some(b'*')) => {
                let rest = &self.text[self.offset..];
                self.offset += rest[2..].find("*/").map_or(rest.len(), |end| end + 4);
            }
            _ => self.offset = self.next_boundary(self.offset + 1),
        }
        true
    }

    /// Returns the length of a quoted string. If it is not closed on its line, only the quotation mark counts.
    fn quoted_length(&self, quote: char) -> usize {
        let rest = &self.text[self.offset..];
        let mut is_escaped = false;
        for (offset, character) in rest.char_indices().skip(1) {
            match character {
                '\n' => break,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                _ if character == quote => return offset + 1,
                _ => {}
            }
        }
        1
    }

    fn next_boundary(&self, mut offset: usize) -> usize {
        while offset < self.text.len() && !self.text.is_char_boundary(offset) {
            offset += 1;
        }
        offset.min(self.text.len())
    }
}

/// The values of names: strings, and the paths of imported files.
pub type NameValues = HashMap<String, String>;

/// Evaluates a literal; `None` if it is not one. A name in it is replaced with its value in `names`, or else is evaluated as
/// its own text.
pub fn literal(text: &str, names: &NameValues) -> Option<Value> {
    ScriptScanner::new(text, names).literal()
}

/// Evaluates a literal in which all names have a value in `names`.
pub fn literal_of_known(text: &str, names: &NameValues) -> Option<Value> {
    let mut reader = ScriptScanner::new(text, names);
    let value = reader.literal();
    value.filter(|_| !reader.has_unknown)
}

/// Returns the keys of a leading object with the source texts of their values, which methods and spreads do not have.
/// Returns `None` if the text does not begin with an object.
pub fn entries(text: &str) -> Option<Vec<(String, Option<&str>)>> {
    let text = text.trim_start();
    let length = text.starts_with('{').then(|| braces(text).ok())??;
    let mut scan = Scan::new(&text[1..length - 1]);
    let mut entries = Vec::new();
    let mut start = 0;
    loop {
        let is_end = scan.offset == scan.text.len();
        if is_end || scan.open.is_empty() && scan.text[scan.offset..].starts_with(',') {
            entries.extend(entry(&scan.text[start..scan.offset]));
            start = scan.offset + 1;
        }
        if !scan.step() {
            return Some(entries);
        }
    }
}

fn entry(text: &str) -> Option<(String, Option<&str>)> {
    let names = NameValues::new();
    let mut reader = ScriptScanner::new(text, &names);
    reader.spaces();
    let own = reader.rest;
    let key = match own.chars().next()? {
        '"' | '\'' => reader.text()?,
        _ => {
            let end = own.find(|character: char| !is_in_name(character));
            let (key, rest) = own.split_at(end.unwrap_or(own.len()));
            reader.rest = rest;
            key.to_owned()
        }
    };
    reader.spaces();
    match reader.rest.strip_prefix(':') {
        Some(value) => Some((key, Some(value))),
        // `{ image }` is short for `{ image: image }`.
        None if reader.rest.is_empty() => Some((key, Some(own))),
        None => {
            // `async permalink(data) {`, `...others`
            let head = own.split(['(', '\n']).next().unwrap_or(own);
            let name = head.split_whitespace().last().unwrap_or(head);
            Some((name.to_owned(), None))
        }
    }
}

/// Returns whether a character may be in a name.
pub fn is_in_name(character: char) -> bool {
    character.is_alphanumeric() || "_$".contains(character)
}

struct ScriptScanner<'t, 'n> {
    rest: &'t str,
    names: &'n NameValues,
    /// Whether a name without a value was found.
    has_unknown: bool,
    depth: usize,
}

impl<'t, 'n> ScriptScanner<'t, 'n> {
    fn new(text: &'t str, names: &'n NameValues) -> Self {
        Self {
            rest: text,
            names,
            has_unknown: false,
            depth: 0,
        }
    }

    fn literal(&mut self) -> Option<Value> {
        let value = self.value()?;
        self.spaces();
        let rest = self.rest.trim_end_matches([';', ' ', '\n', '\r', '\t']);
        // In TypeScript, a type may follow the value.
        let rest = rest.strip_prefix("as const").unwrap_or(rest);
        let rest = rest.strip_prefix("satisfies").map_or(rest, |_| "");
        rest.is_empty().then_some(value)
    }

    fn spaces(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                self.rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
            } else {
                return;
            }
        }
    }

    fn value(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        self.spaces();
        let value = match self.rest.chars().next()? {
            '{' => self.object(),
            '[' => self.array(),
            '"' | '\'' | '`' => self.text().map(Value::String),
            _ => self.word(),
        };
        self.depth -= 1;
        value
    }

    fn consume(&mut self, mark: char) -> bool {
        self.spaces();
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn object(&mut self) -> Option<Value> {
        let mut map = Map::new();
        self.consume('{');
        while !self.consume('}') {
            let key = match self.rest.chars().next()? {
                '"' | '\'' => self.text()?,
                _ => {
                    let end = self.rest.find(|character: char| !is_in_name(character))?;
                    let (key, rest) = self.rest.split_at(end);
                    self.rest = rest;
                    key.to_owned()
                }
            };
            if key.is_empty() {
                return None;
            }
            let value = if self.consume(':') {
                self.value()?
            } else {
                // `{ image }` is short for `{ image: image }`.
                self.value_of_name(&key)
            };
            map.insert(key, value);
            if !self.consume(',') && !self.rest.starts_with('}') {
                return None;
            }
        }
        Some(Value::Object(map))
    }

    fn array(&mut self) -> Option<Value> {
        let mut values = Vec::new();
        self.consume('[');
        while !self.consume(']') {
            values.push(self.value()?);
            if !self.consume(',') && !self.rest.starts_with(']') {
                return None;
            }
        }
        Some(Value::Array(values))
    }

    fn text(&mut self) -> Option<String> {
        let is_quote = |character: &char| matches!(character, '\'' | '"' | '`');
        let quote = self.rest.chars().next().filter(is_quote)?;
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1).peekable();
        while let Some((offset, character)) = characters.next() {
            match character {
                _ if character == quote => {
                    self.rest = &self.rest[offset + 1..];
                    return Some(text);
                }
                '$' if quote == '`' && characters.peek().is_some_and(|(_, next)| *next == '{') => {
                    return None;
                }
                '\\' => match characters.next()?.1 {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    '\n' => {}
                    other => text.push(other),
                },
                _ => text.push(character),
            }
        }
        None
    }

    fn word(&mut self) -> Option<Value> {
        // The value of these calls is their argument, as far as documents are concerned.
        for call in ["new Date(", "require(", "useBaseUrl("] {
            if let Some(inside) = self.rest.strip_prefix(call) {
                self.rest = inside.trim_start();
                let text = self.text()?;
                self.consume(')').then_some(())?;
                self.rest = self.rest.strip_prefix(".default").unwrap_or(self.rest);
                return Some(Value::String(text));
            }
        }
        let end = self
            .rest
            .find(|character: char| !(character.is_alphanumeric() || "_$.-+".contains(character)))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "true" => return Some(Value::Bool(true)),
            "false" => return Some(Value::Bool(false)),
            "null" | "undefined" => return Some(Value::Null),
            "" => return None,
            _ => {}
        }
        if let Ok(number) = word.parse::<i64>() {
            return Some(Value::Number(number.into()));
        }
        if word
            .starts_with(|character: char| character.is_ascii_digit() || "-+.".contains(character))
        {
            return Number::from_f64(word.parse().ok()?).map(Value::Number);
        }
        Some(self.value_of_name(word))
    }

    fn value_of_name(&mut self, name: &str) -> Value {
        // The URL of an imported image is its property `src`.
        let bare = name.strip_suffix(".src").unwrap_or(name);
        let meant = self.names.get(name).or_else(|| self.names.get(bare));
        self.has_unknown |= meant.is_none();
        Value::String(meant.map_or_else(|| name.to_owned(), Clone::clone))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn expressions_end_at_their_brace() {
        for (text, expected) in [
            ("{a} b", Ok(3)),
            ("{'}'}", Ok(5)),
            ("{`}${'`'}`} x", Ok(11)),
            ("{/* } */} x", Ok(9)),
            ("{x && <p>Don't {y}</p>} z", Ok(23)),
            ("{a // }\n} b", Ok(9)),
            ("{ open", Err(6)),
        ] {
            assert_eq!(braces(text), expected, "{text}");
        }
    }

    #[test]
    fn literals_are_read_with_the_names_in_them() {
        let names = NameValues::from([("cover".to_owned(), "./cover.png".to_owned())]);
        let text = "{\n title: 'A \\'b\\'', // c\n \"n\": 1.5, list: [`x`, cover, ada,], cover, on: true,\n}";
        let expected = json!({
            "title": "A 'b'", "n": 1.5, "list": ["x", "./cover.png", "ada"], "cover": "./cover.png", "on": true,
        });
        assert_eq!(literal(text, &names), Some(expected));
        assert_eq!(
            literal("new Date('2024-05-01')", &names),
            Some(json!("2024-05-01"))
        );
        for text in [
            "f(x)",
            "{a: b => c}",
            "`${a}`",
            "{",
            "[",
            "'",
            "{[a]: 1}",
            "a b",
        ] {
            assert_eq!(literal(text, &names), None, "{text}");
        }
    }
}
