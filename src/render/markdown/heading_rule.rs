//! How each generator makes the id of a heading.

use icu_properties::{
    CodePointMapData,
    props::{GeneralCategory, GeneralCategoryGroup},
};

use crate::render::{
    heading_id::{self, HeadingIds},
    slug,
};

/// How the id of a heading is made of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HeadingRule {
    /// As Ghost does.
    Ghost,
    /// As GitHub and github-slugger do: letters of all scripts stay, punctuation goes, each blank is a dash.
    GitHub,
    /// As Hugo does by default: of the Markdown of the heading. Combining marks go, too.
    Hugo,
    /// As Zola does by default: ASCII, runs of other characters are one dash.
    Zola,
    /// As kramdown's parser for GitHub's dialect does.
    Kramdown,
    /// The text itself, without what a link of Obsidian cannot hold.
    Obsidian,
}

impl HeadingRule {
    /// Returns the id of a heading that reads `text`, before it is numbered; empty if there is nothing left of it.
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

    /// Whether the id is made of the Markdown of the heading, not of what readers see of it.
    pub(super) fn is_of_source(self) -> bool {
        self == Self::Hugo
    }

    /// Returns the id of the document `ids` for a heading that reads `text`.
    pub(super) fn assign(self, text: &str, ids: &mut HeadingIds) -> String {
        let id = self.id(text);
        match self {
            Self::Ghost | Self::Kramdown => ids.number(id),
            _ => ids.number_apart(id),
        }
    }

    /// Whether the text of an image counts.
    pub(super) fn counts_image_texts(self) -> bool {
        matches!(self, Self::Ghost | Self::Zola)
    }
}

/// Lowers letter by letter, so that a sigma is the same everywhere in a word.
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
        _ => is_of_word(character).then_some(character),
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
    let is_kept = character == '_'
        || category == GeneralCategory::DecimalNumber
        || GeneralCategoryGroup::Letter.contains(category);
    match character {
        ' ' | '-' => Some('-'),
        _ => is_kept.then_some(character),
    }
}

/// Letters, marks, digits, numbers of letters, and what connects them.
fn is_of_word(character: char) -> bool {
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
