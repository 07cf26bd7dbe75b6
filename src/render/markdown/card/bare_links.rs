//! Finds addresses that stand in a text without any mark (Ghost 6.65, recorded).
//!
//! Web addresses need their scheme or two slashes; mail addresses need a domain that is known. An
//! address ends before punctuation that belongs to the sentence around it.

use std::ops::Range;

use super::addresses;

/// An address found in a text.
pub(super) struct BareLink {
    /// Where it stands.
    pub(super) range: Range<usize>,
    /// What it leads to, as it stands in an attribute.
    pub(super) destination: String,
    /// What readers see.
    pub(super) text: String,
}

/// Longest part of an address in brackets or quotes, in bytes.
const BRACKETED_BYTES_MAX: usize = 2000;

/// Most characters between two dots of a host.
const LABEL_CHARACTERS_MAX: usize = 63;

/// Domains under which a mail address needs no `mailto:`, beside countries and `xn--` names.
const DOMAINS: [&str; 17] = [
    "aero", "asia", "biz", "com", "coop", "edu", "gov", "info", "museum", "name", "net", "org",
    "pro", "shop", "web", "xxx", "рф",
];

/// Domains of countries: the first letter, then all that may follow it.
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

/// Returns all addresses in `text`, in their order.
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
        let found = if is_mail_address {
            mail_address.take()
        } else {
            with_scheme.take()
        }?;
        // What is still ahead was found already.
        let end = found.range.end;
        if is_mail_address || mail_start < end {
            mail_address = first_mail_address(text, end);
        }
        if !is_mail_address || scheme_start < end {
            with_scheme = first_with_scheme(text, end);
        }
        Some(found)
    })
}

/// Returns the web address whose scheme ends at `colon`. Its scheme begins behind `start`, after
/// anything but a letter; it may go on to the end of `text`.
pub(super) fn find_at_colon(text: &str, start: usize, colon: usize) -> Option<BareLink> {
    let is_of_scheme =
        |character: char| character.is_ascii_alphanumeric() || ".+-".contains(character);
    let before = &text[start..colon];
    let scheme = &before[before.trim_end_matches(is_of_scheme).len()..];
    if !is_web_scheme(scheme) {
        return None;
    }
    let behind = &text[colon + 1..];
    let address = behind[..web_address_length(behind)?].trim_end_matches('*');
    let range = colon - scheme.len()..colon + 1 + address.len();
    if address == "//" {
        None
    } else {
        link(text, range, "")
    }
}

/// The link of the address at `range`. `None` when it may not be linked to.
fn link(text: &str, range: Range<usize>, scheme: &str) -> Option<BareLink> {
    let address = format!("{scheme}{}", &text[range.clone()]);
    let shown = addresses::shown(&address);
    Some(BareLink {
        destination: addresses::written(&address)?,
        text: shown.strip_prefix(scheme).unwrap_or(&shown).to_owned(),
        range,
    })
}

fn is_web_scheme(word: &str) -> bool {
    ["http", "https", "ftp"]
        .iter()
        .any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// The first address behind `start` that has a scheme or begins with two slashes.
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
    let (before, behind) = (&text[..colon], &text[colon + 1..]);
    let is_letter = |character: char| character.is_ascii_alphabetic();
    let scheme = &before[before.trim_end_matches(is_letter).len()..];
    let length = if is_web_scheme(scheme) {
        web_address_length(behind)?
    } else if scheme.eq_ignore_ascii_case("mailto") {
        mailbox_length(behind)?
    } else {
        return None;
    };
    Some(colon - scheme.len()..colon + 1 + length)
}

fn range_with_slashes(text: &str, start: usize) -> Option<Range<usize>> {
    let behind = text[start..].strip_prefix("//")?;
    if text[..start].ends_with([':', '/']) {
        return None;
    }
    let host = host_length(behind)?;
    let is_named = behind[..host].contains('.') || behind.starts_with("localhost");
    let length = host + port_length(&behind[host..])?;
    let length = length + path_length(&behind[length..]);
    is_named.then_some(start..start + 2 + length)
}

/// Whether an address may begin behind `before`: at the start or after anything but a letter.
fn is_at_boundary(before: &str) -> bool {
    let last = before.chars().next_back();
    last.is_none_or(|last| last != '_' && !is_letter(last))
}

/// The length of what follows `http:`.
fn web_address_length(text: &str) -> Option<usize> {
    let authority = text.strip_prefix("//")?;
    let length = [user_length(authority), 0].into_iter().find_map(|user| {
        let host = host_length(&authority[user..])?;
        let end = user + host;
        Some(end + port_length(&authority[end..])?)
    })?;
    Some(2 + length + path_length(&authority[length..]))
}

/// The length of a user's name and the `@` behind it; zero when there is none.
fn user_length(text: &str) -> usize {
    let end = text.find(|character| is_blank(character) || "@/[]()".contains(character));
    match end {
        Some(end) if end > 0 && text[end..].starts_with('@') => end + 1,
        _ => 0,
    }
}

/// The length of words with dots between them.
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

/// The length of the port behind a host. `None` when no host can end there.
fn port_length(behind: &str) -> Option<usize> {
    let port = behind.strip_prefix(':').and_then(|rest| {
        let is_digit = |character: char| character.is_ascii_digit();
        let digits = &rest[..rest.len() - rest.trim_start_matches(is_digit).len()];
        let is_padded = digits.len() > 4 && digits.starts_with('0');
        (!is_padded && digits.parse::<u16>().is_ok()).then_some(1 + digits.len())
    });
    let lengths = port.into_iter().chain([0]);
    lengths
        .into_iter()
        .find(|&length| ends_host(&behind[length..]))
}

/// Whether `behind` may follow a host.
fn ends_host(behind: &str) -> bool {
    let mut characters = behind.chars();
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

/// The length of a path, a query or a fragment.
fn path_length(text: &str) -> usize {
    if !text.starts_with(['/', '?', '#']) {
        return 0;
    }
    let mut length = 1;
    while let Some(piece) = path_piece_length(&text[length..]) {
        length += piece;
    }
    if length == 1 && !text.starts_with('/') {
        return 0;
    }
    length
}

/// The length of what may come next in a path. Punctuation counts only where the path goes on.
fn path_piece_length(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let behind = &text[first.len_utf8()..];
    let next = behind.chars().next();
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
            let rest = behind.trim_start_matches('!');
            let is_inside = rest.chars().next().is_some_and(|next| !is_blank(next));
            is_inside.then_some(text.len() - rest.len())
        }
        '?' if next == Some('?') => None,
        '.' | ',' | ';' | '?' => is_inside.then_some(1),
        first if is_blank(first) || is_bracket(first) => None,
        first => Some(first.len_utf8()),
    }
}

/// The length of several dots and what follows them.
fn dots_length(text: &str) -> Option<usize> {
    let behind = text.trim_start_matches('.');
    let goes_on = |next: char| next.is_ascii_alphanumeric() || "%/&".contains(next);
    behind
        .starts_with(goes_on)
        .then_some(text.len() - behind.len() + 1)
}

fn quoted_length(text: &str, quote: char) -> Option<usize> {
    bracketed_length(text, quote).filter(|length| *length > 2)
}

/// The length of a part in brackets, which holds no blank.
fn bracketed_length(text: &str, closing: char) -> Option<usize> {
    let inner = &text[1..text.floor_char_boundary(BRACKETED_BYTES_MAX)];
    let end = inner.find(|character| is_blank(character) || character == closing)?;
    inner[end..].starts_with(closing).then_some(end + 2)
}

/// The first mail address behind `start` that has no `mailto:`.
fn first_mail_address(text: &str, start: usize) -> Option<BareLink> {
    let ats = memchr::memchr_iter(b'@', &text.as_bytes()[start..]);
    ats.map(|at| start + at).find_map(|at| {
        let mailbox = mailbox_start(&text[..at]).filter(|mailbox| *mailbox >= start)?;
        let domain = mail_domain_length(&text[at + 1..])?;
        link(text, mailbox..at + 1 + domain, "mailto:")
    })
}

/// Where a mailbox that ends before the `@` may begin, at the earliest.
fn mailbox_start(before: &str) -> Option<usize> {
    let mut earliest = None;
    for (place, character) in before.char_indices().rev() {
        if !is_of_mailbox(character) {
            break;
        }
        let last = before[..place].chars().next_back();
        let is_boundary =
            |last: char| is_blank(last) || is_bracket(last) || matches!(last, '"' | '(');
        if character != '"' && last.is_none_or(is_boundary) {
            earliest = Some(place);
        }
    }
    earliest
}

/// The length of a mailbox and its domain, any domain.
fn mailbox_length(text: &str) -> Option<usize> {
    let name = text.find(|character| !is_of_mailbox(character))?;
    let domain = text[name..].strip_prefix('@')?;
    let length = host_length(domain).filter(|length| ends_host(&domain[*length..]))?;
    (name > 0 && !text.starts_with('"')).then_some(name + 1 + length)
}

fn is_of_mailbox(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-;:&=+$,.\"_".contains(character)
}

/// The length of a domain that is known, or of four numbers.
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
    DOMAINS.contains(&domain)
        || domain.starts_with("xn--")
        || matches!(domain.as_bytes(), [first, second] if COUNTRIES
            .iter()
            .any(|country| country.as_bytes()[0] == *first && country.as_bytes()[1..].contains(second)))
}

/// Whether `character` may be part of a word in a host.
fn is_letter(character: char) -> bool {
    !is_blank(character) && !is_bracket(character) && !is_punctuation(character)
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character.is_control()
}

/// Brackets that end every address. The last is the full-width vertical bar.
fn is_bracket(character: char) -> bool {
    matches!(character, '<' | '>' | '\u{ff5c}')
}

/// Punctuation; of Unicode, that of general use and of East Asia. Symbols such as `=` are none.
fn is_punctuation(character: char) -> bool {
    match character {
        '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~' => false,
        '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}' => true,
        '\u{2044}' | '\u{2052}' => false,
        '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' => true,
        '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' => true,
        '\u{30fb}'
        | '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'
        | '\u{ff1b}'
        | '\u{ff1f}'
        | '\u{ff20}' => true,
        other => other.is_ascii_punctuation(),
    }
}
