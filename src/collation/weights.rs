//! The weights of texts, with tables for common characters and a collator for all others.

use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashSet},
    sync::LazyLock,
};

use icu_collator::{
    CollatorBorrowed,
    options::{AlternateHandling, CollatorOptions, Strength},
};

pub(super) static ROOT: CollatorBorrowed<'static> = CollatorBorrowed::new_root(options());

const fn options() -> CollatorOptions {
    let mut options = CollatorOptions::default();
    options.strength = Some(Strength::Primary);
    options.alternate_handling = Some(AlternateHandling::NonIgnorable);
    options
}

/// Compares two texts if their order is determined by the first different characters and these are ASCII; returns `None`
/// otherwise. Most comparisons in a sort are decided here, in a tenth of the time.
pub(super) fn compare_ascii(one: &[u8], other: &[u8]) -> Option<Ordering> {
    let ranks = &ASCII.ranks;
    let rank = |byte: u8| ranks.get(usize::from(byte)).copied().flatten();
    // A following character that is not ASCII may change the weight of the one before it.
    let is_alone = |text: &[u8], index: usize| text.get(index + 1).is_none_or(u8::is_ascii);
    let common = one.len().min(other.len());
    for index in 0..common {
        if one[index] == other[index] {
            continue;
        }
        let (a, b) = (rank(one[index])?, rank(other[index])?);
        if a != b {
            return (is_alone(one, index) && is_alone(other, index)).then(|| a.cmp(&b));
        }
    }
    if let Some(next) = one.get(common).or_else(|| other.get(common)) {
        rank(*next)?;
    }
    Some(one.len().cmp(&other.len()))
}

/// The weights of the ASCII characters, by byte. They do not depend on neighbouring ASCII characters.
struct AsciiWeights {
    /// The bytes in sort keys; empty for characters without weight.
    keys: [Vec<u8>; 128],
    /// The order of the characters; `None` for those without weight.
    ranks: [Option<u8>; 128],
}

static ASCII: LazyLock<AsciiWeights> = LazyLock::new(|| {
    let key = |byte| collated(char::from(byte as u8).encode_utf8(&mut [0; 4]));
    let keys: [Vec<u8>; 128] = std::array::from_fn(key);
    let sorted: BTreeSet<&Vec<u8>> = keys.iter().filter(|key| !key.is_empty()).collect();
    let rank = |byte: usize| sorted.iter().position(|known| **known == keys[byte]);
    let ranks = std::array::from_fn(|byte| rank(byte).map(|rank| rank as u8));
    AsciiWeights { ranks, keys }
});

/// Returns the weights of a text as bytes, which sort like the texts.
pub(super) fn weights(text: &str) -> Vec<u8> {
    if text.is_ascii() {
        let keys = text.bytes().map(|byte| &ASCII.keys[usize::from(byte)]);
        return keys.flatten().copied().collect();
    }
    collated(text)
}

fn collated(text: &str) -> Vec<u8> {
    let mut weights = Vec::with_capacity(text.len() * 2);
    let Ok(()) = ROOT.write_sort_key_to(text, &mut weights);
    weights
}

/// Returns the first weights of a text as a number, for sorting many texts: if two numbers differ, the text with the lower
/// number sorts first.
pub fn sort_prefix(text: &str) -> u64 {
    let mut prefix = [0; 8];
    let mut filled = 0;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if filled == prefix.len() {
            break;
        }
        let next = characters.peek();
        let key = LATIN.get(character as usize).and_then(Option::as_ref);
        // A following character that is not Latin may change the weight of the one before it.
        let Some(key) = key.filter(|_| next.is_none_or(|next| (*next as usize) < LATIN.len()))
        else {
            return first_bytes(&weights(beginning(text)));
        };
        let taken = key.len().min(prefix.len() - filled);
        prefix[filled..filled + taken].copy_from_slice(&key[..taken]);
        filled += taken;
    }
    u64::from_be_bytes(prefix)
}

/// The weights of Latin letters that are equal to one or two ASCII characters, by code point. Excludes `·`, which combines
/// with the letter before it.
static LATIN: LazyLock<Vec<Option<Vec<u8>>>> = LazyLock::new(|| {
    let single: HashSet<&Vec<u8>> = ASCII.keys.iter().collect();
    let key = |character: char| {
        let key = weights(character.encode_utf8(&mut [0; 4]));
        let is_pair = || {
            (1..key.len()).any(|end| {
                single.contains(&key[..end].to_vec()) && single.contains(&key[end..].to_vec())
            })
        };
        (single.contains(&key) || is_pair()).then_some(key)
    };
    (0..0x250).filter_map(char::from_u32).map(key).collect()
});

/// Returns a prefix of a text that determines the first eight bytes of its weights: each character has a weight, and only
/// few characters combine.
fn beginning(text: &str) -> &str {
    match text.char_indices().nth(12) {
        Some((end, _)) if text[..end].chars().all(char::is_alphanumeric) => &text[..end],
        _ => text,
    }
}

fn first_bytes(weights: &[u8]) -> u64 {
    let mut first = [0; 8];
    let taken = weights.len().min(first.len());
    first[..taken].copy_from_slice(&weights[..taken]);
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_ascii_are_those_of_its_characters() {
        let all = || (0..128_u8).map(char::from);
        for text in all().flat_map(|a| all().map(move |b| format!("{a}{b}x"))) {
            assert_eq!(weights(&text), collated(&text), "{text:?}");
        }
    }
}
