//! Attribute lists in braces: `#id .class key="value"`.

use std::collections::HashMap;

use crate::render::html_escape::push_attribute;

/// Maximum number of attributes of one block, including classes. Further ones are dropped.
const ATTRIBUTES_MAX: usize = 100;

/// Attributes of an element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AttributeList {
    pub(super) id: Option<String>,
    pub(super) classes: Vec<String>,
    pub(super) others: Vec<(String, String)>,
    /// Words without a value, such as kramdown's `toc`.
    pub(super) words: Vec<String>,
}

impl AttributeList {
    /// Parses the text between braces. `None` if it is not an attribute list.
    pub(super) fn read(written: &str) -> Option<Self> {
        let mut list = Self::default();
        let mut rest = written.trim();
        while !rest.is_empty() {
            let end = word_end(rest)?;
            list.add(&rest[..end])?;
            rest = rest[end..].trim_start();
        }
        Some(list)
    }

    fn add(&mut self, word: &str) -> Option<()> {
        if self.classes.len() + self.others.len() + self.words.len() >= ATTRIBUTES_MAX {
            // Further attributes are dropped; an error would make the list visible as text.
            return Some(());
        }
        if let Some(id) = word.strip_prefix('#') {
            self.id = Some(id_name(id)?);
        } else if let Some(classes) = word.strip_prefix('.') {
            for class in classes.split('.') {
                self.classes.push(name(class)?);
            }
        } else if let Some((key, value)) = word.split_once('=') {
            self.add_value(name(key)?, unquoted(value)?);
        } else {
            self.words.push(name(word)?);
        }
        Some(())
    }

    fn add_value(&mut self, key: String, value: &str) {
        match key.as_str() {
            "id" => self.id = Some(value.to_owned()),
            "class" => {
                let classes = value.split_whitespace().map(str::to_owned);
                self.classes.extend(classes.take(ATTRIBUTES_MAX));
            }
            _ if is_forbidden(&key) => {}
            _ => self.others.push((key, value.to_owned())),
        }
    }

    /// Adds the attributes of `other`. Its id, if any, replaces the present one.
    pub(super) fn extend(&mut self, other: &Self) {
        self.id = other.id.clone().or_else(|| self.id.take());
        self.classes.extend(other.classes.iter().cloned());
        self.others.extend(other.others.iter().cloned());
        self.words.extend(other.words.iter().cloned());
        // Lists may name one another, so their sum must be limited as well.
        self.classes.truncate(ATTRIBUTES_MAX);
        self.others.truncate(ATTRIBUTES_MAX);
        self.words.truncate(ATTRIBUTES_MAX);
    }

    /// Replaces each word that is the name of a list by the attributes of that list.
    pub(super) fn resolve(&mut self, named: &HashMap<String, Self>) {
        for word in std::mem::take(&mut self.words) {
            match named.get(&word) {
                Some(list) => self.extend(list),
                None => self.words.push(word),
            }
        }
    }

    pub(super) fn has_word(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word)
    }

    /// Inserts the attributes into the first tag of `html`.
    pub(super) fn insert_into(&self, html: &str) -> String {
        let start = html.find('<').map_or(0, |start| start + 1);
        let name_end = html[start..]
            .find(|character: char| !character.is_ascii_alphanumeric())
            .map_or(html.len(), |length| start + length);
        let mut written = html[..name_end].to_owned();
        if let Some(id) = &self.id {
            push_attribute(&mut written, "id", id);
        }
        if !self.classes.is_empty() {
            push_attribute(&mut written, "class", &self.classes.join(" "));
        }
        for (name, value) in &self.others {
            push_attribute(&mut written, name, value);
        }
        written + &html[name_end..]
    }
}

/// Returns whether an attribute is rejected because it would replace a resolved URL or run code.
fn is_forbidden(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    matches!(key.as_str(), "href" | "src" | "srcset") || key.starts_with("on")
}

/// Returns the byte offset of the end of the first word, which may contain quoted white space;
/// `None` if a quote is not closed.
fn word_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (position, character) in text.char_indices() {
        match quote {
            Some(open) if open == character => quote = None,
            Some(_) => {}
            None if character.is_whitespace() => return Some(position),
            None if "\"'".contains(character) => quote = Some(character),
            None => {}
        }
    }
    quote.is_none().then_some(text.len())
}

/// Parses an id, which may contain any non-ASCII characters, such as the dashes of a heading.
fn id_name(written: &str) -> Option<String> {
    // Only the ASCII characters are checked (`ids with dashes` in tests/it/render/dialects.jsonl).
    let ascii = written.replace(|character: char| !character.is_ascii(), "-");
    name(&ascii).map(|_| written.to_owned())
}

/// Parses the name of a class or an attribute.
fn name(written: &str) -> Option<String> {
    let is_name = !written.is_empty()
        && written
            .chars()
            .all(|character| character.is_alphanumeric() || "-_:./".contains(character));
    is_name.then(|| written.to_owned())
}

fn unquoted(value: &str) -> Option<&str> {
    for quote in ['"', '\''] {
        if let Some(rest) = value.strip_prefix(quote) {
            return rest
                .strip_suffix(quote)
                .filter(|inner| !inner.contains(quote));
        }
    }
    (!value.contains(['"', '\''])).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_parsed_and_serialised() {
        let read = |written| {
            AttributeList::read(written).map(|list: AttributeList| list.insert_into("<p>x</p>"))
        };
        for (written, html) in [
            ("#a .b .c", "<p id=\"a\" class=\"b c\">x</p>"),
            (
                ".b.c key='v w' x=1",
                "<p class=\"b c\" key=\"v w\" x=\"1\">x</p>",
            ),
            (
                "id=a class=\"b c\" title=\"<&\"",
                "<p id=\"a\" class=\"b c\" title=\"<&amp;\">x</p>",
            ),
            ("#a-–-b", "<p id=\"a-–-b\">x</p>"),
            ("", "<p>x</p>"),
        ] {
            assert_eq!(read(written).unwrap(), html, "{written}");
        }
        for written in ["#", ".", "a=\"b", "a=b\"c\"", "a<x=1", "a,b"] {
            assert_eq!(read(written), None, "{written}");
        }
    }
}
