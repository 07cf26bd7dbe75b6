//! The beginnings and ends of HTML blocks (CommonMark, "HTML blocks").

use super::super::html_tags;
use crate::render::heading_id::is_blank;

/// Elements whose content is not Markdown.
const RAW_ELEMENTS: [&str; 4] = ["script", "pre", "style", "textarea"];

/// Elements that begin a block, in alphabetical order.
const BLOCK_ELEMENTS: [&str; 62] = [
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
];

/// The beginning of an HTML block, which determines its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HtmlStart {
    RawElement,
    /// A construct that ends with this text.
    Until(&'static str),
    BlockElement,
    /// Any other tag, alone on its line.
    Tag,
}

impl HtmlStart {
    /// Returns the kind of start at a line without indentation; `None` if no HTML block begins
    /// there.
    pub(super) fn of(text: &str) -> Option<Self> {
        let after = text.strip_prefix('<')?;
        if after.starts_with("!--") {
            return Some(Self::Until("-->"));
        }
        if after.starts_with('?') {
            return Some(Self::Until("?>"));
        }
        if after.starts_with("![CDATA[") {
            return Some(Self::Until("]]>"));
        }
        if let Some(name) = after.strip_prefix('!') {
            let is_declaration = name.starts_with(|c: char| c.is_ascii_alphabetic());
            return is_declaration.then_some(Self::Until(">"));
        }
        let name = after.strip_prefix('/').unwrap_or(after);
        let end = name.find(|c: char| !c.is_ascii_alphanumeric());
        let (name, rest) = name.split_at(end.unwrap_or(name.len()));
        let name = name.to_ascii_lowercase();
        let ends_name = rest.is_empty() || rest.starts_with(is_blank) || rest.starts_with('>');
        if ends_name && !after.starts_with('/') && RAW_ELEMENTS.contains(&&*name) {
            return Some(Self::RawElement);
        }
        if (ends_name || rest.starts_with("/>")) && BLOCK_ELEMENTS.binary_search(&&*name).is_ok() {
            return Some(Self::BlockElement);
        }
        let length = html_tags::length(text)?;
        text[length..].chars().all(is_blank).then_some(Self::Tag)
    }

    /// Returns whether the block may interrupt a paragraph.
    pub(super) fn ends_text(self) -> bool {
        // A tag that is alone on its line may be in a wrapped line of a paragraph (CommonMark,
        // "HTML blocks").
        self != Self::Tag
    }

    /// Returns whether the block ends with an empty line.
    pub(super) fn ends_at_empty_line(self) -> bool {
        matches!(self, Self::BlockElement | Self::Tag)
    }

    /// Returns whether the block ends with this line.
    pub(super) fn is_ended_by(self, text: &str) -> bool {
        match self {
            // Any of the end tags ends the block, even that of another element (CommonMark, "HTML
            // blocks").
            Self::RawElement => memchr::memmem::find_iter(text.as_bytes(), "</").any(|position| {
                let name = &text[position + 2..];
                RAW_ELEMENTS.iter().any(|raw| {
                    name.get(..raw.len())
                        .is_some_and(|name| name.eq_ignore_ascii_case(raw))
                        && name[raw.len()..].starts_with('>')
                })
            }),
            Self::Until(end) => text.contains(end),
            Self::BlockElement | Self::Tag => text.is_empty(),
        }
    }
}
