//! Removes comments that mark the end of a summary, such as `<!-- more -->`.

use crate::generators::syntax::{ExpandedText, code::Code, writer::ExpansionWriter};

/// The text of these comments.
const WORDS: [&str; 4] = ["more", "excerpt", "truncate", "summary"];

/// Removes the comments outside of code.
pub fn pass(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    if !text.contains("<!--") {
        return writer.finish();
    }
    let code = Code::of(text);
    let mut offset = 0;
    while let Some(found) = text[offset..].find("<!--") {
        let start = offset + found;
        offset = start + 4;
        // The marks are short. A longer window would scan the rest of the text for each comment.
        let window = &text[offset..text.floor_char_boundary(offset + 40)];
        let Some(end) = window.find("-->") else {
            continue;
        };
        if WORDS.contains(&window[..end].trim()) && code.at(start).is_none() {
            offset += end + 3;
            writer.copy_to(start);
            writer.skip_to(offset);
        }
    }
    writer.finish()
}
