//! Zero-copy scanner that splits HTML into tags and text by the tokenization rules of the HTML
//! standard.
//!
//! It is used to inspect HTML, or to change small parts of it while the rest remains as written. It
//! decodes no entities, folds no case, repairs nothing and builds no tree. Any string is accepted.
//! Parts that have no content according to the standard (comments, declarations, an unfinished tag)
//! are returned as [`Token::Other`].

use memchr::{memchr, memmem};

/// A token of an HTML document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// Text between tags, entities as written. Never empty.
    Text(&'a str),
    /// The content of an element such as `script`, in which markup is not parsed. Never empty.
    RawText(&'a str),
    Start(StartTag<'a>),
    /// The name in an end tag, as written.
    End(&'a str),
    /// A comment, declaration, processing instruction or unfinished tag.
    Other,
}

/// A complete start tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StartTag<'a> {
    html: &'a str,
    /// The byte offset of the attributes in `html`.
    attributes_start: usize,
    /// The element's name as written; HTML ignores its case.
    pub(crate) name: &'a str,
}

impl<'a> StartTag<'a> {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Returns the attributes in order, including repeated ones.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = Attribute<'a>> {
        let mut attributes = AttributeReader {
            html: self.html,
            position: self.attributes_start,
        };
        std::iter::from_fn(move || match attributes.next() {
            Step::Attribute(attribute) => Some(attribute),
            Step::TagEnd { .. } | Step::Unfinished => None,
        })
    }

    /// Returns the value of the first attribute called `name`, entities as written.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a str> {
        self.attributes()
            .find(|attribute| attribute.name.eq_ignore_ascii_case(name))
            .map(|attribute| attribute.value)
    }
}

/// An attribute of a start tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attribute<'a> {
    /// The name as written; HTML ignores its case.
    pub(crate) name: &'a str,
    /// The value without its quotes, with entities as written; empty without a value.
    pub(crate) value: &'a str,
    /// The byte offset of `value` in the document.
    pub(crate) value_start: usize,
    pub(crate) quote: Quote,
    /// True if there is white space around the equals sign.
    pub(crate) spaced: bool,
}

/// The delimiter of an attribute value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quote {
    Double,
    Single,
    Unquoted,
    /// The attribute has no equals sign, and thus no value.
    NoValue,
}

/// Elements whose text is not parsed as markup (HTML standard, "parsing HTML fragments").
const RAW_TEXT_ELEMENTS: &[&str] = &[
    "script", "style", "title", "textarea", "iframe", "xmp", "noembed", "noframes",
];

/// Returns the tokens of `html`.
pub(crate) fn tokens(html: &str) -> impl Iterator<Item = Token<'_>> {
    tokens_with_raw_text_in(html, RAW_TEXT_ELEMENTS)
}

/// Returns the tokens of `html` for a parser in which only the text of `raw_text_elements` is not
/// markup. Their names must be in lower case.
pub(crate) fn tokens_with_raw_text_in<'a>(
    html: &'a str,
    raw_text_elements: &'static [&'static str],
) -> impl Iterator<Item = Token<'a>> {
    Scanner {
        html,
        position: 0,
        raw_text_elements,
        raw_text_of: None,
    }
}

struct Scanner<'a> {
    html: &'a str,
    position: usize,
    /// The elements whose text is not parsed as markup.
    raw_text_elements: &'static [&'static str],
    /// The element just opened, if its text ends only at its own end tag.
    raw_text_of: Option<&'a str>,
}

impl<'a> Iterator for Scanner<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if let Some(element) = self.raw_text_of.take() {
            let text = self.take(raw_text_length(self.rest(), element));
            if !text.is_empty() {
                return Some(Token::RawText(text));
            }
        }
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        match text_length(rest) {
            0 => Some(self.markup()),
            length => Some(Token::Text(self.take(length))),
        }
    }
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.html[self.position..]
    }

    fn take(&mut self, length: usize) -> &'a str {
        let taken = &self.rest()[..length];
        self.position += length;
        taken
    }

    /// Reads a token other than text at the current position.
    fn markup(&mut self) -> Token<'a> {
        let rest = self.rest();
        match rest.as_bytes().get(1) {
            Some(b'!') if rest.starts_with("<!--") => {
                self.take(comment_length(rest));
                Token::Other
            }
            Some(b'/') if rest.as_bytes().get(2).is_some_and(u8::is_ascii_alphabetic) => self
                .tag(2)
                .map_or(Token::Other, |(name, _)| Token::End(name)),
            // Declarations, processing instructions and end tags without a name end at the first
            // `>` (HTML standard, "bogus comment state").
            Some(b'!' | b'?' | b'/') => {
                self.take(memchr(b'>', rest.as_bytes()).map_or(rest.len(), |end| end + 1));
                Token::Other
            }
            _ => self.start_tag(),
        }
    }

    fn start_tag(&mut self) -> Token<'a> {
        let html = self.html;
        let attributes_start = self.position + 1 + tag_name_length(&self.rest()[1..]);
        let Some((name, self_closing)) = self.tag(1) else {
            return Token::Other;
        };
        // SVG permits `<title/>`; searching for its end tag would consume the rest of the document.
        let holds_raw_text = |element: &&str| name.eq_ignore_ascii_case(element);
        if self.raw_text_elements.iter().any(holds_raw_text) && !self_closing {
            self.raw_text_of = Some(name);
        }
        Token::Start(StartTag {
            html,
            attributes_start,
            name,
        })
    }

    /// Reads a tag whose name begins `name_offset` bytes after the current position. Returns its
    /// name and whether it ends with `/>`. An unfinished tag extends to the end of the document, as
    /// in the standard.
    fn tag(&mut self, name_offset: usize) -> Option<(&'a str, bool)> {
        let after_bracket = &self.rest()[name_offset..];
        let name = &after_bracket[..tag_name_length(after_bracket)];
        let mut attributes = AttributeReader {
            html: self.html,
            position: self.position + name_offset + name.len(),
        };
        loop {
            match attributes.next() {
                // Only the end of the tag is needed here; callers that need attributes read them
                // again.
                Step::Attribute(_) => {}
                Step::TagEnd { self_closing } => {
                    self.position = attributes.position;
                    return Some((name, self_closing));
                }
                Step::Unfinished => {
                    self.position = self.html.len();
                    return None;
                }
            }
        }
    }
}

/// Returns the length in bytes of the text before the first `<` that begins other syntax.
fn text_length(html: &str) -> usize {
    let begins_markup = |next: u8| next.is_ascii_alphabetic() || matches!(next, b'!' | b'/' | b'?');
    let bytes = html.as_bytes();
    memchr::memchr_iter(b'<', bytes)
        .find(|&start| bytes.get(start + 1).copied().is_some_and(begins_markup))
        .unwrap_or(html.len())
}

/// Returns the length in bytes of the comment at the start of `html`. `<!-->` and `<!--->` are
/// complete comments.
fn comment_length(html: &str) -> usize {
    let opening = "<!--".len();
    memchr::memchr_iter(b'>', html.as_bytes())
        .skip_while(|&end| end < opening)
        // The range from 2 includes the dashes of the opening, which `<!-->` shares with its end.
        .find(|&end| html[2..end].ends_with("--") || html[opening..end].ends_with("--!"))
        .map_or(html.len(), |end| end + 1)
}

/// Returns the length in bytes of the text before the end tag of `element`.
fn raw_text_length(html: &str, element: &str) -> usize {
    memmem::find_iter(html.as_bytes(), "</")
        .find(|&start| {
            let name = &html[start + 2..];
            name.get(..element.len())
                .is_some_and(|written| written.eq_ignore_ascii_case(element))
                && tag_name_length(name) == element.len()
        })
        .unwrap_or(html.len())
}

fn tag_name_length(html: &str) -> usize {
    html.bytes()
        .position(|byte| is_blank(byte) || matches!(byte, b'/' | b'>'))
        .unwrap_or(html.len())
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

/// Reads a tag's attributes one at a time.
struct AttributeReader<'a> {
    html: &'a str,
    position: usize,
}

enum Step<'a> {
    Attribute(Attribute<'a>),
    /// The position is after the closing bracket.
    TagEnd {
        self_closing: bool,
    },
    Unfinished,
}

impl<'a> AttributeReader<'a> {
    fn next(&mut self) -> Step<'a> {
        let mut self_closing = false;
        loop {
            match self.byte() {
                None => return Step::Unfinished,
                Some(b'>') => {
                    self.position += 1;
                    return Step::TagEnd { self_closing };
                }
                Some(byte) if byte == b'/' || is_blank(byte) => {
                    self_closing = byte == b'/';
                    self.position += 1;
                }
                Some(_) => return self.attribute(),
            }
        }
    }

    fn attribute(&mut self) -> Step<'a> {
        // A name may begin with an equals sign, but a later one ends it.
        let name_start = self.position;
        self.position += 1;
        self.skip_until(|byte| is_blank(byte) || matches!(byte, b'/' | b'>' | b'='));
        let name = &self.html[name_start..self.position];
        let name_end = self.position;
        self.skip_until(|byte| !is_blank(byte));
        if self.byte() != Some(b'=') {
            return Step::Attribute(Attribute {
                name,
                value: "",
                value_start: name_end,
                quote: Quote::NoValue,
                spaced: false,
            });
        }
        let equals = self.position;
        self.position += 1;
        self.skip_until(|byte| !is_blank(byte));
        let spaced = equals > name_end || self.position > equals + 1;
        self.value(name, spaced)
    }

    fn value(&mut self, name: &'a str, spaced: bool) -> Step<'a> {
        let quote = match self.byte() {
            Some(b'"') => Quote::Double,
            Some(b'\'') => Quote::Single,
            _ => Quote::Unquoted,
        };
        if quote != Quote::Unquoted {
            self.position += 1;
        }
        let value_start = self.position;
        match quote {
            Quote::Double => self.skip_until(|byte| byte == b'"'),
            Quote::Single => self.skip_until(|byte| byte == b'\''),
            Quote::Unquoted | Quote::NoValue => {
                self.skip_until(|byte| is_blank(byte) || byte == b'>')
            }
        }
        let value = &self.html[value_start..self.position];
        if quote != Quote::Unquoted {
            if self.byte().is_none() {
                return Step::Unfinished;
            }
            self.position += 1;
        }
        Step::Attribute(Attribute {
            name,
            value,
            value_start,
            quote,
            spaced,
        })
    }

    fn byte(&self) -> Option<u8> {
        self.html.as_bytes().get(self.position).copied()
    }

    fn skip_until(&mut self, stop: impl Fn(u8) -> bool) {
        let rest = &self.html.as_bytes()[self.position..];
        self.position += rest
            .iter()
            .position(|&byte| stop(byte))
            .unwrap_or(rest.len());
    }
}
