//! Recommendations, newest first (Ghost 6.65, recorded).

use std::cmp::Ordering;

use serde_json::{Map, Value, json};
use url::Url;

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType},
    oembed,
    records::{self, Resource},
    view::View,
};
use crate::{
    admin::recommendations::{self, RecommendationChanges},
    api::{
        content::recommendations::check_order,
        json::Object,
        params::{Paging, Rows},
        routes::shape::{
            Properties,
            Shape::{Integer, Open},
        },
    },
    catalog::fields::{STAFF_RECOMMENDATIONS, Schema},
    domain::{
        OptionalText,
        recommendation::{self, PAGE_RECOMMENDATIONS_DEFAULT, Recommendation},
    },
    error::{Error, Kind, Result},
    render::urls,
};

/// The writable fields of a recommendation.
pub static FIELDS: &[InputField] = &[
    InputField::required("title", InputType::Text(2000)),
    InputField::required("url", InputType::Text(2000)),
    InputField::optional("description", InputType::Text(200)),
    InputField::optional("excerpt", InputType::Text(2000)),
    InputField::optional("featured_image", InputType::Text(2000)),
    InputField::optional("favicon", InputType::Text(2000)),
    InputField::set("one_click_subscribe", InputType::Boolean),
];

/// The counts that `include` adds. They are always 0: visitors are not tracked.
const COUNTS: [&str; 2] = ["clicks", "subscribers"];

impl Resource for Recommendation {
    const RECORD: &'static str = "StaffRecommendation";
    const SCHEMA: &'static Schema<Self> = &STAFF_RECOMMENDATIONS;
    const RELATIONS: &'static [Properties] =
        &[("count?", Open(&[("clicks? subscribers?", Integer)]))];
    const PAGE_RECORDS_DEFAULT: usize = PAGE_RECOMMENDATIONS_DEFAULT;

    fn own_order(&self, other: &Self) -> Ordering {
        (other.created_at, other.id).cmp(&(self.created_at, self.id))
    }

    fn write(&self, view: &View, object: &mut Object, rows: &Rows<Self>) {
        view.fields(object, self, rows, |_, _, _| {});
        let is_included = |name: &&&str| view.selection.includes(&format!("count.{name}"));
        let mut counts = COUNTS.iter().filter(is_included).peekable();
        if counts.peek().is_some() {
            let counts: Map<String, Value> =
                counts.map(|name| ((*name).into(), 0.into())).collect();
            object.field("count", counts);
        }
    }
}

/// `GET admin/recommendations/`
///
/// # Errors
///
/// As for other lists, and `Validation` for an unknown relation or order.
pub fn browse(request: &Request) -> Result<Reply> {
    check_order(&Paging::parse(request.parameters)?)?;
    check_include(request)?;
    records::browse::<Recommendation>(request)
}

/// `GET admin/recommendations/{id}/`
///
/// # Errors
///
/// As for other records, and `Validation` for an unknown relation.
pub fn read(request: &Request) -> Result<Reply> {
    check_include(request)?;
    records::read_by_id::<Recommendation>(request)
}

/// Rejects relations other than [`COUNTS`]; other resources ignore unknown relations (Ghost 6.65,
/// observed).
fn check_include(request: &Request) -> Result<()> {
    let include = request.parameters.joined("include").unwrap_or_default();
    let is_known = |name: &str| {
        let count = name.strip_prefix("count.");
        name.is_empty() || count.is_some_and(|count| COUNTS.contains(&count))
    };
    match include
        .split(',')
        .map(str::trim)
        .find(|name| !is_known(name))
    {
        Some(unknown) => Err(Error::new(
            Kind::Validation,
            format!("Recommendations have no relation \"{unknown}\" to include."),
        )),
        None => Ok(()),
    }
}

/// `POST admin/recommendations/`: only this response has a null `updated_at` (Ghost 6.65,
/// observed).
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

/// `POST admin/recommendations/check/`: the existing recommendation of a site, or a draft of a new one.
/// The draft is filled from the page at its URL if pages of other sites may be fetched.
pub fn check(request: &Request) -> Result<Reply> {
    let url = url_to_check(request)?;
    let known = request
        .snapshot
        .catalog
        .recommendations
        .by_slug(recommendation::site_of(url.as_str()));
    let body = match known {
        Some(known) => records::changed(request, request.snapshot, known.as_ref()),
        None => {
            // Fetched only for a site that is not recommended yet.
            let page = oembed::fetch_summary(request, &url);
            let page = page.as_ref();
            json!({ STAFF_RECOMMENDATIONS.name: [{
                "id": null,
                "title": page.map(|page| &page.title),
                "description": null,
                "excerpt": page.and_then(|page| page.description.as_ref()),
                "featured_image": page.and_then(|page| page.image.as_ref()),
                "favicon": page.and_then(|page| page.icon.as_ref()),
                "url": url.as_str(),
                "one_click_subscribe": false,
                "created_at": null,
                "updated_at": null,
            }] })
            .to_string()
            .into_bytes()
        }
    };
    Ok(Reply::json(body).invalidating("/*"))
}

/// Returns the URL of the first recommendation in the body, with a slash at the end of its path
/// (Ghost 6.65, recorded).
fn url_to_check(request: &Request) -> Result<Url> {
    let name = STAFF_RECOMMENDATIONS.name;
    let body = request.json()?.unwrap_or_default();
    // A missing part of the body is null, and then the URL is invalid.
    let url = body[name][0]["url"].as_str().unwrap_or_default();
    let mut url = recommendations::web_url("url", url)?;
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
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

fn changes(request: &Request, input: &Input) -> Result<RecommendationChanges> {
    let text = |name: &str| input.value(name).and_then(Value::as_str).map(Into::into);
    let optional = |name: &str| input.text(name).map(|text| text.map(Into::into));
    let image = |name: &str| -> Result<Option<OptionalText>> {
        let raw = match input.value(name) {
            None => return Ok(None),
            Some(raw) => raw.as_str(),
        };
        let url = raw
            .map(|raw| recommendations::web_url(name, raw))
            .transpose()?;
        let site = request.site_urls.url();
        Ok(Some(
            url.map(|url| urls::url_to_stored(url.as_str(), site).into()),
        ))
    };
    Ok(RecommendationChanges {
        title: text("title"),
        description: optional("description"),
        excerpt: optional("excerpt"),
        featured_image: image("featured_image")?,
        favicon: image("favicon")?,
        url: text("url"),
        one_click_subscribe: input.boolean("one_click_subscribe"),
    })
}
