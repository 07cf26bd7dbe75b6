//! Computes the location of a redirect response from the target of the redirect and the requested
//! URL.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use regex::bytes::Captures;
use url::form_urlencoded;

/// The ASCII characters that must be percent-encoded in a URL.
const UNSAFE: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');

/// Returns the location for the URL with this path and query. `captures` are the groups that the
/// expression matched in the path. Returns `None` if the location is the requested URL.
pub fn location(to: &str, path: &str, query: Option<&str>, captures: &Captures) -> Option<String> {
    let whole = captures.get(0)?;
    let to = TargetParts::of(to);
    // A match of a byte expression can end within a character; `get` returns `None` in that case.
    let (before, after) = (path.get(..whole.start())?, path.get(whole.end()..)?);
    let replaced = format!("{before}{}{after}", expanded(to.path, captures));
    let mut location = match to.origin {
        "" => with_single_slashes(&replaced),
        origin => format!("{origin}{replaced}"),
    };
    // Compared before the query is added: the same path would be redirected again, without end.
    if location == path {
        return None;
    }
    if let Some(query) = joined(query, to.query.map(|query| expanded(query, captures))) {
        location.extend(["?", &query]);
    }
    location.push_str(to.fragment);
    // Encoded at the end, with everything that groups contain, so that no request can add a line
    // break to the header field.
    Some(utf8_percent_encode(&location, UNSAFE).to_string())
}

/// Returns a path of this site without empty segments (Ghost 6.65, observed). Two leading slashes
/// would redirect to another site, and so would a backslash, which browsers treat as a slash.
fn with_single_slashes(path: &str) -> String {
    let mut result = String::new();
    for character in path.chars() {
        match character {
            '/' | '\\' if result.ends_with('/') => {}
            '\\' if result.is_empty() => result.push('/'),
            character => result.push(character),
        }
    }
    result
}

/// The parts of a target.
struct TargetParts<'t> {
    /// Scheme and host; empty for a path of this site.
    origin: &'t str,
    path: &'t str,
    query: Option<&'t str>,
    /// The fragment with its `#`.
    fragment: &'t str,
}

impl<'t> TargetParts<'t> {
    fn of(to: &'t str) -> Self {
        let (rest, fragment) = to.split_at(to.find('#').unwrap_or(to.len()));
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query)),
            None => (rest, None),
        };
        let host = match rest.find("://") {
            Some(scheme) if !rest[..scheme].contains('/') => Some(scheme + 3),
            _ => rest.starts_with("//").then_some(2),
        };
        let origin = host.map_or(0, |host| {
            rest[host..].find('/').map_or(rest.len(), |end| host + end)
        });
        let (origin, path) = rest.split_at(origin);
        let path = match (origin, path) {
            ("", path) => path,
            (_, "") => "/",
            (_, path) => path,
        };
        Self {
            origin,
            path,
            query,
            fragment,
        }
    }
}

/// Returns a text with `$1`, `$&`, `$<name>` and `$$` replaced, as JavaScript does.
fn expanded(text: &str, captures: &Captures) -> String {
    let mut result = String::new();
    let mut rest = text;
    let captured = |number: usize| {
        let group = captures.get(number);
        group.map_or(Cow::Borrowed(""), |group| {
            String::from_utf8_lossy(group.as_bytes())
        })
    };
    while let Some(dollar) = rest.find('$') {
        result.push_str(&rest[..dollar]);
        let after = &rest[dollar + 1..];
        let (replacement, length) = match after.as_bytes().first() {
            Some(b'$') => (Cow::Borrowed("$"), 1),
            Some(b'&') => (captured(0), 1),
            Some(b'1'..=b'9') => {
                let digits = after.bytes().take(2).take_while(u8::is_ascii_digit).count();
                // As in JavaScript, `$10` is the tenth group only if there are ten; otherwise it is
                // the first group and a 0.
                let longest = (1..=digits).rev().find_map(|length| {
                    let number: usize = after[..length].parse().ok()?;
                    (number < captures.len()).then(|| (captured(number), length))
                });
                longest.unwrap_or((Cow::Borrowed("$"), 0))
            }
            Some(b'<') => match after.find('>') {
                Some(end) => {
                    let found = captures.name(&after[1..end]);
                    let found = found.map(|found| String::from_utf8_lossy(found.as_bytes()));
                    (found.unwrap_or_default(), end + 1)
                }
                None => (Cow::Borrowed("$"), 0),
            },
            _ => (Cow::Borrowed("$"), 0),
        };
        result.push_str(&replacement);
        rest = &after[length..];
    }
    result.push_str(rest);
    result
}

/// Returns the requested query merged with the target's, which takes precedence.
fn joined(requested: Option<&str>, own: Option<String>) -> Option<String> {
    let requested = requested.filter(|query| !query.is_empty());
    let Some(own) = own.filter(|query| !query.is_empty()) else {
        return requested.map(str::to_owned);
    };
    let name = |pair: &str| {
        let mut parsed = form_urlencoded::parse(pair.as_bytes());
        parsed.next().map(|(name, _)| name.into_owned())
    };
    // Names are compared decoded, because the same name can be encoded in several ways.
    let overridden: Vec<Option<String>> = own.split('&').map(name).collect();
    let remaining = requested.into_iter().flat_map(|query| query.split('&'));
    let mut pairs: Vec<&str> = remaining
        .filter(|pair| !overridden.contains(&name(pair)))
        .collect();
    pairs.push(&own);
    Some(pairs.join("&"))
}
