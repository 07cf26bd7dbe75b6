//! Tags (Ghost 6.65, recorded).

use std::cmp::Ordering;

use serde_json::json;

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType, with_texts, writable},
    records::{self, Resource},
    view::View,
};
use crate::{
    admin::tags::{self, TagChanges},
    api::{json::Object, params::Rows},
    catalog::{
        Catalog,
        fields::{STAFF_TAGS, Schema, TAG_TEXTS},
        order::POST_COUNT,
    },
    domain::tag::Tag,
    error::Result,
};

/// The writable fields of a tag. Colours are not checked.
pub static FIELDS: &[InputField] =
    &with_texts::<Tag, { OWN.len() + writable(TAG_TEXTS) }>(OWN, TAG_TEXTS);

const OWN: &[InputField] = &[
    InputField::required("name", InputType::Text(191)),
    InputField::optional("slug", InputType::Text(191)),
    InputField::set("visibility", InputType::Choice(&["public", "internal"])),
];

impl Resource for Tag {
    const RECORD: &'static str = "StaffTag";
    const SCHEMA: &'static Schema<Self> = &STAFF_TAGS;

    fn count(&self, catalog: &Catalog) -> usize {
        catalog.posts.uses_of_tag(self.id)
    }

    /// Orders by creation, oldest first.
    fn own_order(&self, other: &Self) -> Ordering {
        (self.created_at, self.id).cmp(&(other.created_at, other.id))
    }

    fn write(&self, view: &View, object: &mut Object, rows: &Rows<Self>) {
        view.tag(object, self, rows);
        if view.selection.includes(POST_COUNT) && !view.selection.is_restricted() {
            let posts = self.count(view.catalog());
            object.field("count", json!({ "posts": posts }));
        }
    }
}

/// `POST admin/tags/`
pub fn add(request: &Request) -> Result<Reply> {
    let record = envelope::record(request, Tag::SCHEMA.name)?;
    let input = Input::new_record(record, FIELDS)?;
    let site_url = request.site_urls.url();
    let tag = tags::add(request.site(), request.actor()?, &changes(&input), site_url)?;
    let body = records::changed(request, &request.site().current(), &*tag);
    Ok(Reply::created(body, &request.location(tag.id)).invalidating("/*"))
}

/// `PUT admin/tags/{id}/`: without a collision check, the last change wins.
pub fn edit(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let record = envelope::record(request, Tag::SCHEMA.name)?;
    let input = Input::change(record, FIELDS)?;
    let (tag, is_changed) = tags::edit(
        request.site(),
        request.actor()?,
        id,
        &changes(&input),
        request.site_urls.url(),
    )?;
    let reply = Reply::json(records::changed(request, &request.site().current(), &*tag));
    Ok(if is_changed {
        reply.invalidating("/*")
    } else {
        reply
    })
}

fn changes(input: &Input) -> TagChanges<'_> {
    TagChanges {
        // Unlike `Input::text`, this keeps an empty name, which the operation rejects.
        name: input.value("name").and_then(|name| name.as_str()),
        slug: input.text("slug").flatten(),
        internal: input
            .text("visibility")
            .flatten()
            .map(|visibility| visibility == "internal"),
        texts: input.texts(TAG_TEXTS),
        emptied: input.emptied(FIELDS),
    }
}
