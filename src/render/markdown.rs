//! Rendering of the Markdown in content files as HTML, in the [`Dialect`] of their generator.
//!
//! `pulldown-cmark` parses CommonMark 0.31 and its extensions. Further syntax of a dialect is recognised before parsing
//! (`overlay`), and inserted when the parser reaches its position (`DocumentBuilder`).
//!
//! Raw HTML is unchanged except for its URLs. A link whose URL runs code is replaced by its text. Headings get ids by
//! the rule of their dialect, code gets `language-…` classes, and footnotes get the HTML of Ghost's Markdown card. The
//! card itself has a different dialect (line breaks, bare links, `==mark==`): see [`card`].

mod alert_writer;
mod attribute_list;
mod bare_links;
mod block_rules;
mod blocks;
mod body_urls;
pub mod card;
mod contents;
mod dialect;
mod edit;
mod elements;
mod footnotes;
mod formulas;
mod heading_rule;
mod html_block;
mod html_content;
mod language;
mod lazy_items;
mod line_ends;
mod list_items;
mod math;
mod overlay;
mod positions;
mod rewrite;
mod spans;
mod stars;
mod survey;
mod typography;

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Parser, Tag, TagEnd, html};

use self::alert_writer::AlertWriter;
use self::attribute_list::AttributeList;
pub use self::blocks::{
    Block, BlockWithRange, blocks, blocks_with_ranges, footnote_names, to_html_with_code,
};
pub use self::body_urls::{BodyUrl, NOWHERE, UrlKind, resolve_html};
use self::body_urls::{Resolve, resolved_html};
pub use self::dialect::{
    Alerts, Attributes, BareLinks, Dialect, ExternalLinks, Family, FootnoteKinds, Strikethrough,
};
use self::elements::PendingElement;
use self::footnotes::Footnotes;
pub use self::heading_rule::HeadingRule;
use self::html_block::HtmlBlock;
use self::list_items::ListItems;
pub use self::math::{Math, MathBlocks};
use self::overlay::{Marks, Overlay};
use self::positions::Positions;
pub use self::typography::{Dashes, Quotes, Typography};
use super::active_urls::{Usage, is_active};
use super::heading_id::HeadingIds;

/// Deepest nesting of Markdown constructs. Deeper constructs are replaced by their content.
const DEPTH_MAX: usize = 100;

/// Renders `source`, a Markdown document without front matter.
///
/// `resolve` is called for each URL in Markdown and in raw HTML (`href`, `src`, `srcset`, `poster`), except for mail
/// links, in the order of the source. It returns the replacement of the URL; `None` if it is unchanged.
pub fn to_html(
    source: &str,
    dialect: Dialect,
    mut resolve: impl FnMut(BodyUrl<'_>) -> Option<String>,
) -> String {
    ParserSource::of(source, dialect).read(dialect, &mut resolve, |document| document.into_html())
}

/// Renders the inline content of an element of raw HTML. Elements in it are not searched for Markdown, so that nested
/// ones take linear time.
fn inline_content_to_html(source: &str, dialect: Dialect) -> String {
    let without_content = Dialect {
        kramdown: false,
        ..dialect
    };
    // The rest of kramdown's syntax still applies: only the search for elements is off.
    let source = ParserSource::of(source, without_content);
    source.read(dialect, &mut |_| None, |document| document.into_html())
}

/// A source in the form that is passed to the parser.
struct ParserSource<'s> {
    text: Cow<'s, str>,
    positions: Positions,
}

impl<'s> ParserSource<'s> {
    fn of(source: &'s str, dialect: Dialect) -> Self {
        match rewrite::rewritten(source, dialect) {
            Some((text, positions)) => Self {
                text: text.into(),
                positions,
            },
            None => Self {
                text: source.into(),
                positions: Positions::default(),
            },
        }
    }

    /// Parses the source, numbers the footnotes, and returns the result of `finish`.
    fn read<T>(
        &self,
        dialect: Dialect,
        resolve: &mut Resolve<'_>,
        finish: impl FnOnce(DocumentBuilder<'_>) -> T,
    ) -> T {
        let overlay = Overlay::of(&self.text, dialect);
        let mut document = DocumentBuilder::new(&overlay, &self.positions, dialect, resolve);
        let parser = Parser::new_ext(overlay.text(), dialect.options());
        for (event, range) in parser.into_offset_iter() {
            document.add(event, range);
        }
        document.fill_table_of_contents();
        document.footnotes.number(&mut document.body);
        finish(document)
    }
}

/// Collects the parser's events, changed where the output differs from plain CommonMark.
struct DocumentBuilder<'a> {
    resolve: &'a mut Resolve<'a>,
    dialect: Dialect,
    overlay: &'a Overlay<'a>,
    positions: &'a Positions,
    marks: Marks,
    /// The index of the next span to be reached.
    next_span: usize,
    body: Vec<Event<'a>>,
    /// The open footnotes from the outermost on, each with its events so far.
    open_footnotes: Vec<(CowStr<'a>, Vec<Event<'a>>)>,
    /// The depth of the inline footnote being read.
    note_depth: Option<usize>,
    /// The number of inline footnotes so far.
    notes: usize,
    footnotes: Footnotes<'a>,
    heading_ids: HeadingIds,
    heading: Option<Heading>,
    contents: contents::TableOfContents,
    html_block: HtmlBlock,
    depth: usize,
    /// The number of open images.
    images: usize,
    /// Whether each open strikethrough is ignored, since the dialect requires two tildes.
    single_tildes: Vec<bool>,
    /// Whether each open link is dropped, since its URL runs code or is dangling.
    left_out_links: Vec<bool>,
    /// Whether each open image is dropped, since its URL is dangling.
    left_out_images: Vec<bool>,
    /// The open elements that are rendered as a whole when they end, because of their attributes.
    pending: Vec<PendingElement>,
    alert_writer: AlertWriter,
    /// The depth of the open paragraph, if it consists of raw HTML only.
    raw_depth: Option<usize>,
    items: ListItems,
    /// The top-level blocks of the body.
    top_level_blocks: Vec<TopLevelBlock>,
}

/// The beginning of a top-level block.
struct TopLevelBlock {
    /// The index of its first event in the body.
    event: usize,
    /// The byte offset of its start in the source.
    position: usize,
    /// The byte offset of its end in the source.
    end: usize,
}

/// The result of resolving the destination of a link or an image.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Destination {
    /// The link or image remains, with the resolved URL.
    Resolved,
    /// The link or image is dropped, because its URL runs code.
    Active,
    /// The link or image is dropped, because its URL has no target.
    Nowhere,
}

/// The heading being read.
struct Heading {
    /// The index of its start among the events.
    start: usize,
    text: String,
    /// The range of its text in the source.
    range: Option<Range<usize>>,
}

impl<'a> DocumentBuilder<'a> {
    fn new(
        overlay: &'a Overlay<'a>,
        positions: &'a Positions,
        dialect: Dialect,
        resolve: &'a mut Resolve<'a>,
    ) -> Self {
        DocumentBuilder {
            resolve,
            dialect,
            overlay,
            positions,
            marks: overlay.marks.clone(),
            next_span: 0,
            body: Vec::new(),
            open_footnotes: Vec::new(),
            note_depth: None,
            notes: 0,
            footnotes: Footnotes::default(),
            heading_ids: HeadingIds::default(),
            heading: None,
            contents: contents::TableOfContents::default(),
            html_block: HtmlBlock::default(),
            depth: 0,
            images: 0,
            single_tildes: Vec::new(),
            left_out_links: Vec::new(),
            left_out_images: Vec::new(),
            pending: Vec::new(),
            alert_writer: AlertWriter::default(),
            raw_depth: None,
            items: ListItems::default(),
            top_level_blocks: Vec::new(),
        }
    }

    fn add(&mut self, event: Event<'a>, range: Range<usize>) {
        let position = self.positions.in_source(range.start);
        // Before anything is dropped: each top-level block needs an entry, even without events.
        if self.depth == 0 {
            let event = self.body.len();
            self.top_level_blocks.push(TopLevelBlock {
                event,
                position,
                end: self.positions.in_source(range.end),
            });
        }
        // `items` counts open elements, so it must see every event before one is consumed.
        let source = self.overlay.source(0..self.overlay.text().len());
        let is_text = self.items.leaves_out(&event, &range, source, self.dialect);
        if is_text || self.contents.is_replacing(&event) {
            return;
        }
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            // Collected until the block ends, as a tag may extend over several lines.
            Event::Html(line) => self.html_block.push(&line, position),
            Event::InlineHtml(tag) => {
                self.extend_heading(&range);
                let resolved = resolved_html(&tag, |start| position + start, self.resolve);
                let resolved = CowStr::from(resolved.into_owned());
                self.events().push(Event::InlineHtml(resolved));
            }
            Event::Text(text) => self.add_text(text, range),
            Event::SoftBreak | Event::HardBreak => self.add_break(event, range),
            _ => {
                self.add_to_heading(&event);
                self.extend_heading(&range);
                let event = self.with_attributes(event, &range);
                self.events().push(event);
            }
        }
    }

    fn into_html(self) -> String {
        let mut html = String::new();
        html::push_html(&mut html, self.body.into_iter());
        self.footnotes.push_html(&mut html);
        html
    }

    /// Returns the events of the innermost open footnote, or else of the body.
    fn events(&mut self) -> &mut Vec<Event<'a>> {
        self.open_footnotes
            .last_mut()
            .map_or(&mut self.body, |(_, events)| events)
    }

    fn start(&mut self, mut tag: Tag<'a>, range: Range<usize>) {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return;
        }
        let attributes = self.attributes_of(&tag, &range);
        match &mut tag {
            Tag::FootnoteDefinition(name) => {
                self.open_footnotes.push((name.clone(), Vec::new()));
                return;
            }
            Tag::Heading { .. } => {
                self.start_heading(&mut tag, attributes);
                return self.push_start(tag, None);
            }
            Tag::Link {
                link_type,
                dest_url,
                ..
            } => {
                self.extend_heading(&range);
                let position = self.positions.in_source(range.start);
                let is_removed = *link_type != LinkType::Email
                    && self.resolve_destination(dest_url, UrlKind::Link, position)
                        != Destination::Resolved;
                self.left_out_links.push(is_removed);
                if !is_removed {
                    let attributes = self.external_attributes(dest_url, attributes);
                    self.push_start(tag, attributes);
                }
                return;
            }
            Tag::Image { dest_url, .. } => {
                self.extend_heading(&range);
                self.images += 1;
                let position = self.positions.in_source(range.start);
                let destination = self.resolve_destination(dest_url, UrlKind::Resource, position);
                let is_removed = destination == Destination::Nowhere;
                self.left_out_images.push(is_removed);
                if !is_removed {
                    self.push_start(tag, attributes);
                }
                return;
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                *info = language::of(info).to_owned().into();
            }
            Tag::BlockQuote(_) if self.start_quote(range.start) => return,
            Tag::Paragraph if self.start_title() => return,
            Tag::Paragraph if self.is_raw_block(&range) => {
                self.raw_depth = Some(self.depth);
                return;
            }
            Tag::List(start) => {
                let is_contents = attributes.as_ref().is_some_and(|list| list.has_word("toc"))
                    && self.open_footnotes.is_empty()
                    && self.contents.replace(self.body.len(), start.is_some());
                if is_contents {
                    self.depth -= 1;
                    self.body.push(Event::Html("".into()));
                    return;
                }
            }
            Tag::Strikethrough if self.start_tildes(range.clone()) => return,
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => self.extend_heading(&range),
            _ => {}
        }
        self.push_start(tag, attributes);
    }

    fn end(&mut self, tag: TagEnd) {
        if tag == TagEnd::HtmlBlock {
            self.end_html_block();
        }
        // `start` counts the depth of dropped tags, too, so that their ends are recognised here.
        let is_removed = self.depth > DEPTH_MAX;
        // An inline footnote without its end ends with the element in which it begins.
        if self.note_depth == Some(self.depth) {
            self.end_note();
        }
        self.depth -= 1;
        if is_removed {
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
            TagEnd::Image => {
                self.images -= 1;
                if self.left_out_images.pop() == Some(true) {
                    return;
                }
            }
            TagEnd::BlockQuote(_) if self.end_quote() => return,
            TagEnd::Paragraph if self.end_title() => return,
            TagEnd::Paragraph if self.raw_depth == Some(self.depth + 1) => {
                self.raw_depth = None;
                return;
            }
            TagEnd::Strikethrough if self.end_tildes() => return,
            _ => {}
        }
        self.events().push(Event::End(tag));
        self.finish_pending();
    }

    fn add_to_heading(&mut self, event: &Event<'_>) {
        let is_alt = self.images > 0 && !self.dialect.heading_ids.counts_image_texts();
        if let Some(heading) = self.heading.as_mut().filter(|_| !is_alt) {
            match event {
                Event::Text(text) | Event::Code(text) => heading.text.push_str(text),
                Event::SoftBreak | Event::HardBreak => heading.text.push('\n'),
                _ => {}
            }
        }
    }

    /// Extends the range of the heading's text to the end of `range`.
    fn extend_heading(&mut self, range: &Range<usize>) {
        if let Some(heading) = &mut self.heading {
            let start = heading
                .range
                .as_ref()
                .map_or(range.start, |read| read.start);
            let end = heading
                .range
                .as_ref()
                .map_or(range.end, |read| read.end.max(range.end));
            heading.range = Some(start..end);
        }
    }

    fn start_heading(&mut self, tag: &mut Tag<'a>, attributes: Option<AttributeList>) {
        if let (
            Tag::Heading {
                id, classes, attrs, ..
            },
            Some(list),
        ) = (tag, attributes)
        {
            *id = list.id.map(CowStr::from);
            classes.extend(list.classes.into_iter().map(CowStr::from));
            let others = list.others.into_iter();
            attrs.extend(others.map(|(name, value)| (name.into(), Some(value.into()))));
        }
        self.heading = Some(Heading {
            start: self.events().len(),
            text: String::new(),
            range: None,
        });
    }

    fn end_heading(&mut self) {
        let Some(heading) = self.heading.take() else {
            return;
        };
        let author_id = match &self.events()[heading.start] {
            Event::Start(Tag::Heading { id: Some(id), .. }) => Some(id.clone()),
            _ => None,
        };
        if let Some(author_id) = author_id {
            self.heading_ids.reserve(&author_id);
        } else {
            let rule = self.dialect.heading_ids;
            let written = heading.range.filter(|_| rule.is_of_source());
            let text = match written {
                Some(range) => self.overlay.source(range),
                None => &heading.text,
            };
            let assigned = rule.assign(text, &mut self.heading_ids);
            if let Event::Start(Tag::Heading { id, .. }) = &mut self.events()[heading.start] {
                *id = Some(assigned.into()).filter(|id: &CowStr<'_>| !id.is_empty());
            }
        }
        if let Event::Start(Tag::Heading {
            level,
            id: Some(id),
            classes,
            ..
        }) = &self.events()[heading.start]
            && !classes.iter().any(|class| &**class == "no_toc")
        {
            let (level, id) = (*level as usize, id.to_string());
            self.contents.add(level, id, heading.text);
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

    /// Resolves the destination of a link or an image, and returns how it is rendered.
    fn resolve_destination(
        &mut self,
        destination: &mut CowStr<'a>,
        kind: UrlKind,
        position: usize,
    ) -> Destination {
        let usage = match kind {
            UrlKind::Link => Usage::Link,
            UrlKind::Resource => Usage::Image,
        };
        let is_removed = is_active(destination, usage);
        let url = BodyUrl {
            written: destination,
            kind,
            position,
            is_removed,
        };
        // Called for removed URLs, too: the caller reports them.
        let resolved = (self.resolve)(url);
        if is_removed {
            // An image stays with this empty URL, for its description; a link is removed by the
            // caller.
            *destination = CowStr::Borrowed("");
            return Destination::Active;
        }
        match resolved {
            Some(resolved) if resolved == NOWHERE => return Destination::Nowhere,
            Some(resolved) => *destination = resolved.into(),
            None => {}
        }
        Destination::Resolved
    }
}
