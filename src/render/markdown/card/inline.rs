//! The inline content of one block as HTML.

use super::bare_links::{self, BareLink};
use super::footnotes::Footnotes;
use super::tokens::{self, Element, Kind, Token};
use super::{pairs, spans};
use crate::render::html_escape::{push_attribute, push_text};

/// Inline content that was rendered.
#[derive(Default)]
pub(super) struct Inline {
    pub(super) html: String,
    /// What the id of a heading is made of: all text, raw HTML and the descriptions of images as
    /// they were written, without line breaks.
    pub(super) text: String,
}

/// Renders `tokens` of `source`, which stand inside of as many footnotes as `depth` says.
pub(super) fn render<'a>(
    source: &'a str,
    tokens: Vec<Token<'a>>,
    footnotes: &mut Footnotes<'a>,
    depth: usize,
) -> Inline {
    let tokens = spans::found(source, tokens, footnotes, depth);
    let tokens = pairs::matched(source, tokens::joined(tokens));
    let tokens = with_bare_links(source, tokens::joined(tokens));
    let mut writer = Writer {
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

/// How many more links are open behind this tag of raw HTML.
pub(super) fn link_step(tag: &str) -> isize {
    let is_link = |name: &str| {
        let behind = name.strip_prefix(['a', 'A']);
        behind.is_some_and(|behind| behind.starts_with([' ', '\t', '\n', '>']))
    };
    if tag.strip_prefix("</").is_some_and(is_link) {
        -1
    } else {
        isize::from(tag.strip_prefix('<').is_some_and(is_link))
    }
}

/// Makes links of addresses in text outside of links.
fn with_bare_links<'a>(source: &'a str, tokens: Vec<Token<'a>>) -> Vec<Token<'a>> {
    let is_linkable = linkable(&tokens);
    let mut linked = Vec::with_capacity(tokens.len());
    for (token, is_linkable) in tokens.into_iter().zip(is_linkable) {
        let text = match &token.kind {
            Kind::Source if is_linkable => &source[token.range.clone()],
            Kind::Text(text) if is_linkable => text,
            _ => {
                linked.push(token);
                continue;
            }
        };
        // Right behind an escape no address begins.
        let last: Option<&Token<'_>> = linked.last();
        let start_min = usize::from(last.is_some_and(|last| matches!(last.kind, Kind::Literal(_))));
        let links: Vec<_> = bare_links::find_all(text)
            .filter(|link| link.range.start >= start_min)
            .collect();
        if links.is_empty() {
            linked.push(token);
            continue;
        }
        let piece = |text: &str| Token {
            kind: Kind::Text(text.to_owned()),
            range: token.range.clone(),
        };
        let mut position = 0;
        for link in links {
            linked.push(piece(&text[position..link.range.start]));
            position = link.range.end;
            linked.extend(link.into_tokens());
        }
        linked.push(piece(&text[position..]));
    }
    linked
}

/// Of each token whether it stands outside of all links, those of raw HTML included.
fn linkable(tokens: &[Token<'_>]) -> Vec<bool> {
    // From the end to the start, so that a tag of raw HTML that is never closed is no link.
    let mut html_links = 0;
    let mut linkable: Vec<bool> = Vec::with_capacity(tokens.len());
    for token in tokens.iter().rev() {
        if let Kind::Html(tag) = &token.kind {
            html_links = (html_links - link_step(tag)).max(0);
        }
        linkable.push(html_links == 0);
    }
    linkable.reverse();
    // Of each open element, whether it is a link.
    let mut open = Vec::new();
    let mut links = 0;
    for (token, linkable) in tokens.iter().zip(&mut linkable) {
        match &token.kind {
            Kind::Open(element) => {
                let is_link = matches!(element, Element::Link { .. });
                open.push(is_link);
                links += usize::from(is_link);
            }
            Kind::Close => links -= usize::from(open.pop().unwrap_or(false)),
            _ => {}
        }
        *linkable &= links == 0;
    }
    linkable
}

impl BareLink {
    /// The link in the form of tokens.
    pub(super) fn into_tokens<'a>(self) -> [Token<'a>; 3] {
        let link = Element::Link {
            address: self.destination,
            title: "".into(),
        };
        let kinds = [Kind::Open(link), Kind::Text(self.text), Kind::Close];
        kinds.map(|kind| Token {
            kind,
            range: self.range.clone(),
        })
    }
}

struct Writer<'a> {
    source: &'a str,
    inline: Inline,
    /// The elements that are open.
    open: Vec<Element<'a>>,
    /// What stands in place of the images that are open.
    images: Vec<String>,
}

impl<'a> Writer<'a> {
    fn add(&mut self, token: Token<'a>) {
        match token.kind {
            Kind::Source => self.add_text(&self.source[token.range]),
            Kind::Text(text) => self.add_text(&text),
            Kind::Literal(text) if self.images.is_empty() => self.add_text(&text),
            Kind::Code(code) if self.images.is_empty() => {
                self.inline.html.push_str("<code>");
                self.add_text(&code);
                self.inline.html.push_str("</code>");
            }
            Kind::Html(html) => match self.images.last_mut() {
                Some(alternative) => alternative.push_str(&html),
                None => {
                    self.inline.html.push_str(&html);
                    self.inline.text.push_str(&html);
                }
            },
            Kind::LineBreak => match self.images.last_mut() {
                Some(alternative) => alternative.push('\n'),
                None => self.inline.html.push_str("<br>\n"),
            },
            Kind::Footnote(link) if self.images.is_empty() => self.inline.html.push_str(&link),
            Kind::Open(element) => self.open(element),
            Kind::Close => self.close(),
            // In place of an image nothing stands for escapes, code and footnotes (recorded).
            Kind::Literal(_) | Kind::Code(_) | Kind::Footnote(_) | Kind::Reference(_) => {}
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
