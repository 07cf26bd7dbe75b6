//! URLs that run code or embed a document: `javascript:`, `vbscript:`, and `data:` other than
//! images.
//!
//! URLs are parsed by the URL standard, as in browsers: leading white space and control characters,
//! tabs and line ends inside, and case are ignored. Attribute values are those of parsed HTML, so
//! that escapes make no difference.

mod html;
mod lexical;

use url::Url;

pub use self::{html::without_active_urls, lexical::lexical_without_active_urls};

/// The use of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// A link to follow, or a document to load.
    Link,
    /// An image; scripts in images do not run.
    Image,
}

/// Returns whether `url` is refused for this use. A `data:` URL of an SVG image counts as a
/// document if it is a link.
pub fn is_active(url: &str, usage: Usage) -> bool {
    // Only the scheme, everything before the first colon, matters. The rest need not be a valid
    // URL.
    let Some((scheme, _)) = url.split_once(':') else {
        return false;
    };
    let Ok(parsed) = Url::parse(&format!("{scheme}:")) else {
        return false;
    };
    match parsed.scheme() {
        "javascript" | "vbscript" => true,
        "data" => !is_image(url, usage),
        _ => false,
    }
}

/// Returns whether the media type of a `data:` URL is that of an image; for SVG, only if it is used
/// as an image.
fn is_image(url: &str, usage: Usage) -> bool {
    let Ok(url) = Url::parse(url) else {
        // A `data:` URL that does not parse counts as active, which is the safe side.
        return false;
    };
    let path = url.path();
    let media_type = path.split([';', ',']).next().unwrap_or_default();
    let media_type = media_type.trim().to_ascii_lowercase();
    match media_type.strip_prefix("image/") {
        Some(kind) if kind.starts_with("svg") => usage == Usage::Image,
        kind => kind.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_that_run_code_are_active_in_any_notation() {
        for url in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            " \n javascript:alert(1)",
            "\u{1}\u{1f}javascript:alert(1)",
            "java\tscript:alert(1)",
            "j\r\na\nvascript\t:alert(1)",
            "javascript://host:port/%0aalert(1)",
            "javascript:",
            "vbscript:msgbox(1)",
            "data:text/html,<script>alert(1)</script>",
            "data:,text",
            "DATA:text/html;base64,AAAA",
            "data:image/svg+xml,<svg/>",
            "data:IMAGE/SVG+XML;base64,AAAA",
            "data: image/svg+xml,<svg/>",
            "data:text/html;image/png,x",
            "data:imag\te/svg+xml,<svg/>",
        ] {
            assert!(is_active(url, Usage::Link), "{url:?}");
        }
    }

    #[test]
    fn other_urls_are_not_active() {
        for url in [
            "",
            "#javascript:",
            "/javascript:alert(1)",
            "javascript",
            "javascript%3Aalert(1)",
            "java script:alert(1)",
            "https://a.example/javascript:alert(1)",
            "mailto:a@b.example",
            "tel:1",
            "__GHOST_URL__/a/",
            "a:b",
            "data:image/png;base64,AAAA",
            "DATA:Image/GIF;base64,AAAA",
        ] {
            assert!(!is_active(url, Usage::Link), "{url:?}");
        }
        assert!(!is_active("data:image/svg+xml,<svg/>", Usage::Image));
        assert!(is_active("data:text/html,x", Usage::Image));
        assert!(is_active("javascript:x", Usage::Image));
    }
}
