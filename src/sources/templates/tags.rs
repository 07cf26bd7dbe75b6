//! Puts what becomes of tags in their place.

use std::ops::Range;

use super::{catalogue::Rendering, writer::Writer};

/// What is to be done when a tag is closed.
enum Close {
    /// These words are written.
    Words(String),
    /// This HTML ends a block.
    Block(String),
    /// What was written since becomes code.
    Code { language: String, start: usize },
}

/// Tags that are open, by the numbers of those that close them.
#[derive(Default)]
pub struct Open {
    closes: Vec<(usize, Close)>,
    /// How many of them become code.
    code_count: usize,
}

/// A tag whose rendering is known.
pub struct Place {
    /// Where it stands.
    pub tag: Range<usize>,
    /// The number of the tag that closes it, and where that stands.
    pub closing: Option<(usize, Range<usize>)>,
}

impl Open {
    /// Whether what is written becomes code.
    pub fn is_code(&self) -> bool {
        self.code_count > 0
    }

    /// Writes what becomes of a tag, before which everything has been written.
    pub fn render(&mut self, writer: &mut Writer<'_>, rendering: Rendering, place: Place) {
        let Place { tag, closing } = place;
        let all = closing.as_ref().map_or(tag.end, |(_, closing)| closing.end);
        let number = closing.map(|(number, _)| number);
        match rendering {
            Rendering::Text(text) => {
                writer.skip_to(all);
                writer.put(&text);
            }
            Rendering::Block(html) => {
                writer.skip_to(all);
                writer.put_block(&html);
            }
            Rendering::Nothing => writer.skip_to(all),
            Rendering::Content => writer.skip_to(tag.end),
            Rendering::Around(open, close) => {
                writer.skip_to(tag.end);
                writer.put(&open);
                self.closes
                    .extend(number.map(|number| (number, Close::Words(close))));
            }
            Rendering::BlockAround(open, close) => {
                writer.skip_to(tag.end);
                writer.open_block(&open);
                match number {
                    Some(number) => self.closes.push((number, Close::Block(close))),
                    None => writer.close_block(&close),
                }
            }
            Rendering::Code(language) => {
                writer.skip_to(tag.end);
                let start = tag.start;
                if number.is_some() {
                    writer.hold();
                }
                let close = |number| (number, Close::Code { language, start });
                self.code_count += usize::from(number.is_some());
                self.closes.extend(number.map(close));
            }
        }
    }

    /// Writes what ends with the closing tag of this number, which ends at the byte `end`.
    pub fn close(&mut self, writer: &mut Writer<'_>, number: usize, end: usize) {
        writer.skip_to(end);
        if let Some((_, close)) = self.closes.pop_if(|(closing, _)| *closing == number) {
            self.put_close(writer, close);
        }
    }

    /// Writes what ends with tags before that of this number, which were left out.
    pub fn close_before(&mut self, writer: &mut Writer<'_>, number: usize) {
        while let Some((_, close)) = self.closes.pop_if(|(closing, _)| *closing < number) {
            self.put_close(writer, close);
        }
    }

    fn put_close(&mut self, writer: &mut Writer<'_>, close: Close) {
        match close {
            Close::Words(words) => writer.put(&words),
            Close::Block(html) => writer.close_block(&html),
            Close::Code { language, start } => {
                self.code_count -= 1;
                let code = writer.take_held();
                writer.put_fence(start, &language, &code);
            }
        }
    }
}
