//! Newsletters (Ghost 6.65, recorded).

use std::cmp::Ordering;

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType, parse_time, with_texts, writable},
    records::{self, Resource},
    view::View,
};
use crate::{
    admin::{
        active_urls::passive,
        newsletters::{self, NewsletterChanges},
    },
    api::{json::Object, params::Rows},
    catalog::fields::{NEWSLETTER_TEXTS, STAFF_NEWSLETTERS, Schema},
    domain::{
        newsletter::Newsletter,
        newsletter_design::{DESIGN, DesignType},
    },
    error::{Error, Kind, Result},
    render::{active_urls::Usage, urls},
};

/// The writable fields of a newsletter, except its design. The operation checks lengths and words,
/// because the errors for these name no field (Ghost 6.65, recorded).
pub static FIELDS: &[InputField] =
    &with_texts::<Newsletter, { OWN.len() + writable(NEWSLETTER_TEXTS) }>(OWN, NEWSLETTER_TEXTS);

const OWN: &[InputField] = &[
    InputField::set("name", InputType::Text(2000)),
    InputField::set("slug", InputType::Text(191)),
    InputField::optional("sender_email", InputType::Text(191)),
    InputField::set("status", InputType::Text(50)),
    InputField::set("visibility", InputType::Text(50)),
    InputField::set("subscribe_on_signup", InputType::Boolean),
    InputField::set("sort_order", InputType::Integer(0, u32::MAX as i64)),
];

/// The parameter that subscribes members of other newsletters to a new one.
const OPT_IN: &str = "opt_in_existing";

/// Counts available with `include`.
const COUNTS: &[&str] = &["count.posts", "count.members", "count.active_members"];

impl Resource for Newsletter {
    const RECORD: &'static str = "StaffNewsletter";
    const SCHEMA: &'static Schema<Self> = &STAFF_NEWSLETTERS;

    fn own_order(&self, other: &Self) -> Ordering {
        let sort_key =
            |newsletter: &Self| (newsletter.sort_order, newsletter.created_at, newsletter.id);
        sort_key(self).cmp(&sort_key(other))
    }

    fn write(&self, view: &View, object: &mut Object, rows: &Rows<Self>) {
        let dated = self.dated(view.catalog().beginning());
        view.fields(object, &*dated, rows, |_, _, _| {});
        if COUNTS.iter().any(|count| view.selection.includes(count)) {
            let counts = newsletters::counts(view.catalog(), self.id);
            let mut part = Object::begin(object.name("count"));
            part.field("posts", counts.posts);
            part.field("members", counts.members);
            part.field("active_members", counts.members);
            part.end();
        }
    }
}

/// `POST admin/newsletters/`
pub fn add(request: &Request) -> Result<Reply> {
    let record = envelope::first_record(request, STAFF_NEWSLETTERS.name)?;
    let changes = changes(request, record)?;
    // Any value other than these counts as true (Ghost 6.65, observed).
    let mut opt_in = request.parameters.all(OPT_IN);
    let opt_in = opt_in.any(|value| !matches!(value, "" | "false"));
    let (new, opted_in) = newsletters::add(
        request.site(),
        request.actor()?,
        changes,
        opt_in,
        request.site_urls.url(),
    )?;
    let mut body = records::changed(request, &request.site().current(), new.as_ref());
    if opt_in {
        // The envelope gets a second key with the result for the members.
        body.pop();
        let meta = json!({ "opted_in_member_count": opted_in });
        body.extend_from_slice(format!(",\"meta\":{meta}}}").as_bytes());
    }
    Ok(Reply::created(body, &request.location(new.id)).invalidating("/*"))
}

/// `PUT admin/newsletters/{id}/`
pub fn edit(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let record = envelope::first_record(request, STAFF_NEWSLETTERS.name)?;
    envelope::check_id(&record, id)?;
    let changes = changes(request, record)?;
    let new = newsletters::edit(
        request.site(),
        request.actor()?,
        id,
        changes,
        request.site_urls.url(),
    )?;
    let body = records::changed(request, &request.site().current(), new.as_ref());
    Ok(Reply::json(body).invalidating("/*"))
}

/// `PUT admin/newsletters/verifications/`: rejects every token. Sender addresses take effect
/// immediately and need no confirmation.
pub fn verify(_request: &Request) -> Result<Reply> {
    Err(Error::new(
        Kind::Validation,
        "The token is invalid: sender addresses need no confirmation.",
    )
    .code("INVALID_TOKEN"))
}

fn changes(request: &Request, record: Map<String, Value>) -> Result<NewsletterChanges> {
    let input = Input::change(record, FIELDS)?;
    refuse_invalid_uuid(&input)?;
    refuse_invalid_date(&input)?;
    let given = |name: &str| input.value(name).and_then(Value::as_str);
    let design = DESIGN.iter().filter_map(|choice| {
        let value = match (choice.kind, input.value(choice.name)?) {
            (DesignType::Image(_), Value::String(image)) => {
                // URLs that would run code, such as `javascript:`, are dropped.
                match passive(choice.name, image, Usage::Image) {
                    Some(url) => urls::url_to_stored(url, request.site_urls.url()).into(),
                    None => Value::Null,
                }
            }
            // An empty text counts as absent (Ghost 6.65, observed).
            (DesignType::Text(_), Value::String(name)) if name.is_empty() => Value::Null,
            (_, value) => value.clone(),
        };
        Some((choice.name.to_owned(), value))
    });
    Ok(NewsletterChanges {
        name: given("name").map(Into::into),
        slug: given("slug")
            .filter(|slug| !slug.is_empty())
            .map(Into::into),
        texts: input.texts(NEWSLETTER_TEXTS),
        sender_email: input.text("sender_email").map(|text| text.map(Into::into)),
        status: given("status").map(Into::into),
        visibility: given("visibility").map(Into::into),
        subscribe_on_signup: input.boolean("subscribe_on_signup"),
        sort_order: input
            .integer("sort_order")
            .and_then(|index| u32::try_from(index).ok()),
        design: design.collect(),
    })
}

/// Rejects an invalid date. A valid one is ignored, because the server sets these dates.
fn refuse_invalid_date(input: &Input) -> Result<()> {
    let is_date = |value: &Value| value.as_str().is_none_or(|text| parse_time(text).is_some());
    let mut dates = ["created_at", "updated_at"].into_iter();
    match dates.find(|name| !input.value(name).is_none_or(is_date)) {
        None => Ok(()),
        Some(name) => Err(Error::new(
            Kind::Validation,
            format!("The \"{name}\" of the newsletter is not a valid date with a time."),
        )
        .code("DATE_INVALID")),
    }
}

/// Rejects an invalid UUID. A valid one is ignored (Ghost 6.65, observed).
fn refuse_invalid_uuid(input: &Input) -> Result<()> {
    let is_uuid = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        Uuid::try_parse(text).is_ok()
    };
    if input.value("uuid").is_none_or(is_uuid) {
        Ok(())
    } else {
        Err(Error::new(
            Kind::Validation,
            "The \"uuid\" of the newsletter is not a valid UUID.",
        ))
    }
}
