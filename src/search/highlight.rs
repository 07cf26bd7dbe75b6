//! The part of a text that a search found, as HTML with marks.

use super::{
    Terms,
    analysis::{Analyzer, Word},
};
use crate::render::html_escape::push_text;

/// Words of a part.
const PART_WORDS: usize = 30;

/// Words before the first mark of a part.
const WORDS_BEFORE: usize = 5;

/// Marks the words that a search found.
pub struct Highlighter {
    analyzer: Analyzer,
    terms: Terms,
}

impl Highlighter {
    /// Returns a highlighter of these terms.
    pub fn new(analyzer: Analyzer, terms: Terms) -> Self {
        Self { analyzer, terms }
    }

    /// Returns the part of a text with the most different terms, the first of several; `None` if there are none.
    pub fn part(&self, text: &str) -> Option<String> {
        let text = &text.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = self.analyzer.words(text);
        let start = self.best_start(&words)?;
        let end = (start + PART_WORDS).min(words.len());
        let last = &words[end - 1];
        let mut html = String::new();
        if start > 0 {
            html.push('…');
        }
        self.push_marked(
            &mut html,
            text,
            words[start].range.start..last.range.end,
            &words[start..end],
        );
        if end < words.len() {
            html.push('…');
        } else {
            push_text(&mut html, text[last.range.end..].trim_end());
        }
        Some(html)
    }

    /// Returns all of a text; `None` if it has no term.
    pub fn whole(&self, text: &str) -> Option<String> {
        let words = self.analyzer.words(text);
        words.iter().find(|word| self.is_found(word))?;
        let mut html = String::new();
        self.push_marked(&mut html, text, 0..text.len(), &words);
        Some(html)
    }

    fn is_found(&self, word: &Word) -> bool {
        self.terms.contains(&*word.term)
    }

    fn best_start(&self, words: &[Word]) -> Option<usize> {
        let found: Vec<usize> = (0..words.len())
            .filter(|place| self.is_found(&words[*place]))
            .collect();
        let mut best = (0, None);
        for (nth, first) in found.iter().enumerate() {
            let within = found[nth..]
                .iter()
                .take_while(|place| **place < first + PART_WORDS - WORDS_BEFORE);
            let mut terms: Vec<&str> = within.map(|place| &*words[*place].term).collect();
            terms.sort_unstable();
            terms.dedup();
            if terms.len() > best.0 {
                best = (terms.len(), Some(first.saturating_sub(WORDS_BEFORE)));
            }
        }
        best.1
    }

    fn push_marked(
        &self,
        html: &mut String,
        text: &str,
        range: std::ops::Range<usize>,
        words: &[Word],
    ) {
        let mut written = range.start;
        for word in words.iter().filter(|word| self.is_found(word)) {
            push_text(html, &text[written..word.range.start]);
            html.push_str("<mark>");
            push_text(html, &text[word.range.clone()]);
            html.push_str("</mark>");
            written = word.range.end;
        }
        push_text(html, &text[written..range.end]);
    }
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
}
