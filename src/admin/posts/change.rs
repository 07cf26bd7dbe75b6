//! What is to become of a post.

use jiff::Timestamp;

use super::texts::TextField;
use crate::{
    domain::{
        document::Document,
        post::{Status, Visibility},
    },
    id::Id,
    render::lexical::DocumentError,
};

/// What is to become of a post. What is `None` stays as it is, and in a new post is as new posts are.
#[derive(Clone, Debug, Default)]
pub struct PostChange {
    /// The headline; empty for none.
    pub title: Option<String>,
    /// The last part of its address, as it was asked for; empty for one that is made of the title.
    pub slug: Option<String>,
    /// How far it is to come.
    pub status: Option<Status>,
    /// When it became, or is to become, public.
    pub published_at: Option<Option<Timestamp>>,
    /// When it last changed, as far as the client knows. A new post takes it over.
    pub updated_at: Option<Timestamp>,
    /// Who may read it.
    pub visibility: Option<Visibility>,
    /// The tiers that may read it.
    pub tiers: Option<Vec<Id>>,
    /// Whether it is put forward.
    pub featured: Option<bool>,
    /// Whether it goes out by mail alone. Pages do not.
    pub email_only: Option<bool>,
    /// Whether a theme shows title and picture. For pages.
    pub show_title_and_feature_image: Option<bool>,
    /// Texts, each with what it becomes.
    pub texts: Vec<(&'static TextField, Option<String>)>,
    /// The fields that were sent as empty texts: a change also of those that have no value (Ghost 6.65, recorded).
    pub emptied: Vec<&'static str>,
    /// All its tags, the main one first.
    pub tags: Option<Vec<TagReference>>,
    /// All its authors, the main one first.
    pub authors: Option<Vec<AuthorReference>>,
    /// Its body.
    pub body: Option<BodyChange>,
    /// How it goes out by mail when it stops being a draft.
    pub mailing: Mailing,
    /// Whether a revision is to be kept whatever the time.
    pub is_explicit_save: bool,
}

/// What a body becomes.
#[derive(Clone, Debug)]
pub enum BodyChange {
    /// This document.
    Document(Document),
    /// A document that cannot be taken, in stored form, and why; unless it is the one that the post has: clients send back
    /// what an import brought. One that is too large is as it was sent.
    Unusable(String, DocumentError),
    /// An empty document, unless the body is not one of the editor: clients send back the null that they read.
    Empty,
}

/// A tag as a post names it: what is there is looked up in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TagReference {
    /// Its identifier.
    pub id: Option<Id>,
    /// Its slug.
    pub slug: Option<String>,
    /// Its name, to the letter.
    pub name: Option<String>,
}

/// An author as a post names it: what is there is looked up in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuthorReference {
    /// The user's identifier.
    pub id: Option<Id>,
    /// The user's slug.
    pub slug: Option<String>,
    /// The user's e-mail address, in any case of letters.
    pub email: Option<String>,
}

/// How a post goes out by mail. It counts only when a change schedules or publishes the post (Ghost 6.65, recorded).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mailing {
    /// The newsletter's slug.
    pub newsletter: Option<String>,
    /// Which of its subscribers, as a filter.
    pub segment: Option<String>,
}

impl Mailing {
    /// The slug of the newsletter that is named; an empty one names none.
    pub(super) fn named(&self) -> Option<&str> {
        self.newsletter.as_deref().filter(|slug| !slug.is_empty())
    }
}
