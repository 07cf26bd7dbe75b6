//! Writes inline content as HTML.

use super::super::bare_links;
use super::Token;
use super::spans::link_step;
use crate::render::html_escape::{push_attribute, push_text};

/// Rendered inline content.
#[derive(Default)]
pub(in super::super) struct Inline {
    pub(in super::super) html: String,
    /// The text for the id of a heading: all text, raw HTML, and alternative texts as written,
    /// without line breaks.
    pub(in super::super) text: String,
}

/// Writes `tokens` of `text`, with links for bare URLs.
pub(super) fn write(text: &str, tokens: Vec<Token>) -> Inline {
    let is_linkable = if bare_links::may_contain_links(text) {
        linkable(text, &tokens)
    } else {
        vec![false; tokens.len()]
    };
    let mut writer = InlineWriter {
        text,
        inline: Inline::default(),
    };
    let mut is_after_literal = false;
    for (token, is_linkable) in tokens.into_iter().zip(is_linkable) {
        let is_literal = matches!(token, Token::Literal(_));
        writer.add(token, is_linkable, is_after_literal);
        is_after_literal = is_literal;
    }
    writer.inline
}

/// Returns the text of `tokens` for the alternative text of an image, which excludes escapes, code
/// and footnotes (recorded).
pub(super) fn plain_text(source: &str, tokens: &[Token]) -> String {
    let texts = tokens.iter().map(|token| match token {
        Token::Text(range) | Token::Html(range) => &source[range.clone()],
        Token::Content(text) | Token::Image { text, .. } => text,
        Token::LineBreak => "\n",
        _ => "",
    });
    texts.collect()
}

/// Returns for each token whether it is outside of all links, including links in raw HTML.
fn linkable(text: &str, tokens: &[Token]) -> Vec<bool> {
    // Backwards, so that an unclosed raw HTML tag does not begin a link.
    let mut html_links = 0;
    let mut links = 0_usize;
    let mut linkable = Vec::with_capacity(tokens.len());
    for token in tokens.iter().rev() {
        match token {
            Token::CloseLink => links += 1,
            Token::OpenLink { .. } => links -= 1,
            Token::Html(range) if links == 0 => {
                html_links = (html_links - link_step(&text[range.clone()])).max(0);
            }
            _ => {}
        }
        linkable.push(html_links == 0 && links == 0);
    }
    linkable.reverse();
    linkable
}

struct InlineWriter<'t> {
    text: &'t str,
    inline: Inline,
}

impl InlineWriter<'_> {
    fn add(&mut self, token: Token, is_linkable: bool, is_after_literal: bool) {
        match token {
            Token::Text(range) => {
                let text = &self.text[range];
                self.add_linkable(text, is_linkable, is_after_literal);
            }
            Token::Content(text) => self.add_linkable(&text, is_linkable, false),
            Token::Literal(text) => self.add_text(&text),
            Token::Code(code) => {
                self.inline.html.push_str("<code>");
                self.add_text(&code);
                self.inline.html.push_str("</code>");
            }
            Token::Html(range) => {
                let html = &self.text[range];
                self.inline.html.push_str(html);
                self.inline.text.push_str(html);
            }
            Token::LineBreak => self.inline.html.push_str("<br>\n"),
            Token::Footnote(link) => self.inline.html.push_str(&link),
            Token::Image {
                url,
                title,
                text,
                written,
            } => {
                let html = &mut self.inline.html;
                html.push_str("<img");
                push_attribute(html, "src", &url);
                push_attribute(html, "alt", &text);
                push_title(html, &title);
                html.push_str(" loading=\"lazy\">");
                self.inline.text.push_str(&self.text[written]);
            }
            Token::OpenLink { url, title } => self.open_link(&url, &title),
            Token::CloseLink => self.close("a"),
            Token::Open(name) => {
                self.inline.html.push('<');
                self.inline.html.push_str(name);
                self.inline.html.push('>');
            }
            Token::Close(name) => self.close(name),
        }
    }

    /// Adds text with links for the bare URLs in it. No URL begins directly after an escape.
    fn add_linkable(&mut self, text: &str, is_linkable: bool, is_after_literal: bool) {
        let mut position = 0;
        if is_linkable {
            // In `http\://x.y`, the escape prevents a link.
            let start_min = usize::from(is_after_literal);
            let links = bare_links::find_all(text);
            for link in links.filter(|link| link.range.start >= start_min) {
                self.add_text(&text[position..link.range.start]);
                position = link.range.end;
                self.open_link(&link.destination, "");
                self.add_text(&link.text);
                self.close("a");
            }
        }
        self.add_text(&text[position..]);
    }

    fn add_text(&mut self, text: &str) {
        push_text(&mut self.inline.html, text);
        self.inline.text.push_str(text);
    }

    fn open_link(&mut self, url: &str, title: &str) {
        let html = &mut self.inline.html;
        html.push_str("<a");
        push_attribute(html, "href", url);
        push_title(html, title);
        html.push('>');
    }

    fn close(&mut self, name: &str) {
        self.inline.html.push_str("</");
        self.inline.html.push_str(name);
        self.inline.html.push('>');
    }
}

fn push_title(html: &mut String, title: &str) {
    if !title.is_empty() {
        push_attribute(html, "title", title);
    }
}
