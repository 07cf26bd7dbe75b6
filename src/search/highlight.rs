//! The part of a text that a search found, as HTML with marks.

use std::{cell::RefCell, collections::HashMap, ops::Range};

use super::{
    Terms,
    analysis::{Analyzer, word_ranges},
};
use crate::render::html_escape::push_text;

/// Words of a part.
const PART_WORDS: usize = 30;

/// Words before the first mark of a part.
const WORDS_BEFORE: usize = 5;

/// Marks the words that a search found.
pub struct Highlighter {
    analyzer: Analyzer,
    /// The terms by which texts were found, each with a number.
    terms: HashMap<Box<str>, usize>,
    /// Words of texts as they are written, with the number of their term if it is one of these: a word that is repeated, as most
    /// are, is analysed once.
    known: RefCell<HashMap<Box<str>, Option<usize>>>,
}

/// A word that a search found.
#[derive(Clone)]
struct Mark {
    /// How many words are before it.
    place: usize,
    term: usize,
    range: Range<usize>,
}

impl Highlighter {
    /// Returns a highlighter of these terms.
    pub fn new(analyzer: Analyzer, terms: Terms) -> Self {
        let numbered = terms.into_iter().enumerate();
        Self {
            analyzer,
            terms: numbered.map(|(number, term)| (term, number)).collect(),
            known: RefCell::default(),
        }
    }

    /// Returns the part of a text with the most different terms, the first of several; `None` if there are none.
    pub fn part(&self, text: &str) -> Option<String> {
        let text = &text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut words = Vec::new();
        let mut marks = Vec::new();
        // The part with all terms is the best one, whatever follows it.
        let mut enough_words = usize::MAX;
        for range in word_ranges(text) {
            if words.len() > enough_words {
                break;
            }
            if let Some(term) = self.term_of(&text[range.clone()]) {
                marks.push(Mark {
                    place: words.len(),
                    term,
                    range: range.clone(),
                });
                if enough_words == usize::MAX && self.has_all_terms(last_part(&marks)) {
                    enough_words = start_of(last_part(&marks)) + PART_WORDS;
                }
            }
            words.push(range);
        }
        let start = best_start(&marks)?;
        let end = (start + PART_WORDS).min(words.len());
        let last = &words[end - 1];
        let mut html = String::new();
        if start > 0 {
            html.push('…');
        }
        let of_part = marks
            .iter()
            .filter(|mark| (start..end).contains(&mark.place));
        push_marked(&mut html, text, words[start].start..last.end, of_part);
        if end < words.len() {
            html.push('…');
        } else {
            push_text(&mut html, text[last.end..].trim_end());
        }
        Some(html)
    }

    /// Returns all of a text; `None` if it has no term.
    pub fn whole(&self, text: &str) -> Option<String> {
        let marks = word_ranges(text).enumerate().filter_map(|(place, range)| {
            let term = self.term_of(&text[range.clone()])?;
            Some(Mark { place, term, range })
        });
        let marks: Vec<Mark> = marks.collect();
        let mut html = String::new();
        push_marked(&mut html, text, 0..text.len(), marks.iter());
        (!marks.is_empty()).then_some(html)
    }

    /// Returns the number of a word's term; `None` if the word was not found.
    fn term_of(&self, word: &str) -> Option<usize> {
        let mut known = self.known.borrow_mut();
        if let Some(term) = known.get(word) {
            return *term;
        }
        let term = self.terms.get(&*self.analyzer.term(word)).copied();
        known.insert(word.into(), term);
        term
    }

    fn has_all_terms(&self, marks: &[Mark]) -> bool {
        marks.len() >= self.terms.len() && different_terms(marks) == self.terms.len()
    }
}

/// Returns the marks that a part with the last one can have.
fn last_part(marks: &[Mark]) -> &[Mark] {
    let last = marks.last().map_or(0, |mark| mark.place);
    let is_before = |mark: &Mark| mark.place + PART_WORDS - WORDS_BEFORE <= last;
    &marks[marks.partition_point(is_before)..]
}

/// Returns the place of the first word of a part with these marks.
fn start_of(marks: &[Mark]) -> usize {
    let first = marks.first().map_or(0, |mark| mark.place);
    first.saturating_sub(WORDS_BEFORE)
}

fn best_start(marks: &[Mark]) -> Option<usize> {
    let mut best = (0, None);
    for (nth, first) in marks.iter().enumerate() {
        let end = first.place + PART_WORDS - WORDS_BEFORE;
        let within = marks[nth..].partition_point(|mark| mark.place < end);
        let within = &marks[nth..nth + within];
        let terms = different_terms(within);
        if terms > best.0 {
            best = (terms, Some(start_of(within)));
        }
    }
    best.1
}

fn different_terms(marks: &[Mark]) -> usize {
    let mut terms: Vec<usize> = marks.iter().map(|mark| mark.term).collect();
    terms.sort_unstable();
    terms.dedup();
    terms.len()
}

fn push_marked<'m>(
    html: &mut String,
    text: &str,
    range: Range<usize>,
    marks: impl Iterator<Item = &'m Mark>,
) {
    let mut written = range.start;
    for mark in marks {
        push_text(html, &text[written..mark.range.start]);
        html.push_str("<mark>");
        push_text(html, &text[mark.range.clone()]);
        html.push_str("</mark>");
        written = mark.range.end;
    }
    push_text(html, &text[written..range.end]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_words_are_marked_and_the_rest_is_escaped() {
        let analyzer = Analyzer::for_locale("en");
        let terms = Terms::from(["ferri".into(), "night".into()]);
        let highlighter = Highlighter::new(analyzer, terms);
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
        let highlighter = |terms: &[&str]| {
            let terms = terms.iter().map(|term| Box::from(*term)).collect();
            Highlighter::new(Analyzer::for_locale("en"), terms)
        };
        let gap = "gap ".repeat(60);
        let text = format!("ferry {gap} night ferry one {gap} night ferry two {gap} storm");
        for terms in [&["ferri", "night"][..], &["ferri", "night", "storm"]] {
            let part = highlighter(terms).part(&text).unwrap();
            assert!(
                part.contains("</mark> one") && !part.contains("two"),
                "{part}"
            );
            assert!(part.starts_with('…') && part.ends_with("gap…"), "{part}");
        }
        let part = highlighter(&["storm"]).part("a storm. ").unwrap();
        assert_eq!(part, "a <mark>storm</mark>.");
    }
}
