//! URLs that run code or open a document of their own: `javascript:`, `vbscript:` and `data:` that is no image.
//!
//! What a URL is, is decided by the URL standard as browsers do: blanks and control characters in front of it, and tabs and
//! line ends within, do not count, nor does the case of letters. The values of attributes are those of parsed HTML, so that
//! it does not matter how they are escaped.

mod html;
mod lexical;

use url::Url;

pub use self::{html::without_active_urls, lexical::lexical_without_active_urls};

/// What a URL is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// A reader follows it, or it is loaded as a document.
    Link,
    /// It is shown as an image, in which nothing runs.
    Image,
}

/// Returns whether this URL is refused where it is used so. An SVG image in a `data:` URL is a document when it is a link.
pub fn is_active(url: &str, usage: Usage) -> bool {
    // The scheme is all that stands in front of the first colon; what is behind may be no valid URL, and decides nothing.
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

/// Whether the media type of a `data:` URL is that of an image.
fn is_image(url: &str, usage: Usage) -> bool {
    let Ok(url) = Url::parse(url) else {
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
    fn what_runs_code_is_active_however_it_is_written() {
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
    fn other_urls_are_not() {
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
