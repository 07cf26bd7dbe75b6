//! Posts and pages: two kinds of the same record, which share one namespace of slugs.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    OptionalText,
    file_reference::FileReference,
    origin::RecordOrigin,
    permission::permissions,
    record::{Record, Subject},
    secret::Digest,
    social_meta::SocialMeta,
};
use crate::{
    id::Id,
    render::{
        paywall::{self, PublicForm},
        plaintext, reading_time,
    },
};

permissions! {
    POSTS_BROWSE: "posts", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    POSTS_READ: "posts", "read" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    POSTS_ADD: "posts", "add" => Yes, Yes, Yes, Yes, Own, OwnDrafts, Yes;
    POSTS_EDIT: "posts", "edit" => Yes, Yes, Yes, Yes, Own, OwnDrafts, Yes;
    POSTS_PUBLISH: "posts", "publish" => Yes, Yes, Yes, Yes, Own, No, Yes;
    POSTS_CHANGE_AUTHORS: "posts", "change authors" => Yes, Yes, Yes, Yes, No, No, Yes;
    POSTS_CHANGE_VISIBILITY: "posts", "change visibility" => Yes, Yes, Yes, Yes, No, OwnDrafts, Yes;
    POSTS_TAG: "posts", "tag" => Yes, Yes, Yes, Yes, Own, No, Yes;
    POSTS_COPY: "posts", "copy" => Yes, Yes, Yes, Yes, No, No, Yes;
    POSTS_DELETE: "posts", "delete" => Yes, Yes, Yes, Yes, Own, OwnDrafts, Yes;
    POSTS_BULK_EDIT: "posts", "bulk edit" => Yes, Yes, Yes, Yes, No, No, BeyondSpecification;
    POSTS_EXPORT: "posts", "export" => Yes, Yes, Yes, Yes, Yes, Yes, BeyondSpecification;
    PAGES_BROWSE: "pages", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    PAGES_READ: "pages", "read" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    PAGES_ADD: "pages", "add" => Yes, Yes, Yes, Yes, No, No, Yes;
    PAGES_EDIT: "pages", "edit" => Yes, Yes, Yes, Yes, Own, Own, Yes;
    PAGES_PUBLISH: "pages", "publish" => Yes, Yes, Yes, Yes, Own, No, Yes;
    PAGES_COPY: "pages", "copy" => Yes, Yes, Yes, Yes, No, No, Yes;
    PAGES_DELETE: "pages", "delete" => Yes, Yes, Yes, Yes, Own, OwnDrafts, Yes;
    PAGES_BULK_EDIT: "pages", "bulk edit" => Yes, Yes, Yes, Yes, No, No, Yes;
    PAGES_BULK_DELETE: "pages", "bulk delete" => Yes, Yes, Yes, Yes, No, No, BeyondSpecification;
}

/// Longest title, in characters (Ghost 6.65, recorded).
pub const TITLE_CHARACTERS_MAX: usize = 255;

/// Maximum number of tags, of authors, and of tiers of a post.
pub const RELATIONS_MAX: usize = 1000;

/// Maximum number of former URL paths of a post.
pub const ALIASES_MAX: usize = 100;

/// Post or page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PostKind {
    /// Part of the stream of posts, ordered by date.
    Post,
    /// Outside the stream, ordered by title.
    Page,
}

impl PostKind {
    /// Returns the name of the kind in filters and identifiers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Post => "post",
            Self::Page => "page",
        }
    }
}

/// The publication status of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Not published yet.
    Draft,
    /// Will be published at the time in `published_at`.
    Scheduled,
    /// Public.
    Published,
    /// Sent by mail only; not on the site.
    Sent,
}

impl Status {
    /// Returns the name on the wire, in exports and in content files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Scheduled => "scheduled",
            Self::Published => "published",
            Self::Sent => "sent",
        }
    }

    /// Returns the status of a published post: [`Status::Sent`] if it is email-only, and thus not
    /// on the site (Ghost 6.65, recorded).
    pub fn of_public(is_email_only: bool) -> Self {
        if is_email_only {
            Self::Sent
        } else {
            Self::Published
        }
    }

    /// Returns whether the post is public or was sent by mail.
    pub fn is_out(self) -> bool {
        matches!(self, Self::Published | Self::Sent)
    }

    /// Returns the status called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Draft, Self::Scheduled, Self::Published, Self::Sent]
            .into_iter()
            .find(|status| status.name() == name)
    }
}

/// The readers of a post (specification 2.4 and 3.1; values as recorded from Ghost 6.65).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// All readers.
    Public,
    /// Members.
    Members,
    /// Members of a paid tier.
    Paid,
    /// Members of the tiers in [`Post::tiers`].
    Tiers,
}

impl Visibility {
    /// Returns the name on the wire and in content files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Members => "members",
            Self::Paid => "paid",
            Self::Tiers => "tiers",
        }
    }

    /// Returns the visibility called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Public, Self::Members, Self::Paid, Self::Tiers]
            .into_iter()
            .find(|visibility| visibility.name() == name)
    }
}

/// A post or a page without its body, which is stored separately.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Post {
    /// The record's identifier.
    pub id: Id,
    /// A second identifier, which is preserved in exports and used in the URLs of previews.
    pub uuid: Uuid,
    /// Post or page.
    pub kind: PostKind,
    /// The last segment of its URL, unique among posts and pages.
    pub slug: Box<str>,
    /// The title, never empty.
    pub title: Box<str>,
    /// The publication status.
    pub status: Status,
    /// The readers of the body.
    pub visibility: Visibility,
    /// The tiers whose members may read the post if `visibility` is [`Visibility::Tiers`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<Id>,
    /// True if the post is featured.
    #[serde(default, skip_serializing_if = "is_false")]
    pub featured: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Time of publication, past or planned. Set on every published or scheduled post.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Timestamp>,
    /// The identifier for comment services; survives a move from another system.
    pub comment_id: Box<str>,
    /// URL of the feature image, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_image: OptionalText,
    /// An excerpt that the author wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_excerpt: OptionalText,
    /// The start of the public plain text. `None` for a body without text, and for a gated body
    /// without a paywall card, which has no public part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_excerpt: OptionalText,
    /// Reading time of the whole body in minutes; `None` for an empty body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading_time: Option<u32>,
    /// HTML for the page's head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codeinjection_head: OptionalText,
    /// HTML for the page's foot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codeinjection_foot: OptionalText,
    /// The template of the theme to use instead of the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_template: OptionalText,
    /// The canonical URL, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical_url: OptionalText,
    /// Pages only: whether a theme shows the title and the feature image.
    #[serde(default = "yes")]
    pub show_title_and_feature_image: bool,
    /// Its tags, the main one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Id>,
    /// Its authors, the main one first; never empty.
    pub authors: Vec<Id>,
    /// The newsletter that the post was or will be sent with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newsletter: Option<Id>,
    /// The recipients among the newsletter's subscribers, as a filter; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_segment: OptionalText,
    /// Metadata for search engines and social networks. `None` differs from metadata without values
    /// in filters (Ghost 6.65, recorded).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<PostMeta>>,
    /// The content file that the post comes from, if any.
    #[serde(
        rename = "source",
        default,
        skip_serializing_if = "RecordOrigin::is_store"
    )]
    pub origin: RecordOrigin,
    /// Former URL paths, in the form of [`super::former_path::normal_path`]. They redirect to the
    /// post while it is published.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub aliases: Box<[Box<str>]>,
    /// The files that the post and its body refer to, in ascending order.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub files: Box<[FileReference]>,
    /// The digest of the editor document that results from the content file, if the stored document
    /// is the one that an editor sent instead. Both render the same, but differ in details that the
    /// file cannot express, such as empty paragraphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_of_file: Option<Box<Digest>>,
}

impl Record for Post {
    const KIND: &'static str = "post";

    fn id(&self) -> Id {
        self.id
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            id: self.id,
            resource_type: Self::KIND,
            name: Some(&self.title),
            kind: Some(self.kind.name()),
        }
    }
}

/// Metadata of a post for search engines, social networks and mail.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PostMeta {
    /// Titles, descriptions and images for search engines and social networks.
    #[serde(flatten)]
    pub social: SocialMeta,
    /// Subject of the mail, if it differs from the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_subject: OptionalText,
    /// Free text set by an importer or a theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frontmatter: OptionalText,
    /// Alternative text of the feature image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_image_alt: OptionalText,
    /// Caption of the feature image, as HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_image_caption: OptionalText,
    /// True if the post is sent by mail only.
    #[serde(skip_serializing_if = "is_false")]
    pub email_only: bool,
}

impl Post {
    /// Returns an empty draft with public visibility, created at `now`, without a slug, a title or
    /// authors.
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
            origin: RecordOrigin::Store,
            aliases: Box::default(),
            files: Box::default(),
            document_of_file: None,
        }
    }

    /// Releases the unused capacity of its lists: lists deserialised from JSON have up to twice the
    /// required capacity.
    pub fn shrink(&mut self) {
        self.tiers.shrink_to_fit();
        self.tags.shrink_to_fit();
        self.authors.shrink_to_fit();
    }

    /// Returns the second identifier for a post without one, which depends on the kind and the slug
    /// only.
    pub fn derived_uuid(kind: PostKind, slug: &str) -> Uuid {
        let name = format!("galley:{}:{slug}", kind.name());
        Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes())
    }

    /// Returns whether the post equals `other`, ignoring relations, metadata, the date of the last
    /// change, and values derived from the body. The body is compared separately.
    pub fn equals_without_relations(&self, other: &Self) -> bool {
        // The ignored fields are made equal and the rest is compared as a whole, so that a new
        // field is never forgotten here.
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

    /// Returns whether the post has the same tags, authors and tiers as `other`.
    pub fn has_relations_of(&self, other: &Self) -> bool {
        self.tags == other.tags && self.authors == other.authors && self.tiers == other.tiers
    }

    /// Returns whether publishing the post sends it by mail only.
    pub fn is_email_only(&self) -> bool {
        self.meta.as_ref().is_some_and(|meta| meta.email_only)
    }

    /// Returns whether readers can see that the post exists.
    pub fn is_listed(&self) -> bool {
        self.status == Status::Published
    }

    /// Returns the status that the post gets when it is published.
    pub fn public_status(&self) -> Status {
        Status::of_public(self.is_email_only())
    }

    /// Returns whether the post is published or was sent by mail.
    pub fn is_out(&self) -> bool {
        self.status.is_out()
    }

    /// Returns the subject of the mail, in one line.
    pub fn email_subject(&self) -> &str {
        let own = self.meta.as_ref();
        own.and_then(|meta| meta.email_subject.as_deref())
            .unwrap_or(&self.title)
    }

    /// Returns whether the post is scheduled for `now` or earlier.
    pub fn is_due(&self, now: Timestamp) -> bool {
        // A scheduled post without a date would otherwise never be published.
        self.status == Status::Scheduled && self.published_at.is_none_or(|time| time <= now)
    }

    /// Returns the custom excerpt, or the start of the text; an empty string for a gated post without a
    /// public part, and `None` for an empty body (Ghost 6.65, recorded).
    pub fn shown_excerpt(&self) -> Option<&str> {
        match &self.public_excerpt {
            None if self.is_gated() => Some(""),
            start => self.custom_excerpt.as_deref().or(start.as_deref()),
        }
    }

    /// Returns whether the body is gated.
    pub fn is_gated(&self) -> bool {
        self.visibility != Visibility::Public
    }
}

fn yes() -> bool {
    true
}

fn is_false(value: &bool) -> bool {
    !value
}

/// The body of a post with the values derived from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// HTML with URLs in stored form; `None` if empty.
    pub html: Option<String>,
    /// The editor document that the HTML was rendered from, as JSON text with URLs in stored form.
    /// `None` for a body that was not written in an editor.
    pub lexical: Option<String>,
    /// See [`Post::public_excerpt`].
    pub public_excerpt: OptionalText,
    /// See [`Post::reading_time`].
    pub reading_time: Option<u32>,
}

impl Body {
    /// Returns the body with this HTML. `gated` says whether the body is gated, which limits the
    /// excerpt.
    pub fn new(html: String, gated: bool, has_feature_image: bool) -> Self {
        if html.is_empty() {
            return Self::default();
        }
        let public_text = match paywall::public_form(&html, gated) {
            PublicForm::Whole => Some(plaintext::from_html(&html)),
            PublicForm::Part(part) => Some(plaintext::from_html(&part)),
            PublicForm::Nothing => None,
        };
        // A gated body with an empty public part has an empty excerpt, which differs from no public
        // part (see `Post::public_excerpt`).
        let shown_text = public_text.filter(|text| gated || !text.is_empty());
        Self {
            public_excerpt: shown_text.map(|text| plaintext::excerpt(&text).into()),
            reading_time: reading_time::minutes(&html, has_feature_image),
            lexical: None,
            html: Some(html),
        }
    }

    /// Returns the same body with the document that it was rendered from.
    pub fn with_lexical(self, lexical: String) -> Self {
        Self {
            lexical: Some(lexical),
            ..self
        }
    }
}
