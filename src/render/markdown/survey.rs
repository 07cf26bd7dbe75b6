//! A first pass over a source, which locates its text, headings, quotes and code. The additional
//! syntax of a dialect is only searched for in text.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The layout of a source. Each list is in the order of the source.
#[derive(Default)]
pub(super) struct Survey {
    /// Text, except for code, HTML and alternative texts of images.
    pub(super) pieces: Vec<TextPart>,
    /// Inline code, links, images and raw HTML.
    pub(super) holes: Vec<Range<usize>>,
    /// Code blocks and HTML blocks.
    pub(super) verbatim: Vec<Range<usize>>,
    /// HTML blocks.
    pub(super) html: Vec<Range<usize>>,
    /// Headings.
    pub(super) headings: Vec<Range<usize>>,
    /// Quotes.
    pub(super) quotes: Vec<Range<usize>>,
    /// Emphasis and strong emphasis.
    pub(super) emphases: Vec<Range<usize>>,
}

/// A contiguous text that is identical in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextPart {
    pub(super) range: Range<usize>,
    /// The number of its inline context, such as a paragraph.
    pub(super) block: usize,
    /// The range of the innermost enclosing block.
    pub(super) bounds: Range<usize>,
    /// The number of the innermost enclosing emphasis or link.
    pub(super) parent: usize,
    /// True if it is in a link.
    pub(super) in_link: bool,
}

#[derive(Default)]
struct Surveyor {
    survey: Survey,
    blocks: Vec<Range<usize>>,
    block: usize,
    /// The numbers of the open inline elements, from the outermost on.
    parents: Vec<usize>,
    parent_count: usize,
    links: usize,
    images: usize,
    verbatim: usize,
    /// True if a raw `<a>` is open.
    in_anchor: bool,
}

impl Survey {
    pub(super) fn of(source: &str, options: Options) -> Self {
        let mut surveyor = Surveyor::default();
        // Texts with quotes and dashes must be identical in the source.
        let options = options.difference(Options::ENABLE_SMART_PUNCTUATION);
        for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
            surveyor.add(source, &event, range);
        }
        surveyor.survey
    }

    /// Returns whether the byte offset `position` is in a code block or an HTML block.
    pub(super) fn is_verbatim(&self, position: usize) -> bool {
        is_within(&self.verbatim, position)
    }

    /// Returns whether the byte offset `position` is in an HTML block.
    pub(super) fn is_html(&self, position: usize) -> bool {
        is_within(&self.html, position)
    }

    /// Returns the first inline code, link, image or raw HTML that ends after `position`.
    pub(super) fn next_hole(&self, position: usize) -> Option<&Range<usize>> {
        let index = self.holes.partition_point(|hole| hole.end <= position);
        self.holes.get(index)
    }
}

/// Returns whether one of the sorted ranges contains `position`.
fn is_within(ranges: &[Range<usize>], position: usize) -> bool {
    let index = ranges.partition_point(|range| range.end <= position);
    ranges
        .get(index)
        .is_some_and(|range| range.start <= position)
}

impl Surveyor {
    fn add(&mut self, source: &str, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(*tag),
            Event::Text(text)
                if self.verbatim == 0 && self.images == 0 && source[range.clone()] == **text =>
            {
                self.add_text(source, range);
            }
            Event::Code(_) => self.add_hole(range),
            Event::InlineHtml(tag) => {
                self.in_anchor = if self.in_anchor {
                    !tag.starts_with("</a") && !tag.starts_with("</A")
                } else {
                    tag.starts_with("<a ") || tag.starts_with("<A ")
                };
                self.add_hole(range);
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Link { .. } | Tag::Image { .. } => {
                self.add_hole(range);
                match tag {
                    Tag::Link { .. } => self.links += 1,
                    _ => self.images += 1,
                }
                self.open();
            }
            Tag::Emphasis | Tag::Strong => {
                self.survey.emphases.push(range);
                self.open();
            }
            Tag::Strikethrough => self.open(),
            _ => {
                match tag {
                    Tag::CodeBlock(_) | Tag::HtmlBlock => {
                        self.verbatim += 1;
                        self.survey.verbatim.push(range.clone());
                        if matches!(tag, Tag::HtmlBlock) {
                            self.survey.html.push(range.clone());
                        }
                    }
                    Tag::Heading { .. } => self.survey.headings.push(range.clone()),
                    Tag::BlockQuote(_) => self.survey.quotes.push(range.clone()),
                    _ => {}
                }
                self.block += 1;
                self.blocks.push(range);
                // An unclosed `<a>` must not turn off bare links in the rest of the document.
                self.in_anchor = false;
            }
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link => self.links -= 1,
            TagEnd::Image => self.images -= 1,
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {}
            _ => {
                if matches!(tag, TagEnd::CodeBlock | TagEnd::HtmlBlock) {
                    self.verbatim -= 1;
                }
                // Counted at the end, too: text after a nested block is in another inline context
                // than text before it.
                self.block += 1;
                self.blocks.pop();
                return;
            }
        }
        self.parents.pop();
    }

    fn open(&mut self) {
        self.parent_count += 1;
        self.parents.push(self.parent_count);
    }

    /// Adds a hole, unless it is nested in another one.
    fn add_hole(&mut self, range: Range<usize>) {
        let last_end = self.survey.holes.last().map_or(0, |hole| hole.end);
        if range.start >= last_end {
            self.survey.holes.push(range);
        }
    }

    fn add_text(&mut self, source: &str, mut range: Range<usize>) {
        // The character after a backslash has no special meaning.
        if source[..range.start].ends_with('\\') {
            let escaped = source[range.clone()].chars().next();
            range.start += escaped.map_or(0, char::len_utf8);
        }
        let piece = TextPart {
            block: self.block,
            bounds: self.blocks.last().cloned().unwrap_or_else(|| range.clone()),
            parent: self.parents.last().copied().unwrap_or_default(),
            in_link: self.links > 0 || self.in_anchor,
            range,
        };
        match self.survey.pieces.last_mut() {
            Some(last)
                if last.range.end == piece.range.start
                    && (last.block, last.parent, last.in_link)
                        == (piece.block, piece.parent, piece.in_link) =>
            {
                last.range.end = piece.range.end;
            }
            _ => self.survey.pieces.push(piece),
        }
    }
}
