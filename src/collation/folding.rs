//! Texts with one letter for all that are equal, in which others are searched.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use super::TextKey;

/// Returns a text in which each letter is replaced by the first of its equal letters, for searches within texts. These go
/// letter by letter (MySQL 8, recorded): `ß` does not contain `ss`, nor a letter with a combining accent the one without.
/// Letters of ASCII are in lower case.
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().map(folded_letter).collect()
}

fn folded_letter(letter: char) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    match FOLDED.common.get(letter as usize) {
        Some(folded) => *folded,
        None => FOLDED.rare.get(&letter).copied().unwrap_or(letter),
    }
}

/// The blocks of Unicode with letters that are equal to others; the rest is mostly Han and Hangul.
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

/// For each letter the first of those that are equal to it.
struct FoldedLetters {
    /// By code point, those of the first block.
    common: Vec<char>,
    /// Those that differ from their letters, in the other blocks.
    rare: HashMap<char, char>,
}

static FOLDED: LazyLock<FoldedLetters> = LazyLock::new(|| {
    let mut firsts: HashMap<TextKey, char> = HashMap::new();
    let mut folded = HashMap::new();
    let all = |block: Range<u32>| block.filter_map(char::from_u32);
    let letters = BLOCKS.into_iter().flat_map(all);
    for letter in ('a'..='z').chain(letters) {
        let key = TextKey::of(letter.encode_utf8(&mut [0; 4]));
        // Letters without weight are equal to nothing but themselves.
        if !key.0.is_empty() {
            let first = *firsts.entry(key).or_insert(letter);
            if first != letter {
                folded.insert(letter, first);
            }
        }
    }
    let common = all(BLOCKS[0].clone()).map(|letter| folded.remove(&letter).unwrap_or(letter));
    FoldedLetters {
        common: common.collect(),
        rare: folded,
    }
});
