//! Texts with a format: slugs, identifiers, URLs and the like.
//!
//! Surrounding whitespace is dropped. An empty text is ignored, unless the format allows it. Each type defines its
//! format, advice about invalid texts, and a JSON Schema.

use jiff::tz::TimeZone;
use serde_json::{Value as Json, json};

use crate::{
    content_files::keys::{FieldType, Reader},
    content_text::{Span, Spanned, document::Value},
    domain::setting_value::URL_CHARACTERS_MAX,
    render::{
        active_urls::{Usage, is_active},
        slug,
    },
};

/// A text with a format.
pub trait Word {
    const WANTED: &'static str;
    const EXAMPLE: &'static str;
    /// Advice about invalid texts.
    const ADVICE: &'static str;
    /// The use of the text, if it is a URL. A URL that would run code there is dropped.
    const USAGE: Option<Usage> = None;
    /// Whether other generators use keys of this type for other purposes, so that an invalid value is ignored in their
    /// files.
    const IS_OWN: bool = false;

    /// Returns the normalised text, or `None` if it is invalid.
    fn accept(text: &str) -> Option<String>;

    /// Returns a corrected form of an invalid text in the file of another generator.
    fn corrected(_text: &str) -> Option<String> {
        None
    }

    /// Returns the JSON Schema of the format, as far as JSON Schema can express it.
    fn pattern() -> Json;
}

impl<W: Word> FieldType for W {
    type Value = Spanned<String>;
    const WANTED: &'static str = W::WANTED;
    const EXAMPLE: &'static str = W::EXAMPLE;

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Spanned<String>> {
        let Some(text) = reader.text(value) else {
            reader.wrong_type::<Self>(value, name);
            return None;
        };
        let text = text.trim();
        if W::USAGE.is_some_and(|usage| is_active(text, usage)) {
            report_active_url(name, value.span, reader);
            return None;
        }
        let mut word = W::accept(text);
        if word.is_none() && !text.is_empty() {
            if reader.is_lenient() && W::IS_OWN {
                return None;
            }
            word = W::corrected(text).filter(|_| reader.is_lenient());
            if let Some(word) = word {
                let message = format!("`{name}` is not {}", <W as Word>::WANTED);
                let detail = format!("it becomes `{word}`");
                reader.warning_with_detail(value.span, message, detail, W::ADVICE);
                return Some(Spanned::new(word, value.span));
            }
            reader.error(
                value.span,
                format!("`{name}` is not {}", <W as Word>::WANTED),
                W::ADVICE,
            );
        }
        Some(Spanned::new(word?, value.span))
    }

    fn schema() -> Json {
        let mut schema = W::pattern();
        schema["type"] = json!("string");
        schema
    }
}

/// Reports a URL that runs code.
pub fn report_active_url(name: &str, span: Span, reader: &mut Reader<'_>) {
    let message = format!("`{name}` is a URL that runs code, so it is left out");
    reader.warning(span, message, "write a URL of another kind, or remove it");
}

/// The last part of a URL on the site.
pub struct Slug;

impl Slug {
    /// Maximum length of a slug, in characters.
    const LENGTH_MAX: usize = 191;

    /// Returns whether `text` is a valid slug.
    pub fn fits(text: &str) -> bool {
        let character = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
        // All characters are ASCII, so bytes are characters.
        !text.is_empty() && text.len() <= Slug::LENGTH_MAX && text.bytes().all(character)
    }
}

impl Word for Slug {
    const WANTED: &'static str = "a valid slug";
    const EXAMPLE: &'static str = "\"night-ferry\"";
    const ADVICE: &'static str = "use only the letters a to z, digits, `-` and `_`, at most 191";

    fn accept(text: &str) -> Option<String> {
        Slug::fits(text).then(|| text.to_owned())
    }

    fn corrected(text: &str) -> Option<String> {
        safe_slug(text)
    }

    fn pattern() -> Json {
        json!({ "pattern": "^[a-z0-9_-]+$", "maxLength": Slug::LENGTH_MAX })
    }
}

/// The identifier of a record.
pub struct Id;

impl Word for Id {
    const WANTED: &'static str = "a valid identifier";
    const EXAMPLE: &'static str = "\"63b0001d356a192b7900001d\"";
    const ADVICE: &'static str = "write 24 hexadecimal digits in quotes, or leave it out";

    const IS_OWN: bool = true;

    fn accept(text: &str) -> Option<String> {
        let fits = text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        fits.then(|| text.to_ascii_lowercase())
    }

    fn pattern() -> Json {
        json!({ "pattern": "^[0-9a-fA-F]{24}$" })
    }
}

/// A UUID.
pub struct Uuid;

impl Word for Uuid {
    const WANTED: &'static str = "a valid UUID";
    const EXAMPLE: &'static str = "\"0249e768-060b-4753-aa2d-8f429d28ad67\"";
    const ADVICE: &'static str =
        "write 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, or leave it out";

    const IS_OWN: bool = true;

    fn accept(text: &str) -> Option<String> {
        let groups: Vec<&str> = text.split('-').collect();
        let fits = groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
            && groups.concat().bytes().all(|byte| byte.is_ascii_hexdigit());
        fits.then(|| text.to_ascii_lowercase())
    }

    fn pattern() -> Json {
        json!({ "format": "uuid" })
    }
}

/// An e-mail address.
pub struct Email;

impl Email {
    pub fn fits(text: &str) -> bool {
        // The last `@`, because a quoted name may contain others (RFC 5322).
        let Some((user, host)) = text.rsplit_once('@') else {
            return false;
        };
        let blank =
            text.contains(|character: char| character.is_whitespace() || character.is_control());
        !user.is_empty()
            && host.contains('.')
            && !host.starts_with('.')
            && !host.ends_with('.')
            && !blank
    }
}

impl Word for Email {
    const WANTED: &'static str = "a valid e-mail address";
    const EXAMPLE: &'static str = "\"ada@example.com\"";
    const ADVICE: &'static str = "write it as ada@example.com";

    fn accept(text: &str) -> Option<String> {
        (Email::fits(text) && text.chars().count() <= 191).then(|| text.to_owned())
    }

    fn pattern() -> Json {
        json!({ "format": "email", "maxLength": 191 })
    }
}

/// The URL of an image: absolute, from the site's root, or relative to the file.
pub struct ImageUrl;

impl ImageUrl {
    /// The expected type in messages.
    pub const WANTED_URL: &'static str = "the URL of an image";
}

impl Word for ImageUrl {
    const WANTED: &'static str = Self::WANTED_URL;
    const EXAMPLE: &'static str = "\"photo.jpg\"";
    const ADVICE: &'static str = "write a path or a URL of at most 2000 characters on one line";
    const USAGE: Option<Usage> = Some(Usage::Image);

    fn accept(text: &str) -> Option<String> {
        accept_url(text)
    }

    fn pattern() -> Json {
        json!({ "maxLength": URL_CHARACTERS_MAX })
    }
}

/// The URL of a page, which readers follow: absolute, from the site's root, or relative to the file.
pub struct PageUrl;

impl Word for PageUrl {
    const WANTED: &'static str = "the URL of a page";
    const EXAMPLE: &'static str = "\"https://example.com/about/\"";
    const ADVICE: &'static str = "write a path or a URL of at most 2000 characters on one line";
    const USAGE: Option<Usage> = Some(Usage::Link);

    fn accept(text: &str) -> Option<String> {
        accept_url(text)
    }

    fn pattern() -> Json {
        json!({ "maxLength": URL_CHARACTERS_MAX })
    }
}

fn accept_url(text: &str) -> Option<String> {
    let fits = text.chars().count() <= URL_CHARACTERS_MAX && !text.contains(char::is_control);
    fits.then(|| text.to_owned())
}

/// The site's public URL.
pub struct SiteUrl;

impl Word for SiteUrl {
    const WANTED: &'static str = "the URL of a site";
    const EXAMPLE: &'static str = "\"https://example.com\"";
    const ADVICE: &'static str = "write it with http:// or https:// and without `?` and `#`";

    fn accept(text: &str) -> Option<String> {
        let host = text
            .strip_prefix("https://")
            .or(text.strip_prefix("http://"))?;
        let odd = |character: char| {
            character.is_whitespace() || character.is_control() || matches!(character, '?' | '#')
        };
        (!host.is_empty() && !host.starts_with('/') && !host.contains(odd)).then(|| text.to_owned())
    }

    fn pattern() -> Json {
        json!({ "pattern": "^https?://[^/?#\\s][^?#\\s]*$" })
    }
}

/// A time zone of the IANA database.
pub struct TimeZoneName;

impl Word for TimeZoneName {
    const WANTED: &'static str = "a known time zone";
    const EXAMPLE: &'static str = "\"Europe/Amsterdam\"";
    const ADVICE: &'static str =
        "write a name of the IANA database, such as Europe/Amsterdam or Etc/UTC";

    fn accept(text: &str) -> Option<String> {
        // In the spelling of the database, which is searched without regard to case.
        TimeZone::get(text).ok()?.iana_name().map(str::to_owned)
    }

    fn pattern() -> Json {
        json!({})
    }
}

/// A language tag.
pub struct Locale;

impl Word for Locale {
    const WANTED: &'static str = "a valid language tag";
    const EXAMPLE: &'static str = "\"en\"";
    const ADVICE: &'static str = "write it as in HTML, for instance en, de-CH or zh-Hant";

    fn accept(text: &str) -> Option<String> {
        let mut parts = text.split('-');
        let language = parts.next().is_some_and(|part| {
            (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic())
        });
        let rest = parts.all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        (language && rest && text.len() <= 50).then(|| text.to_owned())
    }

    fn pattern() -> Json {
        json!({ "pattern": "^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$", "maxLength": 50 })
    }
}

/// Converts a text to a valid slug: `Über/My Post` to `my-post`.
fn safe_slug(written: &str) -> Option<String> {
    let last = last_part(written)?;
    let has_letters = last.chars().any(char::is_alphanumeric);
    has_letters.then(|| slug::from_text(slug::Kind::Post, last, ""))
}

/// Returns the last segment of a path or URL, without the extension of a page.
pub(super) fn last_part(path: &str) -> Option<&str> {
    // `/ferry/index.html` and `/ferry.html` are forms of `/ferry/`.
    let path = path.strip_suffix("/index.html").unwrap_or(path);
    let path = path
        .strip_suffix(".html")
        .unwrap_or(path)
        .trim_end_matches('/');
    match path.rsplit_once('/') {
        Some((_, last)) => Some(last),
        None => Some(path).filter(|path| !path.is_empty()),
    }
}
