//! Recommendations: other sites that this one recommends to its readers, newest first (Ghost 6.65,
//! recorded).

use super::{EndpointBody, Request, view::View};
use crate::{
    api::{
        json::{self, Object},
        listing::{FilterRules, pagination},
        params::{Paging, Selection},
    },
    catalog::{browse, fields::RECOMMENDATIONS},
    domain::recommendation::PAGE_RECOMMENDATIONS_DEFAULT,
    error::{Error, Kind, Result},
};

/// The fields by which recommendations can be ordered. The counts are always 0.
const ORDER_FIELDS: [&str; 8] = [
    "title",
    "description",
    "excerpt",
    "one_click_subscribe",
    "created_at",
    "updated_at",
    "count.clicks",
    "count.subscribers",
];

/// `GET recommendations/`
pub fn browse(request: &Request) -> EndpointBody {
    let selection = Selection::parse(request.parameters);
    let paging = request.paging_of(PAGE_RECOMMENDATIONS_DEFAULT)?;
    let rules = FilterRules::of_fields(&RECOMMENDATIONS);
    let query = request.query(&paging, &rules)?;
    check_order(&paging)?;
    request.charge(request.catalog.recommendations.len())?;
    let page = browse::recommendations(request.catalog, &query);
    let view = View::new(request, &selection);
    let rows = view.rows(&RECOMMENDATIONS, &[]);

    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    json::list(
        object.name("recommendations"),
        page.records.iter(),
        |bytes, recommendation| {
            view.record(bytes, recommendation.as_ref(), &rows, None, |_| {
                String::new()
            });
        },
    );
    object.field("meta", pagination(&page, &paging));
    object.end();
    Ok(bytes)
}

/// Rejects an order by an unknown field or in an unknown direction; other lists ignore it (Ghost 6.65,
/// observed).
///
/// # Errors
///
/// `Validation`.
pub fn check_order(paging: &Paging) -> Result<()> {
    for part in paging.order.iter().flat_map(|order| order.split(',')) {
        let mut words = part.split_whitespace();
        let field = words.next().unwrap_or_default();
        if !ORDER_FIELDS.contains(&field) {
            let known = ORDER_FIELDS.join(", ");
            let message = format!("Recommendations cannot be ordered by \"{field}\".");
            return Err(Error::new(Kind::Validation, message)
                .context(format!("They can be ordered by {known}.")));
        }
        if let Some(direction) = words.next().filter(|word| !matches!(*word, "asc" | "desc")) {
            let message = format!("\"{direction}\" is not an order: use asc or desc.");
            return Err(Error::new(Kind::Validation, message));
        }
    }
    Ok(())
}
