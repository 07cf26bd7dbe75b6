//! The OpenAPI document as it was served last.

use std::sync::Arc;

use arc_swap::ArcSwapOption;

use super::response_cache::CachedResponse;

/// The document of a site with one URL, as a response; empty before the first request.
#[derive(Default)]
pub struct CachedDocument(ArcSwapOption<DocumentResponse>);

struct DocumentResponse {
    api_url: String,
    response: Arc<CachedResponse>,
}

impl CachedDocument {
    /// Returns the response, if it is that of the API at `api_url`.
    pub fn get(&self, api_url: &str) -> Option<Arc<CachedResponse>> {
        let cached = self.0.load();
        let cached = cached.as_ref().filter(|cached| cached.api_url == api_url);
        cached.map(|cached| Arc::clone(&cached.response))
    }

    /// Replaces the response.
    pub fn put(&self, api_url: String, response: Arc<CachedResponse>) {
        let cached = DocumentResponse { api_url, response };
        self.0.store(Some(Arc::new(cached)));
    }
}
