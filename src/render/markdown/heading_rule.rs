//! The rules by which generators derive heading ids.

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
    /// Zola's default: ASCII, with runs of other characters as one dash.
    Zola,
    /// As in kramdown's parser for GitHub's dialect.
    Kramdown,
    /// The text itself, without characters that a link of Obsidian cannot contain.
    Obsidian,
}

impl HeadingRule {
    /// Returns the id of a heading with this text, before it is numbered; empty if no character
    /// remains.
    pub(super) fn id(self, text: &str) -> String {
        match self {
            Self::Ghost => heading_id::from_text(text),
            Self::GitHub => filtered(text.to_lowercase().chars(), github),
            Self::Kramdown => filtered(lowered(text), kramdown),
            Self::Hugo => match filtered(lowered(text.trim()), hugo) {
                id if id.is_empty() => "heading".to_owned(),
                id => id,
            },
            Self::Zola => slug::letters_and_digits(text),
            Self::Obsidian => obsidian(text),
        }
    }

    /// Returns whether the id is derived from the Markdown of the heading rather than its text.
    pub(super) fn is_of_source(self) -> bool {
        self == Self::Hugo
    }

    /// Assigns the id of a heading with this text in the document of `ids`.
    pub(super) fn assign(self, text: &str, ids: &mut HeadingIds) -> String {
        let id = self.id(text);
        match self {
            Self::Ghost | Self::Kramdown => ids.number(id),
            _ => ids.number_apart(id),
        }
    }

    /// Returns whether alternative texts of images are included.
    pub(super) fn counts_image_texts(self) -> bool {
        matches!(self, Self::Ghost | Self::Zola)
    }
}

/// Converts to lower case character by character, so that a sigma is the same everywhere in a word.
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

/// Returns whether this is a letter, mark, digit, letter number or connector.
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
