//! The file that lists the sites that a site recommends, at the path where those sites expect it (Ghost 6.65).

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use serde_json::{Value as Json, json};

use crate::{
    api::{
        headers::CacheControl,
        response::{Body, Response},
    },
    catalog::Catalog,
    clock::written_time,
    domain::recommendation::Recommendation,
};

/// The path of the file on the site.
pub(super) const PATH: &str = "/.well-known/recommendations.json";

/// Returns the response with all recommendations, the oldest first.
pub(super) fn response(catalog: &Catalog) -> Response {
    let mut recommendations: Vec<_> = catalog.recommendations.iter().collect();
    recommendations.sort_by_key(|one| (one.created_at, one.id));
    let file: Json = recommendations.into_iter().map(|one| entry(one)).collect();
    let mut response = Response::new(StatusCode::OK);
    let kind = HeaderValue::from_static("application/json; charset=utf-8");
    response.headers.set(header::CONTENT_TYPE, kind);
    response
        .headers
        .set(header::CACHE_CONTROL, CacheControl::Public.value());
    response.body = Body::Bytes(Bytes::from(file.to_string()));
    response
}

fn entry(recommendation: &Recommendation) -> Json {
    json!({
        "url": &*recommendation.url,
        "updated_at": written_time(recommendation.updated_at),
        "created_at": written_time(recommendation.created_at),
    })
}
