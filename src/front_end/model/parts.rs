//! The properties of posts in templates, in order.

use std::rc::Rc;

use super::records::RecordParts;
use crate::{
    catalog::{
        fields::{Field, FieldSource, PAGES, POSTS, STAFF_POSTS, Schema, ViewField},
        params::{Defaults, Format, Selection},
    },
    domain::{
        post::{Post, PostKind},
        tag::Tag,
        user::User,
    },
};

/// A property of a post.
#[derive(Clone, Copy)]
pub(super) enum PostProperty {
    /// A field of the record.
    Stored(&'static Field<Post>),
    /// A field that depends on the body, the reader or the site.
    Computed(&'static str, ViewField),
    /// The tags of the post.
    Tags,
    /// The authors of the post.
    Authors,
    /// The tiers whose members may read the post.
    Tiers,
    /// The first author.
    PrimaryAuthor,
    /// The first tag, if it is public.
    PrimaryTag,
    /// The type of the record, `post` or `page`.
    Type,
}

/// The properties of the posts in a list, or of a single post.
pub(super) struct PostParts {
    /// The properties, in order.
    pub properties: Vec<PostProperty>,
    /// The properties of the posts' tags.
    pub of_tags: Rc<RecordParts<Tag>>,
    /// The properties of the posts' authors.
    pub of_authors: Rc<RecordParts<User>>,
    /// Whether the tiers of the post and of the reader are known. If not, posts for selected tiers are gated (Ghost 6.65).
    pub knows_tiers: bool,
    /// Whether the access is known. If not, comments are off (Ghost 6.65, recorded).
    pub knows_access: bool,
    /// Whether the caption is HTML. For the neighbours of a post, it is plain text (Ghost 6.65).
    pub has_html_caption: bool,
}

impl PostProperty {
    /// Returns the name of the property in templates.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stored(field) => field.name,
            Self::Computed(name, _) => name,
            Self::Tags => "tags",
            Self::Authors => "authors",
            Self::Tiers => "tiers",
            Self::PrimaryAuthor => "primary_author",
            Self::PrimaryTag => "primary_tag",
            Self::Type => "type",
        }
    }

    fn of_field(field: &'static Field<Post>) -> Self {
        match field.source {
            FieldSource::View(view) => Self::Computed(field.name, view),
            _ => Self::Stored(field),
        }
    }
}

const RELATIONS: [PostProperty; 5] = [
    PostProperty::Authors,
    PostProperty::Tags,
    PostProperty::Tiers,
    PostProperty::PrimaryAuthor,
    PostProperty::PrimaryTag,
];

/// The relations and the format of the body on pages.
const WHOLE: Defaults = Defaults {
    include: &["authors", "tags", "tiers"],
    formats: &[Format::Html],
};

impl PostParts {
    /// Returns all properties of a post or page.
    pub fn whole(kind: PostKind) -> Self {
        Self::selected(kind, &Selection::of_defaults(&WHOLE), None)
    }

    /// Returns all properties of a post at a secret URL. They include its status and recipients, but not comments.
    pub fn of_secret_url(kind: PostKind, is_preview: bool) -> Self {
        let mut parts = Self::whole(kind);
        let properties = &mut parts.properties;
        properties.retain(|property| property.name() != "comments");
        let rows = ["status", "email_segment", "email_only"].map(|name| STAFF_POSTS.row(name));
        properties.extend(rows.into_iter().flatten().map(PostProperty::Stored));
        if is_preview {
            properties.push(PostProperty::Type);
        }
        parts
    }

    /// Returns the properties that `{{#get}}` selects; `key` is the field by which a single record is read. With `fields`,
    /// visibility and comments are included too (Ghost 6.65, recorded).
    pub fn selected(kind: PostKind, selection: &Selection, key: Option<&str>) -> Self {
        let always = ["visibility", "comments"].into_iter().chain(key);
        let rows = selection.rows(schema(kind), &always.collect::<Vec<_>>());
        let rows = rows.into_iter();
        let is_restricted = selection.is_restricted();
        let names = |name: &str| !is_restricted || selection.names(name);
        let is_included = |relation: &PostProperty| match relation {
            PostProperty::PrimaryTag => selection.includes("tags") && names("primary_tag"),
            PostProperty::PrimaryAuthor => selection.includes("authors") && names("primary_author"),
            relation => selection.includes(relation.name()),
        };
        // Themes only get this field through `@page`.
        let is_property = |field: &&Field<Post>| field.name != "show_title_and_feature_image";
        let fields = rows.filter(is_property).map(PostProperty::of_field);
        let mut properties: Vec<PostProperty> = fields.collect();
        let is_derived =
            |property: &PostProperty| matches!(property, PostProperty::Computed("url", _));
        // Ghost has the relations before the URL.
        let end = properties
            .iter()
            .position(is_derived)
            .unwrap_or(properties.len());
        properties.splice(end..end, RELATIONS.into_iter().filter(is_included));
        Self {
            properties,
            of_tags: Rc::new(RecordParts::related(names("url"))),
            of_authors: Rc::new(RecordParts::related(names("url"))),
            knows_tiers: selection.includes("tiers"),
            knows_access: names("access"),
            has_html_caption: true,
        }
    }

    /// Returns the properties for a neighbour of a post: the caption is plain text, and the tiers of the reader are not known.
    pub fn of_neighbour(self) -> Self {
        Self {
            has_html_caption: false,
            knows_tiers: false,
            ..self
        }
    }

    /// Returns the property with a name.
    pub fn find(&self, name: &str) -> Option<PostProperty> {
        let mut properties = self.properties.iter();
        properties.find(|property| property.name() == name).copied()
    }
}

/// Returns the fields of posts or pages.
pub(super) fn schema(kind: PostKind) -> &'static Schema<Post> {
    match kind {
        PostKind::Post => &POSTS,
        PostKind::Page => &PAGES,
    }
}
