//! Rendering of the inline content of one block.

use super::bare_links::{self, BareLink};
use super::footnotes::Footnotes;
use super::tokens::{self, Element, Inline, Token, TokenKind};
use super::{pairs, spans};
use crate::render::html_escape::{push_attribute, push_text};

/// Renders `tokens` of `source`, nested in `depth` footnotes.
pub(super) fn render<'a>(
    source: &'a str,
    tokens: Vec<Token<'a>>,
    footnotes: &mut Footnotes<'a>,
    depth: usize,
) -> Inline {
    let tokens = spans::found(source, tokens, footnotes, depth, render);
    let tokens = pairs::matched(source, tokens::joined(tokens));
    let tokens = with_bare_links(source, tokens::joined(tokens));
    let mut writer = InlineWriter {
        source,
        inline: Inline::default(),
        open: Vec::new(),
        images: Vec::new(),
    };
    for token in tokens {
        writer.add(token);
    }
    writer.inline
}

/// Turns bare URLs outside of links into links.
fn with_bare_links<'a>(source: &'a str, tokens: Vec<Token<'a>>) -> Vec<Token<'a>> {
    let is_linkable = linkable(&tokens);
    let mut linked = Vec::with_capacity(tokens.len());
    for (token, is_linkable) in tokens.into_iter().zip(is_linkable) {
        let text = match &token.kind {
            TokenKind::Source if is_linkable => &source[token.range.clone()],
            TokenKind::Text(text) if is_linkable => text,
            _ => {
                linked.push(token);
                continue;
            }
        };
        // No URL begins directly after an escape.
        let last: Option<&Token<'_>> = linked.last();
        let start_min =
            usize::from(last.is_some_and(|last| matches!(last.kind, TokenKind::Literal(_))));
        let links: Vec<_> = bare_links::find_all(text)
            .filter(|link| link.range.start >= start_min)
            .collect();
        if links.is_empty() {
            linked.push(token);
            continue;
        }
        let text_token = |text: &str| Token {
            kind: TokenKind::Text(text.to_owned()),
            range: token.range.clone(),
        };
        let mut position = 0;
        for link in links {
            linked.push(text_token(&text[position..link.range.start]));
            position = link.range.end;
            linked.extend(link.into_tokens());
        }
        linked.push(text_token(&text[position..]));
    }
    linked
}

/// Returns for each token whether it is outside of all links, including raw HTML ones.
fn linkable(tokens: &[Token<'_>]) -> Vec<bool> {
    // Backwards, so that an unclosed raw HTML tag does not count as a link.
    let mut html_links = 0;
    let mut linkable: Vec<bool> = Vec::with_capacity(tokens.len());
    for token in tokens.iter().rev() {
        if let TokenKind::Html(tag) = &token.kind {
            html_links = (html_links - tokens::link_step(tag)).max(0);
        }
        linkable.push(html_links == 0);
    }
    linkable.reverse();
    // For each open element, whether it is a link.
    let mut open = Vec::new();
    let mut links = 0;
    for (token, linkable) in tokens.iter().zip(&mut linkable) {
        match &token.kind {
            TokenKind::Open(element) => {
                let is_link = matches!(element, Element::Link { .. });
                open.push(is_link);
                links += usize::from(is_link);
            }
            TokenKind::Close => links -= usize::from(open.pop().unwrap_or(false)),
            _ => {}
        }
        *linkable &= links == 0;
    }
    linkable
}

impl BareLink {
    /// Returns the link as tokens.
    pub(super) fn into_tokens<'a>(self) -> [Token<'a>; 3] {
        let link = Element::Link {
            address: self.destination,
            title: "".into(),
        };
        let kinds = [
            TokenKind::Open(link),
            TokenKind::Text(self.text),
            TokenKind::Close,
        ];
        kinds.map(|kind| Token {
            kind,
            range: self.range.clone(),
        })
    }
}

struct InlineWriter<'a> {
    source: &'a str,
    inline: Inline,
    /// The open elements.
    open: Vec<Element<'a>>,
    /// The alternative texts of the open images.
    images: Vec<String>,
}

impl<'a> InlineWriter<'a> {
    fn add(&mut self, token: Token<'a>) {
        match token.kind {
            TokenKind::Source => self.add_text(&self.source[token.range]),
            TokenKind::Text(text) => self.add_text(&text),
            TokenKind::Literal(text) if self.images.is_empty() => self.add_text(&text),
            TokenKind::Code(code) if self.images.is_empty() => {
                self.inline.html.push_str("<code>");
                self.add_text(&code);
                self.inline.html.push_str("</code>");
            }
            TokenKind::Html(html) => match self.images.last_mut() {
                Some(alternative) => alternative.push_str(&html),
                None => {
                    self.inline.html.push_str(&html);
                    self.inline.text.push_str(&html);
                }
            },
            TokenKind::LineBreak => match self.images.last_mut() {
                Some(alternative) => alternative.push('\n'),
                None => self.inline.html.push_str("<br>\n"),
            },
            TokenKind::Footnote(link) if self.images.is_empty() => self.inline.html.push_str(&link),
            TokenKind::Open(element) => self.open(element),
            TokenKind::Close => self.close(),
            // Escapes, code and footnotes are not part of alternative texts (recorded).
            TokenKind::Literal(_)
            | TokenKind::Code(_)
            | TokenKind::Footnote(_)
            | TokenKind::Reference(_) => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        match self.images.last_mut() {
            Some(alternative) => alternative.push_str(text),
            None => {
                push_text(&mut self.inline.html, text);
                self.inline.text.push_str(text);
            }
        }
    }

    fn open(&mut self, element: Element<'a>) {
        if let Element::Image { .. } = element {
            self.images.push(String::new());
        } else if self.images.is_empty() {
            let html = &mut self.inline.html;
            html.push('<');
            html.push_str(element.name());
            if let Element::Link { address, title } = &element {
                push_attribute(html, "href", address);
                push_title(html, title);
            }
            html.push('>');
        }
        self.open.push(element);
    }

    fn close(&mut self) {
        let Some(element) = self.open.pop() else {
            return;
        };
        if let Element::Image {
            address,
            title,
            content,
        } = element
        {
            let alternative = self.images.pop().unwrap_or_default();
            if let Some(outer) = self.images.last_mut() {
                return outer.push_str(&alternative);
            }
            let Inline { html, text } = &mut self.inline;
            html.push_str("<img");
            push_attribute(html, "src", &address);
            push_attribute(html, "alt", &alternative);
            push_title(html, &title);
            html.push_str(" loading=\"lazy\">");
            text.push_str(&self.source[content]);
        } else if self.images.is_empty() {
            let html = &mut self.inline.html;
            html.push_str("</");
            html.push_str(element.name());
            html.push('>');
        }
    }
}

impl Element<'_> {
    fn name(&self) -> &'static str {
        match self {
            Self::Plain(name) => name,
            Self::Link { .. } => "a",
            Self::Image { .. } => "img",
        }
    }
}

fn push_title(html: &mut String, title: &str) {
    if !title.is_empty() {
        push_attribute(html, "title", title);
    }
}
