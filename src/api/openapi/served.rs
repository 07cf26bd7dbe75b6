//! The OpenAPI document as served at `openapi.json`: with the site's URL, cached as bytes.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use http::header;
use serde_json::json;

use super::document_with;
use crate::{
    api::{
        answers::Answer,
        headers::{self, CacheControl},
        making::allow_all_origins,
    },
    error::{Error, Result},
};

/// The document of a site, generated when first requested, and again when the site's URL changes.
#[derive(Default)]
pub struct ServedDocument(ArcSwapOption<CachedDocument>);

struct CachedDocument {
    api_url: String,
    answer: Arc<Answer>,
}

impl ServedDocument {
    /// Returns the document for the API at `api_url`, such as `https://example.com/ghost/api`.
    ///
    /// # Errors
    ///
    /// `Internal` if it cannot be written as JSON.
    pub fn answer(&self, api_url: String) -> Result<Arc<Answer>> {
        let cached = self.0.load();
        if let Some(cached) = cached.as_ref().filter(|cached| cached.api_url == api_url) {
            return Ok(Arc::clone(&cached.answer));
        }
        let document = document_with(&json!([{ "url": api_url }]));
        let body = serde_json::to_vec(&document).map_err(Error::internal)?;
        let mut headers = headers::of_json(CacheControl::Public);
        headers.set(header::ETAG, headers::entity_tag(&body));
        allow_all_origins(&mut headers);
        let answer = Arc::new(Answer::new(headers, Bytes::from(body)));
        self.0.store(Some(Arc::new(CachedDocument {
            api_url,
            answer: Arc::clone(&answer),
        })));
        Ok(answer)
    }
}
