//! Converts lists of Python-Markdown to CommonMark. In Python-Markdown, a list continues until text or code at its level
//! ends it, whatever the markers of its items; it begins with the number 1; and code in an item is indented by eight spaces.

use crate::generators::syntax::{
    ExpandedText,
    code::{TextPart, TextParts, is_item},
    python_blocks::{indentation_of, is_rule},
    python_markdown::INDENTATION,
    writer::ExpansionWriter,
};

/// Maximum depth of lists whose items are converted. Deeper lists are unchanged.
const DEPTH_MAX: usize = 20;

/// Maximum number of spaces after a list marker. More spaces are the indentation of code.
const SPACES_MAX: usize = 4;

/// The list markers that begin another list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKinds {
    /// None: all items belong to the open list.
    Mixed,
    /// Numbers after bullets and bullets after numbers, if a blank line precedes them. This is the extension `sane_lists`,
    /// with which lists begin with their first number.
    Separate,
}

/// An open list.
struct OpenList {
    /// The marker of the first item: `-`, or `1.` for any number.
    mark: String,
    /// The number of columns from the marker of the last item to its text.
    width: usize,
}

/// The state of the conversion of a text.
struct Converter<'t> {
    writer: ExpansionWriter<'t>,
    kinds: ListKinds,
    /// The quote markers before the line.
    quote: &'t str,
    /// The open lists, outermost first. Each level is indented by four columns.
    lists: Vec<OpenList>,
    is_after_blank: bool,
    is_in_code: bool,
}

/// Converts the lists of a text, in which list markers within paragraphs are already escaped.
pub fn pass(text: &str, kinds: ListKinds) -> ExpandedText {
    let mut converter = Converter {
        writer: ExpansionWriter::new(text),
        kinds,
        quote: "",
        lists: Vec::new(),
        is_after_blank: true,
        is_in_code: false,
    };
    for part in TextParts::of(text) {
        converter.part(part);
    }
    converter.writer.finish()
}

impl<'t> Converter<'t> {
    fn part(&mut self, part: TextPart<'t>) {
        let (quote, line) = part.text.split_at(quote_length(part.text));
        // Lists in quotes of other depths are separate.
        if quote.trim() != self.quote {
            self.quote = quote.trim();
            self.lists.clear();
            self.is_after_blank = true;
        }
        let (bytes, columns) = indentation_of(line);
        let content = line[bytes..].trim_end();
        let level = columns / INDENTATION;
        if content.is_empty() {
            self.is_after_blank = true;
            return;
        }
        let start = part.start + quote.len();
        let is_after_blank = std::mem::take(&mut self.is_after_blank);
        if part.is_code {
            self.lists.truncate(level);
            self.is_in_code = false;
            return;
        }
        self.is_in_code = level > self.lists.len() && (is_after_blank || self.is_in_code);
        if self.is_in_code {
            self.move_code(start, bytes);
        } else if is_item(content) && !is_rule(content) {
            self.item(start + bytes, level, content, is_after_blank);
        } else {
            let is_block = level == 0 && content.starts_with('#') || is_rule(content);
            if is_after_blank || is_block {
                self.lists.truncate(level);
            }
            self.escape_number(start + bytes, content);
        }
    }

    /// Moves a line of code to the left, because Python-Markdown expects the text of an item four columns after its marker.
    fn move_code(&mut self, start: usize, bytes: usize) {
        let width = self.lists.last().map_or(INDENTATION, |list| list.width);
        let extra = INDENTATION.saturating_sub(width);
        if extra > 0 && bytes >= INDENTATION {
            self.writer.copy_to(start);
            self.writer.skip_to(start + extra);
        }
    }

    /// Converts the marker of an item to the marker of its list.
    fn item(&mut self, start: usize, level: usize, content: &str, is_after_blank: bool) {
        let level = level.min(self.lists.len());
        if level >= DEPTH_MAX {
            return;
        }
        self.lists.truncate(level + 1);
        let (written, spaces) = marker_of(content);
        let is_number = written.ends_with('.');
        let own = if is_number { "1." } else { written };
        let mark = match self.lists.get(level) {
            Some(list) if self.kinds == ListKinds::Mixed => list.mark.clone(),
            // Different bullets do not begin another list.
            Some(list) if list.mark.ends_with('.') == is_number => list.mark.clone(),
            Some(_) if !is_after_blank => return self.escape_item(start, written),
            _ if self.kinds == ListKinds::Separate => written.to_owned(),
            _ => own.to_owned(),
        };
        let is_same = mark == written || mark == own && self.lists.len() > level;
        let width = written.len() + spaces;
        let mut list = OpenList { mark, width };
        if !is_same {
            let spaces = width.saturating_sub(list.mark.len()).max(1);
            list.width = list.mark.len() + spaces;
            self.writer.copy_to(start);
            self.writer.put(&list.mark);
            self.writer.put(&" ".repeat(spaces));
            self.writer.skip_to(start + width);
        }
        // Further items may have any number, so the number of the first one is not stored.
        if list.mark.ends_with('.') {
            "1.".clone_into(&mut list.mark);
        }
        self.lists.truncate(level);
        self.lists.push(list);
    }

    /// Escapes the marker of an item of the other kind directly below a list, where it is text.
    fn escape_item(&mut self, start: usize, mark: &str) {
        self.writer.copy_to(start + mark.len() - 1);
        self.writer.put("\\");
    }

    /// Escapes a number with a parenthesis, which does not begin a list.
    fn escape_number(&mut self, start: usize, content: &str) {
        let text = content.trim_start_matches(|character: char| character.is_ascii_digit());
        let digits = content.len() - text.len();
        let is_number = digits > 0 && digits <= 9;
        if is_number && (text == ")" || text.starts_with(") ")) {
            self.writer.copy_to(start + digits);
            self.writer.put("\\");
        }
    }
}

/// Returns the marker of an item and the number of spaces after it, or 1 if the spaces are the indentation of code.
fn marker_of(content: &str) -> (&str, usize) {
    let end = content.find([' ', '\t']).unwrap_or(content.len());
    let (mark, text) = content.split_at(end);
    let spaces = text.len() - text.trim_start_matches(' ').len();
    let spaces = if spaces <= SPACES_MAX { spaces } else { 1 };
    (mark, spaces.max(1))
}

/// Returns the length of the quote markers at the beginning of a line, including a space after each, in bytes.
fn quote_length(line: &str) -> usize {
    let mut rest = line;
    while let Some(inner) = rest.strip_prefix('>') {
        rest = inner.strip_prefix(' ').unwrap_or(inner);
    }
    line.len() - rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_those_of_the_open_list() {
        for (text, expected) in [
            ("- a\n* b\n+ c\n", "- a\n- b\n- c\n"),
            ("- a\n1. b\n2. c\n", "- a\n-  b\n-  c\n"),
            ("1. a\n\n- b\n", "1. a\n\n1. b\n"),
            (
                "- a\n    * b\n    1. c\n- d\n",
                "- a\n    * b\n    *  c\n- d\n",
            ),
            ("- a\n\nb\n\n* c\n", "- a\n\nb\n\n* c\n"),
            ("- a\n\n    b\n\n* c\n", "- a\n\n    b\n\n- c\n"),
            ("- a\n\n```\nb\n```\n\n* c\n", "- a\n\n```\nb\n```\n\n* c\n"),
            ("- a\n\n# b\n* c\n", "- a\n\n# b\n* c\n"),
            ("- a\n* * *\n* b\n", "- a\n* * *\n* b\n"),
            ("> - a\n> 1. b\n\n1. c\n", "> - a\n> -  b\n\n1. c\n"),
            ("3. a\n4. b\n", "1. a\n4. b\n"),
            ("10. a\n11. b\n", "1.  a\n11. b\n"),
            ("1) a\n\nb\n2) c\n", "1\\) a\n\nb\n2\\) c\n"),
            (
                "- a\n\n        b\n          c\n\n        d\n",
                "- a\n\n      b\n        c\n\n      d\n",
            ),
            ("    - a\n    * b\n", "    - a\n    * b\n"),
        ] {
            assert_eq!(pass(text, ListKinds::Mixed).text, expected, "{text}");
        }
    }

    #[test]
    fn sane_lists_are_of_one_kind() {
        for (text, expected) in [
            ("- a\n* b\n", "- a\n- b\n"),
            ("- a\n1. b\n", "- a\n1\\. b\n"),
            ("- a\n\n1. b\n", "- a\n\n1. b\n"),
            ("3. a\n4. b\n", "3. a\n4. b\n"),
        ] {
            assert_eq!(pass(text, ListKinds::Separate).text, expected, "{text}");
        }
    }
}
