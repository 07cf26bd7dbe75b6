//! Posts and pages in templates.

use std::{rc::Rc, sync::Arc};

use super::{
    context::{ModelContext, PostBodies},
    parts::{PostParts, PostProperty},
    records::RecordView,
    tier::tier_of_record,
    values::field_value,
};
use crate::{
    catalog::fields::{Field, ViewField},
    domain::{
        post::{Post, Visibility},
        tag::Tag,
        user::User,
    },
    render::captions,
    templates::{Object, Value},
};

/// How a page shows a post.
#[derive(Clone)]
pub enum PostView {
    /// At its URL or in a list, to the extent that the reader may read it.
    Public,
    /// At the secret URL in the mail of the post, to the extent that the reader may read it.
    Mailed,
    /// At the secret URL of its preview, to the extent that the reader of the preview may read it.
    Preview {
        /// The bodies for that reader.
        bodies: Rc<dyn PostBodies>,
        /// Whether that reader may read the whole post.
        has_access: bool,
    },
}

/// A post or page.
pub(super) struct PostObject {
    context: Rc<ModelContext>,
    post: Arc<Post>,
    parts: Rc<PostParts>,
    view: PostView,
}

impl PostObject {
    /// Returns a post with the properties of `parts`.
    pub fn new(
        context: &Rc<ModelContext>,
        post: &Arc<Post>,
        parts: &Rc<PostParts>,
        view: &PostView,
    ) -> Self {
        Self {
            context: Rc::clone(context),
            post: Arc::clone(post),
            parts: Rc::clone(parts),
            view: view.clone(),
        }
    }

    /// Returns the value of a property; `None` if this post does not have it.
    fn value(&self, property: PostProperty) -> Option<Value> {
        Some(match property {
            PostProperty::Stored(field) => self.stored(field),
            PostProperty::Computed(_, view) => return self.computed(view),
            PostProperty::Tags => self
                .tags()
                .map(|tag| self.tag(tag))
                .collect::<Vec<_>>()
                .into(),
            PostProperty::Authors => {
                let authors = self.authors().map(|author| self.author(author));
                authors.collect::<Vec<_>>().into()
            }
            PostProperty::Tiers => {
                let tiers = self.context.catalog().tiers_of_post(&self.post);
                let has_own = self.post.visibility == Visibility::Tiers;
                let tier = |tier| tier_of_record(&self.context, tier, has_own).into();
                tiers.into_iter().map(tier).collect::<Vec<Value>>().into()
            }
            PostProperty::PrimaryAuthor => self
                .authors()
                .next()
                .map(|author| self.author(author))
                .into(),
            PostProperty::PrimaryTag => {
                let first = self.tags().next().filter(|tag| !tag.internal);
                first.map(|tag| self.tag(tag)).into()
            }
            PostProperty::Type => self.post.kind.name().into(),
        })
    }

    /// Returns whether this post has a value for a property.
    fn has_value(&self, property: PostProperty) -> bool {
        match property {
            PostProperty::Computed(_, ViewField::ReadingTime) => self.post.reading_time.is_some(),
            PostProperty::Computed(_, ViewField::Plaintext) => self.value(property).is_some(),
            _ => true,
        }
    }

    fn stored(&self, field: &Field<Post>) -> Value {
        let context = &self.context;
        // Previews and mailed posts have dates as stored (Ghost 6.65).
        let time_zone = self.is_public().then_some(&context.time_zone);
        let value = field_value(field, &self.post, context, time_zone);
        match value.as_text() {
            Some(caption)
                if field.name == "feature_image_caption" && self.parts.has_html_caption =>
            {
                Value::html(captions::clean(caption))
            }
            _ => value,
        }
    }

    fn computed(&self, view: ViewField) -> Option<Value> {
        let (context, post) = (&self.context, &self.post);
        Some(match view {
            ViewField::Html => context.or_default(self.bodies().html(post)).into(),
            ViewField::Plaintext => {
                let text = context.or_default(self.bodies().plaintext(post));
                return text.map(Value::Text);
            }
            ViewField::Excerpt => self.excerpt(),
            ViewField::Url if self.is_public() => context.site_urls.post(post).into(),
            ViewField::Url => context.site_urls.post_or_preview_url(post).into(),
            ViewField::ReadingTime => return post.reading_time.map(Value::from),
            ViewField::Access => self.has_access().into(),
            ViewField::Comments => {
                let is_known = self.parts.knows_access;
                (is_known && context.has_comments() && self.has_access()).into()
            }
            _ => return None,
        })
    }

    fn is_public(&self) -> bool {
        matches!(self.view, PostView::Public)
    }

    fn bodies(&self) -> &dyn PostBodies {
        match &self.view {
            PostView::Preview { bodies, .. } => &**bodies,
            // The body must match `access`, so it is the public one although the reader may
            // have the tier.
            _ if self.is_closed_by_tiers() => &*self.context.public_bodies,
            _ => &*self.context.bodies,
        }
    }

    fn has_access(&self) -> bool {
        let post = &*self.post;
        match &self.view {
            // A preview of a post without a body has no access (Ghost 6.65).
            PostView::Preview { has_access, .. } => *has_access && post.reading_time.is_some(),
            _ => !self.is_closed_by_tiers() && self.context.may_read(post),
        }
    }

    /// Returns whether the post is for selected tiers and the tiers of the reader are not known.
    fn is_closed_by_tiers(&self) -> bool {
        self.post.visibility == Visibility::Tiers && !self.parts.knows_tiers
    }

    fn excerpt(&self) -> Value {
        let (context, post) = (&self.context, &self.post);
        let absolute = |text: &str| Value::from(context.site_urls.absolute(text));
        match &post.custom_excerpt {
            Some(custom) if self.has_access() => absolute(custom),
            None if post.is_gated() && self.has_access() => {
                context.or_default(self.bodies().excerpt(post)).into()
            }
            _ => post.shown_excerpt().map(absolute).into(),
        }
    }

    fn tags(&self) -> impl Iterator<Item = &Arc<Tag>> {
        let tags = &self.context.catalog().tags;
        self.post.tags.iter().filter_map(|id| tags.get(*id))
    }

    fn authors(&self) -> impl Iterator<Item = &Arc<User>> {
        let users = &self.context.catalog().users;
        self.post.authors.iter().filter_map(|id| users.get(*id))
    }

    fn tag(&self, tag: &Arc<Tag>) -> Value {
        RecordView::value(&self.context, tag, &self.parts.of_tags)
    }

    fn author(&self, author: &Arc<User>) -> Value {
        RecordView::value(&self.context, author, &self.parts.of_authors)
    }
}

impl Object for PostObject {
    fn get(&self, name: &str) -> Option<Value> {
        self.value(self.parts.find(name)?)
    }

    fn names(&self) -> Vec<Arc<str>> {
        let properties = self.parts.properties.iter();
        let properties = properties.filter(|property| self.has_value(**property));
        properties.map(|property| property.name().into()).collect()
    }

    fn has(&self, name: &str) -> bool {
        let property = self.parts.find(name);
        property.is_some_and(|property| self.has_value(property))
    }
}
