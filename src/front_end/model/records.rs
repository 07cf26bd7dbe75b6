//! Tags, authors, newsletters and recommendations in templates.

use std::{rc::Rc, sync::Arc};

use super::{context::ModelContext, values::field_value};
use crate::{
    catalog::{
        fields::{AUTHORS, Exposure, Field, NEWSLETTERS, RECOMMENDATIONS, Schema, TAGS},
        params::Selection,
    },
    domain::{
        newsletter::Newsletter, recommendation::Recommendation, record::Slugged, tag::Tag,
        user::User,
    },
    templates::{Object, PlainObject, Value},
};

/// A record whose only computed properties are its URL and its number of posts.
pub(super) trait ShownRecord: Slugged + Sized + 'static {
    /// The fields, as readers see them.
    const SCHEMA: &'static Schema<Self>;

    /// Whether the record has posts whose number templates can get.
    const HAS_POSTS: bool = false;

    /// Returns the URL of the record; `None` if the record has no page.
    fn url(&self, _context: &ModelContext) -> Option<String> {
        None
    }

    /// Returns the number of posts of the record.
    fn posts(&self, _context: &ModelContext) -> usize {
        0
    }
}

impl ShownRecord for Tag {
    const SCHEMA: &'static Schema<Self> = &TAGS;
    const HAS_POSTS: bool = true;

    fn url(&self, context: &ModelContext) -> Option<String> {
        Some(context.site_urls.tag(self))
    }

    fn posts(&self, context: &ModelContext) -> usize {
        context.catalog().tag_post_count(self.id)
    }
}

impl ShownRecord for User {
    const SCHEMA: &'static Schema<Self> = &AUTHORS;
    const HAS_POSTS: bool = true;

    fn url(&self, context: &ModelContext) -> Option<String> {
        Some(context.site_urls.author(self))
    }

    fn posts(&self, context: &ModelContext) -> usize {
        context.catalog().author_post_count(self.id)
    }
}

impl ShownRecord for Newsletter {
    const SCHEMA: &'static Schema<Self> = &NEWSLETTERS;
}

impl ShownRecord for Recommendation {
    const SCHEMA: &'static Schema<Self> = &RECOMMENDATIONS;
}

/// The properties of the records in a list.
pub(super) struct RecordParts<R: 'static> {
    fields: Vec<&'static Field<R>>,
    has_post_count: bool,
}

impl<R: ShownRecord> RecordParts<R> {
    /// Returns the properties for tags and authors of posts, with or without their URLs.
    pub fn related(has_urls: bool) -> Self {
        let is_shown = |field: &&Field<R>| {
            R::SCHEMA.exposure(field) == Exposure::Public && (has_urls || field.name != "url")
        };
        Self {
            fields: R::SCHEMA.rows().filter(is_shown).collect(),
            has_post_count: false,
        }
    }

    /// Returns the properties that `{{#get}}` selects; `key` is the field by which a single record
    /// is read.
    pub fn selected(selection: &Selection, key: Option<&str>) -> Self {
        Self {
            fields: selection.rows(R::SCHEMA, key.as_slice()),
            has_post_count: R::HAS_POSTS && selection.includes("count.posts"),
        }
    }
}

/// A record with some of its properties.
pub(super) struct RecordView<R: 'static> {
    context: Rc<ModelContext>,
    record: Arc<R>,
    parts: Rc<RecordParts<R>>,
}

impl<R: ShownRecord> RecordView<R> {
    /// Returns the value of a record.
    pub fn value(context: &Rc<ModelContext>, record: &Arc<R>, parts: &Rc<RecordParts<R>>) -> Value {
        Value::object(Self {
            context: Rc::clone(context),
            record: Arc::clone(record),
            parts: Rc::clone(parts),
        })
    }
}

impl<R: ShownRecord> Object for RecordView<R> {
    fn get(&self, name: &str) -> Option<Value> {
        if name == "count" && self.parts.has_post_count {
            let count = PlainObject::new().with("posts", self.record.posts(&self.context));
            return Some(count.into());
        }
        let mut fields = self.parts.fields.iter();
        let field = fields.find(|field| field.name == name)?;
        if field.is_stored() {
            Some(field_value(field, &self.record, &self.context, None))
        } else {
            Some(self.record.url(&self.context).into())
        }
    }

    fn names(&self) -> Vec<Arc<str>> {
        let fields = self.parts.fields.iter().map(|field| field.name);
        let mut names: Vec<Arc<str>> = fields.map(Into::into).collect();
        if self.parts.has_post_count {
            // In Ghost, the URL is the last property.
            let end = names.iter().position(|name| &**name == "url");
            names.insert(end.unwrap_or(names.len()), "count".into());
        }
        names
    }

    fn has(&self, name: &str) -> bool {
        let mut fields = self.parts.fields.iter();
        fields.any(|field| field.name == name) || name == "count" && self.parts.has_post_count
    }
}
