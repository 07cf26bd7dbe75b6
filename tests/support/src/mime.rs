//! Parses mails (RFC 5322, MIME) into the text that a mail client displays.

use std::sync::LazyLock;

use data_encoding::BASE64;
use fancy_regex::{Captures, Regex};

/// The maximum nesting of parts.
const DEPTH_MAX: usize = 8;

/// The visible parts of an e-mail and its header fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Names as in the message, and values, unfolded and with decoded encoded words.
    pub headers: Vec<(String, String)>,
    /// The part of type `text/plain`; empty if there is none.
    pub text: String,
    /// The part of type `text/html`; empty if there is none.
    pub html: String,
}

impl Message {
    /// Parses a message whose lines end with CR LF.
    pub fn read(bytes: &[u8]) -> Self {
        let part = Part::read(bytes);
        let mut message = Self {
            headers: part.headers.clone(),
            ..Self::default()
        };
        message.take_texts(&part, 0);
        message
    }

    /// Returns the value of a header field, ignoring the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// Returns the value of the field `Subject`.
    pub fn subject(&self) -> &str {
        self.header("subject").unwrap_or_default()
    }

    fn take_texts(&mut self, part: &Part, depth: usize) {
        assert!(depth < DEPTH_MAX, "parts in parts in parts");
        let kind = part.kind();
        match kind.to_ascii_lowercase().as_str() {
            kind if kind.starts_with("multipart/") => {
                for inner in part.parts() {
                    self.take_texts(&inner, depth + 1);
                }
            }
            "text/plain" => self.text = part.decoded_text(),
            "text/html" => self.html = part.decoded_text(),
            _ => {}
        }
    }
}

/// A message or a part of one: header fields, and the body below them.
struct Part {
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Part {
    fn read(bytes: &[u8]) -> Self {
        let (head, body) = match find(bytes, b"\r\n\r\n") {
            Some(end) => (&bytes[..end], &bytes[end + 4..]),
            None => (bytes, &[][..]),
        };
        Self {
            headers: headers(&String::from_utf8_lossy(head)),
            body: body.to_vec(),
        }
    }

    fn content_type(&self) -> &str {
        header(&self.headers, "content-type").unwrap_or("text/plain")
    }

    fn kind(&self) -> &str {
        let kind = self.content_type().split(';').next();
        kind.unwrap_or_default().trim()
    }

    /// Returns a parameter of the content type: `boundary`, `charset`.
    fn parameter(&self, name: &str) -> Option<String> {
        let parameters = self.content_type().split(';').skip(1);
        let mut pairs = parameters.filter_map(|parameter| parameter.trim().split_once('='));
        let (_, value) = pairs.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(value.trim_matches('"').to_owned())
    }

    fn parts(&self) -> Vec<Part> {
        let boundary = self.parameter("boundary").expect("a boundary");
        let delimiter = format!("\r\n--{boundary}");
        let whole = [b"\r\n", self.body.as_slice()].concat();
        let mut parts = Vec::new();
        let mut rest = whole.as_slice();
        while let Some(begin) = find(rest, delimiter.as_bytes()) {
            rest = &rest[begin + delimiter.len()..];
            if rest.starts_with(b"--") {
                return parts;
            }
            let end = find(rest, delimiter.as_bytes()).expect("an end of the part");
            let after_line = find(rest, b"\r\n").expect("an end of the line") + 2;
            parts.push(Part::read(&rest[after_line..end.max(after_line)]));
            rest = &rest[end..];
        }
        panic!("a message of parts without an end");
    }

    fn decoded_text(&self) -> String {
        let charset = self.parameter("charset").unwrap_or_default();
        assert!(
            ["", "utf-8", "us-ascii"].contains(&charset.to_ascii_lowercase().as_str()),
            "a text in {charset}"
        );
        let encoding = header(&self.headers, "content-transfer-encoding").unwrap_or("7bit");
        let bytes = match encoding.to_ascii_lowercase().as_str() {
            "7bit" | "8bit" | "binary" => self.body.clone(),
            "base64" => from_base64(&self.body),
            "quoted-printable" => from_quoted_printable(&self.body),
            other => panic!("a part in {other}"),
        };
        let text = String::from_utf8(bytes).expect("a part is in UTF-8");
        text.replace("\r\n", "\n")
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, wanted)
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let named = headers
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case(name));
    named.map(|(_, value)| value.as_str())
}

fn headers(head: &str) -> Vec<(String, String)> {
    // A line that begins with white space continues the previous one.
    let unfolded = head.replace("\r\n ", " ").replace("\r\n\t", " ");
    let fields = unfolded
        .split("\r\n")
        .filter_map(|line| line.split_once(':'));
    fields
        .map(|(name, value)| (name.to_owned(), with_words_read(value.trim())))
        .collect()
}

static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"=\?(?i:utf-8)\?([bBqQ])\?([^?]*)\?=").unwrap());

static BETWEEN_WORDS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?<=\?=)\s+(?==\?)").unwrap());

/// Decodes encoded words (RFC 2047); blanks between two of them are ignored.
fn with_words_read(value: &str) -> String {
    let joined = BETWEEN_WORDS.replace_all(value, "").into_owned();
    // Characters may be split between words, so bytes are joined before they are decoded.
    let mut bytes = Vec::new();
    let mut end = 0;
    for found in WORD.captures_iter(joined.as_str()).map(Result::unwrap) {
        let matched = found.get(0).unwrap();
        bytes.extend_from_slice(&joined.as_bytes()[end..matched.start()]);
        bytes.extend(word(&found));
        end = matched.end();
    }
    bytes.extend_from_slice(&joined.as_bytes()[end..]);
    String::from_utf8(bytes).expect("header fields are in UTF-8")
}

fn word(found: &Captures<'_, str>) -> Vec<u8> {
    match &found[1] {
        "b" | "B" => from_base64(found[2].as_bytes()),
        _ => from_quoted_printable(found[2].replace('_', " ").as_bytes()),
    }
}

fn from_base64(text: &[u8]) -> Vec<u8> {
    let dense: Vec<u8> = text
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    BASE64.decode(&dense).expect("base64")
}

fn from_quoted_printable(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        match (first, after) {
            (b'=', [b'\r', b'\n', ..]) => rest = &after[2..],
            (b'=', [high, low, ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).expect("digits");
                bytes.push(u8::from_str_radix(digits, 16).expect("two hexadecimal digits"));
                rest = &after[2..];
            }
            (byte, _) => bytes.push(byte),
        }
    }
    bytes
}
