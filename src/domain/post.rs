//! Posts and pages: one noun, two kinds, that share their slugs.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{OptionalText, SourceFile, file_reference::FileReference};
use crate::{
    id::Id,
    render::{
        paywall::{self, PublicForm},
        plaintext, reading_time,
    },
};

/// Longest title, in characters (Ghost 6.65, recorded).
pub const TITLE_CHARACTERS_MAX: usize = 255;

/// Most tags, authors or tiers that a post names, each.
pub const RELATIONS_MAX: usize = 1000;

/// Most old addresses of a post.
pub const ALIASES_MAX: usize = 100;

/// Whether it stands in the stream of posts or by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PostKind {
    /// Part of the stream, ordered by date.
    Post,
    /// Stands by itself, ordered by title.
    Page,
}

impl PostKind {
    /// The name of the kind in filters and identifiers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Post => "post",
            Self::Page => "page",
        }
    }
}

/// How far a post has come on its way to readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Being written.
    Draft,
    /// Becomes published at its `published_at`.
    Scheduled,
    /// Public.
    Published,
    /// Went out by mail alone: no reader of the site sees it.
    Sent,
}

impl Status {
    /// The word for it on the wire, in exports and in content files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Scheduled => "scheduled",
            Self::Published => "published",
            Self::Sent => "sent",
        }
    }

    /// The status of what has been published: what goes out by mail alone is not shown (Ghost 6.65, recorded).
    pub fn of_public(is_email_only: bool) -> Self {
        if is_email_only {
            Self::Sent
        } else {
            Self::Published
        }
    }

    /// Whether readers see what has it, or got it by mail.
    pub fn is_out(self) -> bool {
        matches!(self, Self::Published | Self::Sent)
    }

    /// The status called `name`, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Draft, Self::Scheduled, Self::Published, Self::Sent]
            .into_iter()
            .find(|status| status.name() == name)
    }
}

/// Who may read a post (specification 2.4 and 3.1; values as recorded from Ghost 6.65).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Everybody.
    Public,
    /// Whoever signed up.
    Members,
    /// Members of a paid tier.
    Paid,
    /// Members of the tiers in [`Post::tiers`].
    Tiers,
}

impl Visibility {
    /// The word for it on the wire and in content files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Members => "members",
            Self::Paid => "paid",
            Self::Tiers => "tiers",
        }
    }

    /// The visibility called `name`, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Public, Self::Members, Self::Paid, Self::Tiers]
            .into_iter()
            .find(|visibility| visibility.name() == name)
    }
}

/// A post or a page without its body, which the store keeps apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Post {
    /// The record's identifier.
    pub id: Id,
    /// A second identifier, kept across exports and used in the address of previews.
    pub uuid: Uuid,
    /// Post or page.
    pub kind: PostKind,
    /// The last part of its address, unique among posts and pages.
    pub slug: Box<str>,
    /// The headline, never empty.
    pub title: Box<str>,
    /// Draft, scheduled or published.
    pub status: Status,
    /// Who may read the body.
    pub visibility: Visibility,
    /// The tiers that may read it when `visibility` is [`Visibility::Tiers`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<Id>,
    /// Put forward by its author.
    #[serde(default, skip_serializing_if = "is_false")]
    pub featured: bool,
    /// When it was begun.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it became, or will become, public. Set on everything that is published or scheduled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Timestamp>,
    /// What comment services know the post by; survives a move from another system.
    pub comment_id: Box<str>,
    /// Address of the picture on top, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_image: OptionalText,
    /// A summary in the author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_excerpt: OptionalText,
    /// The start of the plain text, as far as everybody may see it. `None` for a body without text, and for a closed one
    /// without a paywall, of which nothing may be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_excerpt: OptionalText,
    /// Reading time of the whole body in minutes; `None` for an empty body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading_time: Option<u32>,
    /// Markup for the page's head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codeinjection_head: OptionalText,
    /// Markup for the page's foot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codeinjection_foot: OptionalText,
    /// The theme's template to use instead of the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_template: OptionalText,
    /// Where the text first appeared, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical_url: OptionalText,
    /// Pages only: whether a theme shows title and picture.
    #[serde(default = "yes")]
    pub show_title_and_feature_image: bool,
    /// Its tags, the main one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Id>,
    /// Its authors, the main one first; never empty.
    pub authors: Vec<Id>,
    /// The newsletter that it went out with, or is to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newsletter: Option<Id>,
    /// Which of the newsletter's subscribers get it, as a filter; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_segment: OptionalText,
    /// What search engines and social networks are told. `None` and a record full of `None` differ in filters
    /// (Ghost 6.65, recorded).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<PostMeta>>,
    /// The content file it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: SourceFile,
    /// Old addresses, which lead to it while readers see it: paths in the form of [`super::old_address::plain_path`].
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub aliases: Box<[Box<str>]>,
    /// The files that it and its body refer to, in ascending order.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub files: Box<[FileReference]>,
}

/// What search engines, social networks and mail are told about a post.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PostMeta {
    /// Title for search engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta_title: OptionalText,
    /// Description for search engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta_description: OptionalText,
    /// Picture for Open Graph, in stored form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub og_image: OptionalText,
    /// Title for Open Graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub og_title: OptionalText,
    /// Description for Open Graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub og_description: OptionalText,
    /// Picture for X cards, in stored form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twitter_image: OptionalText,
    /// Title for X cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twitter_title: OptionalText,
    /// Description for X cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twitter_description: OptionalText,
    /// Subject of the mail instead of the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_subject: OptionalText,
    /// Free text that an importer or a theme put there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frontmatter: OptionalText,
    /// Alternative text of the picture on top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_image_alt: OptionalText,
    /// Caption of the picture on top, as HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_image_caption: OptionalText,
    /// Whether it goes out by mail alone.
    #[serde(skip_serializing_if = "is_false")]
    pub email_only: bool,
}

impl Post {
    /// A draft of which nothing is said yet: open to everybody, without a slug, a title and authors, begun at `now`.
    pub fn draft(id: Id, uuid: Uuid, kind: PostKind, now: Timestamp) -> Self {
        Self {
            id,
            uuid,
            kind,
            slug: "".into(),
            title: "".into(),
            status: Status::Draft,
            visibility: Visibility::Public,
            tiers: Vec::new(),
            featured: false,
            created_at: now,
            updated_at: now,
            published_at: None,
            comment_id: id.to_string().into(),
            feature_image: None,
            custom_excerpt: None,
            public_excerpt: None,
            reading_time: None,
            codeinjection_head: None,
            codeinjection_foot: None,
            custom_template: None,
            canonical_url: None,
            show_title_and_feature_image: true,
            tags: Vec::new(),
            authors: Vec::new(),
            newsletter: None,
            email_segment: None,
            meta: None,
            source: None,
            aliases: Box::default(),
            files: Box::default(),
        }
    }

    /// Gives back the room that its lists have beyond what they hold: those that are read from JSON have up to twice as much.
    pub fn shrink(&mut self) {
        self.tiers.shrink_to_fit();
        self.tags.shrink_to_fit();
        self.authors.shrink_to_fit();
    }

    /// The second identifier of what has none of its own: always the same for the same kind and slug.
    pub fn derived_uuid(kind: PostKind, slug: &str) -> Uuid {
        let name = format!("galley:{}:{slug}", kind.name());
        Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes())
    }

    /// Whether the post itself is as `other` is. Its relations, its side record and the date of its last change may differ, and
    /// so may what is worked out from its body, which is compared apart.
    pub fn is_itself_as(&self, other: &Self) -> bool {
        let aligned = Self {
            tags: other.tags.clone(),
            authors: other.authors.clone(),
            tiers: other.tiers.clone(),
            meta: other.meta.clone(),
            updated_at: other.updated_at,
            public_excerpt: other.public_excerpt.clone(),
            reading_time: other.reading_time,
            files: other.files.clone(),
            ..self.clone()
        };
        aligned == *other
    }

    /// Whether it has the tags, the authors and the tiers of `other`.
    pub fn is_related_as(&self, other: &Self) -> bool {
        self.tags == other.tags && self.authors == other.authors && self.tiers == other.tiers
    }

    /// Whether it goes out by mail alone once it is published.
    pub fn is_email_only(&self) -> bool {
        self.meta.as_ref().is_some_and(|meta| meta.email_only)
    }

    /// Whether readers get to see that it exists.
    pub fn is_listed(&self) -> bool {
        self.status == Status::Published
    }

    /// What it is once it has been published.
    pub fn public_status(&self) -> Status {
        Status::of_public(self.is_email_only())
    }

    /// Whether it has left the hands of those who write: readers see it, or it went out by mail.
    pub fn is_out(&self) -> bool {
        self.status.is_out()
    }

    /// What its mail is about, in one line.
    pub fn email_subject(&self) -> &str {
        let own = self.meta.as_ref();
        own.and_then(|meta| meta.email_subject.as_deref())
            .unwrap_or(&self.title)
    }

    /// Whether it waits for a time that has come at `now`.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.status == Status::Scheduled && self.published_at.is_none_or(|time| time <= now)
    }

    /// Whether the body is closed to those who are not members.
    pub fn is_closed(&self) -> bool {
        self.visibility != Visibility::Public
    }
}

fn yes() -> bool {
    true
}

fn is_false(value: &bool) -> bool {
    !value
}

/// The body of a post with what is worked out from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// HTML with addresses in stored form; `None` when there is nothing in it.
    pub html: Option<String>,
    /// The editor's document that the HTML was rendered from, as JSON text with addresses in stored form. `None` for a
    /// body that was not made in an editor.
    pub lexical: Option<String>,
    /// See [`Post::public_excerpt`].
    pub public_excerpt: OptionalText,
    /// See [`Post::reading_time`].
    pub reading_time: Option<u32>,
}

impl Body {
    /// The body that is this HTML. `closed` tells whether it is for members only, which decides what the excerpt may say.
    pub fn new(html: String, closed: bool, has_feature_image: bool) -> Self {
        if html.is_empty() {
            return Self::default();
        }
        let public_text = match paywall::public_form(&html, closed) {
            PublicForm::Whole => Some(plaintext::from_html(&html)),
            PublicForm::Part(part) => Some(plaintext::from_html(&part)),
            PublicForm::Nothing => None,
        };
        let shown_text = public_text.filter(|text| closed || !text.is_empty());
        Self {
            public_excerpt: shown_text.map(|text| plaintext::excerpt(&text).into()),
            reading_time: reading_time::minutes(&html, has_feature_image),
            lexical: None,
            html: Some(html),
        }
    }

    /// The same body with the document that it was rendered from.
    pub fn with_lexical(self, lexical: String) -> Self {
        Self {
            lexical: Some(lexical),
            ..self
        }
    }
}
