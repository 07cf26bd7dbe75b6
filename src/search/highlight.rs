//! Highlights search terms in the part of a text that matches best, as HTML.

use std::{collections::HashMap, ops::Range};

use super::analysis::{Analyzer, FirstCharacters, word_ranges};
use crate::render::html_escape::push_text;

/// Number of words in a part.
const PART_WORDS: usize = 30;

/// Number of words before the first mark in a part.
const WORDS_BEFORE: usize = 5;

/// The terms with which a search finds texts.
#[derive(Default)]
pub struct FoundTerms {
    /// For each term, the index of the word of the search that it expands.
    words: HashMap<Box<str>, usize>,
    /// The number of words of the search.
    word_count: u32,
    first_characters: FirstCharacters,
}

impl FoundTerms {
    /// Adds a term for the word at an index of the search. A term that exists already is unchanged.
    pub fn add(&mut self, term: &str, word: usize) {
        self.words.entry(term.into()).or_insert(word);
        self.word_count = word as u32 + 1;
        self.first_characters = self.first_characters.with_first_of(term);
    }
}

/// Marks the words of a search in texts of one language.
pub struct Highlighter<'r> {
    analyzer: Analyzer,
    terms: &'r FoundTerms,
    /// The first characters of words that may have one of the terms, so that most other words are not analysed.
    first_characters: FirstCharacters,
}

/// A marked word.
#[derive(Clone)]
struct Mark {
    /// The number of words before it in the text.
    index: usize,
    /// The index of the corresponding word of the search.
    wanted: usize,
    range: Range<usize>,
}

impl<'r> Highlighter<'r> {
    /// Returns a highlighter for terms.
    pub fn new(analyzer: Analyzer, terms: &'r FoundTerms) -> Self {
        Self {
            analyzer,
            terms,
            first_characters: analyzer.first_characters(terms.first_characters),
        }
    }

    /// Returns the part of a text with the most words of the search, as HTML with marks; of several such parts, the first. `None`
    /// if the text contains no words of the search. White space is collapsed.
    pub fn part(&self, text: &str) -> Option<String> {
        let mut words = Vec::new();
        let mut marks = Vec::new();
        // A part with all words of the search is the best one, so the following text does not matter.
        let mut enough_words = usize::MAX;
        for range in word_ranges(text) {
            if words.len() > enough_words {
                break;
            }
            if let Some(wanted) = self.wanted(&text[range.clone()]) {
                marks.push(Mark {
                    index: words.len(),
                    wanted,
                    range: range.clone(),
                });
                if enough_words == usize::MAX
                    && different_words(last_part(&marks)) == self.terms.word_count
                {
                    enough_words = start_of(last_part(&marks)) + PART_WORDS;
                }
            }
            words.push(range);
        }
        // Without a mark there is no part, so `words` is not empty below, and `end` is at least 1.
        let start = best_start(&marks)?;
        let end = (start + PART_WORDS).min(words.len());
        let of_part = marks
            .iter()
            .filter(|mark| (start..end).contains(&mark.index));
        let range = start_of_word(text, &words, start)..end_of_word(text, &words, end - 1);
        let mut html = String::new();
        if start > 0 {
            html.push('…');
        }
        push_marked(&mut html, text, range, of_part, push_in_one_line);
        if end < words.len() {
            html.push('…');
        }
        Some(html)
    }

    /// Returns the whole text as HTML with marks; `None` if it contains no words of the search.
    pub fn whole(&self, text: &str) -> Option<String> {
        let marks = word_ranges(text).enumerate().filter_map(|(index, range)| {
            let wanted = self.wanted(&text[range.clone()])?;
            Some(Mark {
                index,
                wanted,
                range,
            })
        });
        let marks: Vec<Mark> = marks.collect();
        let mut html = String::new();
        push_marked(&mut html, text, 0..text.len(), marks.iter(), push_text);
        (!marks.is_empty()).then_some(html)
    }

    /// Returns the index of the word of the search that matches `word`; `None` if none does.
    fn wanted(&self, word: &str) -> Option<usize> {
        let term = self.analyzer.term_among(word, self.first_characters)?;
        self.terms.words.get(&*term).copied()
    }
}

/// Returns the marks that fit into a part that contains the last one.
fn last_part(marks: &[Mark]) -> &[Mark] {
    let last = marks.last().map_or(0, |mark| mark.index);
    // `WORDS_BEFORE` words precede the first mark of a part, so its marks span fewer words than the
    // part has.
    let is_before = |mark: &Mark| mark.index + PART_WORDS - WORDS_BEFORE <= last;
    &marks[marks.partition_point(is_before)..]
}

/// Returns the index of the first word of a part with these marks.
fn start_of(marks: &[Mark]) -> usize {
    let first = marks.first().map_or(0, |mark| mark.index);
    first.saturating_sub(WORDS_BEFORE)
}

/// Returns the byte offset of a part that begins with a word: the start of the text or, for later words, the start of the
/// punctuation directly before the word, such as quotes and brackets.
fn start_of_word(text: &str, words: &[Range<usize>], nth: usize) -> usize {
    let start = words[nth].start;
    if nth == 0 {
        return start - text[..start].trim_start().len();
    }
    let before = &text[words[nth - 1].end..start];
    start - after_white_space(before).len()
}

/// Returns the byte offset of the end of a part that ends with a word: the end of the text or the end of the punctuation directly
/// after the word.
fn end_of_word(text: &str, words: &[Range<usize>], nth: usize) -> usize {
    let end = words[nth].end;
    let Some(next) = words.get(nth + 1) else {
        return text.trim_end().len();
    };
    let after = &text[end..next.start];
    end + after.find(char::is_whitespace).unwrap_or_default()
}

/// Returns the text after the last white space; empty if there is no white space.
fn after_white_space(text: &str) -> &str {
    // Backwards by characters: the punctuation before a word may have several bytes.
    let mut spaces = text.char_indices().rev();
    let last = spaces.find(|(_, character)| character.is_whitespace());
    last.map_or("", |(offset, space)| &text[offset + space.len_utf8()..])
}

fn best_start(marks: &[Mark]) -> Option<usize> {
    let mut best = (0, None);
    for (nth, first) in marks.iter().enumerate() {
        let end = first.index + PART_WORDS - WORDS_BEFORE;
        let within = marks[nth..].partition_point(|mark| mark.index < end);
        let within = &marks[nth..nth + within];
        let words = different_words(within);
        // `>`, not `>=`: of equally good parts, the first is shown.
        if words > best.0 {
            best = (words, Some(start_of(within)));
        }
    }
    best.1
}

/// Returns the number of different words of the search among the marks.
fn different_words(marks: &[Mark]) -> u32 {
    // A search has at most 20 words, so 32 bits are enough.
    let bits = marks
        .iter()
        .fold(0, |bits, mark| bits | 1_u32 << mark.wanted);
    bits.count_ones()
}

/// Appends a text, replacing each run of white space by one space.
fn push_in_one_line(html: &mut String, text: &str) {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if !character.is_whitespace() {
            line.push(character);
        } else if !line.ends_with(' ') {
            line.push(' ');
        }
    }
    push_text(html, &line);
}

fn push_marked<'m>(
    html: &mut String,
    text: &str,
    range: Range<usize>,
    marks: impl Iterator<Item = &'m Mark>,
    push: fn(&mut String, &str),
) {
    let mut written = range.start;
    for mark in marks {
        push(html, &text[written..mark.range.start]);
        html.push_str("<mark>");
        push_text(html, &text[mark.range.clone()]);
        html.push_str("</mark>");
        written = mark.range.end;
    }
    push(html, &text[written..range.end]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(terms: &[&str]) -> FoundTerms {
        let mut found = FoundTerms::default();
        for (index, term) in terms.iter().enumerate() {
            found.add(term, index);
        }
        found
    }

    #[test]
    fn found_words_are_marked_and_the_rest_is_escaped() {
        let analyzer = Analyzer::for_locale("en");
        let terms = found(&["ferri", "night"]);
        let highlighter = Highlighter::new(analyzer, &terms);
        assert_eq!(
            highlighter.whole("Night <b>ferries</b>").as_deref(),
            Some("<mark>Night</mark> &lt;b&gt;<mark>ferries</mark>&lt;/b&gt;")
        );
        assert_eq!(highlighter.whole("Nothing"), None);
        let text = format!(
            "{}the night ferry {}",
            "before ".repeat(50),
            "after ".repeat(50)
        );
        let part = highlighter.part(&text).unwrap();
        assert!(
            part.starts_with("…before") && part.ends_with("after…"),
            "{part}"
        );
        assert!(part.contains("<mark>night</mark> <mark>ferry</mark>"));
    }

    #[test]
    fn part_is_the_first_with_the_most_terms() {
        let analyzer = Analyzer::for_locale("en");
        let gap = "gap ".repeat(60);
        let text = format!("ferry {gap} night ferry one {gap} night ferry two {gap} storm");
        for terms in [&["ferri", "night"][..], &["ferri", "night", "storm"]] {
            let terms = found(terms);
            let part = Highlighter::new(analyzer, &terms).part(&text).unwrap();
            assert!(
                part.contains("</mark> one") && !part.contains("two"),
                "{part}"
            );
            assert!(part.starts_with('…') && part.ends_with("gap…"), "{part}");
        }
        let terms = found(&["storm"]);
        let part = Highlighter::new(analyzer, &terms).part("a\n\n storm.\u{a0} b. ");
        assert_eq!(part.as_deref(), Some("a <mark>storm</mark>. b."));
    }

    #[test]
    fn part_loses_no_sign_where_the_text_begins_or_ends_and_cuts_at_white_space() {
        let analyzer = Analyzer::for_locale("en");
        let terms = found(&["tag"]);
        let part = |text: &str| Highlighter::new(analyzer, &terms).part(text).unwrap();
        for (text, expected) in [
            ("<b> is a tag", "&lt;b&gt; is a <mark>tag</mark>"),
            (" <tag>", "&lt;<mark>tag</mark>&gt;"),
            ("<<tag", "&lt;&lt;<mark>tag</mark>"),
            ("& <tag/> &lt;", "&amp; &lt;<mark>tag</mark>/&gt; &amp;lt;"),
            ("\u{a0}\u{2026}<tag", "…&lt;<mark>tag</mark>"),
            ("<\n<tag>\n>\n", "&lt; &lt;<mark>tag</mark>&gt; &gt;"),
        ] {
            assert_eq!(part(text), expected, "{text}");
        }
        let before = "gap ".repeat(9);
        let after = " gap".repeat(40);
        for (text, first) in [
            (format!("{before}<b> 2 3 4 5 tag{after}"), "…&lt;b&gt; 2 "),
            (format!("{before}a<b> 2 3 4 5 tag{after}"), "…b&gt; 2 "),
            (format!("{before}- <<b 2 3 4 5 tag{after}"), "…&lt;&lt;b 2 "),
        ] {
            assert!(part(&text).starts_with(first), "{}", part(&text));
        }
        let tail = "2 ".repeat(27);
        for (text, last) in [
            (format!("tag 1 {tail}<b> gap"), " &lt;b&gt;…"),
            (format!("tag 1 {tail}<b>c gap"), " &lt;b…"),
            (format!("tag 1 {tail}(b). - gap"), " (b).…"),
        ] {
            assert!(part(&text).ends_with(last), "{}", part(&text));
        }
    }
}
