//! Tags: the files in `tags/`, and the names of tags in posts.

use serde::Serialize;
use serde_json::Value as Json;

use crate::{
    catalog::fields::TAG_TEXTS,
    content_files::{
        keys::{
            Date, Entries, FieldType, Id, Key, KeySet, List, Reader, Referable, Reference, Slug,
            Text, bounded, choices, fields, json_schema, keys_of, nameless,
        },
        parts::Parts,
    },
    content_text::{
        Spanned,
        document::{Kind, Value},
    },
    domain::{post::RELATIONS_MAX, tag::Tag},
};

choices! {
    /// Who sees a tag. A tag whose name begins with `#` is internal whatever the value.
    TagVisibility { Public = "public", Internal = "internal" }
}

fields! {
    /// Fields of a tag.
    pub struct TagFields with texts of TAG_TEXTS {
        /// The name that readers see. One that begins with `#` makes the tag internal.
        name: Text<191>, or "title" | "label";
        /// The last part of the tag's URL; derived from the file's name if absent.
        slug: Slug;
        /// Identifier of the record, 24 hexadecimal digits; made from the slug if absent.
        id: Id;
        /// Shows the tag to readers.
        visibility: TagVisibility;
        /// Time of creation.
        created_at: Date;
        /// Time of the last change.
        updated_at: Date;
    }
}

const TEXT_KEYS: &[Key] = &keys_of::<Tag, { TAG_TEXTS.len() }>(TAG_TEXTS);

impl TagFields {
    pub(crate) const SET: KeySet = KeySet::of(&[TagFields::KEYS, TEXT_KEYS], &["name"]);
    /// Fields by which a post may name a tag.
    const REFERENCE: KeySet = KeySet {
        required: &[],
        ..TagFields::SET
    };
}

impl Referable for TagFields {
    const DEFINITION: &'static str = "tag";
    const WANTED: &'static str = "the name of a tag";
    const EXAMPLE: &'static str = "[\"Letters\"]";

    fn named(word: &str, reader: &Reader<'_>) -> Option<Reference<Self>> {
        let name = reader.rules.tag(word)?;
        Some(Reference::Named(name.to_owned()))
    }

    fn described(value: &Value, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = Entries::of_value(value, &TagFields::REFERENCE, reader)?;
        let fields = TagFields::from_entries(&entries, reader);
        let named = fields.name.is_some() || fields.slug.is_some() || fields.id.is_some();
        if !named {
            nameless(value.span, reader);
        }
        named.then_some(fields)
    }

    fn definition() -> Json {
        json_schema::of_table(&TagFields::REFERENCE)
    }
}

/// A reference to a tag in a post.
pub type TagReference = Spanned<Reference<TagFields>>;

type TagList = List<Reference<TagFields>, RELATIONS_MAX>;

/// Tags of a post: a list, or a string whose names are separated by commas, or by the rule of the generator.
pub struct Tags;

impl FieldType for Tags {
    type Value = Vec<TagReference>;
    const WANTED: &'static str = "a list of tags";
    const EXAMPLE: &'static str = "[\"Letters\", \"#internal\"]";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Vec<TagReference>> {
        let Kind::Text(text) = &value.value else {
            return TagList::read(value, name, reader);
        };
        // Jekyll, for example, splits a text at blanks instead of commas.
        let names = reader.rules.tags_in(text, name).into_iter();
        let names: Vec<Value> = names
            .map(|name| Spanned::new(Kind::Text(name.to_owned()), value.span))
            .collect();
        let names = bounded(&names, RELATIONS_MAX, name, reader).iter();
        Some(
            names
                .filter_map(|item| Reference::read(item, name, reader))
                .collect(),
        )
    }

    fn schema() -> Json {
        TagList::schema()
    }
}

/// A file in `tags/`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TagFile {
    /// The file name without its extension; the default of the slug.
    pub stem: String,
    /// The fields of the tag. The name is always present.
    pub fields: TagFields,
}

pub(super) fn read(parts: &Parts<'_>, reader: &mut Reader<'_>) -> TagFile {
    let entries = Entries::collect(&parts.table, &TagFields::SET, parts.opening, reader);
    let mut fields = TagFields::from_entries(&entries, reader);
    let description = parts.body_as("description", 500, entries.key_span("description"), reader);
    fields.texts.complete("description", description);
    TagFile {
        stem: parts.stem.to_owned(),
        fields,
    }
}
