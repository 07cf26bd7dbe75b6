//! Slugs: the form of titles and names in URLs (Ghost 6.65, recorded).
//!
//! A slug is ASCII, lower case and at most 185 bytes long, before a number is appended to make it
//! unique. The caller knows which slugs are in use: [`candidates`] and [`user_candidates`] return
//! the slugs to try in order.

mod transliteration;

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use transliteration::transliteration;

/// The kind of resource that a slug identifies. Posts and pages share one namespace and one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A post or a page.
    Post,
    /// A tag, internal or not.
    Tag,
    /// A staff user.
    User,
    /// A newsletter.
    Newsletter,
    /// A tier; Ghost's default slug is "product".
    Tier,
    /// A label of members.
    Label,
    /// An integration.
    Integration,
}

impl Kind {
    /// Returns the default slug, which is also the suffix for reserved slugs.
    fn noun(self) -> &'static str {
        match self {
            Kind::Post => "post",
            Kind::Tag => "tag",
            Kind::User => "user",
            Kind::Newsletter => "newsletter",
            Kind::Tier => "product",
            Kind::Label => "label",
            Kind::Integration => "integration",
        }
    }
}

/// Longest slug derived from a text, in bytes, without the number that makes it unique.
const LENGTH_MAX: usize = 185;

/// Slugs that would hide URLs of the site.
const RESERVED: [&str; 3] = ["ghost", "rss", "amp"];

/// Returns a text in ASCII, such as `Bei Jing` for `北京`.
pub fn ascii(text: &str) -> String {
    text.chars().map(transliteration).collect()
}

/// Returns the slug of a link's label for use in a class name; empty if a slug cannot contain any
/// of its characters.
pub fn of_label(text: &str) -> String {
    compact(&dashed(text))
}

/// Returns the slug of `text`, which is never empty. `subdirectory` is the path of the site, such
/// as `/blog/`; its last segment is reserved.
pub fn from_text(kind: Kind, text: &str, subdirectory: &str) -> String {
    let mut slug = compact(&dashed(text));
    // Leaves room for a number: a slug has at most 191 characters.
    slug.truncate(LENGTH_MAX);
    // The slug of an internal tag must differ from that of a public one with the same name.
    if kind == Kind::Tag && text.starts_with('#') {
        slug.insert_str(0, "hash-");
    }
    completed(kind, slug, subdirectory)
}

/// Returns the slug of an imported post or page. Dashes are not merged and nothing is truncated, so
/// that URLs remain the same as in the exported site.
pub fn from_imported_text(text: &str, subdirectory: &str) -> String {
    completed(Kind::Post, dashed(text), subdirectory)
}

/// Returns the candidates for a slug that may be in use: the slug itself, then with `-2`, `-3` and
/// so on, without end.
pub fn candidates(slug: String) -> impl Iterator<Item = String> {
    let numbered = (2_u64..).map({
        let slug = slug.clone();
        move |number| format!("{slug}-{number}")
    });
    std::iter::once(slug).chain(numbered)
}

/// Returns the candidates for the slug of a user called `name`: the first part of the name, the
/// whole name, and then the whole name with numbers. If a slug is requested, use [`from_text`] and
/// [`candidates`] instead.
pub fn user_candidates(name: &str, subdirectory: &str) -> impl Iterator<Item = String> {
    let whole = from_text(Kind::User, name, subdirectory);
    let first_part = match whole.split_once('-') {
        // The name of a new installation's first user is not shortened to the reserved "ghost".
        Some((first, _)) if whole != "ghost-owner" => {
            Some(completed(Kind::User, first.to_owned(), subdirectory))
                .filter(|first| *first != whole)
        }
        _ => None,
    };
    first_part.into_iter().chain(candidates(whole))
}

fn completed(kind: Kind, slug: String, subdirectory: &str) -> String {
    if slug.is_empty() {
        return kind.noun().to_owned();
    }
    let last_segment = subdirectory.trim_matches('/').rsplit('/').next();
    let is_reserved = RESERVED.contains(&slug.as_str())
        || last_segment == Some(slug.as_str())
        || (kind == Kind::Tag && slug == "new");
    if is_reserved {
        format!("{slug}-{}", kind.noun())
    } else {
        slug
    }
}

/// Transliterates `text` to lower-case ASCII, with a dash for each space and each character with a
/// meaning in URLs.
fn dashed(text: &str) -> String {
    let mut dashed = String::with_capacity(text.len());
    for character in text.chars().filter(|&character| !is_invisible(character)) {
        for ascii in transliterated(character).chars() {
            match ascii {
                // "don't" becomes `dont`: an apostrophe does not divide a word.
                '\'' => {}
                _ if is_dashed(ascii) => dashed.push('-'),
                _ => dashed.push(ascii.to_ascii_lowercase()),
            }
        }
    }
    dashed
}

/// Returns the transliterated ASCII letters and digits of `text`, in lower case, with one dash for
/// each run of other characters between them.
pub(super) fn letters_and_digits(text: &str) -> String {
    let mut dashed = String::with_capacity(text.len());
    let mut push = |ascii: char| {
        let is_allowed = ascii.is_ascii_alphanumeric();
        dashed.push(if is_allowed {
            ascii.to_ascii_lowercase()
        } else {
            '-'
        });
    };
    for character in text.chars() {
        if character.is_ascii() {
            push(character)
        } else {
            transliterated(character).chars().for_each(&mut push)
        }
    }
    compact(&dashed)
}

/// Merges runs of dashes, and removes dashes at the ends.
fn compact(dashed: &str) -> String {
    let mut compact = String::with_capacity(dashed.len());
    for character in dashed.chars() {
        if character != '-' || !(compact.is_empty() || compact.ends_with('-')) {
            compact.push(character);
        }
    }
    if compact.ends_with('-') {
        compact.pop();
    }
    compact
}

fn is_dashed(ascii: char) -> bool {
    ascii.is_ascii_whitespace() || r##".@:/?#[]!$&()*+,;=\%<>|^~"{}`"##.contains(ascii)
}

/// Returns whether the character is a control character, a format character or unassigned (Ghost
/// 6.65, observed). Ghost uses a Unicode version of 2018, in which later characters are unassigned,
/// too.
fn is_invisible(character: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    GeneralCategoryGroup::Other.contains(category)
}

/// Returns the ASCII form of a character by the table of Text::Unidecode, which Ghost uses for
/// slugs. If the table contains the character's page but not the character, the result is `[?]`,
/// which becomes a dash.
fn transliterated(character: char) -> &'static str {
    match character {
        // The table's "PS" for a pound sign is not used.
        '£' => "-",
        _ if is_outside_table(character) => "",
        _ => transliteration(character),
    }
}

/// Returns whether the character is on a page that the table does not contain. Such characters are
/// removed.
fn is_outside_table(character: char) -> bool {
    matches!(
        character,
        '\u{800}'..='\u{8ff}'
            | '\u{1900}'..='\u{1dff}'
            | '\u{2900}'..='\u{2dff}'
            | '\u{3400}'..='\u{4cff}'
            | '\u{a500}'..='\u{abff}'
            | '\u{e000}'..='\u{f8ff}'
            | '\u{10000}'..
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn scripts_without_a_table_are_removed() {
        assert_eq!(from_text(Kind::Post, "a\u{a984}b 𝒳 c", ""), "ab-c");
    }

    #[test]
    fn invisible_characters_are_removed() {
        for character in [
            '\0', '\u{ad}', '\u{378}', '\u{200b}', '\u{2065}', '\u{fffa}',
        ] {
            let text = format!("a{character}b");
            assert_eq!(from_text(Kind::Post, &text, ""), "ab", "{character:?}");
        }
    }

    #[test]
    fn user_with_a_reserved_first_name_gets_a_suffix() {
        let first_two: Vec<_> = user_candidates("Rss Reader", "").take(2).collect();
        assert_eq!(first_two, ["rss-user", "rss-reader"]);
    }

    #[test]
    fn path_of_the_site_is_reserved_with_or_without_slashes() {
        for subdirectory in ["/blog/", "/blog", "blog"] {
            assert_eq!(from_text(Kind::Post, "Blog", subdirectory), "blog-post");
        }
        assert_eq!(from_text(Kind::Post, "", "/"), "post");
    }

    proptest! {
        #[test]
        fn every_slug_is_plain_ascii_and_short(text in any::<String>()) {
            let slug = from_text(Kind::Post, &text, "/blog/");
            let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
            prop_assert!(slug.bytes().all(is_plain), "{}", slug);
            prop_assert!((1..=LENGTH_MAX).contains(&slug.len()));
        }

        #[test]
        fn slug_of_a_slug_is_itself(text in "[a-z£é #-]{0,40}") {
            let slug = from_text(Kind::Post, &text, "");
            prop_assert_eq!(from_text(Kind::Post, &slug, ""), slug);
        }
    }
}
