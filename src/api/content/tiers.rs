//! Tiers that readers may subscribe to (specification 2.6 and 4.1).

use super::{EndpointBody, Request, view::View};
use crate::{
    api::{
        json::{self, Object},
        listing::{FilterRules, pagination},
        params::Selection,
    },
    catalog::{browse, fields::TIERS},
};

/// `GET tiers/`
pub fn browse(request: &Request) -> EndpointBody {
    let selection = Selection::parse(request.parameters);
    let paging = request.paging()?;
    let rules = FilterRules::of_fields(&TIERS);
    request.charge(request.catalog.tiers.len())?;
    let page = browse::tiers(request.catalog, &request.query(&paging, &rules)?);
    let view = View::new(request, &selection);
    let rows = view.rows(&TIERS, &[]);

    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    json::list(object.name("tiers"), page.records.iter(), |bytes, tier| {
        view.tier(bytes, tier, &rows);
    });
    object.field("meta", pagination(&page, &paging));
    object.end();
    Ok(bytes)
}
