//! Comparison of texts for people: case and accents are ignored.
//!
//! Texts are compared and ordered by their primary weights in the root collation of Unicode (CLDR), without shifted
//! characters. Ghost's production databases use the same weights from an earlier version of Unicode (MySQL 8,
//! `utf8mb4_0900_ai_ci`): 99.4 % of random pairs of texts compare the same.

mod folding;
mod weights;

use std::cmp::Ordering;

use twox_hash::XxHash3_128;

use self::weights::{ROOT, compare_ascii, weights};
pub use self::{folding::folded, weights::sort_prefix};

/// Compares two texts.
pub fn compare(one: &str, other: &str) -> Ordering {
    compare_ascii(one.as_bytes(), other.as_bytes()).unwrap_or_else(|| {
        let order = ROOT.compare(one, other);
        // Last, so that quotation marks only decide between texts that are equal otherwise.
        // `TextKey` appends them for the same reason.
        order.then_with(|| quotes(one).cmp(quotes(other)))
    })
}

/// Returns the quotation marks and apostrophes of a text. They are equal in recent versions of CLDR, but not in MySQL.
fn quotes(text: &str) -> impl Iterator<Item = char> {
    let is_quote = |character: &char| {
        matches!(
            character,
            '"' | '\'' | '\u{2018}'..='\u{201f}' | '\u{5f3}' | '\u{5f4}'
        )
    };
    text.chars().filter(is_quote)
}

/// Returns whether two texts are equal.
pub fn is_equal(one: &str, other: &str) -> bool {
    one == other || compare(one, other).is_eq()
}

/// A text that is compared by this collation, as a part of a sort key.
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

/// The key of a text, for maps and for sorting once: equal texts have equal keys, and keys sort like their texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextKey(Vec<u8>);

impl TextKey {
    /// Returns the key of a text.
    pub fn of(text: &str) -> Self {
        let mut key = weights(text);
        let mut quotes = quotes(text).peekable();
        if quotes.peek().is_some() {
            // No weight contains this byte, so a text sorts before longer ones with the same beginning.
            key.push(0);
        }
        for quote in quotes {
            key.extend(u32::from(quote).to_be_bytes());
        }
        Self(key)
    }
}

/// The hash of a text, for large indexes: equal texts have equal hashes, and different texts very rarely do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextHash(u64);

impl TextHash {
    /// Returns the hash of a text.
    pub fn of(text: &str) -> Self {
        Self(XxHash3_128::oneshot(&TextKey::of(text).0) as u64)
    }
}

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
        // With texts whose parts end before, at and after the end of a prefix.
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
