//! The definition of a language: its comments, strings, names and words.

use std::collections::HashSet;

/// The structure of code in a language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Syntax {
    /// Words, numbers, strings and comments in any order.
    Words,
    /// Elements with attributes, and text between them, such as HTML.
    Markup,
    /// A key and a value on each line, such as YAML.
    Keys,
    /// Diffs, whose lines begin with `+` or `-`.
    Changes,
}

/// A type of string in a language.
#[derive(Clone, Copy, Debug)]
pub struct Quotes {
    /// The opening delimiter.
    pub begin: &'static str,
    /// The closing delimiter.
    pub end: &'static str,
    /// Whether a backslash escapes the next character.
    pub has_escapes: bool,
    /// Whether the string may span several lines.
    pub has_lines: bool,
}

/// A language.
#[derive(Debug)]
pub struct Language {
    /// The structure of the code.
    pub syntax: Syntax,
    /// The delimiters that begin a comment up to the end of the line.
    pub line_comments: &'static [&'static str],
    /// Whether such a comment must follow white space, as in shells.
    pub comments_follow_space: bool,
    /// The opening and closing delimiters of other comments.
    pub comments: &'static [(&'static str, &'static str)],
    /// The types of strings; longer opening delimiters come first.
    pub quotes: &'static [Quotes],
    /// The characters of names in addition to letters, digits and `_`.
    pub name_characters: &'static str,
    /// The characters that begin variables, such as `$`.
    pub sigils: &'static str,
    /// Whether names that begin with a capital letter are types, and names in capitals are
    /// constants.
    pub has_types: bool,
    /// Whether a name or string before a colon is a key, as in JSON.
    pub has_keys: bool,
    /// Whether keywords and constants are case-insensitive.
    pub ignores_case: bool,
    /// The keywords, separated by spaces.
    pub keywords: &'static str,
    /// The constants, separated by spaces.
    pub constants: &'static str,
}

/// A language with its words in hash sets.
pub struct Words {
    /// The language.
    pub language: &'static Language,
    keywords: HashSet<&'static str>,
    constants: HashSet<&'static str>,
}

impl Words {
    /// Builds the sets of words for a language.
    pub fn new(language: &'static Language) -> Self {
        Self {
            language,
            keywords: language.keywords.split_ascii_whitespace().collect(),
            constants: language.constants.split_ascii_whitespace().collect(),
        }
    }

    /// Returns whether a name is a keyword.
    pub fn is_keyword(&self, name: &str) -> bool {
        contains(&self.keywords, name, self.language.ignores_case)
    }

    /// Returns whether a name is a constant, such as `true`.
    pub fn is_constant(&self, name: &str) -> bool {
        contains(&self.constants, name, self.language.ignores_case)
    }
}

fn contains(words: &HashSet<&str>, name: &str, ignores_case: bool) -> bool {
    words.contains(name) || (ignores_case && words.contains(name.to_ascii_lowercase().as_str()))
}
