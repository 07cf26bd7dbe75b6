//! Code, escapes, entities, tags, URLs in angle brackets, and sub- and superscripts.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::super::{entities, html_tags, urls};
use super::{InlineParser, Token};
use crate::render::heading_id::is_blank;

/// Minimum and maximum length of a scheme in angle brackets, in characters.
const SCHEME_CHARS: RangeInclusive<usize> = 2..=32;

/// Maximum length of a label in the domain of a mail address, in characters.
const LABEL_CHARS_MAX: usize = 63;

/// The known ends of code, so that no text is searched twice.
#[derive(Default)]
pub(super) struct CodeEnds {
    /// For each length of a run of backticks, the position of the last run found.
    last: HashMap<usize, usize>,
    /// True if the text has been searched to its end.
    is_complete: bool,
}

impl InlineParser<'_, '_, '_> {
    /// Parses a backslash, and the character that it escapes.
    pub(super) fn escape(&mut self, is_ahead: bool) -> bool {
        let start = self.position;
        let Some(escaped) = self.text[start + 1..self.end].chars().next() else {
            return false;
        };
        let end = start + 1 + escaped.len_utf8();
        let (token, end) = match escaped {
            '\n' => (Token::LineBreak, end),
            // Two spaces before a line feed remain a line break.
            ' ' => (Token::Literal("\\".to_owned()), start + 1),
            _ if escaped.is_ascii_punctuation() => (Token::Literal(escaped.to_string()), end),
            _ => (Token::Literal(self.text[start..end].to_owned()), end),
        };
        if !is_ahead {
            self.push(token);
        }
        self.position = end;
        if escaped == '\n' {
            self.skip_blanks();
        }
        true
    }

    /// Parses code. Backticks without matching ones are text.
    pub(super) fn code(&mut self, is_ahead: bool) -> bool {
        let start = self.position;
        let content = self.run_end(start, b'`');
        let length = content - start;
        let Some((content_end, end)) = self.code_end(content, length) else {
            if !is_ahead {
                // The run is text as a whole: a part of it cannot begin code (CommonMark, "Code
                // spans").
                self.add_pending(start..content);
            }
            self.position = content;
            return true;
        };
        if !is_ahead {
            let code = self.text[content..content_end].replace('\n', " ");
            let inner = code
                .strip_prefix(' ')
                .and_then(|code| code.strip_suffix(' '));
            let inner = inner.filter(|inner| !inner.is_empty());
            let code = inner.map(str::to_owned).unwrap_or(code);
            self.push(Token::Code(code));
        }
        self.position = end;
        true
    }

    /// Returns the start and the end of the next run of `length` backticks at or after `start`.
    fn code_end(&mut self, start: usize, length: usize) -> Option<(usize, usize)> {
        let last = self.code_ends.last.get(&length).copied().unwrap_or(0);
        if self.code_ends.is_complete && last < start {
            return None;
        }
        let mut end = start;
        while let Some(distance) = memchr::memchr(b'`', &self.text.as_bytes()[end..]) {
            let run = end + distance;
            end = self.run_end(run, b'`').max(run + 1);
            if end - run == length {
                return Some((run, end));
            }
            self.code_ends.last.insert(end - run, run);
        }
        self.code_ends.is_complete = true;
        None
    }

    /// Returns the end of the run of `mark` at `start`.
    fn run_end(&self, start: usize, mark: u8) -> usize {
        let bytes = self.text.as_bytes()[..self.end].iter().skip(start);
        start + bytes.take_while(|byte| **byte == mark).count()
    }

    /// Parses an HTML entity.
    pub(super) fn entity(&mut self, is_ahead: bool) -> bool {
        let Some((decoded, length)) = entities::in_text(&self.text[self.position..]) else {
            return false;
        };
        if !is_ahead {
            self.push(Token::Literal(decoded.into_owned()));
        }
        self.position += length;
        true
    }

    /// Parses text between two marks, which must contain no element and no unescaped white space.
    pub(super) fn script(&mut self, mark: u8, name: &'static str) -> bool {
        let start = self.position;
        self.position += 1;
        while self.position < self.end && self.text.as_bytes()[self.position] != mark {
            self.skip();
        }
        let end = std::mem::replace(&mut self.position, start);
        let content = self.text.get(start + 1..end).unwrap_or("");
        if end >= self.end || content.is_empty() || has_unescaped_white_space(content) {
            return false;
        }
        let content = without_escapes(content);
        self.open(Token::Open(name));
        self.push(Token::Content(content));
        self.close(Token::Close(name));
        self.position = end + 1;
        true
    }

    /// Parses a URL or a mail address in angle brackets.
    pub(super) fn autolink(&mut self, is_ahead: bool) -> bool {
        let after = &self.text[self.position + 1..self.end];
        let end = memchr::memchr2(b'<', b'>', after.as_bytes());
        let Some(end) = end.filter(|end| after.as_bytes()[*end] == b'>') else {
            return false;
        };
        let source = &after[..end];
        let url = if is_url(source) {
            urls::for_attribute(source)
        } else if is_mail_address(source) {
            urls::for_attribute(&format!("mailto:{source}"))
        } else {
            None
        };
        let Some(url) = url else {
            return false;
        };
        if !is_ahead {
            let shown = urls::for_display(source);
            let title = String::new();
            self.open(Token::OpenLink { url, title });
            self.push(Token::Content(shown));
            self.close(Token::CloseLink);
        }
        self.position += source.len() + 2;
        true
    }

    /// Parses an HTML tag, or another construct such as a comment.
    pub(super) fn html(&mut self, is_ahead: bool) -> bool {
        let start = self.position;
        let text = &self.text[start..];
        if start + 2 >= self.end {
            return false;
        }
        let length = match text.as_bytes()[1] {
            b'!' | b'?' => self.html_special_length(start),
            _ => html_tags::length(text),
        };
        let Some(length) = length else {
            return false;
        };
        if !is_ahead {
            self.links += link_step(&text[..length]);
            self.push(Token::Html(start..start + length));
        }
        self.position = start + length;
        true
    }

    /// Returns the length of a comment, a processing instruction, a declaration or a CDATA section.
    fn html_special_length(&mut self, start: usize) -> Option<usize> {
        let text = &self.text[start..];
        if let Some(comment) = text.strip_prefix("<!--") {
            // `<!-->` and `<!--->` are comments without content.
            let short = [">", "->"].iter().find(|end| comment.starts_with(**end));
            if let Some(end) = short {
                return Some("<!--".len() + end.len());
            }
        }
        let (begin, end) = if text.starts_with("<!--") {
            ("<!--".len(), "-->")
        } else if text.starts_with("<![CDATA[") {
            ("<![CDATA[".len(), "]]>")
        } else if text.starts_with("<?") {
            ("<?".len(), "?>")
        } else if text[2..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            ("<!x".len(), ">")
        } else {
            return None;
        };
        // If the text lacks an end mark, it is not searched for that mark again.
        if self.missing_html_ends.contains(&end) {
            return None;
        }
        let Some(length) = text[begin..].find(end) else {
            self.missing_html_ends.push(end);
            return None;
        };
        Some(begin + length + end.len())
    }
}

/// Returns the change in the number of open links by this raw HTML tag.
pub(super) fn link_step(tag: &str) -> isize {
    let after_name = |name: &str| name.strip_prefix(['a', 'A']).map(str::to_owned);
    if let Some(after) = tag.strip_prefix("</").and_then(after_name) {
        return -isize::from(after.trim_start_matches(is_blank).starts_with('>'));
    }
    let after = tag.strip_prefix('<').and_then(after_name);
    isize::from(after.is_some_and(|after| after.starts_with('>') || after.starts_with(is_blank)))
}

fn is_url(text: &str) -> bool {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && SCHEME_CHARS.contains(&scheme.len())
        && scheme.chars().all(is_inside)
        && rest.bytes().all(|byte| byte > b' ')
}

fn is_mail_address(text: &str) -> bool {
    let Some((name, domain)) = text.split_once('@') else {
        return false;
    };
    let is_inside = |c: char| c.is_ascii_alphanumeric() || ".!#$%&'*+/=?^_`{|}~-".contains(c);
    let is_label = |label: &str| {
        (1..=LABEL_CHARS_MAX).contains(&label.len())
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    !name.is_empty() && name.chars().all(is_inside) && domain.split('.').all(is_label)
}

/// Returns whether `text` contains white space that is not preceded by an odd number of
/// backslashes.
fn has_unescaped_white_space(text: &str) -> bool {
    let mut is_escaped = false;
    for c in text.chars() {
        if is_blank(c) && !is_escaped {
            return true;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    false
}

/// Returns `text` without the backslashes before punctuation and spaces.
fn without_escapes(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_escaped = |next: &char| next.is_ascii_punctuation() || *next == ' ';
        let escaped = if c == '\\' {
            chars.next_if(is_escaped)
        } else {
            None
        };
        unescaped.push(escaped.unwrap_or(c));
    }
    unescaped
}
