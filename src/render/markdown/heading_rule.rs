//! The rules by which generators derive heading ids.

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::{
    CodePointMapData,
    props::{GeneralCategory, GeneralCategoryGroup},
};

use crate::render::{
    heading_id::{self, HeadingIds},
    slug,
};

/// A rule for the id of a heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HeadingRule {
    /// As in Ghost.
    Ghost,
    /// As in GitHub and github-slugger: letters of all scripts remain, punctuation is removed, each
    /// space becomes a dash.
    GitHub,
    /// Hugo's default: derived from the Markdown of the heading. Combining marks are removed, too.
    Hugo,
    /// Zola's default: ASCII, with one dash for each run of other characters.
    Zola,
    /// As in kramdown's parser for GitHub's dialect.
    Kramdown,
    /// The text itself, without characters that a link of Obsidian cannot contain.
    Obsidian,
    /// Python-Markdown's default: ASCII letters and digits, with one dash for each run of spaces
    /// and dashes.
    Python,
    /// As in VitePress and VuePress: one dash for each run of punctuation and spaces.
    Vue,
    /// As in Hexo: like `Vue`, but without a change of case.
    Hexo,
    /// Hugo's type `github-ascii`: accents and non-ASCII letters are removed.
    HugoAscii,
    /// Hugo's type `blackfriday`: one dash for each run of characters other than letters and
    /// digits.
    Blackfriday,
    /// kramdown's own parser: the text from the first ASCII letter on, of which ASCII letters and
    /// digits remain, and spaces become dashes.
    KramdownOwn,
    /// The lower-case slugs of PyMdown: letters of all scripts.
    PyMdown,
    /// As in Nuxt Content: like `GitHub`, with one dash for each run of dashes, none at the ends,
    /// and an underscore before a leading digit.
    Nuxt,
}

impl HeadingRule {
    /// Returns the id of a heading with this text, before it is numbered; empty if all characters
    /// are removed.
    pub fn id(self, text: &str) -> String {
        match self {
            Self::Ghost => heading_id::from_text(text),
            Self::GitHub => filtered(text.to_lowercase().chars(), github),
            Self::Kramdown => filtered(lowered(text), kramdown),
            Self::Hugo => match filtered(lowered(text.trim()), hugo) {
                // goldmark's id for a heading without any character that remains.
                id if id.is_empty() => "heading".to_owned(),
                id => id,
            },
            Self::Zola => slug::letters_and_digits(text),
            Self::Obsidian => obsidian(text),
            Self::Python => python(text),
            Self::Vue => vue(text),
            Self::Hexo => hexo(text),
            Self::HugoAscii => {
                let decomposed = decomposed(text);
                let ascii = decomposed.chars().filter(char::is_ascii);
                Self::Hugo.id(&ascii.collect::<String>())
            }
            Self::Blackfriday => blackfriday(text),
            Self::KramdownOwn => kramdown_own(text),
            Self::PyMdown => filtered(text.trim().to_lowercase().chars(), github),
            Self::Nuxt => nuxt(text),
        }
    }

    /// Returns whether the id is derived from the Markdown of the heading rather than its text.
    pub(super) fn is_of_source(self) -> bool {
        matches!(self, Self::Hugo | Self::HugoAscii | Self::Blackfriday)
    }

    /// Returns the id of a heading with this text, numbered by `ids`, the ids of its document.
    pub(super) fn assign(self, text: &str, ids: &mut HeadingIds) -> String {
        let id = self.id(text);
        match self {
            // These do not check whether the numbered id is in use (`heading ids of marks and
            // numbers` in tests/it/render/dialects.jsonl).
            Self::Ghost | Self::Kramdown | Self::KramdownOwn => ids.number(id),
            Self::Python | Self::PyMdown => ids.make_unique_with_underscore(id),
            _ => ids.make_unique(id),
        }
    }

    /// Returns whether ids include the alternative texts of images.
    pub(super) fn counts_image_texts(self) -> bool {
        matches!(self, Self::Ghost | Self::Zola)
    }
}

/// Converts each character to lower case separately, so that a sigma at the end of a word is not
/// special.
fn lowered(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
}

fn filtered(characters: impl Iterator<Item = char>, keep: fn(char) -> Option<char>) -> String {
    characters.filter_map(keep).collect()
}

fn github(character: char) -> Option<char> {
    match character {
        ' ' => Some('-'),
        '-' => Some('-'),
        _ => is_word_character(character).then_some(character),
    }
}

fn nuxt(text: &str) -> String {
    let id = HeadingRule::GitHub.id(text);
    let words = id.split('-').filter(|word| !word.is_empty());
    let id = words.collect::<Vec<_>>().join("-");
    let prefix = if id.starts_with(|first: char| first.is_ascii_digit()) {
        "_"
    } else {
        ""
    };
    format!("{prefix}{id}")
}

fn kramdown(character: char) -> Option<char> {
    match character {
        ' ' | '\t' => Some('-'),
        _ => github(character),
    }
}

fn hugo(character: char) -> Option<char> {
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    let is_allowed = character == '_'
        || category == GeneralCategory::DecimalNumber
        || GeneralCategoryGroup::Letter.contains(category);
    match character {
        ' ' | '-' => Some('-'),
        _ => is_allowed.then_some(character),
    }
}

/// Returns whether the character is a letter, mark, digit, letter number or connector.
fn is_word_character(character: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    character.is_alphabetic()
        || GeneralCategoryGroup::Mark.contains(category)
        || matches!(
            category,
            GeneralCategory::DecimalNumber
                | GeneralCategory::LetterNumber
                | GeneralCategory::ConnectorPunctuation
        )
}

fn obsidian(text: &str) -> String {
    let text = text.replace(['#', '|', '^', ':', '%', '[', ']', '\\'], " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the compatibility decomposition of a text (NFKD).
fn decomposed(text: &str) -> String {
    const NORMALIZER: DecomposingNormalizerBorrowed = DecomposingNormalizerBorrowed::new_nfkd();
    NORMALIZER.normalize(text).into_owned()
}

fn python(text: &str) -> String {
    let decomposed = decomposed(text);
    let is_included = |character: &char| {
        character.is_ascii_alphanumeric()
            || matches!(character, '_' | '-')
            || character.is_ascii_whitespace()
    };
    let text: String = decomposed.chars().filter(is_included).collect();
    let text = text.trim().to_ascii_lowercase();
    dashed(text.chars(), |character| {
        character == '-' || character.is_ascii_whitespace()
    })
}

fn vue(text: &str) -> String {
    let decomposed = decomposed(text);
    let is_combining = |character: &char| ('\u{300}'..='\u{36f}').contains(character);
    let characters = decomposed
        .chars()
        .filter(|character| !is_combining(character) && !character.is_control());
    let is_dash = |character: char| {
        character.is_whitespace() || "“”‘’".contains(character) || character.is_ascii_punctuation()
    };
    let id = dashed(characters, is_dash);
    let id = id.trim_matches('-').to_lowercase();
    if id.starts_with(|character: char| character.is_ascii_digit()) {
        format!("_{id}")
    } else {
        id
    }
}

/// Returns the slug of hexo-util, which preserves the case of letters.
fn hexo(text: &str) -> String {
    let decomposed = decomposed(text.trim());
    let is_combining = |character: &char| ('\u{300}'..='\u{36f}').contains(character);
    let characters = decomposed
        .chars()
        .filter(|character| !is_combining(character) && !character.is_control());
    let is_dash = |character: char| character.is_whitespace() || character.is_ascii_punctuation();
    let id = dashed(characters, is_dash);
    id.trim_matches('-').to_owned()
}

fn blackfriday(text: &str) -> String {
    let id = dashed(lowered(text.trim()), |character| {
        !character.is_alphanumeric()
    });
    id.trim_matches('-').to_owned()
}

fn kramdown_own(text: &str) -> String {
    let begins = text.find(|character: char| character.is_ascii_alphabetic());
    let text = &text[begins.unwrap_or(text.len())..];
    let id = filtered(text.chars(), |character| match character {
        ' ' => Some('-'),
        '-' => Some('-'),
        _ => character
            .is_ascii_alphanumeric()
            .then(|| character.to_ascii_lowercase()),
    });
    if id.is_empty() {
        // kramdown's id for a heading without any character that remains.
        "section".to_owned()
    } else {
        id
    }
}

/// Returns the characters with one dash for each run of characters that `is_dash` accepts.
fn dashed(characters: impl Iterator<Item = char>, is_dash: impl Fn(char) -> bool) -> String {
    let mut id = String::new();
    for character in characters {
        if !is_dash(character) {
            id.push(character);
        } else if !id.ends_with('-') {
            id.push('-');
        }
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_python_and_vue_follow_their_slugs() {
        for (text, python, vue) in [
            ("Night Ferry", "night-ferry", "night-ferry"),
            ("A.b & c's", "ab-cs", "a-b-c-s"),
            ("Café — 2", "cafe-2", "cafe-—-2"),
            ("2 boats", "2-boats", "_2-boats"),
            ("`a_b` (c)", "a_b-c", "a-b-c"),
        ] {
            assert_eq!(HeadingRule::Python.id(text), python, "{text}");
            assert_eq!(HeadingRule::Vue.id(text), vue, "{text}");
        }
    }

    #[test]
    fn ids_of_nuxt_have_single_dashes_and_begin_with_no_digit() {
        for (text, id) in [
            (
                "Überfahrt & Rückweg: 2 × am Tag!",
                "überfahrt-rückweg-2-am-tag",
            ),
            ("1. Numbers first", "_1-numbers-first"),
            ("-- a --", "a"),
        ] {
            assert_eq!(HeadingRule::Nuxt.id(text), id);
        }
    }

    #[test]
    fn ids_of_hexo_hugo_and_kramdown_follow_their_settings() {
        for (text, hexo, ascii, blackfriday, own) in [
            (
                "Night Ferry: A.b",
                "Night-Ferry-A-b",
                "night-ferry-ab",
                "night-ferry-a-b",
                "night-ferry-ab",
            ),
            ("Über 2", "Uber-2", "uber-2", "über-2", "ber-2"),
            ("2. Boats", "2-Boats", "2-boats", "2-boats", "boats"),
            ("港", "港", "heading", "港", "section"),
        ] {
            assert_eq!(HeadingRule::Hexo.id(text), hexo, "{text}");
            assert_eq!(HeadingRule::HugoAscii.id(text), ascii, "{text}");
            assert_eq!(HeadingRule::Blackfriday.id(text), blackfriday, "{text}");
            assert_eq!(HeadingRule::KramdownOwn.id(text), own, "{text}");
        }
        assert_eq!(HeadingRule::PyMdown.id(" Über A.b "), "über-ab");
    }

    #[test]
    fn repeated_ids_of_python_are_numbered_with_an_underscore() {
        let mut ids = HeadingIds::default();
        let assigned = ["A", "A", "A"].map(|text| HeadingRule::Python.assign(text, &mut ids));
        assert_eq!(assigned, ["a", "a_1", "a_2"]);
    }
}
