//! Replaces tags with their renderings.

use std::ops::Range;

use crate::generators::syntax::{catalogue::TagRendering, writer::ExpansionWriter};

/// The action when a tag is closed.
enum ClosingAction {
    /// Write this text.
    Text(String),
    /// Write this HTML, which ends a block.
    Block(String),
    /// Convert the output since the opening tag to code.
    Code { language: String, start: usize },
}

/// The open tags, by the indexes of their closing tags.
#[derive(Default)]
pub struct OpenTags {
    actions: Vec<(usize, ClosingAction)>,
    /// Number of open tags whose content becomes code.
    code_count: usize,
}

/// The position of a tag with a known rendering.
pub struct TagPosition {
    /// The range of the opening tag.
    pub tag: Range<usize>,
    /// The index and range of the closing tag, if there is one.
    pub closing: Option<(usize, Range<usize>)>,
}

impl OpenTags {
    /// Returns whether the current output becomes code.
    pub fn is_code(&self) -> bool {
        self.code_count > 0
    }

    /// Writes the rendering of a tag. The text before the tag must have been written.
    pub fn render(
        &mut self,
        writer: &mut ExpansionWriter<'_>,
        rendering: TagRendering,
        position: TagPosition,
    ) {
        let TagPosition { tag, closing } = position;
        let all = closing.as_ref().map_or(tag.end, |(_, closing)| closing.end);
        let number = closing.map(|(number, _)| number);
        match rendering {
            TagRendering::Text(text) => {
                writer.skip_to(all);
                writer.put(&text);
            }
            TagRendering::Block(html) => {
                writer.skip_to(all);
                writer.put_block(&html);
            }
            TagRendering::Nothing => writer.skip_to(all),
            // `close` skips the closing tag.
            TagRendering::Content => writer.skip_to(tag.end),
            TagRendering::Around(open, close) => {
                writer.skip_to(tag.end);
                writer.put(&open);
                self.actions
                    .extend(number.map(|number| (number, ClosingAction::Text(close))));
            }
            TagRendering::BlockAround(open, close) => {
                writer.skip_to(tag.end);
                writer.open_block(&open);
                match number {
                    Some(number) => self.actions.push((number, ClosingAction::Block(close))),
                    None => writer.close_block(&close),
                }
            }
            TagRendering::Code(language) => {
                writer.skip_to(tag.end);
                let start = tag.start;
                // The content is held back until its end, because the fence
                // must be longer than any in it.
                if number.is_some() {
                    writer.hold();
                }
                let close = |number| (number, ClosingAction::Code { language, start });
                self.code_count += usize::from(number.is_some());
                self.actions.extend(number.map(close));
            }
        }
    }

    /// Writes the end of the tag whose closing tag has the index `number` and ends at the byte `end`.
    pub fn close(&mut self, writer: &mut ExpansionWriter<'_>, number: usize, end: usize) {
        writer.skip_to(end);
        if let Some((_, action)) = self.actions.pop_if(|(closing, _)| *closing == number) {
            self.perform(writer, action);
        }
    }

    /// Writes the ends of tags whose closing tags, before the index `number`, were dropped.
    pub fn close_before(&mut self, writer: &mut ExpansionWriter<'_>, number: usize) {
        while let Some((_, action)) = self.actions.pop_if(|(closing, _)| *closing < number) {
            self.perform(writer, action);
        }
    }

    fn perform(&mut self, writer: &mut ExpansionWriter<'_>, action: ClosingAction) {
        match action {
            ClosingAction::Text(text) => writer.put(&text),
            ClosingAction::Block(html) => writer.close_block(&html),
            ClosingAction::Code { language, start } => {
                self.code_count -= 1;
                let code = writer.take_held();
                writer.put_fence(start, &language, &code);
            }
        }
    }
}
