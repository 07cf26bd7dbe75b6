//! Inline content of elements.

use std::{borrow::Cow, collections::HashSet};

use super::{ContentModel, HtmlContent};
use crate::render::markdown::{self, dialect::Family};

impl<'s> HtmlContent<'s> {
    /// Writes the inline content of the element whose tags have the indices `index` and `end`. Returns the index of the
    /// next tag to be read and the model of the rest; `None` if the content contains paragraphs, or blocks that the
    /// dialect does not allow.
    pub(super) fn inline_content(
        &mut self,
        index: usize,
        end: usize,
    ) -> Option<(usize, ContentModel)> {
        let start = self.tags[index].range.end;
        if self.next_blocks[index + 1] < end {
            // kramdown leaves such content as HTML; Python-Markdown reads the parts between the
            // blocks (`inline content with blocks of HTML` in tests/it/render/dialects.jsonl).
            let is_divided = self.dialect.family == Family::Python;
            return is_divided.then(|| {
                let next = self.inline_part(start, index + 1, end);
                (next, ContentModel::Inline)
            });
        }
        let content = start..self.tags[end].range.start;
        let html = self.inline_html(&self.source[content.clone()])?;
        self.edit(content, html);
        Some((end, ContentModel::Raw))
    }

    /// Writes the part of inline content from the byte offset `start` to the next block, or to the tag at `end` that
    /// ends the content. `next` is the index of the first tag after `start`. Returns the index of the tag at which the
    /// part ends.
    pub(super) fn inline_part(&mut self, start: usize, next: usize, end: usize) -> usize {
        let after = self.next_blocks[next].min(end);
        let part = &self.source[start..self.tags[after].range.start];
        let text = part.trim();
        let start = start + part.len() - part.trim_start().len();
        if let Some(html) = (!text.is_empty()).then(|| self.inline_html(text)).flatten() {
            self.edit(start..start + text.len(), html);
        }
        after
    }

    /// Returns the HTML of inline content; `None` if it has several paragraphs or other blocks.
    fn inline_html(&mut self, content: &'s str) -> Option<String> {
        // Beyond the budget, the content stays HTML as written.
        self.inline_bytes_left = self.inline_bytes_left.checked_sub(content.len())?;
        let content = self.with_definitions(content.trim())?;
        let html = markdown::inline_content_to_html(&content, self.dialect);
        let html = html.trim();
        let inline = html.strip_prefix("<p>")?.strip_suffix("</p>")?;
        (!inline.contains("<p>") && !inline.contains("\n\n")).then(|| inline.to_owned())
    }

    /// Returns inline content with the definitions of the links in it; `None` if they are too long.
    fn with_definitions(&mut self, content: &'s str) -> Option<Cow<'s, str>> {
        let mut text = Cow::Borrowed(content);
        let mut added = HashSet::new();
        for part in content.split('[').skip(1) {
            let name = part.split(']').next().unwrap_or_default().to_lowercase();
            if let Some(range) = self.definitions.get(&name)
                && added.insert(range.start)
            {
                let definition = &self.source[range.clone()];
                let left = self.inline_bytes_left.checked_sub(definition.len());
                self.inline_bytes_left = left?;
                let text = text.to_mut();
                text.push_str("\n\n");
                text.push_str(definition.trim());
            }
        }
        Some(text)
    }
}
