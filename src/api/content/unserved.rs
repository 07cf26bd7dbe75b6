//! Resources that the API has and a site of Galley has none of: recommendations and offers.

use super::Request;
use crate::{
    api::{
        listing::{lookup_by_id, not_found},
        params::{Paging, Selection},
    },
    error::{Error, Kind, Result},
    nql,
};

/// What recommendations can be ordered by (Ghost 6.65, recorded).
const RECOMMENDATION_FIELDS: &[&str] = &[
    "id",
    "title",
    "description",
    "excerpt",
    "featured_image",
    "favicon",
    "url",
    "one_click_subscribe",
    "created_at",
    "updated_at",
];

/// `GET recommendations/`: an empty list, to whoever asks for it properly.
pub fn browse_recommendations(request: &Request) -> Result<Vec<u8>> {
    Selection::parse(request.parameters)?;
    let paging = Paging::parse(request.parameters)?;
    if let Some(filter) = &paging.filter {
        nql::parse(filter).map_err(|error| {
            Error::new(Kind::BadRequest, "The filter cannot be read.")
                .context(format!("In \"{filter}\": {error}."))
        })?;
    }
    for part in paging.order.iter().flat_map(|order| order.split(',')) {
        let name = part.split_whitespace().next().unwrap_or_default();
        if !RECOMMENDATION_FIELDS.contains(&name) {
            return Err(Error::new(
                Kind::Validation,
                format!("Recommendations have no field \"{name}\" that they can be ordered by."),
            ));
        }
    }
    let pagination = serde_json::json!({
        "page": paging.page, "limit": paging.limit, "pages": 1, "total": 0, "next": null, "prev": null,
    });
    Ok(
        serde_json::json!({"recommendations": [], "meta": {"pagination": pagination}})
            .to_string()
            .into_bytes(),
    )
}

/// `GET offers/{id}/`: there is none.
pub fn read_offer(request: &Request) -> Result<Vec<u8>> {
    lookup_by_id(request.variable)?;
    Err(not_found("offer"))
}
