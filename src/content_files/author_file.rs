//! Authors: the files in `authors/`, and the names of authors in posts.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value as Json;

use crate::{
    catalog::fields::AUTHOR_TEXTS,
    content_files::{
        keys::{
            Date, Email, Entries, Id, Key, KeySet, Reader, Referable, Reference, Slug, Text,
            fields, json_schema, keys_of, nameless,
        },
        parts::Parts,
    },
    content_text::{Span, Spanned, document::Value},
    domain::user::User,
};

fields! {
    /// Fields of an author.
    pub struct AuthorFields with texts of AUTHOR_TEXTS {
        /// The name that readers see.
        name: Text<191>, or "title";
        /// The last part of the author's URL; derived from the file's name if absent.
        slug: Slug;
        /// Identifier of the record, 24 hexadecimal digits; made from the slug if absent.
        id: Id;
        /// E-mail address, which readers never see.
        email: Email;
        /// Time at which the author joined.
        created_at: Date;
        /// Time of the last change of the author's details.
        updated_at: Date;
    }
}

const TEXT_KEYS: &[Key] = &keys_of::<User, { AUTHOR_TEXTS.len() }>(AUTHOR_TEXTS);

impl AuthorFields {
    pub(crate) const SET: KeySet = KeySet::of(&[AuthorFields::KEYS, TEXT_KEYS], &["name"]);
    /// Fields by which a post may name an author.
    const REFERENCE: KeySet = KeySet {
        required: &[],
        ..AuthorFields::SET
    };
}

impl Referable for AuthorFields {
    const DEFINITION: &'static str = "author";
    const WANTED: &'static str = "the name of an author";
    const EXAMPLE: &'static str = "[\"Ada Lovelace\"]";

    /// Returns only the text of a Markdown link.
    fn bare(word: &str) -> Cow<'_, str> {
        if word.contains("](") {
            Cow::Owned(without_links(word))
        } else {
            Cow::Borrowed(word)
        }
    }

    /// A value that is entirely an e-mail address identifies the author by that address. Otherwise it is a name: a leading
    /// `@`, as written on social networks, is dropped; an `@` elsewhere is part of the name.
    fn named(word: &str, _reader: &Reader<'_>) -> Option<Reference<Self>> {
        if Email::fits(word) {
            let email = Some(Spanned::new(word.to_owned(), Span::default()));
            return Some(Reference::Described(Box::new(AuthorFields {
                email,
                ..AuthorFields::default()
            })));
        }
        let name = word.trim_start_matches('@').trim();
        (!name.is_empty()).then(|| Reference::Named(name.to_owned()))
    }

    fn described(value: &Value, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = Entries::of_value(value, &AuthorFields::REFERENCE, reader)?;
        let fields = AuthorFields::from_entries(&entries, reader);
        let named = [
            fields.name.is_some(),
            fields.slug.is_some(),
            fields.id.is_some(),
            fields.email.is_some(),
        ];
        if !named.contains(&true) {
            nameless(value.span, reader);
        }
        named.contains(&true).then_some(fields)
    }

    fn definition() -> Json {
        json_schema::of_table(&AuthorFields::REFERENCE)
    }
}

/// Replaces each `[name](url)` with its `name`.
fn without_links(text: &str) -> String {
    let mut bare = String::new();
    let mut rest = text;
    while let Some(middle) = rest.find("](") {
        let Some((open, length)) = rest[..middle].rfind('[').zip(rest[middle..].find(')')) else {
            break;
        };
        bare.push_str(&rest[..open]);
        bare.push_str(&rest[open + 1..middle]);
        rest = &rest[middle + length + 1..];
    }
    bare.push_str(rest);
    bare
}

/// A reference to an author in a post.
pub type AuthorReference = Spanned<Reference<AuthorFields>>;

/// A file in `authors/`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuthorFile {
    /// The file name without its extension; the default of the slug.
    pub stem: String,
    /// The fields of the author. The name is always present.
    pub fields: AuthorFields,
}

pub(super) fn read(parts: &Parts<'_>, reader: &mut Reader<'_>) -> AuthorFile {
    let entries = Entries::collect(&parts.table, &AuthorFields::SET, parts.opening, reader);
    let mut fields = AuthorFields::from_entries(&entries, reader);
    let bio = parts.body_as("bio", 250, entries.key_span("bio"), reader);
    fields.texts.complete("bio", bio);
    AuthorFile {
        stem: parts.stem.to_owned(),
        fields,
    }
}
