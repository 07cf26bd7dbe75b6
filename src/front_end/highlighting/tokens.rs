//! The tokens of code that consists of words, numbers, strings and comments.

use std::ops::Range;

use super::language::{Language, Quotes, Words};

/// The kind of a token, which determines its colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A comment.
    Comment,
    /// A string.
    String,
    /// A number.
    Number,
    /// A keyword of the language.
    Keyword,
    /// A named value, such as `true` or `MAX_LENGTH`.
    Constant,
    /// The name of a function in a call or definition.
    Function,
    /// The name of a type, an element or a section.
    Type,
    /// A name before a value: a key, a property or an attribute.
    Key,
    /// A variable with a sigil, a symbol, an annotation or a template expression.
    Variable,
    /// An added line.
    Added,
    /// A removed line.
    Removed,
}

/// A token. The code between tokens is not coloured.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Its kind.
    pub kind: Kind,
    /// The byte range in the code.
    pub range: Range<usize>,
}

/// Appends the tokens of a part of `code` to `found`, in order. The time is proportional to the length of the part.
pub fn add_tokens(words: &Words, code: &str, part: Range<usize>, found: &mut Vec<Token>) {
    let mut reader = Reader {
        words,
        language: words.language,
        code: &code[part.clone()],
        position: 0,
        start: part.start,
        tokens: found,
    };
    while reader.position < part.len() {
        reader.read();
    }
}

/// Returns the kind and the text of each token.
#[cfg(test)]
pub fn texts(tokens: Vec<Token>, code: &str) -> Vec<(Kind, &str)> {
    let tokens = tokens.into_iter();
    tokens
        .map(|token| (token.kind, &code[token.range]))
        .collect()
}

struct Reader<'c> {
    words: &'c Words,
    language: &'static Language,
    code: &'c str,
    position: usize,
    /// The byte offset of `code` in the whole code.
    start: usize,
    tokens: &'c mut Vec<Token>,
}

impl Reader<'_> {
    /// Reads a token, or a character that is not part of a token.
    fn read(&mut self) {
        let rest = &self.code[self.position..];
        let Some(first) = rest.chars().next() else {
            return;
        };
        // Comments before strings, strings before names: quotes in comments do not begin strings.
        if let Some(length) = self.comment(rest) {
            self.push(Kind::Comment, length);
        } else if let Some(length) = self.string(rest) {
            let is_key = self.language.has_keys && is_before_colon(&rest[length..]);
            self.push(if is_key { Kind::Key } else { Kind::String }, length);
        } else if first.is_ascii_digit() {
            self.push(Kind::Number, number_length(rest));
        } else if let Some(length) = self.variable(rest) {
            self.push(Kind::Variable, length);
        } else if is_name_start(first) {
            self.name(rest);
        } else {
            self.position += first.len_utf8();
        }
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let start = self.start + self.position;
        let range = start..start + length;
        self.position += length;
        self.tokens.push(Token { kind, range });
    }

    /// Returns the length of the comment at the start of `rest`.
    fn comment(&self, rest: &str) -> Option<usize> {
        for (begin, end) in self.language.comments {
            if let Some(inner) = rest.strip_prefix(begin) {
                let inner = inner
                    .find(end)
                    .map_or(inner.len(), |index| index + end.len());
                return Some(begin.len() + inner);
            }
        }
        let is_comment = self
            .language
            .line_comments
            .iter()
            .any(|begin| rest.starts_with(begin));
        let before = self.code[..self.position].chars().next_back();
        let follows_space = before.is_none_or(char::is_whitespace);
        let is_comment = is_comment && (follows_space || !self.language.comments_follow_space);
        is_comment.then(|| line_length(rest))
    }

    /// Returns the length of the string at the start of `rest`.
    fn string(&self, rest: &str) -> Option<usize> {
        // Languages in which a single quote begins a variable, such as a lifetime of Rust, also have characters in single quotes.
        let has_characters = self.language.sigils.contains('\'');
        if let Some(length) = character_length(rest).filter(|_| has_characters) {
            return Some(length);
        }
        let quotes = self
            .language
            .quotes
            .iter()
            .find(|quotes| rest.starts_with(quotes.begin))?;
        Some(string_length(quotes, rest))
    }

    /// Returns the length of the variable at the start of `rest`: a sigil and a name, or `$` and a name in braces.
    fn variable(&self, rest: &str) -> Option<usize> {
        let mut characters = rest.chars();
        let sigil = characters
            .next()
            .filter(|sigil| self.language.sigils.contains(*sigil))?;
        let after = characters.as_str();
        if let Some(braced) = after.strip_prefix('{').filter(|_| sigil == '$') {
            let end = braced
                .find(['}', '\n'])
                .filter(|end| braced[*end..].starts_with('}'))?;
            return Some(sigil.len_utf8() + end + 2);
        }
        // A sigil after a name or after the same sigil is an operator: `a::b`, `x:1`.
        let before = self.code[..self.position].chars().next_back();
        let is_operator =
            before.is_some_and(|before| before == sigil || is_name_part(before)) && sigil != '$';
        let length = self.name_length(after);
        let is_name = after.chars().next().is_some_and(is_name_start);
        (is_name && !is_operator).then(|| sigil.len_utf8() + length)
    }

    /// Reads the name at the start of `rest`.
    fn name(&mut self, rest: &str) {
        let length = self.name_length(rest);
        let name = &rest[..length];
        match self.kind(name, &rest[length..]) {
            Some(kind) => self.push(kind, length),
            None => self.position += length,
        }
    }

    fn kind(&self, name: &str, after: &str) -> Option<Kind> {
        let is_part = self.is_part_of_path();
        if self.language.has_keys && is_before_colon(after) && self.begins_entry() {
            Some(Kind::Key)
        } else if !is_part && self.words.is_constant(name) {
            Some(Kind::Constant)
        } else if !is_part && self.words.is_keyword(name) {
            Some(Kind::Keyword)
        } else if ["(", "!(", "!["].iter().any(|call| after.starts_with(call)) {
            Some(Kind::Function)
        } else if self.language.has_types {
            kind_of_capitals(name)
        } else {
            None
        }
    }

    /// Returns whether the current position is after a dot, or, in shells, inside a path or option.
    fn is_part_of_path(&self) -> bool {
        let before = &self.code[..self.position];
        let is_property = before.ends_with('.') && !before.ends_with("..");
        is_property || (self.language.comments_follow_space && before.ends_with(['/', '-']))
    }

    /// Returns whether only white space separates the current position from the start of an entry: a line, a brace, a parenthesis
    /// or a separator.
    fn begins_entry(&self) -> bool {
        let before = self.code[..self.position].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '{', ';', ',', '('])
    }

    fn name_length(&self, text: &str) -> usize {
        let extra = self.language.name_characters;
        let end = text.find(|character| !is_name_part(character) && !extra.contains(character));
        end.unwrap_or(text.len())
    }
}

fn is_name_start(character: char) -> bool {
    character.is_alphabetic() || character == '_'
}

fn is_name_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns whether a single colon follows.
fn is_before_colon(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '\t']);
    text.starts_with(':') && !text.starts_with("::")
}

/// Returns the kind of a capitalised name: constants are all capitals, types begin with a capital.
fn kind_of_capitals(name: &str) -> Option<Kind> {
    let mut cased = name.chars().filter(|character| character.is_alphabetic());
    let first = cased.next()?;
    if !first.is_uppercase() {
        return None;
    }
    let is_constant = name.len() > 1 && !name.contains(char::is_lowercase);
    Some(if is_constant {
        Kind::Constant
    } else {
        Kind::Type
    })
}

/// Returns the length of the rest of the line.
pub fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// Returns the length of the string at the start of `text`. An unterminated string ends with the line or, if it may span lines,
/// with the text.
pub fn string_length(quotes: &Quotes, text: &str) -> usize {
    let inner = &text[quotes.begin.len()..];
    let mut is_escaped = false;
    for (index, character) in inner.char_indices() {
        if character == '\n' && !quotes.has_lines {
            return quotes.begin.len() + index;
        } else if is_escaped {
            is_escaped = false;
        } else if quotes.has_escapes && character == '\\' {
            is_escaped = true;
        } else if inner[index..].starts_with(quotes.end) {
            return quotes.begin.len() + index + quotes.end.len();
        }
    }
    text.len()
}

/// Returns the length of a number, which may be hexadecimal and have separators, a fraction, an exponent or a suffix.
fn number_length(text: &str) -> usize {
    let end = text.char_indices().find(|(index, character)| {
        let is_fraction =
            *character == '.' && text[index + 1..].starts_with(|next: char| next.is_ascii_digit());
        !is_name_part(*character) && !is_fraction
    });
    end.map_or(text.len(), |(index, _)| index)
}

/// Returns the length of a Rust character in single quotes; `None` for a lifetime.
fn character_length(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\'')?;
    let first = inner.chars().next()?;
    if first == '\\' {
        // An escape has at most ten characters: `\u{10ffff}`.
        let escaped = inner.char_indices().skip(2).take(10);
        let end = escaped
            .take_while(|(_, character)| *character != '\n')
            .find(|(_, character)| *character == '\'')?;
        return Some(end.0 + 2);
    }
    let after = &inner[first.len_utf8()..];
    (after.starts_with('\'') && first != '\n').then(|| first.len_utf8() + 2)
}

#[cfg(test)]
mod tests {
    use super::{super::languages::by_name, *};

    fn read<'c>(language: &str, code: &'c str) -> Vec<(Kind, &'c str)> {
        let mut found = Vec::new();
        add_tokens(by_name(language).unwrap(), code, 0..code.len(), &mut found);
        texts(found, code)
    }

    #[test]
    fn words_numbers_strings_and_comments_have_kinds() {
        let code = "fn area(r: f64) -> f64 { r * r * 3.14 } // πr²";
        assert_eq!(
            read("rust", code),
            [
                (Kind::Keyword, "fn"),
                (Kind::Function, "area"),
                (Kind::Keyword, "f64"),
                (Kind::Keyword, "f64"),
                (Kind::Number, "3.14"),
                (Kind::Comment, "// πr²"),
            ]
        );
    }

    #[test]
    fn lifetimes_of_rust_are_not_strings() {
        assert_eq!(
            read("rust", "&'a str, 'x', '\\u{1f600}', '\\'', Vec<'_>"),
            [
                (Kind::Variable, "'a"),
                (Kind::Keyword, "str"),
                (Kind::String, "'x'"),
                (Kind::String, "'\\u{1f600}'"),
                (Kind::String, "'\\''"),
                (Kind::Type, "Vec"),
                (Kind::Variable, "'_"),
            ]
        );
    }

    #[test]
    fn strings_end_at_their_quotes_or_at_the_line() {
        assert_eq!(
            read("js", "a = 'it\\'s'; b = \"open\nc = `two\nlines`"),
            [
                (Kind::String, "'it\\'s'"),
                (Kind::String, "\"open"),
                (Kind::String, "`two\nlines`"),
            ]
        );
        assert_eq!(
            read("python", "x = '''a 'b'\n''' # c"),
            [(Kind::String, "'''a 'b'\n'''"), (Kind::Comment, "# c")]
        );
    }

    #[test]
    fn names_before_colons_are_keys_of_json_and_css() {
        assert_eq!(
            read("json", "{\"a\": true, b: -1.5e3}"),
            [
                (Kind::Key, "\"a\""),
                (Kind::Constant, "true"),
                (Kind::Key, "b"),
                (Kind::Number, "1.5e3"),
            ]
        );
        assert_eq!(
            read("css", "p a { font-size: 2rem; color: var(--x) }"),
            [
                (Kind::Key, "font-size"),
                (Kind::Number, "2rem"),
                (Kind::Key, "color"),
                (Kind::Function, "var"),
            ]
        );
    }

    #[test]
    fn sigils_begin_variables_and_comments_of_shells_follow_white_space() {
        assert_eq!(
            read("bash", "echo \"$HOME\" ${A}#b $1 # end"),
            [
                (Kind::Keyword, "echo"),
                (Kind::String, "\"$HOME\""),
                (Kind::Variable, "${A}"),
                (Kind::Number, "1"),
                (Kind::Comment, "# end"),
            ]
        );
        assert_eq!(
            read("ruby", "Foo::Bar.new(:name, @x)"),
            [
                (Kind::Type, "Foo"),
                (Kind::Type, "Bar"),
                (Kind::Function, "new"),
                (Kind::Variable, ":name"),
                (Kind::Variable, "@x"),
            ]
        );
    }

    #[test]
    fn a_property_with_the_name_of_a_keyword_is_not_one() {
        assert_eq!(read("js", "x.default"), []);
        assert_eq!(read("bash", "ls /usr/local --if"), []);
        assert_eq!(
            read("rust", "1..self"),
            [(Kind::Number, "1"), (Kind::Keyword, "self")]
        );
    }

    #[test]
    fn comments_without_an_end_have_the_rest() {
        assert_eq!(read("c", "/* a\nb"), [(Kind::Comment, "/* a\nb")]);
    }
}
