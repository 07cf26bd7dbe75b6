//! Slugs: what a title or name looks like in an address (Ghost 6.65, recorded).
//!
//! A slug is ASCII, lower case and at most 185 bytes long before a number is added to make it
//! unique. Whether one is taken is the caller's to know: [`candidates`] and [`user_candidates`] say
//! what to try and in which order.

mod transliteration;

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use transliteration::transliteration;

/// What a slug is for. Posts and pages share one namespace and one kind.
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
    /// A tier; Ghost calls it a product where no name is left.
    Tier,
    /// A label of members.
    Label,
    /// An integration.
    Integration,
}

impl Kind {
    /// The slug of a text of which nothing is left, and the ending of a reserved one.
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

/// Longest slug made from a text, in bytes. A number to make it unique comes on top.
const LENGTH_MAX: usize = 185;

/// Slugs that would hide one of the site's own addresses.
const RESERVED: [&str; 3] = ["ghost", "rss", "amp"];

/// Returns the slug of `text`, never empty. `subdirectory` is the path the site lives at, such as
/// `/blog/`: its last segment is reserved.
pub fn from_text(kind: Kind, text: &str, subdirectory: &str) -> String {
    let mut slug = compact(&dashed(text));
    slug.truncate(LENGTH_MAX);
    if kind == Kind::Tag && text.starts_with('#') {
        slug.insert_str(0, "hash-");
    }
    completed(kind, slug, subdirectory)
}

/// Returns the slug of a post or page that comes from an export: dashes are kept as they fall and
/// nothing is cut, so that addresses stay as they were where the export was made.
pub fn from_imported_text(text: &str, subdirectory: &str) -> String {
    completed(Kind::Post, dashed(text), subdirectory)
}

/// Returns what to try, in order, where `slug` may be taken: itself, then `-2`, `-3` and so on
/// without end.
pub fn candidates(slug: String) -> impl Iterator<Item = String> {
    let numbered = (2_u64..).map({
        let slug = slug.clone();
        move |number| format!("{slug}-{number}")
    });
    std::iter::once(slug).chain(numbered)
}

/// Returns what to try, in order, for a user whose slug is made from `name`: the first part of the
/// name, the whole name, then numbers. A slug that was asked for goes through [`from_text`] and
/// [`candidates`] instead.
pub fn user_candidates(name: &str, subdirectory: &str) -> impl Iterator<Item = String> {
    let whole = from_text(Kind::User, name, subdirectory);
    let first_part = match whole.split_once('-') {
        // The name an installation gives its first user is not shortened to the reserved "ghost".
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

/// Transliterates `text` to lower-case ASCII with a dash for each blank and each character that has
/// a meaning in an address.
fn dashed(text: &str) -> String {
    let mut dashed = String::with_capacity(text.len());
    for character in text.chars().filter(|&character| !is_invisible(character)) {
        for ascii in transliterated(character).chars() {
            match ascii {
                '\'' => {}
                _ if is_dashed(ascii) => dashed.push('-'),
                _ => dashed.push(ascii.to_ascii_lowercase()),
            }
        }
    }
    dashed
}

/// Returns the ASCII letters and digits that `text` is transliterated to, in lower case, with one dash for each run of other
/// characters between them.
pub(super) fn letters_and_digits(text: &str) -> String {
    let mut dashed = String::with_capacity(text.len());
    let mut push = |ascii: char| {
        let is_kept = ascii.is_ascii_alphanumeric();
        dashed.push(if is_kept {
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

/// Runs of dashes become one, and those at the ends go.
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

/// Controls, format characters and code points that are no characters yet (Ghost 6.65, observed; it
/// goes by a Unicode of 2018, to which what has come since is none either).
fn is_invisible(character: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    GeneralCategoryGroup::Other.contains(category)
}

/// The ASCII form of one character by the table of Text::Unidecode, on which Ghost's slugs rest.
/// Where that table has a page but no entry it writes `[?]`, which ends as a dash.
fn transliterated(character: char) -> &'static str {
    match character {
        // A pound sign would be "PS".
        '£' => "-",
        _ if is_outside_table(character) => "",
        _ => transliteration(character),
    }
}

/// Characters on pages that the table does not have. They vanish without a trace.
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
    fn scripts_without_a_table_leave_nothing_behind() {
        assert_eq!(from_text(Kind::Post, "a\u{a984}b 𝒳 c", ""), "ab-c");
    }

    #[test]
    fn what_cannot_be_seen_leaves_nothing_behind() {
        for character in [
            '\0', '\u{ad}', '\u{378}', '\u{200b}', '\u{2065}', '\u{fffa}',
        ] {
            let text = format!("a{character}b");
            assert_eq!(from_text(Kind::Post, &text, ""), "ab", "{character:?}");
        }
    }

    #[test]
    fn a_user_with_a_reserved_first_name_gets_an_ending() {
        let first_two: Vec<_> = user_candidates("Rss Reader", "").take(2).collect();
        assert_eq!(first_two, ["rss-user", "rss-reader"]);
    }

    #[test]
    fn the_path_of_the_site_is_reserved_with_or_without_slashes() {
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
        fn a_slug_is_its_own_slug(text in "[a-z£é #-]{0,40}") {
            let slug = from_text(Kind::Post, &text, "");
            prop_assert_eq!(from_text(Kind::Post, &slug, ""), slug);
        }
    }
}
