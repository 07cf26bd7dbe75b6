//! Detection of bare URLs by the rules of GitHub's dialect ("autolinks (extended)") and others.

use std::ops::Range;

use super::{card::length_without_scheme, dialect::BareLinks};

/// Longest host name, in bytes.
const HOST_BYTES_MAX: usize = 253;

const SCHEMES: [&str; 3] = ["https://", "http://", "ftp://"];

/// A URL found in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BareLink {
    /// Its range in bytes.
    pub(super) range: Range<usize>,
    /// The prefix that makes it an absolute URL.
    pub(super) prefix: &'static str,
}

/// Returns the URLs that begin in `range` of `source` according to `rule`, in order. `limit`
/// returns the byte offset beyond which a URL that begins at a given byte offset cannot extend.
pub(super) fn find_all(
    source: &str,
    range: Range<usize>,
    rule: BareLinks,
    limit: impl Fn(usize) -> usize,
) -> Vec<BareLink> {
    let www = match rule {
        // Compared with Hugo 0.111: `bare addresses` in tests/it/render/dialects.jsonl.
        BareLinks::Goldmark => "https://",
        _ => "http://",
    };
    let mut links: Vec<BareLink> = Vec::new();
    let bytes = source.as_bytes();
    let mut position = range.start;
    while let Some(offset) = memchr::memchr3(b':', b'@', b'.', &bytes[position..range.end]) {
        let mark = position + offset;
        position = mark + 1;
        // A mark inside the previous URL, such as a second colon, begins no other one.
        let from = links.last().map_or(range.start, |link| link.range.end);
        if mark < from {
            continue;
        }
        let link = match bytes[mark] {
            b':' => with_scheme(source, from, mark, &limit),
            b'@' => mail_address(source, from, mark, range.end),
            _ if rule == BareLinks::WithScheme => None,
            _ if rule == BareLinks::MarkdownIt => {
                without_scheme(source, from, mark, &limit).map(|range| (range, www))
            }
            _ => with_www(source, from, mark, &limit).map(|range| (range, www)),
        };
        if let Some((range, prefix)) = link {
            position = position.max(range.end);
            links.push(BareLink { range, prefix });
        }
        if position >= range.end {
            break;
        }
    }
    links
}

fn with_scheme(
    source: &str,
    from: usize,
    colon: usize,
    limit: &impl Fn(usize) -> usize,
) -> Option<(Range<usize>, &'static str)> {
    let scheme = SCHEMES.into_iter().find(|scheme| {
        let length = scheme.len() - "://".len();
        colon >= from + length
            && source
                .get(colon - length..colon + 3)
                .is_some_and(|written| written.eq_ignore_ascii_case(scheme))
    })?;
    let start = colon + 3 - scheme.len();
    let before = source[..start].chars().next_back();
    if start > from && before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    let host = start + scheme.len();
    if !has_host(source.get(host..limit(start))?, 0) {
        return None;
    }
    let end = end(source, host, limit(start))?;
    Some((start..end, ""))
}

fn with_www(
    source: &str,
    from: usize,
    dot: usize,
    limit: &impl Fn(usize) -> usize,
) -> Option<Range<usize>> {
    let start = dot.checked_sub(3).filter(|start| *start >= from)?;
    let is_www = source
        .get(start..dot)
        .is_some_and(|written| written.eq_ignore_ascii_case("www"));
    if !is_www {
        return None;
    }
    let before = source[..start].chars().next_back();
    let may_begin =
        before.is_none_or(|before| before.is_whitespace() || "*_~(\"'".contains(before));
    if !may_begin || !has_host(source.get(start..limit(start))?, 1) {
        return None;
    }
    let end = end(source, start, limit(start))?;
    (end > dot + 1).then_some(start..end)
}

/// Returns the URL without a scheme whose first label ends at `dot` (linkify-it 5, `fuzzyLink`).
fn without_scheme(
    source: &str,
    from: usize,
    dot: usize,
    limit: &impl Fn(usize) -> usize,
) -> Option<Range<usize>> {
    let is_of_label = |character: char| character.is_alphanumeric() || character == '-';
    let start = from + source[from..dot].trim_end_matches(is_of_label).len();
    let before = source[..start].chars().next_back();
    let may_begin =
        before.is_none_or(|before| !before.is_alphanumeric() && !".:/\\-_@".contains(before));
    // Before the rest is scanned: `a.a.a.a` calls this function at each dot.
    if !may_begin {
        return None;
    }
    let length = length_without_scheme(source.get(start..limit(start))?)?;
    (start + length > dot + 1).then_some(start..start + length)
}

/// Returns the byte offset of the end of the URL: before white space, `<`, or punctuation of the
/// surrounding sentence.
fn end(source: &str, start: usize, limit: usize) -> Option<usize> {
    let whole = source.get(start..limit)?;
    let length = whole
        .find(|character: char| character.is_whitespace() || character == '<')
        .unwrap_or(whole.len());
    let mut url = &whole[..length];
    // Counted once: counting after each dropped character would take quadratic time.
    let opened = url.matches('(').count();
    let mut closed = url.matches(')').count();
    while let Some(last) = url.chars().next_back() {
        let shorter = match last {
            '?' | '!' | '.' | ',' | ':' | '*' | '_' | '~' | '\'' | '"' => 1,
            ')' if closed > opened => {
                closed -= 1;
                1
            }
            ';' => entity_length(url).unwrap_or(1),
            _ => break,
        };
        url = &url[..url.len() - shorter];
    }
    (!url.is_empty()).then_some(start + url.len())
}

/// Returns the length of an entity such as `&amp;` at the end of `url`, in bytes.
fn entity_length(url: &str) -> Option<usize> {
    let name = url.strip_suffix(';')?;
    let name_bytes = name
        .bytes()
        .rev()
        .take_while(u8::is_ascii_alphanumeric)
        .count();
    let is_entity = name_bytes > 0 && name[..name.len() - name_bytes].ends_with('&');
    is_entity.then_some(name_bytes + 2)
}

/// Returns whether the text begins with a host name that has at least `dots_min` dots, and no
/// underscores in its last two labels.
fn has_host(url: &str, dots_min: usize) -> bool {
    let is_host_character =
        |character: &char| character.is_alphanumeric() || "-_.".contains(*character);
    let characters = url.chars().take_while(is_host_character);
    let length: usize = characters
        .take(HOST_BYTES_MAX + 1)
        .map(char::len_utf8)
        .sum();
    let host = &url[..length];
    let mut parts = host.rsplit('.');
    let is_plain = |part: Option<&str>| part.is_none_or(|part| !part.contains('_'));
    host.starts_with(char::is_alphanumeric)
        && host.len() <= HOST_BYTES_MAX
        && host.matches('.').count() >= dots_min
        && is_plain(parts.next())
        && is_plain(parts.next())
}

/// Returns whether the host of a URL has a label after the first that begins with a lower-case
/// letter, which goldmark requires. `localhost` and IP addresses have none. URLs without `://`
/// always qualify.
pub(super) fn has_named_host(url: &str) -> bool {
    let Some((_, rest)) = url.split_once("://") else {
        return true;
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let mut parts = rest[..end].split('.').skip(1);
    parts.any(|part| part.starts_with(|character: char| character.is_ascii_lowercase()))
}

fn mail_address(
    source: &str,
    from: usize,
    at: usize,
    limit: usize,
) -> Option<(Range<usize>, &'static str)> {
    let bytes = source.as_bytes();
    let is_local = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-_+".contains(byte);
    let local = bytes[from..at].iter().rev().take_while(is_local).count();
    let is_host = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-_".contains(byte);
    let host = bytes[at + 1..limit].iter().take_while(is_host).count();
    let host = source[at + 1..at + 1 + host].trim_end_matches('.');
    let is_mail = local > 0
        && host.contains('.')
        && host.len() <= HOST_BYTES_MAX
        && !host.starts_with('.')
        && !host.contains("..")
        && !host.ends_with(['-', '_']);
    is_mail.then_some((at - local..at + 1 + host.len(), "mailto:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        found_by(BareLinks::Http, text)
    }

    fn found_by(rule: BareLinks, text: &str) -> Vec<String> {
        let links = find_all(text, 0..text.len(), rule, |_| text.len());
        links
            .into_iter()
            .map(|link| format!("{}{}", link.prefix, &text[link.range]))
            .collect()
    }

    #[test]
    fn urls_end_before_the_punctuation_of_their_sentence() {
        for (text, links) in [
            (
                "see https://a.example/b_c?d=e.",
                &["https://a.example/b_c?d=e"][..],
            ),
            ("(https://a.example/(b))", &["https://a.example/(b)"]),
            ("\"https://a.example/b\", x", &["https://a.example/b"]),
            ("https://a.example/&quot; x", &["https://a.example/"]),
            (
                "www.a.example, WWW.B.EXAMPLE",
                &["http://www.a.example", "http://WWW.B.EXAMPLE"],
            ),
            ("HTTP://a.example<b", &["HTTP://a.example"]),
            ("http://localhost:80/x", &["http://localhost:80/x"]),
            ("http://例え.jp/パス", &["http://例え.jp/パス"]),
            ("a+b.c@d-e.example.", &["mailto:a+b.c@d-e.example"]),
            (
                "http://a.example http://b.example",
                &["http://a.example", "http://b.example"],
            ),
        ] {
            assert_eq!(found(text), links, "{text}");
        }
    }

    #[test]
    fn hosts_without_a_scheme_have_a_known_domain() {
        for (text, links) in [
            (
                "see example.com/a.html, or (docs.example.org:80).",
                &["http://example.com/a.html", "http://docs.example.org:80"][..],
            ),
            ("README.md", &["http://README.md"]),
            ("www.example.com", &["http://www.example.com"]),
            (
                "https://a.example b.com",
                &["https://a.example", "http://b.com"],
            ),
            ("node.js 1.2 e.g. this", &[]),
            ("/a/b.com @b.com a-.com x_b.com b.com-c", &[]),
            ("a@b.com", &["mailto:a@b.com"]),
        ] {
            assert_eq!(found_by(BareLinks::MarkdownIt, text), links, "{text}");
        }
        let text = "www.a.com b.com http://c.com d@e.com";
        assert_eq!(
            found_by(BareLinks::WithScheme, text),
            ["http://c.com", "mailto:d@e.com"]
        );
    }

    #[test]
    fn hosts_with_a_name_are_distinguished() {
        for (url, is_named) in [
            ("http://localhost:1313/a.b", false),
            ("http://127.0.0.1:1313", false),
            ("https://a.example", true),
            ("https://www.a.example/b", true),
            ("mailto:a@b", true),
        ] {
            assert_eq!(has_named_host(url), is_named, "{url}");
        }
    }

    #[test]
    fn texts_similar_to_urls_are_not_links() {
        for text in [
            "xhttp://a.example",
            "http://",
            "http://a_b.c/",
            "www.",
            "awww.a.example",
            "www.foo_bar.com",
            "a@b",
            "a@b_",
            "@a.example",
            "a:b.c",
            "é.a",
            "javascript://a.example",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
