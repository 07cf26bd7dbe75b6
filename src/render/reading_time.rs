//! Reading time of a post (Ghost 6.65, recorded).

use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr3};

const WORDS_PER_MINUTE: f64 = 275.0;
/// The first image takes this many seconds, and each further image takes one second less than the
/// one before it, but at least [`LAST_IMAGE_SECONDS`].
const FIRST_IMAGE_SECONDS: u64 = 12;
const LAST_IMAGE_SECONDS: u64 = 3;

/// Returns the reading time of `html` in whole minutes, 0 for a short text; `None` for empty HTML.
///
/// The feature image counts as one more image. Tags are recognised only by brackets and quotes. The
/// text of a script is therefore counted, and an apostrophe in a comment hides everything up to the
/// next one; see `TagScanner`.
pub fn minutes(html: &str, has_feature_image: bool) -> Option<u32> {
    if html.is_empty() {
        return None;
    }
    let tags = TagScanner::of(html);
    let words = words(html, &tags);
    // Images are searched for separately, so an `<img` in an attribute of another tag counts.
    let images = tags.beginning_with("<img").count() as u64 + u64::from(has_feature_image);
    let seconds = words as f64 / (WORDS_PER_MINUTE / 60.0) + image_seconds(images) as f64;
    Some((seconds / 60.0).round() as u32)
}

fn image_seconds(images: u64) -> u64 {
    let falling = images.min(FIRST_IMAGE_SECONDS - LAST_IMAGE_SECONDS);
    let falling_seconds = falling * FIRST_IMAGE_SECONDS - falling * falling.saturating_sub(1) / 2;
    falling_seconds + (images - falling) * LAST_IMAGE_SECONDS
}

fn words(html: &str, tags: &TagScanner<'_>) -> u64 {
    let mut count = WordCount::default();
    let mut text_start = 0;
    for tag in tags.beginning_with("<") {
        count.add(&html[text_start..tag.start]);
        text_start = tag.end;
    }
    count.add(&html[text_start..]);
    count.total()
}

/// The tags of a document by a special rule (Ghost 6.65, observed): a `<`, followed by at least one
/// quoted part or character other than quotes and `>`, and then a `>`. Any other `<` is text.
struct TagScanner<'a> {
    html: &'a str,
    /// For each `<`, whether a `>` follows outside of the quotes that open after it.
    is_closed: Vec<bool>,
}

impl<'a> TagScanner<'a> {
    fn of(html: &'a str) -> Self {
        // Read backwards. For each position, three flags track whether a `>` follows if the
        // position is outside of quotes, in double quotes, or in single quotes. This way, no part
        // is read twice.
        let (mut outside, mut in_double, mut in_single) = (false, false, false);
        let mut is_closed = Vec::new();
        for byte in html.bytes().rev() {
            match byte {
                b'>' => outside = true,
                b'"' => std::mem::swap(&mut outside, &mut in_double),
                b'\'' => std::mem::swap(&mut outside, &mut in_single),
                b'<' => is_closed.push(outside),
                _ => {}
            }
        }
        is_closed.reverse();
        Self { html, is_closed }
    }

    /// Returns the ranges of tags that begin with `opening` and have further content, except for
    /// tags inside other tags.
    fn beginning_with(&self, opening: &str) -> impl Iterator<Item = Range<usize>> {
        let mut end = 0;
        memchr_iter(b'<', self.html.as_bytes())
            .zip(&self.is_closed)
            .filter_map(move |(start, is_closed)| {
                let inside = self.html[start..].strip_prefix(opening)?;
                if start < end || !is_closed || inside.starts_with('>') {
                    return None;
                }
                end = self.html.len() - inside.len() + tag_length(inside)?;
                Some(start..end)
            })
    }
}

/// Returns the length of the rest of a tag at the start of `html`, up to and including its `>`;
/// `None` if the tag is not closed.
fn tag_length(html: &str) -> Option<usize> {
    let bytes = html.as_bytes();
    let mut position = 0;
    loop {
        let rest = &bytes[position..];
        position += memchr3(b'>', b'"', b'\'', rest)? + 1;
        let quote = bytes[position - 1];
        if quote == b'>' {
            return Some(position);
        }
        position += memchr(quote, &bytes[position..])? + 1;
    }
}

/// The number of words in scripts with word separators, and of characters in scripts without. Words
/// in right-to-left scripts only count if there are no others.
#[derive(Default)]
struct WordCount {
    words: u64,
    words_written_right_to_left: u64,
}

impl WordCount {
    fn add(&mut self, text: &str) {
        let mut script = Script::Other;
        let mut counts_characters = false;
        for character in text.chars() {
            let previous = std::mem::replace(&mut script, Script::of(character));
            let begins_run = script != previous;
            match script {
                Script::Alphabetic => self.words += u64::from(begins_run),
                Script::Ideographic => {
                    if begins_run {
                        // A run that begins with hiragana or a rare ideograph counts as one word,
                        // as recorded.
                        counts_characters = character >= '\u{4e00}';
                    }
                    self.words += u64::from(begins_run || counts_characters);
                }
                Script::RightToLeft => self.words_written_right_to_left += u64::from(begins_run),
                Script::Other => {}
            }
        }
    }

    fn total(&self) -> u64 {
        match self.words {
            0 => self.words_written_right_to_left,
            // Right-to-left words are ignored if there are others, as recorded.
            words => words,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    /// Latin, Greek and Cyrillic letters, digits and the underscore.
    Alphabetic,
    /// Han, hiragana and Hangul; katakana is not counted at all.
    Ideographic,
    RightToLeft,
    Other,
}

impl Script {
    fn of(character: char) -> Script {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => Script::Alphabetic,
            '\u{c0}'..='\u{ff}' | '\u{392}'..='\u{3c9}' | '\u{410}'..='\u{4f9}' => {
                Script::Alphabetic
            }
            '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{f900}'..='\u{faff}' => {
                Script::Ideographic
            }
            '\u{3040}'..='\u{309f}' | '\u{ac00}'..='\u{d7af}' => Script::Ideographic,
            '\u{590}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => Script::RightToLeft,
            _ => Script::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(html: &str) -> u64 {
        super::words(html, &TagScanner::of(html))
    }

    fn images(html: &str) -> usize {
        TagScanner::of(html).beginning_with("<img").count()
    }

    #[test]
    fn tags_separate_words() {
        assert_eq!(words("one<b>two</b>three"), 3);
        assert_eq!(words("<p>a < b"), 2);
    }

    #[test]
    fn tag_does_not_end_inside_quotes() {
        assert_eq!(words("<img alt=\"a > b\">"), 0);
        assert_eq!(words("<!-- don't --><p>one</p><p>it's two</p> three"), 1);
        assert_eq!(words("a<b title='>\">'>c"), 2);
    }

    #[test]
    fn unmatched_bracket_is_text() {
        assert_eq!(words("one<>two"), 2);
        assert_eq!(words("<div title=\"a > <b c>two"), 4);
        assert_eq!(words("<a 'x <b \"y\" z"), 5);
    }

    #[test]
    fn images_count_in_their_own_tags_and_in_attributes() {
        assert_eq!(images("<img src=a><img/><IMG src=b>"), 2);
        assert_eq!(images("<img>"), 0);
        assert_eq!(images("<a title='<img src=b>'>"), 1);
        assert_eq!(images("<img alt='<img src=b>'>"), 1);
        assert_eq!(images("<img alt='a <img src=b>"), 1);
    }

    #[test]
    fn hostile_documents_are_read_in_linear_time() {
        for repeated in ["<", "<\"", "<'\"", "<\"<'", "<img \"", "<a'b\"c"] {
            let html = repeated.repeat(500_000) + "a";
            assert!(minutes(&html, false).is_some());
        }
    }

    #[test]
    fn han_and_hangul_count_by_character_and_hiragana_by_run() {
        assert_eq!(words("港灯"), 2);
        assert_eq!(words("港の灯"), 3);
        assert_eq!(words("の港灯"), 1);
        assert_eq!(words("새벽 안개"), 4);
        assert_eq!(words("カタカナ"), 0);
    }

    #[test]
    fn right_to_left_words_count_only_without_others() {
        assert_eq!(words("שלום עולם"), 2);
        assert_eq!(words("שלום עולם one"), 1);
    }

    #[test]
    fn images_cost_twelve_seconds_falling_to_three() {
        assert_eq!(
            [0, 1, 2, 9, 10, 11, 12].map(image_seconds),
            [0, 12, 23, 72, 75, 78, 81]
        );
    }

    #[test]
    fn half_a_minute_rounds_up() {
        let html = "w ".repeat(220) + &"<img src=i>".repeat(4);
        assert_eq!(minutes(&html, false), Some(2));
        assert_eq!(minutes("", true), None);
    }
}
