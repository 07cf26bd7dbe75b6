//! The URLs of a document, and their replacement in raw HTML.

use std::borrow::Cow;

use crate::render::{
    html_attributes::{self, Occurrence},
    srcset,
};

/// The replacement of a dangling URL. Its link or image is then replaced by its text, and in raw
/// HTML, the attribute is removed.
pub const NOWHERE: &str = "galley-nowhere:";

/// A URL in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyUrl<'a> {
    /// The URL, with Markdown escapes and HTML entities decoded.
    pub written: &'a str,
    /// The use of the URL.
    pub kind: UrlKind,
    /// The byte offset of the link, image or attribute value in the source.
    pub position: usize,
    /// True if the URL is in Markdown and runs code. It is then removed, even if it is resolved.
    /// URLs in raw HTML always remain.
    pub is_removed: bool,
}

/// The use of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlKind {
    /// A link to follow.
    Link,
    /// A resource of the page: an image, a video, a frame.
    Resource,
}

/// Returns the replacement of a URL; `None` if it is unchanged. A trait object, so that the large
/// code for documents is compiled once.
pub(super) type Resolve<'r> = dyn FnMut(BodyUrl<'_>) -> Option<String> + 'r;

/// Returns `html`, an HTML document, with its URLs resolved as in [`super::to_html`].
pub fn resolve_html(
    html: &str,
    mut resolve: impl FnMut(BodyUrl<'_>) -> Option<String>,
) -> Cow<'_, str> {
    resolved_html(html, |start| start, &mut resolve)
}

/// Returns raw HTML with its URLs resolved. `position` maps a byte offset in it to the byte offset
/// in the source.
pub(super) fn resolved_html<'h>(
    html: &'h str,
    position: impl Fn(usize) -> usize,
    resolve: &mut Resolve<'_>,
) -> Cow<'h, str> {
    let mut leads_nowhere = false;
    let resolved = html_attributes::rewrite(html, |found| {
        let attribute = found.attribute;
        let mut resolved = |written: &str, kind: UrlKind| {
            let url = BodyUrl {
                written: &htmlize::unescape_attribute(written),
                kind,
                position: position(attribute.value_start),
                is_removed: false,
            };
            let resolved = resolve(url)?;
            leads_nowhere |= resolved == NOWHERE;
            Some(resolved.replace('&', "&amp;"))
        };
        match attribute.name.to_ascii_lowercase().as_str() {
            "href" => resolved(attribute.value, href_kind(found)),
            "src" | "poster" => resolved(attribute.value, UrlKind::Resource),
            "srcset" => srcset::rewrite(attribute.value, |written| {
                resolved(written, UrlKind::Resource)
            }),
            _ => None,
        }
    });
    // `rewrite` only replaces values, so a second pass removes the attributes.
    if leads_nowhere {
        Cow::Owned(html_attributes::without_value(&resolved, NOWHERE))
    } else {
        resolved
    }
}

fn href_kind(found: &Occurrence<'_>) -> UrlKind {
    if found.element.eq_ignore_ascii_case("link") {
        UrlKind::Resource
    } else {
        UrlKind::Link
    }
}
