//! Labels of members (Ghost 6.65, recorded).

use std::cmp::Ordering;

use serde_json::json;

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType},
    records::{self, Resource},
    view::View,
};
use crate::{
    admin::labels::{self, LabelChanges},
    api::{
        json::Object,
        params::Rows,
        routes::shape::{
            Properties,
            Shape::{Integer, Open},
        },
    },
    catalog::{
        Catalog,
        fields::{LABELS, Schema},
    },
    collation,
    domain::label::Label,
    error::Result,
};

/// The writable fields of a label.
pub static FIELDS: &[InputField] = &[
    InputField::required("name", InputType::Text(191)),
    InputField::optional("slug", InputType::Text(191)),
];

/// The `include` value for the number of members with a label.
const MEMBER_COUNT: &str = "count.members";

impl Resource for Label {
    const RECORD: &'static str = "Label";
    const SCHEMA: &'static Schema<Self> = &LABELS;
    const COUNT: &'static str = MEMBER_COUNT;
    const RELATIONS: &'static [Properties] = &[("count?", Open(&[("members", Integer)]))];

    fn count(&self, catalog: &Catalog) -> usize {
        catalog.members.uses_of_label(self.id)
    }

    /// Orders by name.
    fn own_order(&self, other: &Self) -> Ordering {
        collation::compare(&self.name, &other.name).then(self.id.cmp(&other.id))
    }

    fn write(&self, view: &View, object: &mut Object, rows: &Rows<Self>) {
        view.fields(object, self, rows, |_, _, _| {});
        if view.selection.includes(MEMBER_COUNT) && !view.selection.is_restricted() {
            object.field("count", json!({ "members": self.count(view.catalog()) }));
        }
    }
}

/// `POST admin/labels/`
pub fn add(request: &Request) -> Result<Reply> {
    let input = Input::new_record(
        envelope::only_record_by_position(request, Label::SCHEMA.name)?,
        FIELDS,
    )?;
    let label = labels::add(request.site(), request.actor()?, &changes(&input))?;
    let body = records::changed(request, &request.site().current(), &*label);
    Ok(Reply::created(body, &request.location(label.id)))
}

/// `PUT admin/labels/{id}/`
pub fn edit(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let record = envelope::only_record_by_position(request, Label::SCHEMA.name)?;
    envelope::check_id(&record, id)?;
    let input = Input::change(record, FIELDS)?;
    let changes = changes(&input);
    let (label, is_changed) = labels::edit(request.site(), request.actor()?, id, &changes)?;
    let reply = Reply::json(records::changed(
        request,
        &request.site().current(),
        &*label,
    ));
    Ok(if is_changed {
        reply.invalidating("/*")
    } else {
        reply
    })
}

fn changes(input: &Input) -> LabelChanges {
    // Includes empty texts: the operation rejects an empty name and regenerates an empty slug (Ghost
    // 6.65, observed).
    let text = |name: &str| input.value(name).and_then(|value| value.as_str());
    LabelChanges {
        name: text("name").map(Into::into),
        slug: text("slug").map(Into::into),
    }
}
