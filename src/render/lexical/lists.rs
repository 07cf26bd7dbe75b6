//! Rendering of lists.
//!
//! The editor puts a nested list into a separate item, after the item to which it belongs. An item
//! is therefore closed only when the next one shows that it does not continue it.

use super::json::Value;

use super::inline::{self, InlineLine};
use super::nodes::{self, LexicalKind, children};
use super::properties::as_text;
use super::writer::HtmlWriter;
use crate::render::html_escape;

/// The first visible content of a list item.
enum ItemStart {
    Nothing,
    Text,
    /// A list, which has been written.
    List,
}

impl HtmlWriter<'_> {
    /// Writes a list.
    pub(super) fn list(&mut self, node: &Value) {
        // Lists of all other types, including check lists, are bullet lists.
        let is_numbered = node.get("listType").and_then(Value::as_str) == Some("number");
        let tag = if is_numbered { "ol" } else { "ul" };
        self.html.push('<');
        self.html.push_str(tag);
        // Written for bullet lists, too (recorded: `list/bullet-with-start`).
        if let Some(start) = node.get("start").filter(|start| is_given(start)) {
            html_escape::push_attribute(&mut self.html, "start", &as_text(start));
        }
        self.html.push('>');
        let mut is_open = false;
        for (index, item) in children(node).iter().enumerate() {
            is_open = self.at(index, |writer| writer.list_item(item, is_open));
        }
        if is_open {
            self.html.push_str("</li>");
        }
        self.html.push_str("</");
        self.html.push_str(tag);
        self.html.push('>');
    }

    /// Writes a child of a list. `is_open` is whether the preceding item is still open. Returns
    /// whether an item is open now.
    fn list_item(&mut self, node: &Value, is_open: bool) -> bool {
        match LexicalKind::of(node) {
            LexicalKind::List => {
                self.nested_list(node, is_open);
                return false;
            }
            LexicalKind::ListItem => {
                if let ItemStart::List = self.beginning(children(node), is_open) {
                    return false;
                }
            }
            LexicalKind::Unknown if !nodes::has_content(node) => {
                self.lose(nodes::unknown_reason(node));
                return is_open;
            }
            _ => {}
        }
        let line = InlineLine::read_in_list(self, node);
        self.html
            .push_str(if is_open { "</li><li>" } else { "<li>" });
        line.write(&mut self.html);
        true
    }

    /// Writes a list into the open item, if there is one, and closes the item.
    fn nested_list(&mut self, node: &Value, is_open: bool) {
        // Without an open item, the list is directly in the outer one (recorded:
        // `list/nested-first-without-parent-item`).
        self.list(node);
        if is_open {
            self.html.push_str("</li>");
        }
    }

    /// Determines the first visible content of an item, and writes it if it is a list. Content
    /// after that list is not shown (Ghost 6.65, recorded).
    fn beginning(&mut self, nodes: &[Value], is_open: bool) -> ItemStart {
        for (index, node) in nodes.iter().enumerate() {
            let beginning = match LexicalKind::of(node) {
                LexicalKind::AtLink => ItemStart::Nothing,
                LexicalKind::Text if inline::text(node).is_empty() => ItemStart::Nothing,
                LexicalKind::Paragraph | LexicalKind::ListItem => {
                    self.at(index, |writer| writer.beginning(children(node), is_open))
                }
                LexicalKind::List => {
                    self.at(index, |writer| writer.nested_list(node, is_open));
                    ItemStart::List
                }
                _ => ItemStart::Text,
            };
            match beginning {
                ItemStart::Nothing => {}
                ItemStart::Text => return ItemStart::Text,
                ItemStart::List => {
                    if index + 1 < nodes.len() {
                        self.lose("content after a list in the same item is not shown");
                    }
                    return ItemStart::List;
                }
            }
        }
        ItemStart::Nothing
    }
}

/// Returns whether a start number is given and differs from the default.
fn is_given(start: &Value) -> bool {
    !start.is_null() && start.as_f64() != Some(1.0)
}
