//! Splits a template into tags, and a tag into tokens, as in Handlebars 4.7.

/// The beginning of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagOpening {
    /// `{{`, `{{&` or, for a decorator, `{{*`.
    Value,
    /// `{{{`.
    Unescaped,
    /// `{{{{`.
    Raw,
    /// `{{#`.
    Block,
    /// `{{#*`.
    DecoratorBlock,
    /// `{{#>`.
    PartialBlock,
    /// `{{>`.
    Partial,
    /// `{{/`.
    End,
    /// `{{^` followed by more.
    InverseBlock,
    /// `{{else` followed by more.
    ElseChain,
    /// `{{else}}` or `{{^}}`, complete.
    Else,
}

/// A token of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagToken<'t> {
    /// A name, or `.` or `..`; also one in brackets.
    Name(&'t str),
    /// `.` or `/` between names.
    Separator(&'t str),
    /// A text, a number, `true`, `null` and so on.
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

/// A tag of a template.
#[derive(Debug)]
pub struct TemplateTag<'t> {
    /// The position of its beginning, in bytes.
    pub start: usize,
    /// Its beginning.
    pub opening: TagOpening,
    /// Its tokens, including the end.
    pub tokens: Vec<TagToken<'t>>,
}

/// A syntax error with its position.
#[derive(Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The position, in bytes.
    pub start: usize,
    /// The cause.
    pub reason: &'static str,
}

/// Reads a template tag by tag.
pub struct TemplateTags<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> TemplateTags<'t> {
    /// Creates a reader of `text`.
    pub fn of(text: &'t str) -> Self {
        Self { text, position: 0 }
    }

    /// Returns the next tag; `None` at the end. Comments, and tags escaped by a backslash, are
    /// text.
    pub fn next(&mut self) -> Result<Option<TemplateTag<'t>>, Unreadable> {
        while let Some(found) = self.rest().find("{{") {
            let before = &self.rest()[..found];
            let is_escaped = before.ends_with('\\') && !before.ends_with("\\\\");
            let start = self.position + found;
            self.position = start;
            if is_escaped {
                self.position += 2;
                continue;
            }
            if !self.skip_comment()? {
                let opening = self.opening();
                let tokens = match opening {
                    TagOpening::Else => Vec::new(),
                    _ => self.tokens()?,
                };
                return Ok(Some(TemplateTag {
                    start,
                    opening,
                    tokens,
                }));
            }
        }
        self.position = self.text.len();
        Ok(None)
    }

    /// Skips the content of a raw block, which may contain other raw blocks, and its end; returns
    /// the name there.
    pub fn skip_raw(&mut self) -> Option<&'t str> {
        let mut depth = 1_usize;
        loop {
            self.position += self.rest().find("{{{{")? + 4;
            let Some(end) = self.rest().strip_prefix('/') else {
                depth += 1;
                continue;
            };
            let length = end.find("}}}}")?;
            depth -= 1;
            if depth == 0 {
                self.position += 1 + length + 4;
                return Some(&end[..length]);
            }
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.position..]
    }

    /// Skips a comment, if there is one here.
    fn skip_comment(&mut self) -> Result<bool, Unreadable> {
        let inside = self.rest()[2..].trim_start_matches_once('~');
        let Some(comment) = inside.strip_prefix('!') else {
            return Ok(false);
        };
        let length = if comment.starts_with("--") {
            long_comment(comment)
        } else {
            comment.find("}}").map(|end| end + 2)
        };
        let length = length.ok_or(Unreadable {
            start: self.position,
            reason: "a comment has no end",
        })?;
        self.position = self.text.len() - comment.len() + length;
        Ok(true)
    }

    /// Skips and returns the beginning of a tag.
    fn opening(&mut self) -> TagOpening {
        if let Some(rest) = self.rest().strip_prefix("{{{{") {
            self.position = self.text.len() - rest.len();
            return TagOpening::Raw;
        }
        let inside = self.rest()[2..].trim_start_matches_once('~');
        if let Some(length) = else_length(inside) {
            self.position = self.text.len() - inside.len() + length;
            return TagOpening::Else;
        }
        const OPENINGS: [(&str, TagOpening); 9] = [
            ("#>", TagOpening::PartialBlock),
            ("#*", TagOpening::DecoratorBlock),
            ("#", TagOpening::Block),
            (">", TagOpening::Partial),
            ("/", TagOpening::End),
            ("^", TagOpening::InverseBlock),
            ("{", TagOpening::Unescaped),
            ("&", TagOpening::Value),
            ("*", TagOpening::Value),
        ];
        let opening = OPENINGS
            .iter()
            .find_map(|(sign, opening)| Some((inside.strip_prefix(sign)?, *opening)));
        let chain = || {
            Some((
                inside.trim_start().strip_prefix("else")?,
                TagOpening::ElseChain,
            ))
        };
        let (rest, opening) = opening
            .or_else(chain)
            .unwrap_or((inside, TagOpening::Value));
        self.position = self.text.len() - rest.len();
        opening
    }

    /// Returns the tokens up to the end of the tag.
    fn tokens(&mut self) -> Result<Vec<TagToken<'t>>, Unreadable> {
        let mut tokens = Vec::new();
        loop {
            let rest = self.rest().trim_start();
            self.position = self.text.len() - rest.len();
            let unreadable = |reason| Unreadable {
                start: self.position,
                reason,
            };
            if rest.is_empty() {
                return Err(unreadable("the template ends within a tag"));
            }
            let (token, length) = token(rest).map_err(unreadable)?;
            self.position += length;
            tokens.push(token);
            if matches!(
                token,
                TagToken::End | TagToken::EndUnescaped | TagToken::EndRaw
            ) {
                return Ok(tokens);
            }
        }
    }
}

/// `strip_prefix` for an optional sign.
trait TrimOnce {
    fn trim_start_matches_once(&self, sign: char) -> &Self;
}

impl TrimOnce for str {
    fn trim_start_matches_once(&self, sign: char) -> &str {
        self.strip_prefix(sign).unwrap_or(self)
    }
}

/// Returns the length of a comment that may contain tags, from its dashes to its end.
fn long_comment(comment: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let dashes = from + comment[from..].find("--")?;
        let end = comment[dashes + 2..].trim_start_matches_once('~');
        if let Some(rest) = end.strip_prefix("}}") {
            return Some(comment.len() - rest.len());
        }
        from = dashes + 1;
    }
}

/// Returns the length of `else}}` or `^}}`, if it is here.
fn else_length(inside: &str) -> Option<usize> {
    let after = match inside.strip_prefix('^') {
        Some(after) => after,
        None => inside.trim_start().strip_prefix("else")?,
    };
    let end = after.trim_start().trim_start_matches_once('~');
    let rest = end.strip_prefix("}}")?;
    Some(inside.len() - rest.len())
}

/// Returns the token at the start of `text`, and its length.
fn token(text: &str) -> Result<(TagToken<'_>, usize), &'static str> {
    const SIGNS: [(&str, TagToken); 12] = [
        ("(", TagToken::Open),
        (")", TagToken::Close),
        ("}}}}", TagToken::EndRaw),
        ("}}}", TagToken::EndUnescaped),
        ("}~}}", TagToken::EndUnescaped),
        ("~}}", TagToken::End),
        ("}}", TagToken::End),
        ("=", TagToken::Equals),
        ("@", TagToken::Data),
        ("|", TagToken::ParametersEnd),
        ("..", TagToken::Name("..")),
        ("/", TagToken::Separator("/")),
    ];
    if let Some((sign, token)) = SIGNS.iter().find(|(sign, _)| text.starts_with(sign)) {
        return Ok((*token, sign.len()));
    }
    if let Some(after) = text.strip_prefix('.') {
        return Ok(if after.starts_with(ends_name) {
            (TagToken::Name("."), 1)
        } else {
            (TagToken::Separator("."), 1)
        });
    }
    if let Some(quote) = text
        .chars()
        .next()
        .filter(|sign| matches!(sign, '"' | '\''))
    {
        let length = quoted(text, quote).ok_or("a text in quotes has no end")?;
        return Ok((TagToken::Literal(&text[..length]), length));
    }
    if text.starts_with('[') {
        let length = quoted(text, ']').ok_or("a name in brackets has no end")?;
        return Ok((TagToken::Name(&text[..length]), length));
    }
    if let Some(after) = text.strip_prefix("as").map(str::trim_start)
        && text.starts_with("as")
        && text[2..].starts_with(char::is_whitespace)
        && let Some(rest) = after.strip_prefix('|')
    {
        return Ok((TagToken::Parameters, text.len() - rest.len()));
    }
    word(text).ok_or("unexpected characters")
}

/// Returns a literal or a name.
fn word(text: &str) -> Option<(TagToken<'_>, usize)> {
    if let Some(length) = literal(text) {
        return Some((TagToken::Literal(&text[..length]), length));
    }
    let length = text.find(|sign| !is_of_name(sign))?;
    let is_ended = text[length..].starts_with(ends_name);
    (length > 0 && is_ended).then(|| (TagToken::Name(&text[..length]), length))
}

/// Returns the length of the number or keyword here, if there is one.
fn literal(text: &str) -> Option<usize> {
    let is_ended = |length: usize| {
        text[length..].starts_with(|sign: char| sign.is_whitespace() || "~})]".contains(sign))
    };
    let words = ["true", "false", "undefined", "null"];
    if let Some(word) = words.iter().find(|word| text.starts_with(**word)) {
        return Some(word.len()).filter(|length| is_ended(*length));
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let sign = usize::from(text.starts_with('-'));
    let whole = digits(&text[sign..]);
    let length = sign + whole;
    let fraction = text[length..].strip_prefix('.').map_or(0, digits);
    let with_fraction = match fraction {
        0 => length,
        digits => length + 1 + digits,
    };
    (whole > 0 && is_ended(with_fraction)).then_some(with_fraction)
}

/// Returns the length of a quoted text up to `end`, which a backslash escapes.
fn quoted(text: &str, end: char) -> Option<usize> {
    let mut from = 1;
    loop {
        let position = from + text[from..].find(end)?;
        if !text[1..position].ends_with('\\') {
            return Some(position + end.len_utf8());
        }
        from = position + end.len_utf8();
    }
}

fn is_of_name(sign: char) -> bool {
    !sign.is_whitespace() && !"!\"#%&'()*+,./;<=>@[\\]^`{|}~".contains(sign)
}

fn ends_name(sign: char) -> bool {
    sign.is_whitespace() || "=~}/.)|]".contains(sign)
}
