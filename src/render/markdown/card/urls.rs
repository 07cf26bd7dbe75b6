//! URLs of links and images: validation, serialisation and display (Ghost 6.65, recorded).

use std::ops::Range;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::quirks::{domain_to_ascii, domain_to_unicode};

use crate::render::heading_id::is_blank;

/// The characters that a URL must escape. Existing escapes are handled before.
const ESCAPED: AsciiSet = NON_ALPHANUMERIC
    .remove(b';')
    .remove(b'/')
    .remove(b'?')
    .remove(b':')
    .remove(b'@')
    .remove(b'&')
    .remove(b'=')
    .remove(b'+')
    .remove(b'$')
    .remove(b',')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'#');

/// Characters with a meaning in URLs. Escapes of them remain when a URL is displayed.
const RESERVED: &[u8] = b";/?:@&=+$,#%";

/// Maximum length of a label of a host, in characters.
const NAME_CHARS_MAX: usize = 63;

/// Schemes that run code or read the reader's disk.
const REFUSED_SCHEMES: [&str; 4] = ["vbscript:", "javascript:", "file:", "data:"];

/// Media types of `data:` URLs that are harmless because they are only displayed.
const HARMLESS_DATA: [&str; 4] = [
    "data:image/gif;",
    "data:image/png;",
    "data:image/jpeg;",
    "data:image/webp;",
];

/// Returns `url` for an attribute, with an ASCII host and with invalid characters escaped; `None`
/// if links to it are not permitted.
pub(super) fn for_attribute(url: &str) -> Option<String> {
    let written = escaped(&with_host(url, str::is_ascii, domain_to_ascii));
    // Checked in the form that is written: white space before a scheme has been removed.
    let plain = written.to_ascii_lowercase();
    let begins_with = |prefix: &&str| plain.starts_with(*prefix);
    let is_refused =
        REFUSED_SCHEMES.iter().any(begins_with) && !HARMLESS_DATA.iter().any(begins_with);
    (!is_refused).then_some(written)
}

/// Returns `url` for display, with a Unicode host and with escapes decoded.
pub(super) fn for_display(url: &str) -> String {
    decoded(&with_host(
        url,
        |host| !host.to_ascii_lowercase().contains("xn--"),
        domain_to_unicode,
    ))
}

/// Returns `url` with its host converted by `changed`, unless `is_fine` accepts the host or the
/// conversion fails.
fn with_host(
    url: &str,
    is_fine: impl Fn(&str) -> bool,
    changed: impl Fn(&str) -> String,
) -> String {
    let mut url = url.trim_matches(is_blank).to_owned();
    if let Some(range) = host(&url)
        && !is_fine(&url[range.clone()])
    {
        let changed = changed(&url[range.clone()]);
        if !changed.is_empty() {
            url.replace_range(range, &changed);
        }
    }
    url
}

/// Returns the range of the host; `None` if the scheme has no host.
fn host(url: &str) -> Option<Range<usize>> {
    let start = authority_start(url)?;
    let length = url[start..].find(['/', '?', '#']);
    let end = length.map_or(url.len(), |length| start + length);
    let start = url[start..end]
        .rfind('@')
        .map_or(start, |at| start + at + 1);
    let host = &url[start..end];
    let length = host.find([
        ':', '%', ';', '"', '<', '>', '\\', '^', '`', '{', '|', '}', ' ',
    ]);
    let end = length.map_or(end, |length| start + length);
    Some(start..valid_host_end(&url[..end], start))
}

/// Returns the end of the host that begins at `start`: before the first character that a host name
/// cannot contain. Non-ASCII characters are accepted only in labels that are otherwise valid.
fn valid_host_end(url: &str, start: usize) -> usize {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "+_-".contains(c);
    let mut position = start;
    for name in url[start..].split('.') {
        let is_valid = name.chars().all(|c| is_plain(c) || !c.is_ascii())
            && name.chars().count() <= NAME_CHARS_MAX;
        if !is_valid {
            let rest = name.trim_start_matches(is_plain);
            return position + (name.len() - rest.len()).min(NAME_CHARS_MAX);
        }
        position += name.len() + 1;
    }
    url.len()
}

fn authority_start(url: &str) -> Option<usize> {
    let slashes = |rest: &str| rest.starts_with("//").then_some(2);
    let colon = url.find([':', '/', '?', '#'])?;
    match url[..colon].to_ascii_lowercase().as_str() {
        "" => slashes(url),
        "http" | "https" => Some(colon + 1 + slashes(&url[colon + 1..])?),
        "mailto" => Some(colon + 1 + slashes(&url[colon + 1..]).unwrap_or(0)),
        _ => None,
    }
}

/// Escapes the characters that must be escaped. Existing escapes remain.
fn escaped(url: &str) -> String {
    let mut escaped = String::with_capacity(url.len());
    for (index, part) in url.split('%').enumerate() {
        if index > 0 {
            escaped.push_str(if escape(part).is_some() { "%" } else { "%25" });
        }
        escaped.extend(utf8_percent_encode(part, &ESCAPED));
    }
    escaped
}

/// Decodes escapes, except those of reserved characters.
fn decoded(url: &str) -> String {
    let mut protected = String::with_capacity(url.len());
    for (index, part) in url.split('%').enumerate() {
        if index > 0 {
            let is_reserved = escape(part).is_some_and(|byte| RESERVED.contains(&byte));
            // An escaped percent sign makes the decoding below restore the escape as written.
            protected.push_str(if is_reserved { "%25" } else { "%" });
        }
        protected.push_str(part);
    }
    let decoded = percent_decode_str(&protected).decode_utf8_lossy();
    decoded.into_owned()
}

/// Returns the byte that is escaped by a percent sign before `rest`, if `rest` begins with its
/// digits.
fn escape(rest: &str) -> Option<u8> {
    let digits = rest.get(..2).filter(|digits| !digits.starts_with('+'))?;
    u8::from_str_radix(digits, 16).ok()
}
