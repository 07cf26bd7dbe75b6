//! How long a post takes to read (Ghost 6.65, recorded).

use memchr::memchr;

const WORDS_PER_MINUTE: f64 = 275.0;
/// The first image costs this many seconds, each further one a second less.
const FIRST_IMAGE_SECONDS: u64 = 12;
const LAST_IMAGE_SECONDS: u64 = 3;

/// Returns the whole minutes that reading `html` takes, 0 for a short text; `None` when there is no
/// HTML.
///
/// The feature image counts as one more image. Tags are told from text by their brackets alone, so
/// the text of a script counts and so does what follows a `>` inside an attribute, as in the
/// recordings.
pub fn minutes(html: &str, has_feature_image: bool) -> Option<u32> {
    if html.is_empty() {
        return None;
    }
    let mut words = WordCount::default();
    let mut images = u64::from(has_feature_image);
    for piece in pieces(html) {
        match piece {
            Piece::Text(text) => words.add(text),
            Piece::Tag(tag) => images += u64::from(tag.starts_with("<img")),
        }
    }
    let seconds = words.total() as f64 / (WORDS_PER_MINUTE / 60.0) + image_seconds(images) as f64;
    Some((seconds / 60.0).round() as u32)
}

fn image_seconds(images: u64) -> u64 {
    let falling = images.min(FIRST_IMAGE_SECONDS - LAST_IMAGE_SECONDS);
    let falling_seconds = falling * FIRST_IMAGE_SECONDS - falling * falling.saturating_sub(1) / 2;
    falling_seconds + (images - falling) * LAST_IMAGE_SECONDS
}

enum Piece<'a> {
    Text(&'a str),
    /// From `<` to the next `>`.
    Tag(&'a str),
}

fn pieces(html: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = html;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let start = memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
        let (text, behind) = rest.split_at(start);
        if !text.is_empty() {
            rest = behind;
            return Some(Piece::Text(text));
        }
        let Some(end) = memchr(b'>', behind.as_bytes()) else {
            rest = "";
            return Some(Piece::Text(behind));
        };
        let (tag, behind) = behind.split_at(end + 1);
        rest = behind;
        Some(Piece::Tag(tag))
    })
}

/// Words of scripts that separate them, characters of scripts that do not, and a second count that
/// only holds when there is nothing else.
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
                        // A run that begins with hiragana or a rare ideograph is one word, as
                        // recorded.
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
            words => words,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    /// Latin, Greek and Cyrillic letters, digits and the underscore.
    Alphabetic,
    /// Han, hiragana and Hangul; katakana is counted nowhere.
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
        let mut count = WordCount::default();
        for piece in pieces(html) {
            if let Piece::Text(text) = piece {
                count.add(text);
            }
        }
        count.total()
    }

    #[test]
    fn tags_separate_words() {
        assert_eq!(words("one<b>two</b>three"), 3);
        assert_eq!(words("<p>a < b"), 2);
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
    fn right_to_left_words_count_only_alone() {
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
        let html = "w ".repeat(220) + &"<img>".repeat(4);
        assert_eq!(minutes(&html, false), Some(2));
        assert_eq!(minutes("", true), None);
    }
}
