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

/// Rejects an order by an unknown field, which other lists ignore (Ghost 6.65, recorded).
fn check_order(paging: &Paging) -> Result<()> {
    for part in paging.order.iter().flat_map(|order| order.split(',')) {
        let name = part.split_whitespace().next().unwrap_or_default();
        if RECOMMENDATIONS.row(name).is_none() {
            return Err(Error::new(
                Kind::Validation,
                format!("Recommendations cannot be ordered by \"{name}\"."),
            ));
        }
    }
    Ok(())
}
