//! Expands Pelican's links to files of the site: `{filename}page.md`, `{static}/images/a.png`, `{attach}a.pdf`.

use crate::generators::syntax::{ExpandedText, code::Code, writer::ExpansionWriter};

/// The marks of links to files, in both forms.
const MARKS: [&str; 8] = [
    "{filename}",
    "{static}",
    "{attach}",
    "{photo}",
    "|filename|",
    "|static|",
    "|attach|",
    "%7Bstatic%7D",
];

/// Removes the marks. An absolute path that remains is relative to the folder of documents, and other paths are relative to
/// the file.
pub(super) fn pass(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    let code = Code::of(text);
    let mut offset = 0;
    while let Some(found) = text[offset..].find(['{', '|', '%']) {
        let start = offset + found;
        let rest = &text[start..];
        offset = start + 1;
        if let Some(code) = code.at(start) {
            offset = code.end;
        } else if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            writer.copy_to(start);
            offset = start + mark.len();
            writer.skip_to(offset);
        }
    }
    writer.finish()
}
