//! The conversion of typewriter quotes, dashes, dots and symbols to typographic ones.

/// A conversion of quotes, dashes, dots and symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Typography {
    /// The quotation marks that replace those in the text; `None` if they remain as typed.
    pub quotes: Option<Quotes>,
    /// The conversion of dashes.
    pub dashes: Dashes,
    /// True if `...` becomes an ellipsis.
    pub ellipses: bool,
    /// True if `<<` and `>>` become guillemets.
    pub guillemets: bool,
    /// True if `(c)`, `(r)`, `(tm)` and `+-` become symbols.
    pub signs: bool,
}

/// The typographic quotation marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Quotes {
    /// The opening and the closing single mark.
    pub single: [char; 2],
    /// The opening and the closing double mark.
    pub double: [char; 2],
}

/// A conversion of dashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dashes {
    /// Dashes remain as typed.
    AsTyped,
    /// `--` is an en dash, `---` an em dash.
    EnAndEm,
    /// Like `EnAndEm`, except for `--` at the start or end of a word, such as in an option of a
    /// command.
    EnAndEmApart,
    /// `--` is an em dash, and longer runs remain as typed.
    Em,
}

impl Quotes {
    /// English quotation marks.
    pub const ENGLISH: Self = Self {
        single: ['‘', '’'],
        double: ['“', '”'],
    };
}

impl Typography {
    /// No conversion.
    pub const AS_TYPED: Self = Self {
        quotes: None,
        dashes: Dashes::AsTyped,
        ellipses: false,
        guillemets: false,
        signs: false,
    };

    /// Curly quotes, dashes of both lengths, and ellipses.
    pub const SMART: Self = Self {
        quotes: Some(Quotes::ENGLISH),
        dashes: Dashes::EnAndEm,
        ellipses: true,
        ..Self::AS_TYPED
    };

    /// [`SMART`](Self::SMART) with guillemets.
    pub const GUILLEMETS: Self = Self {
        guillemets: true,
        ..Self::SMART
    };

    /// Curly quotes and ellipses, and em dashes for `--`.
    pub const EM_DASHES: Self = Self {
        dashes: Dashes::Em,
        ..Self::SMART
    };

    /// The typographer of markdown-it.
    pub const MARKDOWN_IT: Self = Self {
        dashes: Dashes::EnAndEmApart,
        signs: true,
        ..Self::SMART
    };

    /// Returns whether the parser must convert punctuation.
    pub(super) fn is_parsed(self) -> bool {
        self.quotes.is_some() || self.dashes != Dashes::AsTyped || self.ellipses
    }

    /// Returns the text for the punctuation `written` of the source, which the parser converted to
    /// `parsed`. `before` and `after` are the adjacent characters.
    pub(super) fn converted(
        self,
        (written, parsed): (&str, &str),
        before: Option<char>,
        after: Option<char>,
    ) -> String {
        // An entity is always the character that it denotes.
        if written.starts_with('&') {
            return parsed.to_owned();
        }
        let is_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
        match (parsed, self.quotes) {
            ("‘" | "’" | "“" | "”", None) => return written.to_owned(),
            // Between letters or digits, it is an apostrophe, regardless of the quotation marks.
            ("’", Some(_)) if is_word(before) && is_word(after) => return parsed.to_owned(),
            ("‘", Some(quotes)) => return quotes.single[0].into(),
            ("’", Some(quotes)) => return quotes.single[1].into(),
            ("“", Some(quotes)) => return quotes.double[0].into(),
            ("”", Some(quotes)) => return quotes.double[1].into(),
            _ => {}
        }
        let is_dash = written.starts_with("--");
        let is_apart = || {
            let is_blank = |character: Option<char>| character.is_none_or(char::is_whitespace);
            written != "--" || is_blank(before) == is_blank(after)
        };
        let is_converted = match self.dashes {
            _ if !is_dash => self.ellipses || parsed != "…",
            Dashes::AsTyped => false,
            Dashes::EnAndEm => true,
            Dashes::EnAndEmApart => is_apart(),
            Dashes::Em if written == "--" => return "—".to_owned(),
            Dashes::Em => false,
        };
        if is_converted { parsed } else { written }.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_is_converted_by_the_rules_of_a_dialect() {
        let german = Typography {
            quotes: Some(Quotes {
                single: ['‚', '‘'],
                double: ['„', '“'],
            }),
            ..Typography::SMART
        };
        for (typography, pair, before, after, expected) in [
            (Typography::AS_TYPED, ("\"", "“"), None, Some('a'), "\""),
            (Typography::SMART, ("--", "–"), Some('a'), Some('b'), "–"),
            (
                Typography::EM_DASHES,
                ("--", "–"),
                Some('a'),
                Some('b'),
                "—",
            ),
            (
                Typography::EM_DASHES,
                ("---", "—"),
                Some('a'),
                Some('b'),
                "---",
            ),
            (
                Typography::MARKDOWN_IT,
                ("--", "–"),
                Some(' '),
                Some('x'),
                "--",
            ),
            (
                Typography::MARKDOWN_IT,
                ("--", "–"),
                Some(' '),
                Some(' '),
                "–",
            ),
            (german, ("\"", "“"), None, Some('a'), "„"),
            (german, ("'", "’"), Some('a'), Some('b'), "’"),
            (german, ("'", "’"), Some('a'), None, "‘"),
            (
                Typography {
                    ellipses: false,
                    ..german
                },
                ("...", "…"),
                None,
                None,
                "...",
            ),
            // A character that was written as an entity.
            (Typography::AS_TYPED, ("&amp;", "&"), None, None, "&"),
            (Typography::AS_TYPED, ("&rsquo;", "’"), None, None, "’"),
            (Typography::AS_TYPED, ("&hellip;", "…"), None, None, "…"),
            (german, ("&ldquo;", "“"), None, Some('a'), "“"),
        ] {
            assert_eq!(
                typography.converted(pair, before, after),
                expected,
                "{pair:?}"
            );
        }
    }
}
