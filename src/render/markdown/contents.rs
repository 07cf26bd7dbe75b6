//! The table of contents with which kramdown replaces a list marked `{:toc}`.

use std::fmt::Write;

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::render::html_escape::{push_attribute, push_text};

/// A heading of the document.
struct ContentsEntry {
    level: usize,
    id: String,
    text: String,
}

/// The headings of a document, and the position of their table.
#[derive(Default)]
pub(super) struct TableOfContents {
    entries: Vec<ContentsEntry>,
    /// The index of the table among the events of the body, and whether it is an ordered list.
    position: Option<(usize, bool)>,
    /// The number of open lists inside the replaced list, including that list; 0 outside of it.
    replaced: usize,
}

impl TableOfContents {
    pub(super) fn add(&mut self, level: usize, id: String, text: String) {
        self.entries.push(ContentsEntry { level, id, text });
    }

    /// Replaces the list that begins by the table, which gets the index `event`. Returns whether it
    /// is the first such list.
    pub(super) fn replace(&mut self, event: usize, is_ordered: bool) -> bool {
        let is_first = self.position.is_none();
        if is_first {
            self.position = Some((event, is_ordered));
            self.replaced = 1;
        }
        is_first
    }

    /// Returns whether an event belongs to the replaced list.
    pub(super) fn is_replacing(&mut self, event: &Event<'_>) -> bool {
        let is_replacing = self.replaced > 0;
        match event {
            Event::Start(Tag::List(_)) if is_replacing => self.replaced += 1,
            // The end of the list itself is consumed here, so `DocumentBuilder::start` takes its
            // start back from the depth.
            Event::End(TagEnd::List(_)) if is_replacing => self.replaced -= 1,
            _ => {}
        }
        is_replacing
    }

    /// Returns the index of the table among the events, and its HTML.
    pub(super) fn finish(&self) -> Option<(usize, String)> {
        self.position
            .map(|(event, is_ordered)| (event, list(&self.entries, is_ordered)))
    }
}

/// Returns a list of links to headings, each nested below the last one of a higher level.
fn list(entries: &[ContentsEntry], is_ordered: bool) -> String {
    let name = if is_ordered { "ol" } else { "ul" };
    let mut html = String::new();
    let mut open: Vec<usize> = Vec::new();
    for entry in entries {
        while open.len() > 1 && open.last().is_some_and(|level| *level > entry.level) {
            open.pop();
            let _ = write!(html, "</li>\n</{name}>\n");
        }
        match open.last_mut() {
            // A document may begin with a lower heading: the outermost list then takes the later
            // level.
            Some(level) if *level >= entry.level => {
                *level = entry.level;
                html.push_str("</li>\n");
            }
            _ => {
                html.push('<');
                html.push_str(name);
                if open.is_empty() {
                    push_attribute(&mut html, "id", "markdown-toc");
                }
                html.push_str(">\n");
                open.push(entry.level);
            }
        }
        html.push_str("<li><a");
        push_attribute(&mut html, "href", &format!("#{}", entry.id));
        html.push('>');
        push_text(&mut html, &entry.text);
        html.push_str("</a>");
    }
    for _ in open {
        let _ = write!(html, "</li>\n</{name}>\n");
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_nested_by_their_levels() {
        let entries = [(2, "a"), (3, "b"), (2, "c"), (1, "d")].map(|(level, id)| ContentsEntry {
            level,
            id: id.to_owned(),
            text: id.to_uppercase(),
        });
        assert_eq!(
            list(&entries, false).replace('\n', ""),
            "<ul id=\"markdown-toc\"><li><a href=\"#a\">A</a><ul><li><a href=\"#b\">B</a></li></ul></li>\
             <li><a href=\"#c\">C</a></li><li><a href=\"#d\">D</a></li></ul>"
        );
        assert_eq!(list(&[], false), "");
    }
}
