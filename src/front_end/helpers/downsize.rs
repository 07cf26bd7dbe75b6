//! Truncation of HTML and text after a number of words or characters; tags that are open at the cut are closed.
//!
//! The rules match those of Ghost exactly (6.65, recorded), because they decide where an excerpt ends.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

/// The limit at which a text is truncated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    /// After this many words.
    Words(i64),
    /// After this many UTF-16 code units outside of tags; `None` for no limit.
    Characters(Option<i64>),
}

/// Elements without an end tag.
const VOID: [&str; 16] = [
    "area", "base", "br", "col", "command", "embed", "hr", "img", "input", "keygen", "link",
    "meta", "param", "source", "track", "wbr",
];

/// Returns the start of `text` up to the cut.
pub fn downsize(text: &str, cut: Cut) -> String {
    let mut reader = Reader::new(text, cut);
    let mut previous = None;
    let mut index = 0;
    loop {
        // `previous` stays that of the last character before the run. That is harmless, since it
        // only matters directly after `<`, which ends a run.
        index = reader.take_run(index);
        let mut characters = text[index..].chars();
        let Some(character) = characters.next() else {
            break;
        };
        if !reader.read(index, character, previous, characters.next()) {
            break;
        }
        previous = Some(character);
        index += character.len_utf8();
    }
    reader.finish()
}

/// The syntax at the current character.
#[derive(Clone, Copy, PartialEq)]
enum MarkupState {
    Text,
    Tag,
    DoubleQuotes,
    SingleQuotes,
    Comment,
}

struct Reader<'t> {
    text: &'t str,
    cut: Cut,
    state: MarkupState,
    /// The names of the open elements.
    open: Vec<&'t str>,
    /// The number of bytes accepted so far: text and complete tags. An incomplete tag begins there.
    written: usize,
    /// Whether the cut is in the middle of the next character, between its two UTF-16 code units.
    is_split: bool,
    units: i64,
    is_in_word: bool,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, cut: Cut) -> Self {
        Self {
            text,
            cut,
            state: MarkupState::Text,
            open: Vec::new(),
            written: 0,
            is_split: false,
            units: 0,
            is_in_word: false,
        }
    }

    /// Accepts a run of ASCII text from `start` up to the next tag or the limit, with the same result as [`read`](Self::read) for
    /// each character. Returns the index after the run.
    fn take_run(&mut self, start: usize) -> usize {
        if self.state != MarkupState::Text {
            return start;
        }
        let bytes = &self.text.as_bytes()[start..];
        let is_of_run = |byte: &&u8| byte.is_ascii() && **byte != b'<';
        let mut index = start;
        for byte in bytes.iter().take_while(is_of_run) {
            if self.is_at_limit() {
                break;
            }
            self.count(Some(char::from(*byte)));
            index += 1;
        }
        if index > start {
            self.written = index;
        }
        index
    }

    /// Reads a character; returns whether to continue.
    fn read(
        &mut self,
        index: usize,
        character: char,
        previous: Option<char>,
        next: Option<char>,
    ) -> bool {
        match character {
            '<' if self.state == MarkupState::Text && next.is_some_and(begins_tag) => {
                if self.is_at_limit() {
                    return false;
                }
                self.state = MarkupState::Tag;
            }
            // Only here: a `!` elsewhere in a tag is part of it.
            '!' if self.state == MarkupState::Tag && previous == Some('<') => {
                self.state = MarkupState::Comment
            }
            '"' => self.quote(MarkupState::DoubleQuotes, MarkupState::SingleQuotes),
            '\'' => self.quote(MarkupState::SingleQuotes, MarkupState::DoubleQuotes),
            '>' if self.ends_tag(index) && !self.is_at_limit() => {
                self.count(None);
                return true;
            }
            _ => {}
        }
        if self.state == MarkupState::Text {
            if self.is_at_limit() {
                return false;
            }
            self.take(index, character);
        }
        true
    }

    fn quote(&mut self, own: MarkupState, other: MarkupState) {
        self.state = match self.state {
            state if state == own => MarkupState::Tag,
            state if state == other || state == MarkupState::Text => state,
            _ => own,
        };
    }

    /// Ends the tag or the comment whose last character is at `index`; returns whether one ended.
    fn ends_tag(&mut self, index: usize) -> bool {
        let tag = &self.text[self.written..=index];
        match self.state {
            MarkupState::Tag => {
                let name = element_name(tag);
                if is_end_tag(tag) {
                    // An end tag of another element closes nothing.
                    if self.open.last().copied() == name {
                        self.open.pop();
                    }
                } else if !name.is_some_and(|name| VOID.contains(&name)) && !is_self_closing(tag) {
                    // An entry without a name has no end tag: `finish` skips it.
                    self.open.push(name.unwrap_or_default());
                }
            }
            MarkupState::Comment if tag.ends_with("-->") => {}
            _ => return false,
        }
        self.state = MarkupState::Text;
        self.written = index + 1;
        true
    }

    fn is_at_limit(&self) -> bool {
        match self.cut {
            Cut::Words(limit) | Cut::Characters(Some(limit)) => self.units >= limit,
            Cut::Characters(None) => false,
        }
    }

    /// Accepts the text character at `index`, or as much of it as the limit allows.
    fn take(&mut self, index: usize, character: char) {
        self.count(Some(character));
        if character.len_utf16() == 2 && matches!(self.cut, Cut::Characters(_)) {
            if self.is_at_limit() {
                // Ghost cuts between the two code units. Node then writes the remaining half as
                // U+FFFD.
                self.is_split = true;
                return;
            }
            self.units += 1;
        }
        self.written = index + character.len_utf8();
    }

    /// Counts a character or, for `None`, a tag, which ends a word.
    fn count(&mut self, character: Option<char>) {
        if matches!(self.cut, Cut::Words(_)) {
            let is_in_word = character.is_some_and(is_word);
            if self.is_in_word && !is_in_word {
                self.units += 1;
            }
            self.is_in_word = is_in_word;
        } else if character.is_some() {
            self.units += 1;
        }
    }

    fn finish(self) -> String {
        let (written, rest) = self.text.split_at(self.written);
        let mut output = String::with_capacity(written.len());
        if self.is_split {
            output.push_str(written.trim_start());
            output.push(char::REPLACEMENT_CHARACTER);
        } else {
            output.push_str(written.trim());
        }
        if self.state != MarkupState::Text {
            // The text ends inside a tag.
            output.push_str(rest);
        }
        for name in self.open.into_iter().rev() {
            if !name.is_empty() {
                output.extend(["</", name, ">"]);
            }
        }
        output
    }
}

fn begins_tag(character: char) -> bool {
    character.is_ascii_lowercase()
        || character.is_ascii_digit()
        || matches!(character, '-' | '_' | '/' | '!')
}

/// Returns whether a character is part of a word: a letter of the Basic Multilingual Plane or an ASCII digit.
fn is_word(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric();
    }
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    character.len_utf16() == 1 && GeneralCategoryGroup::Letter.contains(category)
}

/// Returns the element name in a tag.
fn element_name(tag: &str) -> Option<&str> {
    tag.match_indices('<').find_map(|(index, _)| {
        let rest = tag[index + 1..].trim_start_matches('/');
        let is_name =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-' | b'_');
        let length = rest
            .as_bytes()
            .iter()
            .take_while(|byte| is_name(byte))
            .count();
        (length > 0).then(|| &rest[..length])
    })
}

fn is_end_tag(tag: &str) -> bool {
    tag.match_indices('<')
        .any(|(index, _)| tag[index + 1..].trim_start().starts_with('/'))
}

fn is_self_closing(tag: &str) -> bool {
    tag.strip_suffix('>')
        .is_some_and(|tag| tag.trim_end().ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_elements_are_closed() {
        let html = "<p>The harbour lights come on at <strong>five</strong>, and <a href=\"/\">we walk</a> along</p>";
        let cut = "<p>The harbour lights come on at <strong>five</strong>, and <a href=\"/\">we walk</a></p>";
        assert_eq!(downsize(html, Cut::Words(10)), cut);
        assert_eq!(downsize(html, Cut::Words(0)), "");
        assert_eq!(downsize(html, Cut::Characters(Some(5))), "<p>The h</p>");
        assert_eq!(downsize(html, Cut::Characters(None)), html);
    }

    #[test]
    fn comments_and_void_elements_stay() {
        let html = "<p>a</p><!--members-only--><p>b<br>c d</p>";
        assert_eq!(
            downsize(html, Cut::Words(3)),
            "<p>a</p><!--members-only--><p>b<br>c</p>"
        );
        assert_eq!(downsize("1 < 2 and", Cut::Words(2)), "1 < 2");
    }

    #[test]
    fn words_are_letters_of_any_script() {
        assert_eq!(
            downsize("Ünïcode 東京, wörds", Cut::Words(2)),
            "Ünïcode 東京,"
        );
        assert_eq!(downsize("a🧥b", Cut::Characters(Some(3))), "a🧥");
    }
}
