//! Tags (Ghost 6.65, recorded).

use std::cmp::Ordering;

use serde_json::json;

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType},
    records::{self, Resource},
    view::View,
};
use crate::{
    admin::tags::{self, TEXT_FIELDS, TagChanges},
    api::{json::Object, params::Rows},
    catalog::{
        Catalog,
        fields::{STAFF_TAGS, Schema},
        order::POST_COUNT,
    },
    domain::tag::Tag,
    error::Result,
};

/// The writable fields of a tag. Colours are not checked.
pub static FIELDS: &[InputField] = &[
    InputField::required("name", InputType::Text(191)),
    InputField::optional("slug", InputType::Text(191)),
    InputField::set("visibility", InputType::Choice(&["public", "internal"])),
    InputField::optional("description", InputType::Text(500)),
    InputField::optional("feature_image", InputType::Address(2000)),
    InputField::optional("og_image", InputType::Address(2000)),
    InputField::optional("og_title", InputType::Text(300)),
    InputField::optional("og_description", InputType::Text(500)),
    InputField::optional("twitter_image", InputType::Address(2000)),
    InputField::optional("twitter_title", InputType::Text(300)),
    InputField::optional("twitter_description", InputType::Text(500)),
    InputField::optional("meta_title", InputType::Text(300)),
    InputField::optional("meta_description", InputType::Text(500)),
    InputField::optional("codeinjection_head", InputType::Text(65_535)),
    InputField::optional("codeinjection_foot", InputType::Text(65_535)),
    InputField::optional("canonical_url", InputType::Address(2000)),
    InputField::optional("accent_color", InputType::Text(50)),
];

impl Resource for Tag {
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
    let address = request.site_urls.url();
    let tag = tags::add(request.site(), request.actor()?, &changes(&input), address)?;
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
    let texts = TEXT_FIELDS
        .iter()
        .filter_map(|field| Some((field, input.text(field.name)?)));
    TagChanges {
        // An empty name is passed on, and rejected.
        name: input.value("name").and_then(|name| name.as_str()),
        slug: input.text("slug").flatten(),
        internal: input
            .text("visibility")
            .flatten()
            .map(|visibility| visibility == "internal"),
        texts: texts.collect(),
        emptied: input.emptied(FIELDS),
    }
}
