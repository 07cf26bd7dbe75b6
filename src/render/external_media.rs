//! URLs of media on other sites in texts and documents, recognised by how they begin, and their replacement.
//!
//! A URL ends where Ghost ends it (6.65, observed): at a quotation mark, a bracket, a backslash, `<`, white space, or a
//! comma before the next URL. URLs in the visible text of a document are not references and remain.

use std::ops::Range;

use serde_json::Value;
use url::Url;

/// The property of a node that contains its visible text.
const WORDS: &str = "text";

/// Prefixes of media URLs, such as `https://substackcdn.com`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaPrefixes(Vec<String>);

impl MediaPrefixes {
    /// Creates the list of `prefixes`; the error is the first one that is not an `http` or `https` URL.
    pub fn new<'d>(prefixes: impl Iterator<Item = &'d str>) -> Result<Self, &'d str> {
        let mut known = Vec::new();
        for prefix in prefixes {
            let whole = match prefix.strip_prefix("//") {
                Some(rest) => format!("https://{rest}"),
                None => prefix.to_owned(),
            };
            let is_web = Url::parse(&whole)
                .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
            if !is_web || prefix.contains(char::is_whitespace) {
                return Err(prefix);
            }
            known.push(prefix.to_ascii_lowercase());
        }
        Ok(Self(known))
    }

    /// Returns the prefixes.
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// Returns the ranges of the URLs in a text that begin with one of the prefixes.
    fn urls_in(&self, text: &str) -> Vec<Range<usize>> {
        // Folding ASCII alone leaves all byte offsets as they are in `text`.
        let lower_case = text.to_ascii_lowercase();
        let mut urls: Vec<Range<usize>> = Vec::new();
        for prefix in &self.0 {
            for (start, _) in lower_case.match_indices(prefix.as_str()) {
                let rest = &lower_case[start + prefix.len()..];
                if is_whole(prefix, rest) {
                    urls.push(start..start + prefix.len() + url_end(rest));
                }
            }
        }
        // Of URLs that begin at the same position, the longest comes first and is used.
        urls.sort_by_key(|url| (url.start, usize::MAX - url.end));
        let mut end = 0;
        urls.retain(|url| {
            let is_after = url.start >= end;
            end = end.max(url.end);
            is_after
        });
        urls
    }
}

/// Returns whether `prefix` ends at the end of a host name if `rest` follows it, or contains a path. For
/// example, `https://a.example` is not a prefix of `https://a.example.org`.
fn is_whole(prefix: &str, rest: &str) -> bool {
    let host = prefix.split_once("//").map_or(prefix, |(_, host)| host);
    host.contains('/')
        || rest.is_empty()
        || !rest.starts_with(|next: char| next.is_alphanumeric() || ".-@:".contains(next))
}

fn url_end(rest: &str) -> usize {
    let is_end = |character: char| {
        character.is_whitespace() || matches!(character, '"' | '\'' | ')' | '<' | '>' | '\\')
    };
    let mut end = rest.find(is_end).unwrap_or(rest.len());
    for terminator in ["&quot;", "&#34;", ",http", ", "] {
        end = rest[..end].find(terminator).unwrap_or(end);
    }
    rest[..end].trim_end_matches(',').len()
}

/// Returns a text whose media URLs are replaced by the results of `copy_of`; `None` if no URL is replaced. `copy_of`
/// receives each URL as it would be requested.
pub fn replaced(
    text: &str,
    prefixes: &MediaPrefixes,
    copy_of: &mut dyn FnMut(&str) -> Option<String>,
) -> Option<String> {
    let mut result = String::new();
    let mut copied = 0;
    for range in prefixes.urls_in(text) {
        let written = &text[range.clone()];
        let url = match written.strip_prefix("//") {
            Some(rest) => format!("https://{rest}"),
            None => written.to_owned(),
        };
        if let Some(copy) = copy_of(&url.replace("&amp;", "&")) {
            result.push_str(&text[copied..range.start]);
            result.push_str(&copy);
            copied = range.end;
        }
    }
    // A URL is never empty, so the end of a replaced one is above zero.
    (copied > 0).then(|| result + &text[copied..])
}

/// Replaces the media URLs in a document; returns whether any was replaced.
pub fn replace_in_document(
    node: &mut Value,
    prefixes: &MediaPrefixes,
    copy_of: &mut dyn FnMut(&str) -> Option<String>,
) -> bool {
    match node {
        Value::String(text) => match replaced(text, prefixes, copy_of) {
            Some(with_copies) => {
                *text = with_copies;
                true
            }
            None => false,
        },
        Value::Array(nodes) => {
            let nodes = nodes.iter_mut();
            // `any` would stop at the first replacement and skip the nodes after it.
            nodes.fold(false, |any, node| {
                replace_in_document(node, prefixes, copy_of) | any
            })
        }
        Value::Object(entries) => {
            let entries = entries.iter_mut().filter(|(key, _)| *key != WORDS);
            entries.fold(false, |any, (_, node)| {
                replace_in_document(node, prefixes, copy_of) | any
            })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(text: &str) -> Vec<String> {
        let prefixes = [
            "https://a.example",
            "//b.example",
            "https://c.example/media",
        ];
        let prefixes = MediaPrefixes::new(prefixes.into_iter()).expect("URLs");
        let mut urls = Vec::new();
        replaced(text, &prefixes, &mut |url| {
            urls.push(url.to_owned());
            None
        });
        urls
    }

    #[test]
    fn urls_end_as_in_html_markdown_and_srcset() {
        assert_eq!(
            urls(
                "<img src=\"https://a.example/a.png?x=1&amp;y=2\"> ![](https://A.example/b.png) url('//b.example/c.png')"
            ),
            [
                "https://a.example/a.png?x=1&y=2",
                "https://A.example/b.png",
                "https://b.example/c.png"
            ]
        );
        assert_eq!(
            urls(
                "https://a.example/w_1,h_2/a.png 1x, https://a.example/b.png 2x,https://c.example/media-1/c.png"
            ),
            [
                "https://a.example/w_1,h_2/a.png",
                "https://a.example/b.png",
                "https://c.example/media-1/c.png"
            ]
        );
        assert_eq!(
            urls("https://a.example.org/a.png https://c.example/other.png"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn visible_text_of_a_document_is_unchanged() {
        let prefixes = MediaPrefixes::new(["https://a.example"].into_iter()).expect("URLs");
        let mut document = serde_json::json!({"root": {"children": [
            {"type": "image", "src": "https://a.example/a.png"},
            {"type": "text", "text": "https://a.example/a.png"},
        ]}});
        let is_changed =
            replace_in_document(&mut document, &prefixes, &mut |_| Some("copy".to_owned()));
        assert!(is_changed);
        assert_eq!(document["root"]["children"][0]["src"], "copy");
        assert_eq!(
            document["root"]["children"][1]["text"],
            "https://a.example/a.png"
        );
    }

    #[test]
    fn prefixes_are_urls_of_the_web() {
        for wrong in [
            "a.example",
            "ftp://a.example",
            "https://",
            "",
            "https://a b",
        ] {
            assert_eq!(MediaPrefixes::new([wrong].into_iter()), Err(wrong));
        }
    }
}
