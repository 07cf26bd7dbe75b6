//! Detection of bare URLs (Ghost 6.65, recorded).
//!
//! Web URLs need a scheme or two slashes; mail addresses need a known top-level domain. A URL ends
//! before punctuation of the surrounding sentence.

use std::ops::Range;

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

use super::urls;

/// A URL found in a text.
pub(super) struct BareLink {
    /// The range of the URL in bytes.
    pub(super) range: Range<usize>,
    /// The URL as written in an attribute.
    pub(super) destination: String,
    /// The displayed text.
    pub(super) text: String,
}

/// Longest part of a URL between brackets or quotes, in bytes.
const BRACKETED_BYTES_MAX: usize = 2000;

/// The only host name without dots that a URL without a scheme may have.
const LOCAL_HOST: &str = "localhost";

/// Maximum length of a mailbox before its `@`, in characters.
const MAILBOX_CHARACTERS_MAX: usize = 64;

/// Maximum length of a user name before a host, in characters.
const USER_CHARACTERS_MAX: usize = 50;

/// Maximum length of a label of a host, in characters.
const LABEL_CHARACTERS_MAX: usize = 63;

/// Top-level domains of mail addresses without `mailto:`, in addition to those of countries and those that begin with
/// `xn--`.
const DOMAINS: [&str; 17] = [
    "aero", "asia", "biz", "com", "coop", "edu", "gov", "info", "museum", "name", "net", "org",
    "pro", "shop", "web", "xxx", "рф",
];

/// Top-level domains of countries. Each entry is a first letter, followed by all possible second letters.
const COUNTRIES: [&str; 25] = [
    "acdefgilmnoqrstuwxz",
    "babdefghijmnorstvwyz",
    "cacdfghiklmnoruvwxyz",
    "dejkmoz",
    "ecegrstu",
    "fijkmor",
    "gabdefghilmnpqrstuwy",
    "hkmnrtu",
    "idelmnoqrst",
    "jemop",
    "keghimnprwyz",
    "labcikrstuvy",
    "macdeghklmnopqrstuvwxyz",
    "nacefgilopruz",
    "om",
    "paefghklmnrstwy",
    "qa",
    "reosuw",
    "sabcdeghijklmnortuvxyz",
    "tcdfghjklmnortvwz",
    "uagksyz",
    "vaceginu",
    "wfs",
    "yet",
    "zamw",
];

/// Returns whether the text of a block may contain bare URLs, so that it must be searched: it contains the start of a
/// URL, the `@` of a mail address, or part of a known host name. A URL starts after white space or punctuation: `==//x.y==` alone does not
/// suffice, as `=` is a symbol.
pub(super) fn may_contain_links(block: &str) -> bool {
    let marks = memchr::memchr3_iter(b':', b'/', b'@', block.as_bytes());
    let mut marks = marks.peekable();
    marks.peek().is_some()
        && (marks.any(|mark| begins_at_mark(block, mark)) || has_known_host(block))
}

/// Returns whether `mark` is the `@` of a mail address, the colon of a scheme, or the start of two slashes at which a
/// URL may begin.
fn begins_at_mark(block: &str, mark: usize) -> bool {
    let (before, after) = (&block[..mark], &block[mark..]);
    if after.starts_with(':') {
        let start = before.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let scheme = &before[start.len()..];
        let is_scheme = is_web_scheme(scheme) || scheme.eq_ignore_ascii_case("mailto");
        return is_scheme && is_at_boundary(start);
    }
    after.starts_with('@') || after.starts_with("//") && is_at_boundary(before)
}

/// Returns whether a text contains a known host name or part of one.
fn has_known_host(text: &str) -> bool {
    let text = text.to_lowercase();
    let has_domain = |dot: usize| {
        let after = &text[dot + 1..];
        let end = after.find(|c| is_blank(c) || is_punctuation(c) || c == '>');
        let name = &after[..end.unwrap_or(after.len())];
        let is_number = (1..=3).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_digit());
        is_number && after[name.len()..].starts_with('.') || is_known_domain(name)
    };
    text.contains(LOCAL_HOST)
        || text.contains("www.")
        || memchr::memchr_iter(b'.', text.as_bytes()).any(has_domain)
}

/// Returns all URLs in `text`, in order.
pub(super) fn find_all(text: &str) -> impl Iterator<Item = BareLink> {
    let mut with_scheme = first_with_scheme(text, 0);
    let mut mail_address = first_mail_address(text, 0);
    std::iter::from_fn(move || {
        let scheme_start = with_scheme
            .as_ref()
            .map_or(text.len(), |link| link.range.start);
        let mail_start = mail_address
            .as_ref()
            .map_or(text.len(), |link| link.range.start);
        let is_mail_address = mail_start < scheme_start;
        let link = if is_mail_address {
            mail_address.take()
        } else {
            with_scheme.take()
        }?;
        // Candidates that begin after the end remain valid.
        let end = link.range.end;
        if is_mail_address || mail_start < end {
            mail_address = first_mail_address(text, end);
        }
        if !is_mail_address || scheme_start < end {
            with_scheme = first_with_scheme(text, end);
        }
        Some(link)
    })
}

/// Returns the web URL whose scheme ends at `colon`. The scheme begins at or after `start`, and no letter may precede
/// it there. The URL may extend to the end of `text`.
pub(super) fn find_at_colon(text: &str, start: usize, colon: usize) -> Option<BareLink> {
    let is_scheme_character =
        |character: char| character.is_ascii_alphanumeric() || ".+-".contains(character);
    let before = &text[start..colon];
    let scheme = &before[before.trim_end_matches(is_scheme_character).len()..];
    if !is_web_scheme(scheme) {
        return None;
    }
    let after = &text[colon + 1..];
    // Asterisks at the end belong to emphasis around the URL.
    let url = after[..web_url_length(after)?].trim_end_matches('*');
    let range = colon - scheme.len()..colon + 1 + url.len();
    if url == "//" {
        None
    } else {
        link(text, range, "")
    }
}

/// Returns the link for the URL at `range`; `None` if its URL is not permitted.
fn link(text: &str, range: Range<usize>, scheme: &str) -> Option<BareLink> {
    let url = format!("{scheme}{}", &text[range.clone()]);
    let shown = urls::for_display(&url);
    Some(BareLink {
        destination: urls::for_attribute(&url)?,
        text: shown.strip_prefix(scheme).unwrap_or(&shown).to_owned(),
        range,
    })
}

fn is_web_scheme(word: &str) -> bool {
    ["http", "https", "ftp"]
        .iter()
        .any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Returns the first URL after `start` that has a scheme or begins with two slashes.
fn first_with_scheme(text: &str, start: usize) -> Option<BareLink> {
    let marks = memchr::memchr2_iter(b':', b'/', &text.as_bytes()[start..]);
    marks.map(|mark| start + mark).find_map(|mark| {
        let range = if text[mark..].starts_with(':') {
            range_with_scheme(text, mark)
        } else {
            range_with_slashes(text, mark)
        }?;
        let is_new = range.start >= start && is_at_boundary(&text[..range.start]);
        if is_new { link(text, range, "") } else { None }
    })
}

fn range_with_scheme(text: &str, colon: usize) -> Option<Range<usize>> {
    let (before, after) = (&text[..colon], &text[colon + 1..]);
    let is_letter = |character: char| character.is_ascii_alphabetic();
    let scheme = &before[before.trim_end_matches(is_letter).len()..];
    let length = if is_web_scheme(scheme) {
        web_url_length(after)?
    } else if scheme.eq_ignore_ascii_case("mailto") {
        mailbox_length(after)?
    } else {
        return None;
    };
    Some(colon - scheme.len()..colon + 1 + length)
}

fn range_with_slashes(text: &str, start: usize) -> Option<Range<usize>> {
    let after = text[start..].strip_prefix("//")?;
    if text[..start].ends_with([':', '/']) {
        return None;
    }
    let length = [user_length(after), 0].into_iter().find_map(|user| {
        let rest = &after[user..];
        let hosts = [
            rest.starts_with(LOCAL_HOST).then_some(LOCAL_HOST.len()),
            named_host_length(rest),
        ];
        hosts
            .into_iter()
            .flatten()
            .find_map(|host| Some(user + host + port_length(&rest[host..])?))
    })?;
    let length = length + path_length(&after[length..]);
    Some(start..start + 2 + length)
}

/// Returns the length of a URL without a scheme at the beginning of a text: a host with a known domain, a port and a path.
pub(in crate::render::markdown) fn length_without_scheme(text: &str) -> Option<usize> {
    let host = host_length(text)?;
    let (_, last) = text[..host].rsplit_once('.')?;
    if !is_known_domain(&last.to_lowercase()) {
        return None;
    }
    let end = host + port_length(&text[host..])?;
    Some(end + path_length(&text[end..]))
}

/// Returns the length of a host with several labels, the last of which contains no dash.
fn named_host_length(text: &str) -> Option<usize> {
    let length = host_length(text)?;
    let (_, last) = text[..length].rsplit_once('.')?;
    let is_named = !last.contains('-') || last.to_ascii_lowercase().starts_with("xn--");
    is_named.then_some(length)
}

/// Returns whether a URL may begin after `before`: at the start of a text, or after any character except a letter.
fn is_at_boundary(before: &str) -> bool {
    let last = before.chars().next_back();
    last.is_none_or(|last| last != '_' && !is_letter(last))
}

/// Returns the length of the part after `http:`.
fn web_url_length(text: &str) -> Option<usize> {
    let authority = text.strip_prefix("//")?;
    // Text before an `@` that no host follows may be the host: linkify-it's regular expression
    // backtracks.
    let length = [user_length(authority), 0].into_iter().find_map(|user| {
        let host = host_length(&authority[user..])?;
        let end = user + host;
        Some(end + port_length(&authority[end..])?)
    })?;
    Some(2 + length + path_length(&authority[length..]))
}

/// Returns the length of a user name and the `@` after it; zero if there is none.
fn user_length(text: &str) -> usize {
    let end = text.find(|character| is_blank(character) || "@/[]()".contains(character));
    match end {
        Some(end)
            if text[end..].starts_with('@')
                && (1..=USER_CHARACTERS_MAX).contains(&text[..end].chars().count()) =>
        {
            end + 1
        }
        _ => 0,
    }
}

/// Returns the length of labels separated by dots.
fn host_length(text: &str) -> Option<usize> {
    let mut length = label_length(text)?;
    while let Some(rest) = text[length..].strip_prefix('.')
        && let Some(label) = label_length(rest)
    {
        length += 1 + label;
    }
    Some(length)
}

fn label_length(text: &str) -> Option<usize> {
    let is_inside = |character: &char| is_letter(*character) || *character == '-';
    let label = text.chars().take_while(is_inside);
    let mut length = 0;
    let mut characters = 0;
    for character in label {
        length += character.len_utf8();
        characters += 1;
        if characters > LABEL_CHARACTERS_MAX {
            return None;
        }
    }
    let label = &text[..length];
    let is_label = !label.is_empty() && !label.starts_with('-') && !label.ends_with('-');
    is_label.then_some(length)
}

/// Returns the length of the port after a host. `None` if no host can end there.
fn port_length(after: &str) -> Option<usize> {
    let port = after.strip_prefix(':').and_then(|rest| {
        let is_digit = |character: char| character.is_ascii_digit();
        let digits = &rest[..rest.len() - rest.trim_start_matches(is_digit).len()];
        // linkify-it, which Ghost's parser uses, permits leading zeros only in ports of up to four digits.
        let is_padded = digits.len() > 4 && digits.starts_with('0');
        (!is_padded && digits.parse::<u16>().is_ok()).then_some(1 + digits.len())
    });
    let lengths = port.into_iter().chain([0]);
    lengths
        .into_iter()
        .find(|&length| ends_host(&after[length..]))
}

/// Returns whether `after` may follow a host.
fn ends_host(after: &str) -> bool {
    let mut characters = after.chars();
    let (first, second) = (characters.next(), characters.next());
    match first {
        None => true,
        Some('-' | '_') => false,
        Some(':') => !second.is_some_and(|second| second.is_ascii_digit()),
        Some('.') => {
            second.is_none_or(|second| second != '-' && !is_letter(second) && !is_bracket(second))
        }
        Some(first) => !is_letter(first),
    }
}

/// Returns the length of a path, a query or a fragment.
fn path_length(text: &str) -> usize {
    if !text.starts_with(['/', '?', '#']) {
        return 0;
    }
    let mut length = 1;
    while let Some(part) = path_piece_length(&text[length..]) {
        length += part;
    }
    if length == 1 && !text.starts_with('/') {
        return 0;
    }
    length
}

/// Returns the length of the next part of a path. Punctuation is part of the path only if the path continues after it.
fn path_piece_length(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let after = &text[first.len_utf8()..];
    let next = after.chars().next();
    let is_inside = next.is_some_and(|next| !is_blank(next));
    match first {
        '(' => bracketed_length(text, ')'),
        '[' => bracketed_length(text, ']'),
        '{' => bracketed_length(text, '}'),
        '"' => quoted_length(text, '"'),
        '\'' => quoted_length(text, '\'').or_else(|| {
            let is_apostrophe = next.is_some_and(|next| is_letter(next) || next == '-');
            is_apostrophe.then_some(1)
        }),
        ')' | ']' | '}' => None,
        '.' if next == Some('.') => dots_length(text),
        '!' => {
            let rest = after.trim_start_matches('!');
            let is_inside = rest.chars().next().is_some_and(|next| !is_blank(next));
            is_inside.then_some(text.len() - rest.len())
        }
        '?' if next == Some('?') => None,
        '.' | ',' | ';' | '?' => is_inside.then_some(1),
        first if is_blank(first) || is_bracket(first) => None,
        first => Some(first.len_utf8()),
    }
}

/// Returns the length of several dots and the character after them.
fn dots_length(text: &str) -> Option<usize> {
    let after = text.trim_start_matches('.');
    // Commit ranges on GitHub and search URLs of Google contain such dots (linkify-it).
    let continues = |next: char| next.is_ascii_alphanumeric() || "%/&".contains(next);
    after
        .starts_with(continues)
        .then_some(text.len() - after.len() + 1)
}

fn quoted_length(text: &str, quote: char) -> Option<usize> {
    bracketed_length(text, quote).filter(|length| *length > 2)
}

/// Returns the length of a part in brackets, which must not contain white space.
fn bracketed_length(text: &str, closing: char) -> Option<usize> {
    let inner = &text[1..text.floor_char_boundary(BRACKETED_BYTES_MAX)];
    let end = inner.find(|character| is_blank(character) || character == closing)?;
    inner[end..].starts_with(closing).then_some(end + 2)
}

/// Returns the first mail address after `start` that has no `mailto:`.
fn first_mail_address(text: &str, start: usize) -> Option<BareLink> {
    let ats = memchr::memchr_iter(b'@', &text.as_bytes()[start..]);
    ats.map(|at| start + at).find_map(|at| {
        let mailbox = mailbox_start(&text[..at]).filter(|mailbox| *mailbox >= start)?;
        let domain = mail_domain_length(&text[at + 1..])?;
        link(text, mailbox..at + 1 + domain, "mailto:")
    })
}

/// Returns the earliest possible start of a mailbox that ends before the `@`.
fn mailbox_start(before: &str) -> Option<usize> {
    let mut earliest = None;
    for (index, character) in before.char_indices().rev().take(MAILBOX_CHARACTERS_MAX) {
        if !is_mailbox_character(character) {
            break;
        }
        let last = before[..index].chars().next_back();
        let is_boundary =
            |last: char| is_blank(last) || is_bracket(last) || matches!(last, '"' | '(');
        if character != '"' && last.is_none_or(is_boundary) {
            earliest = Some(index);
        }
    }
    earliest
}

/// Returns the length of a mailbox with any domain.
fn mailbox_length(text: &str) -> Option<usize> {
    // All these characters are single bytes.
    let window = &text[..text.floor_char_boundary(MAILBOX_CHARACTERS_MAX + 1)];
    let name = window.find(|character| !is_mailbox_character(character))?;
    let domain = text[name..].strip_prefix('@')?;
    let length = host_length(domain).filter(|length| ends_host(&domain[*length..]))?;
    (name > 0 && !text.starts_with('"')).then_some(name + 1 + length)
}

fn is_mailbox_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-;:&=+$,.\"_".contains(character)
}

/// Returns the length of a known domain, or of an IPv4 address.
fn mail_domain_length(text: &str) -> Option<usize> {
    let length = host_length(text)?;
    let host = &text[..length];
    let (_, last) = host.rsplit_once('.')?;
    let is_known = is_known_domain(&last.to_lowercase()) || is_ipv4_address(host);
    (is_known && ends_host(&text[length..])).then_some(length)
}

fn is_ipv4_address(host: &str) -> bool {
    host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok())
}

fn is_known_domain(domain: &str) -> bool {
    // The domains of linkify-it.
    DOMAINS.contains(&domain)
        || domain.starts_with("xn--")
        || matches!(domain.as_bytes(), [first, second] if COUNTRIES
            .iter()
            .any(|country| country.as_bytes()[0] == *first && country.as_bytes()[1..].contains(second)))
}

/// Returns whether `character` may be part of a label of a host.
fn is_letter(character: char) -> bool {
    !is_blank(character) && !is_bracket(character) && !is_punctuation(character)
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character.is_control()
}

/// Returns whether the character is a bracket that ends every URL. U+FF5C is the full-width vertical bar.
fn is_bracket(character: char) -> bool {
    matches!(character, '<' | '>' | '\u{ff5c}')
}

fn is_punctuation(character: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    GeneralCategoryGroup::Punctuation.contains(category)
}
