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

/// A change of a post. `None` leaves a value unchanged; a new post gets the default.
#[derive(Clone, Debug, Default)]
pub struct PostChange {
    /// The title; empty for the default title.
    pub title: Option<String>,
    /// The requested slug; if empty, the slug is derived from the title.
    pub slug: Option<String>,
    /// The status.
    pub status: Option<Status>,
    /// Time of publication, past or planned.
    pub published_at: Option<Option<Timestamp>>,
    /// Time of the last change that the client knows. A new post gets this time.
    pub updated_at: Option<Timestamp>,
    /// True if the client left out the fraction of `updated_at`.
    pub knows_whole_seconds: bool,
    /// The visibility.
    pub visibility: Option<Visibility>,
    /// The tiers that may read it.
    pub tiers: Option<Vec<Id>>,
    /// True if the post is featured.
    pub featured: Option<bool>,
    /// True if the post is sent by mail only. Ignored for pages.
    pub email_only: Option<bool>,
    /// True if a theme shows title and image. Ignored for posts.
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
    /// The mail options that apply when the post is scheduled or published.
    pub mailing: MailOptions,
    /// True if a revision is stored even if the last one was stored recently.
    pub is_explicit_save: bool,
}

/// The new body.
#[derive(Clone, Debug)]
pub enum BodyChange {
    /// A valid document, shared by the attempts of a transaction.
    Document(Arc<Document>),
    /// An invalid document in stored form, with the reason. It is accepted if it equals the current
    /// document, because clients send back what an import stored. A document that exceeds the
    /// limits is in the form in which it was sent.
    Unusable(String, DocumentError),
    /// An empty document. Ignored if the body was not written in an editor, because clients send
    /// back the null that they read.
    Empty,
}

/// A reference of a post to a tag, which is looked up by these fields in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TagReference {
    /// Its identifier.
    pub id: Option<Id>,
    /// Its slug.
    pub slug: Option<String>,
    /// Its exact name.
    pub name: Option<String>,
}

/// A reference of a post to an author, who is looked up by these fields in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuthorReference {
    /// The user's identifier.
    pub id: Option<Id>,
    /// The user's slug.
    pub slug: Option<String>,
    /// The user's email address, ignoring case.
    pub email: Option<String>,
}

/// Mail options of a post. They apply only if a change schedules or publishes the post (Ghost 6.65,
/// recorded).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MailOptions {
    /// The newsletter's slug.
    pub newsletter: Option<String>,
    /// The segment of its subscribers, as a filter.
    pub segment: Option<String>,
}

impl MailOptions {
    /// Returns the slug of the named newsletter; `None` if it is missing or empty.
    pub(super) fn named(&self) -> Option<&str> {
        self.newsletter.as_deref().filter(|slug| !slug.is_empty())
    }
}
