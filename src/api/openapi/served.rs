//! The OpenAPI document as served at `openapi.json`: with the site's URL, cached as bytes.

use std::sync::Arc;

use bytes::Bytes;
use http::header;
use serde_json::json;

use super::document::document_with;
use crate::{
    api::{
        cached_document::CachedDocument,
        cors::allow_all_origins,
        entity_tag::entity_tag,
        headers::{self, CacheControl},
        response_cache::CachedResponse,
    },
    error::{Error, Result},
};

/// Returns the document for the API at `api_url`, such as `https://example.com/ghost/api`. It is generated on the first
/// request, and again after the site's URL has changed.
///
/// # Errors
///
/// `Internal` if the document cannot be serialised.
pub fn served(cached: &CachedDocument, api_url: String) -> Result<Arc<CachedResponse>> {
    if let Some(response) = cached.get(&api_url) {
        return Ok(response);
    }
    let document = document_with(&json!([{ "url": api_url }]));
    let body = serde_json::to_vec(&document).map_err(Error::internal)?;
    let mut headers = headers::of_json(CacheControl::Public);
    headers.set(header::ETAG, entity_tag(&body));
    allow_all_origins(&mut headers);
    let response = Arc::new(CachedResponse::new(headers, Bytes::from(body)));
    cached.put(api_url, Arc::clone(&response));
    Ok(response)
}
