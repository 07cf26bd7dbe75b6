//! Insertion of the spans that the overlay contains.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};

use super::{
    DocumentBuilder, UrlKind,
    dialect::Strikethrough,
    overlay::{OverlayContent, ReplacedSpan},
    resolved_html,
};

impl<'a> DocumentBuilder<'a> {
    /// Adds a text, with the replacements in it.
    pub(super) fn add_text(&mut self, text: CowStr<'a>, range: Range<usize>) {
        self.extend_heading(&range);
        let overlay = self.overlay;
        while let Some(span) = overlay.spans().get(self.next_span)
            // Spans in content that was left out, such as that of a dropped list, are never
            // reached.
            && span.range.start < range.start
        {
            self.next_span += 1;
        }
        // An entity or a typographic character, whose positions do not match the source. It
        // contains no span.
        if overlay.text()[range.clone()] != *text {
            let text = self.typeset(text, &range);
            return self.push_text(text);
        }
        let mut start = range.start;
        while let Some(span) = overlay.spans().get(self.next_span)
            && span.range.end <= range.end
        {
            self.next_span += 1;
            self.push_text(overlay.source(start..span.range.start).into());
            self.add_span(span);
            start = span.range.end;
        }
        if start == range.start {
            self.push_text(text)
        } else {
            self.push_text(overlay.source(start..range.end).into())
        }
    }

    /// Returns whether the paragraph at `range`, which begins, consists of raw HTML only.
    pub(super) fn is_raw_block(&self, range: &Range<usize>) -> bool {
        let mut spans = self.overlay.spans()[self.next_span..].iter();
        let begins = spans.find(|span| span.range.start >= range.start);
        begins.is_some_and(|span| {
            matches!(span.content, OverlayContent::Block(_)) && span.range.start == range.start
        })
    }

    /// Adds a line break.
    pub(super) fn add_break(&mut self, event: Event<'a>, range: Range<usize>) {
        if self.break_title(range.start) {
            return;
        }
        self.add_to_heading(&event);
        let is_hard = self.dialect.line_breaks || self.take_backslash(range.start);
        let event = if is_hard { Event::HardBreak } else { event };
        self.events().push(event);
    }

    /// Removes the second of two backslashes at the end of a line, which are a hard line break in
    /// kramdown. Returns whether there were two.
    fn take_backslash(&mut self, position: usize) -> bool {
        let is_written =
            self.dialect.kramdown && self.overlay.source(0..position).ends_with("\\\\");
        match self.events().last_mut() {
            Some(Event::Text(text)) if is_written && text.ends_with('\\') => {
                *text = text[..text.len() - 1].to_owned().into();
                true
            }
            _ => false,
        }
    }

    /// Begins a strikethrough. Returns whether it has single tildes that are text in this dialect;
    /// the tilde is then written.
    pub(super) fn start_tildes(&mut self, range: Range<usize>) -> bool {
        // The parser has one option for both forms, so single tildes are undone here.
        let is_single = self.dialect.strikethrough == Strikethrough::Double
            && !self.overlay.source(range.clone()).starts_with("~~");
        self.extend_heading(&range);
        self.single_tildes.push(is_single);
        if is_single {
            self.push_text("~".into());
        }
        is_single
    }

    /// Ends a strikethrough. Returns whether it is text; the tilde is then written.
    pub(super) fn end_tildes(&mut self) -> bool {
        let is_single = self.single_tildes.pop() == Some(true);
        if is_single {
            self.push_text("~".into());
        }
        is_single
    }

    fn push_text(&mut self, text: CowStr<'a>) {
        if !text.is_empty() {
            let event = Event::Text(text);
            self.add_to_heading(&event);
            self.events().push(event);
        }
    }

    /// Returns punctuation as it is typeset in the dialect. After code or the end of an element, a
    /// single quote before a letter is an apostrophe and does not open a quotation, as in ``
    /// `make`'s ``.
    fn typeset(&mut self, text: CowStr<'a>, range: &Range<usize>) -> CowStr<'a> {
        let typography = self.dialect.typography;
        if !typography.is_parsed() {
            return text;
        }
        let after = self.overlay.source(range.end..self.overlay.text().len());
        let after = after.chars().next();
        let written = self.overlay.source(range.clone());
        // Neither Hugo 0.111 nor kramdown 2.4 opens a quotation there (`apostrophes after code and
        // marks` in tests/it/render/dialects.jsonl).
        let is_apostrophe = &*text == "‘"
            && written == "'"
            && typography.quotes.is_some()
            && after.is_some_and(char::is_alphanumeric)
            && matches!(self.events().last(), Some(Event::Code(_) | Event::End(_)));
        if is_apostrophe {
            return "’".into();
        }
        let before = self.overlay.source(0..range.start).chars().next_back();
        let converted = typography.converted((written, &text), before, after);
        if converted == *text {
            text
        } else {
            converted.into()
        }
    }

    fn add_span(&mut self, span: &'a ReplacedSpan) {
        match &span.content {
            OverlayContent::Text(text) => self.push_text(text.as_str().into()),
            OverlayContent::Html(html) => {
                if let Some(heading) = &mut self.heading
                    && html.starts_with("<abbr")
                {
                    heading
                        .text
                        .push_str(self.overlay.source(span.range.clone()));
                }
                self.events().push(Event::InlineHtml(html.as_str().into()));
            }
            OverlayContent::Block(html) => {
                let position = self.positions.in_source(span.range.start);
                let resolved = resolved_html(html, |start| position + start, self.resolve);
                let resolved = CowStr::from(resolved.into_owned());
                self.events().push(Event::Html(resolved));
            }
            OverlayContent::Link(destination) => self.add_link(destination, span.range.clone()),
            OverlayContent::NoteStart if self.note_depth.is_none() => self.start_note(),
            OverlayContent::NoteEnd if self.note_depth == Some(self.depth) => self.end_note(),
            OverlayContent::NoteStart | OverlayContent::NoteEnd => {
                self.push_text(self.overlay.source(span.range.clone()).into());
            }
        }
    }

    fn add_link(&mut self, destination: &str, range: Range<usize>) {
        let text: CowStr<'a> = self.overlay.source(range.clone()).into();
        if self.images > 0 || self.depth >= super::DEPTH_MAX {
            return self.push_text(text);
        }
        let mut dest_url = CowStr::from(destination.to_owned());
        if !destination.starts_with("mailto:") {
            let position = self.positions.in_source(range.start);
            self.resolve_destination(&mut dest_url, UrlKind::Link, position);
        }
        let attributes = self.external_attributes(&dest_url, None);
        let link = Tag::Link {
            link_type: LinkType::Autolink,
            dest_url,
            title: "".into(),
            id: "".into(),
        };
        self.push_start(link, attributes);
        self.push_text(text);
        self.events().push(Event::End(TagEnd::Link));
    }

    /// Begins an inline footnote.
    fn start_note(&mut self) {
        self.note_depth = Some(self.depth);
        self.notes += 1;
        // A name with a line feed cannot be that of another footnote.
        let name = format!("\n{}", self.notes);
        self.open_footnotes
            .push((name.into(), vec![Event::Start(Tag::Paragraph)]));
    }

    pub(super) fn end_note(&mut self) {
        self.note_depth = None;
        if let Some((name, mut events)) = self.open_footnotes.pop() {
            events.push(Event::End(TagEnd::Paragraph));
            self.footnotes.define(name.clone(), events);
            self.events().push(Event::FootnoteReference(name));
        }
    }
}
