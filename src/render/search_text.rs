//! The text of a post's HTML for full-text search: everything that browsers show, in document
//! order.
//!
//! Unlike in [`plaintext`](super::plaintext), which follows Ghost, words in adjacent cells,
//! captions and blocks are separated, and no line breaks are added for layout.

use super::{
    block_elements::is_block,
    html_scan::{Token, tokens_with_raw_text_in},
};

/// Elements whose text is neither shown nor markup.
const RAW_TEXT_ELEMENTS: &[&str] = &["script", "style", "title"];

/// Inline elements that separate words. A superscript may be the number of a footnote.
const APART: &[&str] = &["br", "button", "iframe", "img", "option", "sup"];

/// Returns the text of `html`, with spaces between words that elements separate.
pub fn from_html(html: &str) -> String {
    let mut text = String::new();
    for token in tokens_with_raw_text_in(html, RAW_TEXT_ELEMENTS) {
        match token {
            Token::Text(part) => text.push_str(&htmlize::unescape(part)),
            Token::Start(tag) => separate(&mut text, tag.name),
            Token::End(name) => separate(&mut text, name),
            Token::RawText(_) | Token::Other => {}
        }
    }
    text
}

fn separate(text: &mut String, element: &str) {
    let element = element.to_ascii_lowercase();
    let is_apart = is_block(&element) || APART.contains(&&*element);
    if is_apart && !text.is_empty() && !text.ends_with(char::is_whitespace) {
        text.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_different_elements_are_separated() {
        for (html, text) in [
            ("<p>H<sub>2</sub>O<sup>1</sup></p>\n<p>b</p>", "H2O 1 \nb "),
            ("<table><tr><td>a</td><td>b</td></tr></table>", "a b "),
            ("<ul><li>a<li><B>b</B>c</ul>d", "a bc d"),
            (
                "a<figure><img alt='x'><figcaption>b</figcaption></figure>",
                "a b ",
            ),
            ("a<!-- no -->b<br>c<script>no</script> &amp; d", "ab c & d"),
        ] {
            assert_eq!(from_html(html), text, "{html}");
        }
    }
}
