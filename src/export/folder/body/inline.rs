//! Nodes inside a block as Markdown: texts with their formats, links, line breaks.

use serde_json::Value;

use super::super::address::Form;

/// How formats are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// With stars and the like, where Markdown has them.
    Delimiters,
    /// With tags, which hold wherever they stand.
    Tags,
}

/// Writes what stands inside a block.
#[derive(Clone, Copy, Debug)]
pub struct Inline {
    /// How addresses are written.
    pub form: Form,
    /// How formats are written.
    pub style: Style,
}

/// A format: its bit, its mark in Markdown, and its tag.
struct Format {
    bit: u64,
    mark: Option<&'static str>,
    tag: &'static str,
}

const fn format(bit: u64, mark: Option<&'static str>, tag: &'static str) -> Format {
    Format { bit, mark, tag }
}

/// The formats that texts can have, in the order in which they are opened (Ghost 6.65, recorded).
const FORMATS: &[Format] = &[
    format(1, Some("**"), "strong"),
    format(2, Some("*"), "em"),
    format(4, Some("~~"), "s"),
    format(8, None, "u"),
    format(32, None, "sub"),
    format(64, None, "sup"),
];

/// The format of code, inside which nothing else is written.
const CODE: u64 = 16;

impl Inline {
    /// The nodes in a row; `None` when there is one among them that is not written here.
    pub fn write(self, nodes: &[Value]) -> Option<String> {
        let mut line = Line {
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

    /// A text in which nothing means anything to Markdown.
    pub fn escaped(self, text: &str) -> String {
        let mut escaped = String::with_capacity(text.len());
        let mut letters = text.chars().peekable();
        let mut before = None;
        while let Some(letter) = letters.next() {
            let next = letters.peek().copied();
            let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
            let means_something = match letter {
                '\\' | '`' | '*' | '[' | ']' | '~' | '{' | '}' => true,
                // Inside a word it is a letter like others.
                '_' => !(is_word(before) && is_word(next)),
                '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(next)),
                '&' => next.is_some_and(|next| next.is_ascii_alphabetic() || next == '#'),
                // In front of a link it would make a picture of it.
                '!' => next.is_none_or(|next| next == '['),
                _ => false,
            };
            if means_something {
                escaped.push('\\');
            }
            escaped.push(letter);
            before = Some(letter);
        }
        escaped
    }

    /// A link whose words are Markdown already.
    pub fn link(self, words: &str, address: &str, title: &str) -> String {
        let is_plain = !address.is_empty()
            && !address.contains(|letter: char| {
                letter.is_whitespace() || letter.is_control() || "<>()\\&*_`[]".contains(letter)
            });
        let address = if is_plain {
            address.to_owned()
        } else {
            format!("<{}>", escaped_in(address, "<>\\&"))
        };
        match title {
            "" => format!("[{words}]({address})"),
            title => format!("[{words}]({address} \"{}\")", escaped_in(title, "\"\\&")),
        }
    }
}

/// What is being written.
struct Line {
    inline: Inline,
    text: String,
    /// The formats that are open, outermost first.
    open: Vec<&'static Format>,
}

impl Line {
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

    /// Closes all formats from the first on that is not in `format`.
    fn keep_open(&mut self, format: u64) {
        let kept = self
            .open
            .iter()
            .take_while(|open| format & open.bit != 0)
            .count();
        for closed in self.open.split_off(kept).into_iter().rev() {
            let closing = match (self.inline.style, closed.mark) {
                (Style::Delimiters, Some(mark)) => mark.to_owned(),
                _ => format!("</{}>", closed.tag),
            };
            self.text.push_str(&closing);
        }
    }

    fn opening(&self, format: &Format) -> String {
        match (self.inline.style, format.mark) {
            (Style::Delimiters, Some(mark)) => mark.to_owned(),
            _ => format!("<{}>", format.tag),
        }
    }

    fn code(&self, code: &str) -> String {
        if self.inline.style == Style::Tags {
            return format!("<code>{}</code>", self.inline.escaped(code));
        }
        let longest = code.split(|letter| letter != '`').map(str::len).max();
        let fence = "`".repeat(longest.unwrap_or_default() + 1);
        // A blank at both ends is not part of the code.
        let is_padded = code.starts_with('`') || code.ends_with('`') || code.starts_with(' ');
        let padding = if is_padded { " " } else { "" };
        format!("{fence}{padding}{code}{padding}{fence}")
    }

    /// The text, also where its beginning would mean something at the beginning of a line.
    fn escaped(&self, words: &str) -> String {
        let escaped = self.inline.escaped(words);
        if self.text.is_empty() || self.text.ends_with('\n') {
            escaped_at_start(escaped)
        } else {
            escaped
        }
    }

    /// A link with no more than a title is Markdown, which escapes some addresses; what else it says needs a tag.
    fn link(&mut self, node: &Value) -> Option<()> {
        self.keep_open(0);
        let words = self.inline.write(node["children"].as_array()?)?;
        let address = self.inline.form.address(node["url"].as_str()?);
        let said = |key: &str| node[key].as_str().unwrap_or_default();
        let link = match (self.inline.style, said("rel"), said("target")) {
            (Style::Delimiters, "", "") => self.inline.link(&words, address, said("title")),
            _ => {
                let mut tag = format!("<a href=\"{}\"", attribute(address));
                for name in ["rel", "target", "title"] {
                    if !said(name).is_empty() {
                        tag += &format!(" {name}=\"{}\"", attribute(said(name)));
                    }
                }
                format!("{tag}>{words}</a>")
            }
        };
        self.text.push_str(&link);
        Some(())
    }
}

/// A text whose first letters begin no block.
fn escaped_at_start(mut text: String) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => text.insert(digits, '\\'),
        Some(b'#' | b'>' | b'-' | b'+' | b'=' | b'|' | b':') if digits == 0 => text.insert(0, '\\'),
        _ => {}
    }
    text
}

/// A text with a backslash in front of these letters.
fn escaped_in(text: &str, letters: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if letters.contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// A text as the value of an attribute in double quotes.
pub fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;")
}
