//! Splits a template into text, comments and tags, and a tag into tokens, by the rules of Handlebars 4.7.

use std::ops::Range;

/// The opening of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// `{{`.
    Value,
    /// `{{{`.
    Unescaped,
    /// `{{&`.
    Ampersand,
    /// `{{{{`.
    Raw,
    /// `{{#`.
    Block,
    /// `{{*`.
    Decorator,
    /// `{{#*`.
    DecoratorBlock,
    /// `{{>`.
    Partial,
    /// `{{#>`.
    PartialBlock,
    /// `{{/`.
    End,
    /// `{{^` followed by an expression.
    InverseBlock,
    /// `{{else` followed by an expression.
    ElseChain,
    /// `{{else}}` or `{{^}}`, including the end of the tag.
    Else,
}

/// A token of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'t> {
    /// A name as written, which may be in brackets, or `.` or `..`.
    Name(&'t str),
    /// `.` or `/` between names.
    Separator(&'t str),
    /// A string as written, with its quotes.
    Text(&'t str),
    /// A number, `true`, `false`, `null` or `undefined`.
    Literal(&'t str),
    /// `@`.
    Data,
    /// `=`.
    Equals,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `as |`.
    Parameters,
    /// The closing `|`.
    ParametersEnd,
    /// `}}`.
    End,
    /// `}}}`.
    EndUnescaped,
    /// `}}}}`.
    EndRaw,
}

/// The sides of a tag where `~` removes white space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strip {
    /// Before the tag.
    pub before: bool,
    /// After it.
    pub after: bool,
}

/// A tag of a template.
#[derive(Debug)]
pub struct Tag<'t> {
    /// The byte offset of the tag.
    pub start: usize,
    /// The opening.
    pub opening: Opening,
    /// The tokens with their offsets, including the end of the tag.
    pub tokens: Vec<(Token<'t>, usize)>,
    /// The sides where the tag removes white space.
    pub strip: Strip,
}

/// A piece of a template.
#[derive(Debug)]
pub enum Piece<'t> {
    /// Text, as a range of the template.
    Text(Range<usize>),
    /// A comment.
    Comment(Strip),
    /// A tag.
    Tag(Tag<'t>),
}

/// The offset and the reason of a syntax error.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// The offset, in bytes.
    pub start: usize,
    /// The cause.
    pub reason: String,
}

impl Fault {
    /// Returns a fault at an offset.
    pub fn new(start: usize, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { start, reason }
    }
}

/// Reads the pieces of a template.
pub struct Lexer<'t> {
    text: &'t str,
    offset: usize,
    /// The offset of a tag that is text because a backslash escapes it.
    escaped: Option<usize>,
}

impl<'t> Lexer<'t> {
    /// Returns a lexer at the start of a template.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            offset: 0,
            escaped: None,
        }
    }

    /// Returns the next piece; `None` at the end of the template.
    pub fn next(&mut self) -> Result<Option<Piece<'t>>, Fault> {
        if let Some(start) = self.escaped.take() {
            self.offset = self.end_of_escaped(start);
            return Ok(Some(Piece::Text(start..self.offset)));
        }
        if self.offset == self.text.len() {
            return Ok(None);
        }
        let start = self.offset;
        let Some(length) = find(self.rest(), "{{") else {
            self.offset = self.text.len();
            return Ok(Some(Piece::Text(start..self.offset)));
        };
        let before = &self.rest()[..length];
        // A backslash before a tag makes it text; two backslashes before a tag are one backslash.
        let is_escaped = before.ends_with('\\') && !before.ends_with("\\\\");
        // In both cases, one backslash is not part of the text.
        let end = start + length - usize::from(before.ends_with('\\'));
        self.offset = start + length;
        self.escaped = is_escaped.then_some(self.offset);
        if start < end {
            return Ok(Some(Piece::Text(start..end)));
        }
        if is_escaped {
            self.next()
        } else {
            self.tag().map(Some)
        }
    }

    /// Reads a raw block up to its end tag. Returns its texts and the name in the end tag. Nested raw blocks are text.
    pub fn raw(&mut self, start: usize) -> Result<(Vec<Range<usize>>, &'t str), Fault> {
        let mut texts = Vec::new();
        let mut depth = 1_usize;
        loop {
            let rest = self.rest();
            let length = if let Some(name) = raw_end(rest) {
                depth -= 1;
                if depth == 0 {
                    self.offset += "{{{{/}}}}".len() + name.len();
                    return Ok((texts, name));
                }
                "{{{{/}}}}".len() + name.len()
            } else if rest.starts_with("{{{{") && !rest.starts_with("{{{{/") {
                depth += 1;
                "{{{{".len()
            } else {
                let first = rest.chars().next().map_or(0, char::len_utf8);
                let length = find(&rest[first..], "{{{{").map(|length| first + length);
                length.ok_or_else(|| Fault::new(start, "unclosed raw block"))?
            };
            texts.push(self.offset..self.offset + length);
            self.offset += length;
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.offset..]
    }

    /// Returns the end of the text that begins with an escaped tag.
    fn end_of_escaped(&self, start: usize) -> usize {
        let from = start + 2;
        let Some(length) = find(&self.text[from..], "{{") else {
            return self.text.len();
        };
        let between = &self.text[from..from + length];
        let backslashes = between.len() - between.trim_end_matches('\\').len();
        from + length - backslashes.min(2)
    }

    /// Reads the tag or comment at the current offset.
    fn tag(&mut self) -> Result<Piece<'t>, Fault> {
        let start = self.offset;
        // Comments are first: their content may contain anything, including tags.
        if let Some(comment) = self.comment()? {
            return Ok(comment);
        }
        let opening = self.opening();
        let tokens = match opening {
            Opening::Else => Vec::new(),
            _ => self.tokens()?,
        };
        let written = &self.text[start..self.offset];
        let strip = Strip {
            before: written.as_bytes().get(2) == Some(&b'~'),
            after: written.as_bytes()[written.len() - 3] == b'~',
        };
        Ok(Piece::Tag(Tag {
            start,
            opening,
            tokens,
            strip,
        }))
    }

    /// Reads a comment, if there is one at the current offset.
    fn comment(&mut self) -> Result<Option<Piece<'t>>, Fault> {
        let inside = without_sign(&self.rest()[2..], '~');
        let Some(comment) = inside.strip_prefix('!') else {
            return Ok(None);
        };
        let length = if comment.starts_with("--") {
            long_comment(comment)
        } else {
            find(comment, "}}").map(|end| end + 2)
        };
        let Some(length) = length else {
            return Err(Fault::new(self.offset, "unclosed comment"));
        };
        let start = self.offset;
        self.offset = self.text.len() - comment.len() + length;
        let written = &self.text.as_bytes()[start..self.offset];
        Ok(Some(Piece::Comment(Strip {
            before: written[2] == b'~',
            after: written[written.len() - 3] == b'~',
        })))
    }

    /// Reads the opening of a tag.
    fn opening(&mut self) -> Opening {
        const OPENINGS: [(&str, Opening); 9] = [
            (">", Opening::Partial),
            ("#>", Opening::PartialBlock),
            ("#*", Opening::DecoratorBlock),
            ("#", Opening::Block),
            ("/", Opening::End),
            ("^", Opening::InverseBlock),
            ("{", Opening::Unescaped),
            ("&", Opening::Ampersand),
            ("*", Opening::Decorator),
        ];
        if let Some(rest) = self.rest().strip_prefix("{{{{") {
            self.offset = self.text.len() - rest.len();
            return Opening::Raw;
        }
        let inside = without_sign(&self.rest()[2..], '~');
        // Before the other openings: `{{^}}` is an else, `{{^a}}` opens a block.
        if let Some(length) = else_length(inside) {
            self.offset = self.text.len() - inside.len() + length;
            return Opening::Else;
        }
        let opening = OPENINGS
            .iter()
            .find_map(|(sign, opening)| Some((inside.strip_prefix(sign)?, *opening)));
        let chain = || {
            let after = inside.trim_start_matches(is_blank).strip_prefix("else")?;
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            (!after.starts_with(is_word)).then_some((after, Opening::ElseChain))
        };
        let (rest, opening) = opening.or_else(chain).unwrap_or((inside, Opening::Value));
        self.offset = self.text.len() - rest.len();
        opening
    }

    /// Reads the tokens up to the end of the tag.
    fn tokens(&mut self) -> Result<Vec<(Token<'t>, usize)>, Fault> {
        let mut tokens = Vec::new();
        loop {
            let rest = self.rest().trim_start_matches(is_blank);
            self.offset = self.text.len() - rest.len();
            if rest.is_empty() {
                return Err(Fault::new(self.offset, "the template ends inside a tag"));
            }
            let (token, length) = token(rest).map_err(|reason| Fault::new(self.offset, reason))?;
            tokens.push((token, self.offset));
            self.offset += length;
            if matches!(token, Token::End | Token::EndUnescaped | Token::EndRaw) {
                return Ok(tokens);
            }
        }
    }
}

/// Returns whether a character is white space in JavaScript.
pub fn is_blank(c: char) -> bool {
    // `\s` of JavaScript differs from White_Space of Unicode in these two characters.
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

fn find(text: &str, needle: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), needle.as_bytes())
}

fn without_sign(text: &str, sign: char) -> &str {
    text.strip_prefix(sign).unwrap_or(text)
}

/// Returns the name in the end tag of a raw block, if `text` starts with one.
fn raw_end(text: &str) -> Option<&str> {
    let after = text.strip_prefix("{{{{/")?;
    let name = &after[..name_length(after)];
    (!name.is_empty() && after[name.len()..].starts_with("}}}}")).then_some(name)
}

/// Returns the length of a comment that may contain tags, from its dashes to its end.
fn long_comment(comment: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let dashes = from + find(&comment[from..], "--")?;
        let end = without_sign(&comment[dashes + 2..], '~');
        if let Some(rest) = end.strip_prefix("}}") {
            return Some(comment.len() - rest.len());
        }
        from = dashes + 1;
    }
}

/// Returns the length of `else}}` or `^}}`, if `inside` starts with one of them.
fn else_length(inside: &str) -> Option<usize> {
    let after = match inside.strip_prefix('^') {
        Some(after) => after,
        None => inside.trim_start_matches(is_blank).strip_prefix("else")?,
    };
    let end = without_sign(after.trim_start_matches(is_blank), '~');
    let rest = end.strip_prefix("}}")?;
    Some(inside.len() - rest.len())
}

/// Returns the token at the start of `text`, and its length.
fn token(text: &str) -> Result<(Token<'_>, usize), &'static str> {
    const SIGNS: [(&str, Token); 11] = [
        ("(", Token::Open),
        (")", Token::Close),
        ("}}}}", Token::EndRaw),
        ("}}}", Token::EndUnescaped),
        ("}~}}", Token::EndUnescaped),
        ("~}}", Token::End),
        ("}}", Token::End),
        ("=", Token::Equals),
        ("@", Token::Data),
        ("|", Token::ParametersEnd),
        ("..", Token::Name("..")),
    ];
    // The first match wins, as in the lexer of Handlebars: longer signs come before their prefixes,
    // and all patterns below are in its order.
    if let Some((sign, token)) = SIGNS.iter().find(|(sign, _)| text.starts_with(sign)) {
        return Ok((*token, sign.len()));
    }
    if let Some(after) = text.strip_prefix('.') {
        // `.` alone is the context; before a name, it is a separator.
        let is_name = after.starts_with(ends_name);
        return Ok((
            if is_name {
                Token::Name(".")
            } else {
                Token::Separator(".")
            },
            1,
        ));
    }
    if text.starts_with('/') {
        return Ok((Token::Separator("/"), 1));
    }
    if let Some(quote) = ['"', '\'']
        .into_iter()
        .find(|quote| text.starts_with(*quote))
    {
        let length = quoted(text, quote).ok_or("unclosed string")?;
        return Ok((Token::Text(&text[..length]), length));
    }
    if text.starts_with('[') {
        let length = quoted(text, ']').ok_or("unclosed bracket")?;
        return Ok((Token::Name(&text[..length]), length));
    }
    if let Some(length) = parameters(text) {
        return Ok((Token::Parameters, length));
    }
    let length = name_length(text);
    let after = &text[length..];
    // Before names, whose characters include digits and the minus sign.
    if let Some(length) = number_length(text) {
        return Ok((Token::Literal(&text[..length]), length));
    }
    if length == 0 || !after.starts_with(ends_name) {
        return Err("unexpected character in the tag");
    }
    let name = &text[..length];
    let is_literal = matches!(name, "true" | "false" | "null" | "undefined");
    if is_literal && after.starts_with(ends_literal) {
        return Ok((Token::Literal(name), length));
    }
    Ok((Token::Name(name), length))
}

/// Returns the length of `as |`, if `text` starts with it.
fn parameters(text: &str) -> Option<usize> {
    let after = text.strip_prefix("as")?;
    let bar = after.trim_start_matches(is_blank);
    let rest = bar.strip_prefix('|')?;
    (bar.len() < after.len()).then_some(text.len() - rest.len())
}

/// Returns the length of a complete number such as -1.5, if `text` starts with one.
fn number_length(text: &str) -> Option<usize> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let sign = usize::from(text.starts_with('-'));
    let whole = digits(&text[sign..]);
    if whole == 0 {
        return None;
    }
    let mut length = sign + whole;
    if let Some(fraction) = text[length..].strip_prefix('.') {
        let fraction = digits(fraction);
        length += if fraction > 0 { 1 + fraction } else { 0 };
    }
    text[length..].starts_with(ends_literal).then_some(length)
}

/// Returns the length of a quoted string or a name in brackets. A backslash escapes the closing character; if no unescaped one
/// follows, the last escaped one closes it.
fn quoted(text: &str, end: char) -> Option<usize> {
    let end = end as u8;
    let bytes = text.as_bytes();
    let mut last_escaped = None;
    for found in memchr::memchr_iter(end, &bytes[1..]) {
        let index = found + 1;
        if bytes[index - 1] != b'\\' {
            return Some(index + 1);
        }
        last_escaped = Some(index + 1);
    }
    last_escaped
}

/// Returns the length of the name at the start of `text`; 0 if there is none.
fn name_length(text: &str) -> usize {
    text.find(|c: char| !is_of_name(c)).unwrap_or(text.len())
}

fn is_of_name(c: char) -> bool {
    // The characters that the pattern `ID` of Handlebars excludes.
    let is_sign = matches!(
        c,
        '!' | '"' | '#' | '%'..=',' | '.' | '/' | ';'..='>' | '@' | '['..='^' | '`' | '{'..='~'
    );
    !is_sign && !is_blank(c)
}

fn ends_name(c: char) -> bool {
    matches!(c, '=' | '~' | '}' | '/' | '.' | ')' | '|') || is_blank(c)
}

fn ends_literal(c: char) -> bool {
    matches!(c, '~' | '}' | ')') || is_blank(c)
}
