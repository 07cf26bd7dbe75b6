//! Active newsletters (Ghost 6.65, recorded).

use super::{EndpointBody, Request, view::View};
use crate::{
    api::{
        json::{self, Object},
        listing::{FilterRules, pagination},
        params::Selection,
    },
    catalog::{browse, fields::NEWSLETTERS},
};

/// `GET newsletters/`
pub fn browse(request: &Request) -> EndpointBody {
    let selection = Selection::parse(request.parameters);
    let paging = request.paging()?;
    let rules = FilterRules::of_fields(&NEWSLETTERS);
    request.charge(request.catalog.newsletters.len())?;
    let page = browse::newsletters(request.catalog, &request.query(&paging, &rules)?);
    let view = View::new(request, &selection);
    let rows = view.rows(&NEWSLETTERS, &[]);

    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    json::list(
        object.name("newsletters"),
        page.records.iter(),
        |bytes, newsletter| {
            view.record(bytes, newsletter.as_ref(), &rows, None, |_| String::new());
        },
    );
    object.field("meta", pagination(&page, &paging));
    object.end();
    Ok(bytes)
}
