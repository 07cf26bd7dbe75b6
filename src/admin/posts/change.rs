//! A change of a post.

use std::sync::Arc;

use jiff::Timestamp;

use crate::{
    admin::texts::TextChanges,
    domain::{
        document::Document,
        post::{Post, Status, Visibility},
    },
    id::Id,
    render::lexical::DocumentError,
};

/// A change of a post. A value that is `None` stays, and has its default in a new post.
#[derive(Clone, Debug, Default)]
pub struct PostChange {
    /// The title; empty for none.
    pub title: Option<String>,
    /// The requested slug; empty for one made from the title.
    pub slug: Option<String>,
    /// The status.
    pub status: Option<Status>,
    /// Time of publication, past or planned.
    pub published_at: Option<Option<Timestamp>>,
    /// Time of the last change, as far as the client knows. A new post takes it over.
    pub updated_at: Option<Timestamp>,
    /// True if the client left out the fraction of `updated_at`.
    pub knows_whole_seconds: bool,
    /// The visibility.
    pub visibility: Option<Visibility>,
    /// The tiers that may read it.
    pub tiers: Option<Vec<Id>>,
    /// True if it is featured.
    pub featured: Option<bool>,
    /// True if it is sent by mail only. Not for pages.
    pub email_only: Option<bool>,
    /// True if a theme shows title and image. For pages.
    pub show_title_and_feature_image: Option<bool>,
    /// Texts.
    pub texts: TextChanges<Post>,
    /// Fields that were sent as empty strings: a change even if they have no value (Ghost 6.65,
    /// recorded).
    pub emptied: Vec<&'static str>,
    /// All its tags, the primary one first.
    pub tags: Option<Vec<TagReference>>,
    /// All its authors, the primary one first.
    pub authors: Option<Vec<AuthorReference>>,
    /// Its body.
    pub body: Option<BodyChange>,
    /// The way it is mailed when it stops being a draft.
    pub mailing: MailOptions,
    /// True if a revision is stored even shortly after the last one.
    pub is_explicit_save: bool,
}

/// The new body.
#[derive(Clone, Debug)]
pub enum BodyChange {
    /// This document, which the attempts of a change share.
    Document(Arc<Document>),
    /// An invalid document in stored form, with the reason; accepted if it is the current one:
    /// clients send back the values that an import stored. A document that is too large is as it was sent.
    Unusable(String, DocumentError),
    /// An empty document, unless the body was not written in an editor: clients send back the null
    /// that they read.
    Empty,
}

/// A tag as a post names it. It is looked up in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TagReference {
    /// Its identifier.
    pub id: Option<Id>,
    /// Its slug.
    pub slug: Option<String>,
    /// Its exact name.
    pub name: Option<String>,
}

/// An author as a post names it. It is looked up in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuthorReference {
    /// The user's identifier.
    pub id: Option<Id>,
    /// The user's slug.
    pub slug: Option<String>,
    /// The user's email address, ignoring case.
    pub email: Option<String>,
}

/// The way a post is mailed. Applies only if a change schedules or publishes the post (Ghost 6.65,
/// recorded).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MailOptions {
    /// The newsletter's slug.
    pub newsletter: Option<String>,
    /// The segment of its subscribers, as a filter.
    pub segment: Option<String>,
}

impl MailOptions {
    /// Returns the slug of the named newsletter; an empty one names none.
    pub(super) fn named(&self) -> Option<&str> {
        self.newsletter.as_deref().filter(|slug| !slug.is_empty())
    }
}
