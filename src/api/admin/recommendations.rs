//! Recommendations (Ghost 6.65, recorded): the newest first.

use std::cmp::Ordering;

use serde_json::Value;

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType},
    records::{self, Resource},
    view::View,
};
use crate::{
    admin::recommendations::{self, Changes},
    api::{json::Object, params::Rows},
    catalog::{
        Catalog,
        fields::{STAFF_RECOMMENDATIONS, Schema},
        records::Records,
    },
    domain::{OptionalText, recommendation::Recommendation},
    error::{Error, Result},
    render::urls,
};

/// What clients may write of a recommendation.
pub static FIELDS: &[InputField] = &[
    InputField::required("title", InputType::Text(2000)),
    InputField::required("url", InputType::Text(2000)),
    InputField::optional("description", InputType::Text(200)),
    InputField::optional("excerpt", InputType::Text(2000)),
    InputField::optional("featured_image", InputType::Text(2000)),
    InputField::optional("favicon", InputType::Text(2000)),
    InputField::set("one_click_subscribe", InputType::Boolean),
];

impl Resource for Recommendation {
    const NOUN: &'static str = "recommendation";
    const SCHEMA: &'static Schema<Self> = &STAFF_RECOMMENDATIONS;

    fn records(catalog: &Catalog) -> &Records<Self> {
        &catalog.recommendations
    }

    fn own_order(&self, other: &Self) -> Ordering {
        (other.created_at, other.id).cmp(&(self.created_at, self.id))
    }

    fn write(&self, view: &View, object: &mut Object, rows: &Rows<Self>) {
        view.fields(object, self, rows, |_, _, _| {});
    }
}

/// `POST admin/recommendations/`: its answer alone tells no date of a last change (Ghost 6.65, observed).
pub fn add(request: &Request) -> Result<Reply> {
    let input = Input::new_record(
        envelope::only_record(request, STAFF_RECOMMENDATIONS.name)?,
        FIELDS,
    )?;
    let new = recommendations::add(request.site(), request.actor()?, changes(request, &input)?)?;
    let body = records::changed(request, &request.site().current(), new.as_ref());
    let mut body: Value = serde_json::from_slice(&body).map_err(Error::internal)?;
    body[STAFF_RECOMMENDATIONS.name][0]["updated_at"] = Value::Null;
    let body = body.to_string().into_bytes();
    Ok(Reply::created(body, &request.location(new.id)).invalidating("/*"))
}

/// `PUT admin/recommendations/{id}/`
pub fn edit(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let record = envelope::only_record(request, STAFF_RECOMMENDATIONS.name)?;
    envelope::check_id(&record, id)?;
    let input = Input::change(record, FIELDS)?;
    let changes = changes(request, &input)?;
    let new = recommendations::edit(request.site(), request.actor()?, id, changes)?;
    let body = records::changed(request, &request.site().current(), new.as_ref());
    Ok(Reply::json(body).invalidating("/*"))
}

/// `DELETE admin/recommendations/{id}/`
pub fn delete(request: &Request) -> Result<Reply> {
    recommendations::delete(request.site(), request.actor()?, request.id(0)?)?;
    Ok(Reply::no_content().invalidating("/*"))
}

fn changes(request: &Request, input: &Input) -> Result<Changes> {
    let text = |name: &str| input.value(name).and_then(Value::as_str).map(Into::into);
    let optional = |name: &str| input.text(name).map(|text| text.map(Into::into));
    let picture = |name: &str| -> Result<Option<OptionalText>> {
        let written = match input.value(name) {
            None => return Ok(None),
            Some(written) => written.as_str(),
        };
        let url = written
            .map(|written| recommendations::web_url(name, written))
            .transpose()?;
        let site = request.addresses.url();
        Ok(Some(url.map(|url| {
            urls::address_to_stored(url.as_str(), site).into()
        })))
    };
    Ok(Changes {
        title: text("title"),
        description: optional("description"),
        excerpt: optional("excerpt"),
        featured_image: picture("featured_image")?,
        favicon: picture("favicon")?,
        url: text("url"),
        one_click_subscribe: input.boolean("one_click_subscribe"),
    })
}
