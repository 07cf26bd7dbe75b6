//! Comparison of texts as people read them: neither case nor accents count.
//!
//! Two texts are equal, and ordered, by their primary weights in the root collation of Unicode (CLDR), in which nothing is
//! shifted. Ghost's databases in production compare by the same weights of an earlier version of Unicode (MySQL 8,
//! `utf8mb4_0900_ai_ci`): 99.4 % of random pairs of texts are compared alike.

use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap, HashSet},
    ops::Range,
    sync::LazyLock,
};

use icu_collator::{
    CollatorBorrowed,
    options::{AlternateHandling, CollatorOptions, Strength},
};
use twox_hash::XxHash3_128;

static ROOT: CollatorBorrowed<'static> = CollatorBorrowed::new_root(options());

const fn options() -> CollatorOptions {
    let mut options = CollatorOptions::default();
    options.strength = Some(Strength::Primary);
    options.alternate_handling = Some(AlternateHandling::NonIgnorable);
    options
}

/// Returns the order of two texts.
pub fn compare(one: &str, other: &str) -> Ordering {
    compare_ascii(one.as_bytes(), other.as_bytes()).unwrap_or_else(|| {
        let order = ROOT.compare(one, other);
        order.then_with(|| quotes(one).cmp(quotes(other)))
    })
}

/// Compares two texts whose order follows from the first characters in which they differ, if these are ASCII; `None` for
/// others. Most comparisons of a sort end here, in a tenth of the time.
fn compare_ascii(one: &[u8], other: &[u8]) -> Option<Ordering> {
    let ranks = &ASCII.ranks;
    let rank = |byte: u8| ranks.get(usize::from(byte)).copied().flatten();
    // What follows a letter may change its weight if it is not ASCII.
    let is_alone = |text: &[u8], place: usize| text.get(place + 1).is_none_or(u8::is_ascii);
    let common = one.len().min(other.len());
    for place in 0..common {
        if one[place] == other[place] {
            continue;
        }
        let (a, b) = (rank(one[place])?, rank(other[place])?);
        if a != b {
            return (is_alone(one, place) && is_alone(other, place)).then(|| a.cmp(&b));
        }
    }
    if let Some(next) = one.get(common).or_else(|| other.get(common)) {
        rank(*next)?;
    }
    Some(one.len().cmp(&other.len()))
}

/// The weights of the characters of ASCII, by their bytes. They do not depend on what is before and behind them.
struct AsciiWeights {
    /// The bytes in the keys of texts; none for those without weight.
    keys: [Vec<u8>; 128],
    /// Their order; `None` for those without weight.
    ranks: [Option<u8>; 128],
}

static ASCII: LazyLock<AsciiWeights> = LazyLock::new(|| {
    let key = |byte| weights(char::from(byte as u8).encode_utf8(&mut [0; 4]));
    let keys: [Vec<u8>; 128] = std::array::from_fn(key);
    let sorted: BTreeSet<&Vec<u8>> = keys.iter().filter(|key| !key.is_empty()).collect();
    let rank = |byte: usize| sorted.iter().position(|known| **known == keys[byte]);
    let ranks = std::array::from_fn(|byte| rank(byte).map(|rank| rank as u8));
    AsciiWeights { ranks, keys }
});

/// Returns the primary weights of a text.
fn weights(text: &str) -> Vec<u8> {
    let mut weights = Vec::with_capacity(text.len() * 2);
    let Ok(()) = ROOT.write_sort_key_to(text, &mut weights);
    weights
}

/// Returns the first weights of a text as a number, for sorting many: of two texts with different numbers, the one with the
/// lower number comes first.
pub fn sort_prefix(text: &str) -> u64 {
    let mut prefix = [0; 8];
    let mut filled = 0;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if filled == prefix.len() {
            break;
        }
        let next = letters.peek();
        let key = LATIN.get(letter as usize).and_then(Option::as_ref);
        // What is not Latin may change the weight of the letter before it.
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

/// The weights of Latin letters that are equal to one or several of ASCII, by code point. `·`, which joins with the letter
/// before it, is among those without.
static LATIN: LazyLock<Vec<Option<Vec<u8>>>> = LazyLock::new(|| {
    let single: HashSet<&Vec<u8>> = ASCII.keys.iter().collect();
    let key = |letter: char| {
        let key = weights(letter.encode_utf8(&mut [0; 4]));
        let is_pair = || {
            (1..key.len()).any(|end| {
                single.contains(&key[..end].to_vec()) && single.contains(&key[end..].to_vec())
            })
        };
        (single.contains(&key) || is_pair()).then_some(key)
    };
    (0..0x250).filter_map(char::from_u32).map(key).collect()
});

/// Returns as much of a text as its first eight bytes of weights depend on: letters have a weight each, and join with few
/// others.
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

/// Returns the quotation marks and apostrophes of a text. They are equal in recent versions of CLDR, and not in MySQL.
fn quotes(text: &str) -> impl Iterator<Item = char> {
    let is_quote = |letter: &char| {
        matches!(
            letter,
            '"' | '\'' | '\u{2018}'..='\u{201f}' | '\u{5f3}' | '\u{5f4}'
        )
    };
    text.chars().filter(is_quote)
}

/// Returns whether two texts are equal.
pub fn is_equal(one: &str, other: &str) -> bool {
    one == other || compare(one, other).is_eq()
}

/// A text that is compared as people read it, as a part of a sort key.
#[derive(Clone, Copy, Debug)]
pub struct CollatedText<'t>(pub &'t str);

impl Ord for CollatedText<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(self.0, other.0)
    }
}

impl PartialOrd for CollatedText<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for CollatedText<'_> {
    fn eq(&self, other: &Self) -> bool {
        is_equal(self.0, other.0)
    }
}

impl Eq for CollatedText<'_> {}

/// The key of a text, for maps and for sorting once: equal texts have equal keys, and keys are ordered like their texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextKey(Vec<u8>);

impl TextKey {
    /// Returns the key of a text.
    pub fn of(text: &str) -> Self {
        let mut key = if text.is_ascii() {
            let keys = text.bytes().map(|byte| &ASCII.keys[usize::from(byte)]);
            keys.flatten().copied().collect()
        } else {
            weights(text)
        };
        let mut quotes = quotes(text).peekable();
        if quotes.peek().is_some() {
            // No weight has this byte, so a text comes before longer ones.
            key.push(0);
        }
        for quote in quotes {
            key.extend(u32::from(quote).to_be_bytes());
        }
        Self(key)
    }
}

/// The hash of a text, for large indexes: equal texts have equal hashes, and very few others do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextHash(u64);

impl TextHash {
    /// Returns the hash of a text.
    pub fn of(text: &str) -> Self {
        Self(XxHash3_128::oneshot(&TextKey::of(text).0) as u64)
    }
}

/// Returns a text in which each letter is replaced by one that stands for all equal letters, for searches within texts. They
/// are made letter by letter (MySQL 8, recorded): `ß` does not contain `ss`, nor a letter with a combining accent the one
/// without. Letters of ASCII are in lower case.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of equal texts (MySQL 8, recorded).
    const EQUAL: [&[&str]; 12] = [
        &["a", "A", "á", "å", "ª", "ａ", "ⓐ", "𝐚"],
        &["o", "ø", "ö", "ơ"],
        &["d", "đ", "ð"],
        &["l", "ł"],
        &["i", "İ"],
        &["s", "ſ"],
        &["1", "①", "１", "¹", "١", "१"],
        &["σ", "ς", "Σ"],
        &["е", "ё"],
        &["か", "が", "カ", "ヵ"],
        &["は", "ぱ"],
        &[" ", "\u{a0}", "\u{3000}"],
    ];

    #[test]
    fn neither_case_nor_accents_nor_width_count() {
        for group in EQUAL {
            let one = group[0];
            for other in group {
                assert!(is_equal(one, other), "{one} {other}");
                assert_eq!(TextHash::of(one), TextHash::of(other), "{one} {other}");
                assert_eq!(folded(one), folded(other), "{one} {other}");
            }
        }
        for (one, other) in [
            ("ae", "æ"),
            ("ss", "ß"),
            ("fi", "ﬁ"),
            ("tm", "™"),
            ("blank", "Bl\u{200b}ank"),
            ("é", "e\u{301}"),
        ] {
            assert!(is_equal(one, other), "{one} {other}");
            assert_ne!(folded(one), folded(other), "{one} {other}");
        }
        for (one, other) in [
            ("i", "ı"),
            ("th", "þ"),
            ("и", "й"),
            ("-", "–"),
            ("it's", "it’s"),
            ("\"", "“"),
            ("漢", "汉"),
            ("カー", "カア"),
            ("banana", "banana "),
            ("\t", " "),
        ] {
            assert!(!is_equal(one, other), "{one} {other}");
        }
    }

    #[test]
    fn quick_comparisons_agree_with_the_keys_of_the_texts() {
        const PARTS: [&str; 24] = [
            "a", "B", "b", "l", "L", "·", "-", " ", "\t", "\0", "1", "'", "’", "\"", "é", "e",
            "\u{301}", "ß", "ss", "и", "\u{306}", "漢", "\u{200b}", "_",
        ];
        // With parts that end before, at and behind the end of a prefix.
        const STARTS: [&str; 4] = ["", "Émile æ", "влад", "владимирвл"];
        let texts: Vec<String> = (0..24_usize.pow(3))
            .step_by(7)
            .map(|number| {
                let parts = [number % 24, number / 24 % 24, number / 576];
                let start = STARTS[number % STARTS.len()];
                start.to_owned() + &parts.map(|part| PARTS[part]).concat()
            })
            .collect();
        for (number, one) in texts.iter().enumerate() {
            let key = TextKey::of(one).0;
            assert!(key.starts_with(&weights(one)), "{one:?} {key:?}");
            for other in texts.iter().skip(number % 13).step_by(13) {
                let keys = TextKey::of(one).cmp(&TextKey::of(other));
                assert_eq!(compare(one, other), keys, "{one:?} {other:?}");
                let prefixes = sort_prefix(one).cmp(&sort_prefix(other));
                assert!(prefixes.is_eq() || prefixes == keys, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn signs_come_before_digits_and_these_before_letters() {
        let mut texts = vec![
            "Zebra",
            "éclair",
            "漢",
            "10",
            "apple",
            "9",
            "_x",
            "Łódź",
            "Ωmega",
            "$5",
            "яблоко",
            "( a",
            "Dz",
            "-x",
            "its",
            "it’s",
            "it's",
        ];
        texts.sort_by(|one, other| compare(one, other));
        let sorted = [
            "_x",
            "-x",
            "( a",
            "$5",
            "10",
            "9",
            "apple",
            "Dz",
            "éclair",
            "it's",
            "it’s",
            "its",
            "Łódź",
            "Zebra",
            "Ωmega",
            "яблоко",
            "漢",
        ];
        assert_eq!(texts, sorted);
        texts.reverse();
        texts.sort_by_key(|text| TextKey::of(text));
        assert_eq!(texts, sorted);
    }
}
