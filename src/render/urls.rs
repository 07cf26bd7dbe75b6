//! URLs of the site in their stored and served form.
//!
//! Stored text contains a placeholder for the site's URL, so that a site may move. Reading replaces
//! the placeholder wherever it occurs. Writing replaces the site's URL by the placeholder, but only
//! in URLs (Ghost 6.65, recorded). Everything else is unchanged.

mod files;
mod lexical;
mod markdown;
pub(super) mod placeholder;

use std::borrow::Cow;

use url::{Position, Url};

use super::html_attributes::{self, Occurrence};
use super::html_scan::Quote;
use super::srcset;

pub use self::files::visit_paths;
pub use self::lexical::{lexical_to_served, lexical_to_stored, parsed_to_stored};
pub use self::placeholder::{PLACEHOLDER, to_served};

/// Attributes with one URL.
const ADDRESS_ATTRIBUTES: [&str; 5] = [
    "href",
    "src",
    "data-kg-background-image",
    "data-kg-thumbnail",
    "data-kg-custom-thumbnail",
];

/// Returns the stored form of a field with one URL, such as `feature_image`.
pub fn url_to_stored<'a>(url: &'a str, site: &Url) -> Cow<'a, str> {
    stored_url(url, site, Scheme::Any).map_or(Cow::Borrowed(url), Cow::Owned)
}

/// Returns the stored form of `canonical_url`, for which `http` and `https` are different sites.
pub fn canonical_url_to_stored<'a>(url: &'a str, site: &Url) -> Cow<'a, str> {
    stored_url(url, site, Scheme::Same).map_or(Cow::Borrowed(url), Cow::Owned)
}

/// Returns the stored form of a field with HTML: a post's `html`, `custom_excerpt` or code
/// injection.
pub fn html_to_stored<'a>(html: &'a str, site: &Url) -> Cow<'a, str> {
    let stored = |url: &str| stored_url(url, site, Scheme::Any);
    html_attributes::rewrite(html, |found| {
        let value = found.attribute.value;
        match found.attribute.name {
            _ if !is_plainly_written(found) => None,
            name if ADDRESS_ATTRIBUTES.contains(&name) => stored(value),
            "srcset" => srcset::rewrite(value, stored),
            "style" => style_to_stored(value, stored),
            _ => None,
        }
    })
}

/// Returns the stored form of a post's plain text, in which URLs are recognised if they are in
/// brackets after a space.
pub fn plaintext_to_stored<'a>(plaintext: &'a str, site: &Url) -> Cow<'a, str> {
    let mut stored = String::new();
    let mut copied = 0;
    for (start, end) in bracketed(plaintext) {
        let url = &plaintext[start..end];
        // Unlike elsewhere, a path is not relative to the site's subdirectory.
        let absolute = if url.starts_with('/') {
            site.join(url).ok()
        } else {
            Url::parse(url).ok()
        };
        if let Some(url) = absolute.and_then(|url| placeholder_form(&url, site, Scheme::Any)) {
            stored.push_str(&plaintext[copied..start]);
            stored.push_str(&url);
            copied = end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(plaintext);
    }
    stored.push_str(&plaintext[copied..]);
    Cow::Owned(stored)
}

/// Returns the original of a resized image. `path` is relative to `/content/`, and the result to
/// `/content/images/`, such as `2025/a.png` for `images/size/w600/format/webp/2025/a.png`.
pub fn original_of_variant(path: &str) -> Option<&str> {
    let (_size, rest) = path.strip_prefix("images/size/")?.split_once('/')?;
    match rest.strip_prefix("format/") {
        Some(format) => format.split_once('/').map(|(_format, original)| original),
        None => Some(rest),
    }
}

/// Returns whether `url` is on the site's host, including the port, and below its path. `http` and
/// `https` are equivalent.
pub(crate) fn is_below(url: &Url, site: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && url.host_str() == site.host_str()
        && url.port() == site.port()
        && url
            .path()
            .strip_prefix(subdirectory(site))
            .is_some_and(|path| path.starts_with('/'))
}

/// How the scheme of a URL is compared with that of the site.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Any,
    Same,
}

/// Returns the stored form of `url`; `None` if it is unchanged.
fn stored_url(url: &str, site: &Url, scheme: Scheme) -> Option<String> {
    // The URL standard ignores white space and control characters around a URL.
    let trimmed = url.trim_matches(|character| character <= ' ');
    if trimmed.starts_with('/') && !trimmed.starts_with("//") {
        let url = site.join(&rooted(trimmed, subdirectory(site))).ok()?;
        return Some(placeholder_form(&url, site, scheme).unwrap_or_else(|| url.into()));
    }
    let url = if trimmed.starts_with("//") {
        site.join(trimmed)
    } else {
        Url::parse(trimmed)
    };
    placeholder_form(&url.ok()?, site, scheme)
}

fn placeholder_form(url: &Url, site: &Url, scheme: Scheme) -> Option<String> {
    let has_credentials = !url.username().is_empty() || url.password().is_some();
    // A URL with credentials stays as written (recorded: `feature_image/credentials` in
    // urls.jsonl).
    if has_credentials
        || !is_below(url, site)
        || (scheme == Scheme::Same && url.scheme() != site.scheme())
    {
        return None;
    }
    let path = url[Position::BeforePath..].strip_prefix(subdirectory(site))?;
    // After the placeholder, two slashes would be read as the start of another host.
    (!path.starts_with("//")).then(|| format!("{PLACEHOLDER}{path}"))
}

/// Returns the site's path without its trailing slash; empty for a site at the root of its host.
fn subdirectory(site: &Url) -> &str {
    site.path().trim_end_matches('/')
}

/// Moves a path that begins with a slash into `subdirectory`, unless it is already there. Repeated
/// slashes are merged.
fn rooted(url: &str, subdirectory: &str) -> String {
    let path_end = url.find(['?', '#']).unwrap_or(url.len());
    let (path, query_and_fragment) = url.split_at(path_end);
    let mut rooted = String::with_capacity(subdirectory.len() + url.len());
    for character in path.chars() {
        if character != '/' || !rooted.ends_with('/') {
            rooted.push(character);
        }
    }
    let in_subdirectory = rooted.strip_prefix(subdirectory);
    // `/blogger` is not inside `/blog` (recorded: `feature_image/slash-relative-trap` in
    // urls.jsonl).
    let is_inside = in_subdirectory.is_some_and(|path| path.is_empty() || path.starts_with('/'));
    if !is_inside {
        rooted.insert_str(0, subdirectory);
    }
    rooted + query_and_fragment
}

/// Returns whether an attribute has the form that Ghost's editor and renderer write. URLs are only
/// recognised in this form.
fn is_plainly_written(found: &Occurrence<'_>) -> bool {
    let is_quoted = matches!(found.attribute.quote, Quote::Double | Quote::Single);
    is_quoted && !found.attribute.spaced && !found.in_code
}

/// Rewrites the URLs in `url('…')` and `url("…")`. Unquoted URLs are unchanged.
fn style_to_stored(style: &str, stored: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut rewritten = String::new();
    let mut copied = 0;
    for (opening, _) in style.match_indices("url(") {
        let start = opening + "url(".len() + 1;
        if opening < copied {
            continue;
        }
        let Some(quote @ (b'\'' | b'"')) = style.as_bytes().get(start - 1) else {
            continue;
        };
        let Some(length) = style[start..].find(char::from(*quote)) else {
            break;
        };
        if let Some(url) = stored(&style[start..start + length]) {
            rewritten.push_str(&style[copied..start]);
            rewritten.push_str(&url);
            copied = start + length;
        }
    }
    (copied > 0).then(|| rewritten + &style[copied..])
}

/// Returns the ranges of text in brackets that open after a space and close in the same line.
fn bracketed(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut position = 0;
    std::iter::from_fn(move || {
        loop {
            let start = position + text[position..].find(" [")? + " [".len();
            let end = start + text[start..].find([']', '\n'])?;
            position = end + 1;
            if text.as_bytes()[end] == b']' {
                return Some((start, end));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(url: &str) -> Url {
        Url::parse(url).unwrap()
    }

    #[test]
    fn site_url_without_trailing_slash_is_equivalent() {
        for url in ["https://site.example/blog", "https://site.example/blog/"] {
            let site = site(url);
            assert_eq!(
                url_to_stored("https://site.example/blog/a", &site),
                "__GHOST_URL__/a"
            );
            assert_eq!(
                to_served("__GHOST_URL__/a", &site),
                "https://site.example/blog/a"
            );
        }
    }

    #[test]
    fn port_is_part_of_the_site() {
        let local = site("http://127.0.0.1:2368/");
        assert_eq!(
            url_to_stored("http://127.0.0.1:2368/a", &local),
            "__GHOST_URL__/a"
        );
        assert_eq!(
            url_to_stored("http://127.0.0.1/a", &local),
            "http://127.0.0.1/a"
        );
        assert_eq!(
            url_to_stored("https://site.example:443/a", &site("https://site.example/")),
            "__GHOST_URL__/a"
        );
    }

    #[test]
    fn slashes_after_the_path_are_unchanged() {
        let site = site("https://site.example/");
        assert_eq!(
            url_to_stored("/a//b?next=x//y#//", &site),
            "__GHOST_URL__/a/b?next=x//y#//"
        );
    }

    #[test]
    fn style_may_contain_several_urls() {
        let html = "<p style='a: url(\"/a\"); b: url(/b); c: url(\"/c\")'>";
        let stored =
            "<p style='a: url(\"__GHOST_URL__/a\"); b: url(/b); c: url(\"__GHOST_URL__/c\")'>";
        assert_eq!(html_to_stored(html, &site("https://site.example/")), stored);
        assert_eq!(
            html_to_stored("<p style=\"url('/a\">", &site("https://site.example/")),
            "<p style=\"url('/a\">"
        );
    }

    #[test]
    fn original_of_a_variant_is_found() {
        assert_eq!(
            original_of_variant("images/size/w600/2025/a.png"),
            Some("2025/a.png")
        );
        assert_eq!(
            original_of_variant("images/size/w600/format/webp/a.png"),
            Some("a.png")
        );
        assert_eq!(original_of_variant("images/a.png"), None);
    }

    #[test]
    fn brackets_must_close_on_their_line() {
        let site = site("https://site.example/");
        assert_eq!(
            plaintext_to_stored("a [/b\n] c [/d] [note]", &site),
            "a [/b\n] c [__GHOST_URL__/d] [note]"
        );
    }
}
