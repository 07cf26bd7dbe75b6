//! The `id` attributes of headings (Ghost 6.65, recorded).

use std::collections::HashMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters that must be escaped in a URI component. Other punctuation is removed before.
const ESCAPED: AsciiSet = NON_ALPHANUMERIC.remove(b'-');

/// Assigns the heading ids of a document. The first heading with an id gets it without a number;
/// for further ones, `-1`, `-2` and so on are appended.
#[derive(Default)]
pub(crate) struct HeadingIds {
    taken: HashMap<String, u32>,
}

impl HeadingIds {
    /// Returns `id`, followed by the number of its earlier uses if there are any.
    pub(crate) fn number(&mut self, id: String) -> String {
        match self.take(&id) {
            // A numbered id may equal that of another heading: Ghost does not check (recorded:
            // `heading-id/duplicate-collides-with-literal-suffix`).
            0 => id,
            number => format!("{id}-{number}"),
        }
    }

    /// Returns `id`, followed by the lowest number that makes it unique in this document if it is
    /// in use.
    pub(crate) fn make_unique(&mut self, id: String) -> String {
        self.number_after(id, '-')
    }

    /// As [`make_unique`](Self::make_unique), with an underscore before the number.
    pub(crate) fn make_unique_with_underscore(&mut self, id: String) -> String {
        self.number_after(id, '_')
    }

    fn number_after(&mut self, id: String, separator: char) -> String {
        let mut number = self.take(&id);
        if number == 0 {
            return id;
        }
        loop {
            let numbered = format!("{id}{separator}{number}");
            if !self.taken.contains_key(&numbered) {
                self.reserve(&numbered);
                return numbered;
            }
            number = self.take(&id);
        }
    }

    /// Returns the id that [`number`](Self::number) would return now.
    pub(crate) fn next(&self, id: &str) -> String {
        match self.taken.get(id) {
            None | Some(0) => id.to_owned(),
            Some(number) => format!("{id}-{number}"),
        }
    }

    /// Reserves an id that the author chose, so that it is never generated.
    pub(crate) fn reserve(&mut self, id: &str) {
        self.take(id);
    }

    /// Counts a use of the id, and returns the number of earlier uses.
    fn take(&mut self, id: &str) -> u32 {
        let count = self.taken.entry(id.to_owned()).or_default();
        *count += 1;
        *count - 1
    }
}

/// Returns the id of a heading with this text, before it is numbered; empty if all characters are
/// removed.
pub(crate) fn from_text(text: &str) -> String {
    let mut dashed = String::with_capacity(text.len());
    let mut in_blank = false;
    // The whole text at once: a sigma at the end of a word becomes `ς`, as in JavaScript.
    for character in text.trim_matches(is_blank).to_lowercase().chars() {
        if is_removed(character) {
            continue;
        }
        if !is_blank(character) {
            dashed.push(character);
        } else if !in_blank {
            dashed.push('-');
        }
        in_blank = is_blank(character);
    }
    utf8_percent_encode(&without_stray_dashes(&dashed), &ESCAPED).to_string()
}

/// Removes a dash at either end, and all runs of several dashes, so that `a - b` becomes `ab`.
fn without_stray_dashes(dashed: &str) -> String {
    let inner = dashed.strip_prefix('-').unwrap_or(dashed);
    let mut cleaned = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(start) = rest.find('-') {
        let after = rest[start..].trim_start_matches('-');
        let is_single = rest.len() - after.len() == start + 1;
        cleaned.push_str(&rest[..start]);
        if is_single && !after.is_empty() {
            cleaned.push('-');
        }
        rest = after;
    }
    cleaned + rest
}

fn is_removed(character: char) -> bool {
    r##"[]!"#$%&'()*+,./:;<=>?@\^_{|}~"##.contains(character)
}

/// Returns whether JavaScript treats the character as white space.
pub(crate) fn is_blank(character: char) -> bool {
    (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_equal_those_recorded() {
        for (text, id) in [
            ("Hello World", "hello-world"),
            ("  padded  ", "padded"),
            ("a - b", "ab"),
            (
                "What? Why! (How): #1 & \"two\" — 3/4",
                "what-why-how-1-two-%E2%80%94-34",
            ),
            ("Été à la mer", "%C3%A9t%C3%A9-%C3%A0-la-mer"),
            ("港の灯り", "%E6%B8%AF%E3%81%AE%E7%81%AF%E3%82%8A"),
            ("a `b`", "a-%60b%60"),
            ("", ""),
            ("?!", ""),
            ("-a-", "a"),
            ("--double--dash--", "-doubledash"),
            ("A & B\tC", "a-b-c"),
            (
                "İstanbul ΣΊΣΥΦΟΣ",
                "i%CC%87stanbul-%CF%83%CE%AF%CF%83%CF%85%CF%86%CE%BF%CF%82",
            ),
            ("snake_case and kebab-case", "snakecase-and-kebab-case"),
        ] {
            assert_eq!(from_text(text), id, "{text}");
        }
    }

    #[test]
    fn repeated_headings_are_numbered_by_their_text() {
        let mut ids = HeadingIds::default();
        let assigned =
            ["Log", "Log", "Log!", "Notes", "Log 1"].map(|text| ids.number(from_text(text)));
        assert_eq!(assigned, ["log", "log-1", "log-2", "notes", "log-1"]);
    }

    #[test]
    fn ids_are_unique_on_request() {
        let mut ids = HeadingIds::default();
        let assigned = ["a", "a-1", "a", "a", "a-1"].map(|id| ids.make_unique(id.to_owned()));
        assert_eq!(assigned, ["a", "a-1", "a-2", "a-3", "a-1-1"]);
    }

    #[test]
    fn reserved_id_is_not_assigned_again() {
        let mut ids = HeadingIds::default();
        ids.reserve("log");
        assert_eq!(ids.number(from_text("Log")), "log-1");
    }
}
