//! The relevance of a document for a term: BM25, with a weight for each field.

use super::postings::Occurrences;

/// The parameters of BM25.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// The weights of occurrences, relative to an occurrence in the body.
const TITLE_WEIGHT: f32 = 6.0;
const TAG_WEIGHT: f32 = 4.0;
const AUTHOR_WEIGHT: f32 = 4.0;
const EXCERPT_WEIGHT: f32 = 3.0;

/// Returns the weight of a term that `having` of `all` documents contain: the logarithm of its inverse frequency.
pub fn rarity(all: usize, having: usize) -> f32 {
    let (all, having) = (all as f32, having as f32);
    (1.0 + (all - having + 0.5).max(0.0) / (having + 0.5)).ln()
}

/// Returns the relevance of a document with this number of words for a term.
pub fn relevance(occurrences: Occurrences, words: u32, words_average: f32) -> f32 {
    let weight = |is_there: bool, weight: f32| if is_there { weight } else { 0.0 };
    let outside_body = weight(occurrences.title, TITLE_WEIGHT)
        + weight(occurrences.tag, TAG_WEIGHT)
        + weight(occurrences.author, AUTHOR_WEIGHT)
        + weight(occurrences.excerpt, EXCERPT_WEIGHT);
    let length = words as f32 / words_average.max(1.0);
    let expected = |length: f32| 1.0 - B + B * length;
    // A long text contains more of all words, but this does not reduce the weight of its title.
    let count =
        f32::from(occurrences.body) / expected(length) + outside_body / expected(length.min(1.0));
    count * (K1 + 1.0) / (count + K1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_does_not_count_against_its_title() {
        let of_body = |body| Occurrences {
            body,
            ..Occurrences::default()
        };
        let of_title = Occurrences {
            title: true,
            ..Occurrences::default()
        };
        assert!(relevance(of_title, 20_000, 1000.0) > relevance(of_body(3), 1000, 1000.0));
        assert!(relevance(of_title, 100, 1000.0) > relevance(of_title, 1000, 1000.0));
        assert!(relevance(of_body(3), 1000, 1000.0) > relevance(of_body(3), 20_000, 1000.0));
    }
}
