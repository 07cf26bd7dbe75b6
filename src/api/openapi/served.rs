//! The OpenAPI document as served at `openapi.json`: with the site's URL, cached as bytes.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use http::header;
use serde_json::json;

use super::document_with;
use crate::{
    api::{
        cors::allow_all_origins,
        headers::{self, CacheControl},
        response_cache::CachedResponse,
    },
    error::{Error, Result},
};

/// The document of a site, generated when first requested, and again when the site's URL changes.
#[derive(Default)]
pub struct ServedDocument(ArcSwapOption<CachedDocument>);

struct CachedDocument {
    api_url: String,
    response: Arc<CachedResponse>,
}

impl ServedDocument {
    /// Returns the document for the API at `api_url`, such as `https://example.com/ghost/api`.
    ///
    /// # Errors
    ///
    /// `Internal` if it cannot be written as JSON.
    pub fn response(&self, api_url: String) -> Result<Arc<CachedResponse>> {
        let cached = self.0.load();
        if let Some(cached) = cached.as_ref().filter(|cached| cached.api_url == api_url) {
            return Ok(Arc::clone(&cached.response));
        }
        let document = document_with(&json!([{ "url": api_url }]));
        let body = serde_json::to_vec(&document).map_err(Error::internal)?;
        let mut headers = headers::of_json(CacheControl::Public);
        headers.set(header::ETAG, headers::entity_tag(&body));
        allow_all_origins(&mut headers);
        let response = Arc::new(CachedResponse::new(headers, Bytes::from(body)));
        self.0.store(Some(Arc::new(CachedDocument {
            api_url,
            response: Arc::clone(&response),
        })));
        Ok(response)
    }
}
