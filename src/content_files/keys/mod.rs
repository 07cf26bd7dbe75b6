//! The tables of keys: for each kind of file its keys, each with its name, aliases, type and meaning, defined once.
//!
//! A table is written as a struct with [`fields!`]; reading a file, checking it and the JSON Schemas are derived from it, so
//! they cannot disagree. Names are compared without regard to case, dashes and underscores, so `feature_image`,
//! `featureImage` and `Feature-Image` are the same key. A name with a dot is a path into a table: `cover.image`.

mod choices;
pub(crate) mod description;
mod design;
mod entries;
mod field_type;
mod fields;
mod images;
pub(crate) mod json_schema;
mod key;
mod key_values;
mod reader;
mod reference;
mod texts;
mod themes;
mod types;
mod urls;
mod words;
mod wrong_type;

pub use self::field_type::FieldType;
pub(super) use self::fields::fields;
pub(super) use self::key::plain;
pub use self::key::{Ignored, Key, KeySet};

pub(super) use choices::{choices, read_choice};
pub(super) use design::{DESIGN_KEYS, DesignOptions};
pub(super) use entries::Entries;
pub(super) use images::{Image, ImageDetails};
pub(super) use reader::{DIAGNOSTICS_MAX, Reader};
pub use reference::Reference;
pub(super) use reference::{Referable, nameless};
pub use texts::Texts;
pub(super) use texts::keys_of;
pub(super) use themes::ThemeSettings;
pub use themes::{ThemeValue, ThemeValues};
pub(super) use types::{
    AnyValue, Date, DateOrSwitch, Integer, List, Profile, Text, VisibleFlag, bounded, check_length,
    report_too_many,
};
pub(super) use urls::{FormerUrl, Permalink};
pub(super) use words::{
    Email, Id, ImageUrl, Locale, PageUrl, SiteUrl, Slug, TimeZoneName, Uuid, Word,
};

use crate::content_text::key_names::name_characters;
pub(super) use crate::content_text::key_names::same_name;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::content_files::{
        author_file::AuthorFields,
        authors_file,
        keys::{Key, KeySet, name_characters},
        newsletter_file::NewsletterFields,
        post_file, site_file,
        tag_file::TagFields,
        tier_file::TierFields,
    };

    const SETS: [KeySet; 8] = [
        authors_file::SET,
        post_file::SET,
        post_file::OTHER_GENERATOR_SET,
        site_file::SET,
        AuthorFields::SET,
        TagFields::SET,
        TierFields::SET,
        NewsletterFields::SET,
    ];

    #[test]
    fn key_names_are_unique() {
        for set in SETS {
            let mut seen = HashSet::new();
            let ignored = set.ignored.iter().map(|ignored| ignored.name);
            for name in set
                .all()
                .flat_map(Key::names)
                .chain(ignored)
                .chain(set.free_tables.iter().copied())
            {
                assert!(
                    seen.insert(name_characters(name).collect::<String>()),
                    "{name} is used twice"
                );
            }
        }
    }

    #[test]
    fn required_keys_exist() {
        for set in SETS {
            for name in set.required {
                assert!(set.all().any(|key| key.name == *name), "{name}");
            }
        }
    }
}
