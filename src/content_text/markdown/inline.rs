//! Nodes inside a block as Markdown: formatted text, links, line breaks.

use serde_json::Value;

use crate::content_text::url_form::UrlWriter;

/// The syntax of text formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatSyntax {
    /// With Markdown delimiters such as `**`, where they exist.
    Delimiters,
    /// With HTML tags, which work in every position.
    Tags,
}

/// Writes the content of a block.
#[derive(Clone, Copy)]
pub struct Inline<'f> {
    /// The form of URLs.
    pub form: &'f dyn UrlWriter,
    /// The syntax of formats.
    pub style: FormatSyntax,
}

/// A format: its bit, its Markdown delimiter, and its tag.
struct InlineFormat {
    bit: u64,
    delimiter: Option<&'static str>,
    tag: &'static str,
}

const fn format(bit: u64, delimiter: Option<&'static str>, tag: &'static str) -> InlineFormat {
    InlineFormat {
        bit,
        delimiter,
        tag,
    }
}

/// The formats of text, in the order in which they are opened (Ghost 6.65, recorded).
const FORMATS: &[InlineFormat] = &[
    format(1, Some("**"), "strong"),
    format(2, Some("*"), "em"),
    format(4, Some("~~"), "s"),
    format(8, None, "u"),
    format(32, None, "sub"),
    format(64, None, "sup"),
];

/// The code format, which contains no other format.
const CODE: u64 = 16;

impl<'f> Inline<'f> {
    /// Writes consecutive nodes; `None` if one is of an unsupported type.
    pub fn write(self, nodes: &[Value]) -> Option<String> {
        let mut line = InlineText {
            inline: self,
            text: String::new(),
            open: Vec::new(),
        };
        for node in nodes {
            line.node(node)?;
        }
        line.keep_open(0);
        Some(line.text)
    }

    /// Returns a text with all Markdown syntax escaped.
    pub fn escaped(self, text: &str) -> String {
        let mut escaped = String::with_capacity(text.len());
        let mut characters = text.chars().peekable();
        let mut before = None;
        while let Some(character) = characters.next() {
            let next = characters.peek().copied();
            let is_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
            let has_meaning = match character {
                // In some dialects, braces begin attributes or templates.
                '\\' | '`' | '*' | '[' | ']' | '~' | '{' | '}' => true,
                // Inside a word, `_` has no meaning.
                '_' => !(is_word(before) && is_word(next)),
                '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(next)),
                '&' => next.is_some_and(|next| next.is_ascii_alphabetic() || next == '#'),
                // Before a link, `!` would turn the link into an image.
                '!' => next.is_none_or(|next| next == '['),
                _ => false,
            };
            if has_meaning {
                escaped.push('\\');
            }
            escaped.push(character);
            before = Some(character);
        }
        escaped
    }

    /// Returns a link whose text is already Markdown.
    pub fn link(self, words: &str, url: &str, title: &str) -> String {
        // These characters would end the URL or be Markdown; in angle brackets they are literal.
        let is_plain = !url.is_empty()
            && !url.contains(|character: char| {
                character.is_whitespace()
                    || character.is_control()
                    || "<>()\\&*_`[]".contains(character)
            });
        let url = if is_plain {
            url.to_owned()
        } else {
            format!("<{}>", escaped_in(url, "<>\\&"))
        };
        match title {
            "" => format!("[{words}]({url})"),
            title => format!("[{words}]({url} \"{}\")", escaped_in(title, "\"\\&")),
        }
    }
}

/// The text written so far.
struct InlineText<'f> {
    inline: Inline<'f>,
    text: String,
    /// The open formats, outermost first.
    open: Vec<&'static InlineFormat>,
}

impl InlineText<'_> {
    fn node(&mut self, node: &Value) -> Option<()> {
        match node["type"].as_str()? {
            "text" | "extended-text" => {
                let format = node["format"].as_u64().unwrap_or_default();
                self.words(node["text"].as_str()?, format);
            }
            "linebreak" => {
                self.text.push_str("\\\n");
            }
            "link" => self.link(node)?,
            _ => return None,
        }
        Some(())
    }

    fn words(&mut self, words: &str, format: u64) {
        self.keep_open(format);
        for added in FORMATS {
            let is_open = self.open.iter().any(|open| open.bit == added.bit);
            if format & added.bit != 0 && !is_open {
                let opening = self.opening(added);
                self.text.push_str(&opening);
                self.open.push(added);
            }
        }
        let words = if format & CODE != 0 {
            self.code(words)
        } else {
            self.escaped(words)
        };
        self.text.push_str(&words);
    }

    /// Closes all formats from the outermost that is not in `format`.
    fn keep_open(&mut self, format: u64) {
        // Formats are nested, so those that were opened later are closed, too; `words` opens them
        // again.
        let still_open = self
            .open
            .iter()
            .take_while(|open| format & open.bit != 0)
            .count();
        for closed in self.open.split_off(still_open).into_iter().rev() {
            let closing = match (self.inline.style, closed.delimiter) {
                (FormatSyntax::Delimiters, Some(delimiter)) => delimiter.to_owned(),
                _ => format!("</{}>", closed.tag),
            };
            self.text.push_str(&closing);
        }
    }

    fn opening(&self, format: &InlineFormat) -> String {
        match (self.inline.style, format.delimiter) {
            (FormatSyntax::Delimiters, Some(delimiter)) => delimiter.to_owned(),
            _ => format!("<{}>", format.tag),
        }
    }

    fn code(&self, code: &str) -> String {
        if self.inline.style == FormatSyntax::Tags {
            return format!("<code>{}</code>", self.inline.escaped(code));
        }
        let longest = code.split(|character| character != '`').map(str::len).max();
        let fence = "`".repeat(longest.unwrap_or_default() + 1);
        // Markdown strips one space at each end of inline code.
        let is_padded = code.starts_with('`') || code.ends_with('`') || code.starts_with(' ');
        let padding = if is_padded { " " } else { "" };
        format!("{fence}{padding}{code}{padding}{fence}")
    }

    /// Returns an escaped text, including syntax that has meaning only at the beginning of a line.
    fn escaped(&self, words: &str) -> String {
        let escaped = self.inline.escaped(words);
        if self.text.is_empty() || self.text.ends_with('\n') {
            escaped_at_start(escaped)
        } else {
            escaped
        }
    }

    /// Writes a link. A link without attributes other than a title can be Markdown; other attributes need a tag.
    fn link(&mut self, node: &Value) -> Option<()> {
        // The nodes inside the link have all formats themselves.
        self.keep_open(0);
        let url = node["url"].as_str()?;
        if let Some(name) = self.inline.form.footnote(url) {
            self.text.push_str(&format!("[^{name}]"));
            return Some(());
        }
        let words = self.inline.write(node["children"].as_array()?)?;
        let url = self.inline.form.url(url);
        let value = |key: &str| node[key].as_str().unwrap_or_default();
        let link = match (self.inline.style, value("rel"), value("target")) {
            (FormatSyntax::Delimiters, "", "") => self.inline.link(&words, url, value("title")),
            _ => {
                let mut tag = format!("<a href=\"{}\"", attribute(url));
                for name in ["rel", "target", "title"] {
                    if !value(name).is_empty() {
                        tag += &format!(" {name}=\"{}\"", attribute(value(name)));
                    }
                }
                format!("{tag}>{words}</a>")
            }
        };
        self.text.push_str(&link);
        Some(())
    }
}

/// Returns a text whose first characters do not begin a block.
fn escaped_at_start(mut text: String) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => text.insert(digits, '\\'),
        Some(b'#' | b'>' | b'-' | b'+' | b'=' | b'|' | b':') if digits == 0 => text.insert(0, '\\'),
        _ => {}
    }
    text
}

/// Returns a text with a backslash before each of `characters`.
fn escaped_in(text: &str, characters: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if characters.contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Returns a text as the value of an attribute in double quotes.
pub fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;")
}
