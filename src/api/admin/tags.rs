//! Tags (Ghost 6.65, recorded).

use std::cmp::Ordering;

use super::{records::Resource, view::View};
use crate::{
    api::{json::Object, params::Rows},
    catalog::{
        Catalog,
        fields::{STAFF_TAGS, Schema},
        order::POST_COUNT,
        records::Records,
    },
    domain::tag::Tag,
};

impl Resource for Tag {
    const NOUN: &'static str = "tag";
    const SCHEMA: &'static Schema<Self> = &STAFF_TAGS;

    fn records(catalog: &Catalog) -> &Records<Self> {
        &catalog.tags
    }

    fn post_count(&self, catalog: &Catalog) -> usize {
        catalog.posts.uses_of_tag(self.id)
    }

    fn own_order(&self, other: &Self) -> Ordering {
        (self.created_at, self.id).cmp(&(other.created_at, other.id))
    }

    fn write(&self, view: &View, object: &mut Object, rows: &Rows<Self>) {
        view.tag(object, self, rows);
        if view.selection.includes(POST_COUNT) && !view.selection.is_restricted() {
            let posts = self.post_count(view.catalog());
            object.field("count", serde_json::json!({ "posts": posts }));
        }
    }
}
