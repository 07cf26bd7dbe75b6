//! A cache of the served OpenAPI document.

use std::sync::Arc;

use arc_swap::ArcSwapOption;

use super::response_cache::CachedResponse;

/// The response with the document for one URL of the site; empty before the first request.
#[derive(Default)]
pub struct CachedDocument(ArcSwapOption<DocumentResponse>);

struct DocumentResponse {
    api_url: String,
    response: Arc<CachedResponse>,
}

impl CachedDocument {
    /// Returns the cached response, if it is for the API at `api_url`.
    pub fn get(&self, api_url: &str) -> Option<Arc<CachedResponse>> {
        let cached = self.0.load();
        // The document contains the URL of the API, which the owner may change at any time.
        let cached = cached.as_ref().filter(|cached| cached.api_url == api_url);
        cached.map(|cached| Arc::clone(&cached.response))
    }

    /// Replaces the cached response.
    pub fn put(&self, api_url: String, response: Arc<CachedResponse>) {
        // If two requests build the document at the same time, either result is valid.
        let cached = DocumentResponse { api_url, response };
        self.0.store(Some(Arc::new(cached)));
    }
}
