//! The document as clients read it at `openapi.json`: with the address of the site, kept as bytes.

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

/// The document of a site, made when it is first read, and again when the site has another address.
#[derive(Default)]
pub struct ServedDocument(ArcSwapOption<Made>);

struct Made {
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
        let made = self.0.load();
        if let Some(made) = made.as_ref().filter(|made| made.api_url == api_url) {
            return Ok(Arc::clone(&made.answer));
        }
        let document = document_with(&json!([{ "url": api_url }]));
        let body = serde_json::to_vec(&document).map_err(Error::internal)?;
        let mut headers = headers::of_json(CacheControl::Public);
        headers.set(header::ETAG, headers::entity_tag(&body));
        allow_all_origins(&mut headers);
        let answer = Arc::new(Answer::new(headers, Bytes::from(body)));
        self.0.store(Some(Arc::new(Made {
            api_url,
            answer: Arc::clone(&answer),
        })));
        Ok(answer)
    }
}
