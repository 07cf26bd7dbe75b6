//! Helpers for lists of links: `navigation`, `pagination`.

use std::sync::Arc;

use super::{
    HelperRow,
    built_in::{NAVIGATION, PAGINATION},
    takes,
};
use crate::{
    front_end::PageState,
    render::slug,
    templates::{Call, HelperResult, PlainObject, Value},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[
    HelperRow::inline("navigation", navigation),
    HelperRow::inline("pagination", pagination),
];

/// Renders the site's navigation; with `type="secondary"`, its secondary navigation.
fn navigation(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 0)?;
    let is_secondary =
        matches!(call.option("type"), Some(Value::Text(kind)) if &**kind == "secondary");
    let key = if is_secondary {
        "secondary_navigation"
    } else {
        "navigation"
    };
    let Value::List(items) = call.data("site").get(key) else {
        return Err(call.error("{{navigation}} needs a list of links"));
    };
    let mut links = Vec::with_capacity(items.len());
    for item in items.iter() {
        let (label, url) = (item.get("label"), item.get("url"));
        let (Value::Text(url), Value::Text(_) | Value::Null) = (&url, &label) else {
            return Err(
                call.error("{{navigation}} needs a string for the label and the url of each item")
            );
        };
        let label = label.to_string();
        if label.trim().is_empty() {
            continue;
        }
        links.push(link(&label, url, &call.state().path));
    }
    if links.is_empty() {
        return Ok(Value::html(""));
    }
    let mut properties = PlainObject::new().with("navigation", links);
    for (name, value) in call.hash().iter().filter(|(name, _)| &**name != "type") {
        properties.set(name, value.clone());
    }
    // Last, so that an argument of that name cannot replace it.
    properties.set("isSecondary", is_secondary);
    NAVIGATION.render_with(call, properties, &[("navigationIcons", Value::from(false))])
}

fn link(label: &str, url: &Arc<str>, path: &str) -> Value {
    let is_current = url.trim_end_matches('/') == path.trim_end_matches('/');
    let link = PlainObject::new()
        .with("current", is_current)
        .with("icon", Value::Null)
        .with("iconAlt", "")
        .with("label", label)
        .with("slug", slug::of_label(label))
        .with("url", Arc::clone(url));
    link.into()
}

/// Renders the links to the previous and the next page of the current list.
fn pagination(call: &mut Call<PageState>) -> HelperResult {
    let Value::Object(pagination) = call.property("pagination") else {
        return Err(call
            .error("The {{pagination}} helper was used outside of a paginated context. See https://docs.ghost.org/themes/helpers/pagination/.")
            .help("https://docs.ghost.org/themes/helpers/pagination/"));
    };
    let is_number = |name| matches!(pagination.get(name), Some(Value::Number(_)));
    let is_page = |name| matches!(pagination.get(name), Some(Value::Number(_) | Value::Null));
    if !["page", "pages", "total", "limit"]
        .into_iter()
        .all(is_number)
        || !["next", "prev"].into_iter().all(is_page)
    {
        return Err(
            call.error("{{pagination}} needs numbers for page, pages, total, limit, next and prev")
        );
    }
    let mut properties = PlainObject::new();
    for name in pagination.names() {
        properties.set(&name, pagination.get(&name).unwrap_or_default());
    }
    for (name, value) in call.hash() {
        properties.set(name, value.clone());
    }
    PAGINATION.render_with(call, properties, &[])
}
