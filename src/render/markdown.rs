//! Markdown of content files to HTML: CommonMark 0.31 with tables, strikethrough, task lists and
//! footnotes.
//!
//! Raw HTML passes through unchanged but for its addresses; quotes and dashes stay as typed. Of a link whose URL runs code
//! only the text is left.
//! Headings get ids by the rule of the rest of the site, code gets `language-…` classes, footnotes
//! the markup of Ghost's Markdown card. This is not that card, whose dialect differs (line breaks,
//! bare links, `==mark==`): see [`card`].

mod blocks;
pub mod card;
mod footnotes;

use std::borrow::Cow;

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};

pub use self::blocks::{Block, PlacedBlock, blocks, placed_blocks};
use self::footnotes::Footnotes;
use super::active_urls::{Usage, is_active};
use super::heading_id::HeadingIds;
use super::html_attributes::{self, Occurrence};
use super::srcset;

const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_HEADING_ATTRIBUTES);

/// Deepest nesting of Markdown constructs. The content of deeper ones stays, their tags are left
/// out.
const DEPTH_MAX: usize = 100;

/// An address in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address<'a> {
    /// The address, Markdown escapes and HTML entities decoded.
    pub written: &'a str,
    /// What it is for.
    pub kind: AddressKind,
    /// The byte of the source at which its link, its image or its attribute's value begins.
    pub position: usize,
    /// Whether it stands in Markdown and runs code, so that it is left out, whatever is put in its place. In raw HTML all
    /// addresses stay.
    pub is_left_out: bool,
}

/// What an address is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressKind {
    /// A reader may follow it.
    Link,
    /// A page that shows the document loads it: an image, a video, a frame.
    Resource,
}

/// Returns the HTML of `source`, a Markdown document without front matter.
///
/// `resolve` is asked for each address, in Markdown and in raw HTML (`href`, `src`, `srcset`,
/// `poster`), except that of a mail link, and returns what to put in its place; `None` keeps it.
/// The order in which it is asked is that of the source.
pub fn to_html(source: &str, resolve: impl FnMut(Address<'_>) -> Option<String>) -> String {
    let document = Document::read(source, resolve);
    let mut rendered = String::with_capacity(source.len() * 3 / 2);
    html::push_html(&mut rendered, document.body.into_iter());
    document.footnotes.push_html(&mut rendered);
    rendered
}

/// Returns `html`, a document that is HTML already, with its addresses resolved as in [`to_html`].
pub fn resolve_html(
    html: &str,
    mut resolve: impl FnMut(Address<'_>) -> Option<String>,
) -> Cow<'_, str> {
    resolved_html(html, |start| start, &mut resolve)
}

/// Collects what the parser reads, changed where the output is to differ from plain CommonMark.
struct Document<'a, Resolve> {
    resolve: Resolve,
    body: Vec<Event<'a>>,
    /// The footnotes being read, outermost first, each with what was read of it.
    open_footnotes: Vec<(CowStr<'a>, Vec<Event<'a>>)>,
    footnotes: Footnotes<'a>,
    heading_ids: HeadingIds,
    heading: Option<Heading>,
    html_block: HtmlBlock,
    depth: usize,
    /// For each open link whether it is left out, for its URL runs code.
    left_out_links: Vec<bool>,
    /// The blocks of the body, without those that they are nested in.
    outermost: Vec<Outermost>,
}

/// Where a block that is nested in none begins.
struct Outermost {
    /// Where its first event stands among those of the body.
    event: usize,
    /// Where it begins in the source.
    position: usize,
}

/// The heading being read.
struct Heading {
    /// Where its start stands among the events.
    start: usize,
    text: String,
}

/// The raw HTML block being read, which comes in lines.
#[derive(Default)]
struct HtmlBlock {
    html: String,
    lines: Vec<Line>,
}

/// A line of an HTML block; in a quote or a list it lacks the marks in front of it.
struct Line {
    start: usize,
    position: usize,
}

impl<'a, Resolve: FnMut(Address<'_>) -> Option<String>> Document<'a, Resolve> {
    /// Reads all of `source`, and numbers the footnotes.
    fn read(source: &'a str, resolve: Resolve) -> Self {
        let mut document = Document {
            resolve,
            body: Vec::new(),
            open_footnotes: Vec::new(),
            footnotes: Footnotes::default(),
            heading_ids: HeadingIds::default(),
            heading: None,
            html_block: HtmlBlock::default(),
            depth: 0,
            left_out_links: Vec::new(),
            outermost: Vec::new(),
        };
        for (event, range) in Parser::new_ext(source, OPTIONS).into_offset_iter() {
            document.add(event, range.start);
        }
        document.footnotes.number(&mut document.body);
        document
    }

    fn add(&mut self, event: Event<'a>, position: usize) {
        if self.depth == 0 {
            let event = self.body.len();
            self.outermost.push(Outermost { event, position });
        }
        match event {
            Event::Start(tag) => self.start(tag, position),
            Event::End(tag) => self.end(tag),
            Event::Html(line) => self.html_block.push(&line, position),
            Event::InlineHtml(tag) => {
                let resolved = resolved_html(&tag, |start| position + start, &mut self.resolve);
                let resolved = CowStr::from(resolved.into_owned());
                self.events().push(Event::InlineHtml(resolved));
            }
            _ => {
                self.add_to_heading(&event);
                self.events().push(event);
            }
        }
    }

    /// What is being read: the innermost footnote or the body.
    fn events(&mut self) -> &mut Vec<Event<'a>> {
        self.open_footnotes
            .last_mut()
            .map_or(&mut self.body, |(_, events)| events)
    }

    fn start(&mut self, mut tag: Tag<'a>, position: usize) {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return;
        }
        match &mut tag {
            Tag::FootnoteDefinition(name) => {
                self.open_footnotes.push((name.clone(), Vec::new()));
                return;
            }
            Tag::Heading { .. } => {
                self.heading = Some(Heading {
                    start: self.events().len(),
                    text: String::new(),
                });
            }
            Tag::Link {
                link_type,
                dest_url,
                ..
            } => {
                let is_left_out = *link_type != LinkType::Email
                    && self.resolve_destination(dest_url, AddressKind::Link, position);
                self.left_out_links.push(is_left_out);
                if is_left_out {
                    return;
                }
            }
            Tag::Image { dest_url, .. } => {
                self.resolve_destination(dest_url, AddressKind::Resource, position);
            }
            _ => {}
        }
        self.events().push(Event::Start(tag));
    }

    fn end(&mut self, tag: TagEnd) {
        if tag == TagEnd::HtmlBlock {
            self.end_html_block();
        }
        let is_left_out = self.depth > DEPTH_MAX;
        self.depth -= 1;
        if is_left_out {
            return;
        }
        match tag {
            TagEnd::FootnoteDefinition => {
                if let Some((name, events)) = self.open_footnotes.pop() {
                    self.footnotes.define(name, events);
                }
                return;
            }
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::Link if self.left_out_links.pop() == Some(true) => return,
            _ => {}
        }
        self.events().push(Event::End(tag));
    }

    fn add_to_heading(&mut self, event: &Event<'_>) {
        if let Some(heading) = &mut self.heading {
            match event {
                Event::Text(text) | Event::Code(text) => heading.text.push_str(text),
                Event::SoftBreak | Event::HardBreak => heading.text.push('\n'),
                _ => {}
            }
        }
    }

    fn end_heading(&mut self) {
        let Some(heading) = self.heading.take() else {
            return;
        };
        let chosen = match &self.events()[heading.start] {
            Event::Start(Tag::Heading { id: Some(id), .. }) => Some(id.clone()),
            _ => None,
        };
        if let Some(chosen) = chosen {
            self.heading_ids.reserve(&chosen);
            return;
        }
        let assigned = self.heading_ids.assign(&heading.text);
        if let Event::Start(Tag::Heading { id, .. }) = &mut self.events()[heading.start] {
            *id = Some(assigned.into()).filter(|id: &CowStr<'_>| !id.is_empty());
        }
    }

    fn end_html_block(&mut self) {
        let block = std::mem::take(&mut self.html_block);
        let resolved = resolved_html(
            &block.html,
            |start| block.position(start),
            &mut self.resolve,
        );
        let resolved = CowStr::from(resolved.into_owned());
        self.events().push(Event::Html(resolved));
    }

    /// Returns whether the destination was left out, because its URL runs code.
    fn resolve_destination(
        &mut self,
        destination: &mut CowStr<'a>,
        kind: AddressKind,
        position: usize,
    ) -> bool {
        let usage = match kind {
            AddressKind::Link => Usage::Link,
            AddressKind::Resource => Usage::Image,
        };
        let is_left_out = is_active(destination, usage);
        let address = Address {
            written: destination,
            kind,
            position,
            is_left_out,
        };
        let resolved = (self.resolve)(address);
        if is_left_out {
            *destination = CowStr::Borrowed("");
        } else if let Some(resolved) = resolved {
            *destination = resolved.into();
        }
        is_left_out
    }
}

impl HtmlBlock {
    fn push(&mut self, line: &str, position: usize) {
        self.lines.push(Line {
            start: self.html.len(),
            position,
        });
        self.html.push_str(line);
    }

    /// Where in the source the byte at `start` stands.
    fn position(&self, start: usize) -> usize {
        let lines_begun = self.lines.partition_point(|line| line.start <= start);
        lines_begun.checked_sub(1).map_or(0, |line| {
            self.lines[line].position + start - self.lines[line].start
        })
    }
}

/// Returns raw HTML with its addresses resolved. `position` says where in the source a byte of it
/// stands.
fn resolved_html<'h>(
    html: &'h str,
    position: impl Fn(usize) -> usize,
    resolve: &mut impl FnMut(Address<'_>) -> Option<String>,
) -> Cow<'h, str> {
    html_attributes::rewrite(html, |found| {
        let attribute = found.attribute;
        let mut resolved = |written: &str, kind: AddressKind| {
            let address = Address {
                written: &htmlize::unescape_attribute(written),
                kind,
                position: position(attribute.value_start),
                is_left_out: false,
            };
            resolve(address).map(|address| address.replace('&', "&amp;"))
        };
        match attribute.name.to_ascii_lowercase().as_str() {
            "href" => resolved(attribute.value, href_kind(found)),
            "src" | "poster" => resolved(attribute.value, AddressKind::Resource),
            "srcset" => srcset::rewrite(attribute.value, |written| {
                resolved(written, AddressKind::Resource)
            }),
            _ => None,
        }
    })
}

fn href_kind(found: &Occurrence<'_>) -> AddressKind {
    if found.element.eq_ignore_ascii_case("link") {
        AddressKind::Resource
    } else {
        AddressKind::Link
    }
}
