//! Folds text for searches: equal characters are replaced by the same character.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use super::TextKey;

/// Returns a text in which each character is replaced by the first of the characters that are equal to it, for searches within
/// texts. These searches compare character by character (MySQL 8, recorded): `ß` does not contain `ss`, and a letter with a
/// combining accent does not contain the letter without it. ASCII letters are converted to lower case.
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().map(folded_character).collect()
}

fn folded_character(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    match FOLDED.common.get(character as usize) {
        Some(folded) => *folded,
        None => FOLDED.rare.get(&character).copied().unwrap_or(character),
    }
}

/// The Unicode blocks with characters that are equal to others. The remaining blocks are mostly Han and Hangul.
const BLOCKS: [Range<u32>; 8] = [
    0..0x3400,
    0xA000..0xAC00,
    0xFB00..0x1_0000,
    0x1_0400..0x1_0500,
    0x1_18A0..0x1_18E0,
    0x1_D400..0x1_D800,
    0x1_E900..0x1_E950,
    0x1_F100..0x1_F200,
];

/// For each character, the first character that is equal to it.
struct FoldedCharacters {
    /// The folded characters of the first block, by code point.
    common: Vec<char>,
    /// The folded characters of the other blocks, for those that differ.
    rare: HashMap<char, char>,
}

static FOLDED: LazyLock<FoldedCharacters> = LazyLock::new(|| {
    let mut firsts: HashMap<TextKey, char> = HashMap::new();
    let mut folded = HashMap::new();
    let all = |block: Range<u32>| block.filter_map(char::from_u32);
    let characters = BLOCKS.into_iter().flat_map(all);
    for character in ('a'..='z').chain(characters) {
        let key = TextKey::of(character.encode_utf8(&mut [0; 4]));
        // Characters without weight are only equal to themselves.
        if !key.0.is_empty() {
            let first = *firsts.entry(key).or_insert(character);
            if first != character {
                folded.insert(character, first);
            }
        }
    }
    let common =
        all(BLOCKS[0].clone()).map(|character| folded.remove(&character).unwrap_or(character));
    FoldedCharacters {
        common: common.collect(),
        rare: folded,
    }
});
