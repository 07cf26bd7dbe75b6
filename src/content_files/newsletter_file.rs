//! Newsletters: the files in `newsletters/`.

use serde::Serialize;

use crate::{
    catalog::fields::NEWSLETTER_TEXTS,
    content_files::{
        keys::{
            DESIGN_KEYS, Date, DesignOptions, Email, Entries, Id, Integer, Key, KeySet, Reader,
            Slug, Text, Uuid, choices, fields, keys_of,
        },
        parts::Parts,
    },
    domain::newsletter::Newsletter,
};

choices! {
    /// Whether a newsletter is in use.
    NewsletterStatus { Active = "active", Archived = "archived" }

    /// Members who may subscribe.
    NewsletterVisibility { Members = "members", Paid = "paid" }
}

fields! {
    /// The fields of a newsletter.
    pub struct NewsletterFields with texts of NEWSLETTER_TEXTS {
        /// The name that readers see.
        name: Text<191>;
        /// The newsletter's slug; made from the file's name if absent.
        slug: Slug;
        /// Identifier of the record, 24 hexadecimal digits; made from the slug if absent.
        id: Id;
        /// Identifier that mail programs see; made from the slug if absent.
        uuid: Uuid;
        /// Active.
        status: NewsletterStatus;
        /// Members who may subscribe.
        visibility: NewsletterVisibility;
        /// New members get it.
        subscribe_on_signup: bool;
        /// Its position among the newsletters, from 0.
        sort_order: Integer<2147483647>;
        /// The address in the sender of its mails.
        sender_email: Email;
        /// Time of creation.
        created_at: Date;
        /// Time of the last change.
        updated_at: Date;
    }
}

const TEXT_KEYS: &[Key] = &keys_of::<Newsletter, { NEWSLETTER_TEXTS.len() }>(NEWSLETTER_TEXTS);

impl NewsletterFields {
    pub(crate) const SET: KeySet =
        KeySet::of(&[NewsletterFields::KEYS, TEXT_KEYS, DESIGN_KEYS], &["name"]);
}

/// A file in `newsletters/`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewsletterFile {
    /// The file name without its extension; the default of the slug.
    pub stem: String,
    /// The fields of the newsletter. The name is always present.
    pub fields: NewsletterFields,
    /// The design of its mails.
    pub design: DesignOptions,
}

pub(super) fn read(parts: &Parts<'_>, reader: &mut Reader<'_>) -> NewsletterFile {
    let entries = Entries::collect(&parts.table, &NewsletterFields::SET, parts.opening, reader);
    NewsletterFile {
        stem: parts.stem.to_owned(),
        fields: NewsletterFields::from_entries(&entries, reader),
        design: DesignOptions::from_entries(&entries, reader),
    }
}
