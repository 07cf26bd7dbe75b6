//! JSON Schemas (draft 2020-12) of the content files, generated from the tables of keys, so that editors complete and
//! validate accepted values.
//!
//! The schemas contain each key and its aliases as the documentation spells them. The program also accepts other case,
//! dashes and underscores, and in YAML numbers for text, which an editor may underline.

use serde_json::{Value as Json, json};

pub use super::keys::description::KeyDescription;
use crate::content_files::{
    author_file::AuthorFields,
    keys::{KeySet, Referable, json_schema::of_table},
    newsletter_file::NewsletterFields,
    post_file, site_file,
    tag_file::TagFields,
    tier_file::TierFields,
};

/// Returns the schema of the front matter of posts and pages.
pub fn front_matter() -> Json {
    document("Front matter of a post or page", &post_file::SET)
}

/// Returns the schema of `site.toml`.
pub fn site() -> Json {
    document("Settings of a site", &site_file::SET)
}

/// Returns the schema of a file in `authors/`.
pub fn author() -> Json {
    document("An author", &AuthorFields::SET)
}

/// Returns the schema of a file in `tags/`.
pub fn tag() -> Json {
    document("A tag", &TagFields::SET)
}

/// Returns the schema of a file in `tiers/`.
pub fn tier() -> Json {
    document("A membership tier", &TierFields::SET)
}

/// Returns the schema of a file in `newsletters/`.
pub fn newsletter() -> Json {
    document("A newsletter", &NewsletterFields::SET)
}

/// Returns the keys of front matter, in the order of their table.
pub fn front_matter_keys() -> Vec<KeyDescription> {
    let keys = post_file::SET.all();
    keys.map(|key| KeyDescription::of(key, &post_file::SET))
        .collect()
}

fn document(title: &str, set: &KeySet) -> Json {
    let mut schema = of_table(set);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(title);
    for (name, definition) in [
        (TagFields::DEFINITION, TagFields::definition as fn() -> Json),
        (AuthorFields::DEFINITION, AuthorFields::definition),
    ] {
        if refers_to(&schema, name) {
            schema["$defs"][name] = definition();
        }
    }
    schema
}

fn refers_to(schema: &Json, name: &str) -> bool {
    schema.to_string().contains(&format!("\"#/$defs/{name}\""))
}
