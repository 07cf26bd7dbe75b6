//! The description of a language: its comments, strings, names and words.

use std::collections::HashSet;

/// The form of the code of a language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Syntax {
    /// Words, numbers, strings and comments, in any order.
    Words,
    /// Elements with attributes, and text between them.
    Markup,
    /// A key and a value on each line, such as YAML.
    Keys,
    /// Changes of files, whose lines begin with `+` or `-`.
    Changes,
}

/// A string of a language.
#[derive(Clone, Copy, Debug)]
pub struct Quotes {
    /// The text at its beginning.
    pub begin: &'static str,
    /// The text at its end.
    pub end: &'static str,
    /// True if a backslash takes away the meaning of the next character.
    pub has_escapes: bool,
    /// True if it may have more than one line.
    pub has_lines: bool,
}

/// A language.
#[derive(Debug)]
pub struct Language {
    /// The form of its code.
    pub syntax: Syntax,
    /// The texts at the beginning of a comment that ends with the line.
    pub line_comments: &'static [&'static str],
    /// True if such a comment begins only after white space, as in shells.
    pub comments_follow_space: bool,
    /// The texts at the beginning and the end of other comments.
    pub comments: &'static [(&'static str, &'static str)],
    /// Its strings, the longest beginning first.
    pub quotes: &'static [Quotes],
    /// The characters of names beside letters, digits and `_`.
    pub name_characters: &'static str,
    /// The characters at the beginning of variables, such as `$`.
    pub sigils: &'static str,
    /// True if names with a capital letter are types, and those in capitals constants.
    pub has_types: bool,
    /// True if a name or a string before a colon is a key, such as in JSON.
    pub has_keys: bool,
    /// True if keywords are in letters of any case.
    pub ignores_case: bool,
    /// Its keywords, between blanks.
    pub keywords: &'static str,
    /// Its values with a name, between blanks.
    pub constants: &'static str,
}

/// A language, with its words in sets.
pub struct Words {
    /// The language.
    pub language: &'static Language,
    keywords: HashSet<&'static str>,
    constants: HashSet<&'static str>,
}

impl Words {
    /// Returns a language with its words.
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
