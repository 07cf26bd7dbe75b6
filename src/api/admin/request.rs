//! An authorised request to the Admin API.

use std::fmt;

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::Value;

use super::reply::Reply;
use crate::{
    api::{
        Api, Options,
        listing::{LookupKey, lookup_by_id},
        params::QueryParameters,
        request::RequestHead,
        request_decoding::JsonOnce,
    },
    domain::actor::Actor,
    error::{Error, Result},
    id::Id,
    site::{Site, SiteSnapshot},
    site_urls::SiteUrls,
};

/// An authorised request to the Admin API.
pub struct Request<'a> {
    /// The API.
    pub(in crate::api) api: &'a Api,
    /// The snapshot of the site when the request arrived. After a change, [`Site::current`] returns a
    /// newer one.
    pub snapshot: &'a SiteSnapshot,
    /// The URLs of the site.
    pub site_urls: &'a SiteUrls,
    /// The request without its body.
    pub head: &'a RequestHead,
    /// The body, undecoded. Endpoints that take JSON use [`envelope`](mod@crate::api::admin::envelope).
    pub body: &'a Bytes,
    /// The JSON of the body.
    pub(in crate::api) json: JsonOnce,
    /// The decoded query.
    pub parameters: &'a QueryParameters,
    /// The decoded values of the route's variables.
    pub variables: &'a [String],
    /// The authenticated actor; `None` for unauthenticated endpoints.
    pub actor: Option<Actor>,
    /// The time of the request.
    pub now: Timestamp,
}

/// Handles one endpoint.
pub type AdminHandler = fn(&Request) -> Result<Reply>;

impl Request<'_> {
    /// Returns the site.
    pub fn site(&self) -> &Site {
        &self.api.site
    }

    /// Returns the configuration of the API.
    pub fn options(&self) -> &Options {
        &self.api.options
    }

    /// Returns the authenticated actor.
    ///
    /// # Errors
    ///
    /// `NoPermission` if the client is not authenticated.
    pub fn actor(&self) -> Result<&Actor> {
        self.actor.as_ref().ok_or_else(missing_credentials)
    }

    /// Returns the value of the route's first variable.
    pub fn variable(&self) -> &str {
        self.variables.first().map_or("", String::as_str)
    }

    /// Returns the identifier in the route's variable with this index; `None` for a well-formed
    /// identifier that no record can have.
    ///
    /// # Errors
    ///
    /// `Validation` if it is malformed.
    pub fn id(&self, number: usize) -> Result<Option<Id>> {
        match lookup_by_id(self.variables.get(number).map_or("", String::as_str))? {
            LookupKey::Id(id) => Ok(id),
            LookupKey::Slug(_) => Ok(None),
        }
    }

    /// Returns the URL of a record below the requested path, for `Location`. It keeps the API version
    /// of the requested path.
    pub fn location(&self, id: impl fmt::Display) -> String {
        // With the subdirectory, even if a proxy has removed it, so only the origin precedes it
        // below.
        let path = self.site_urls.public_path(self.head.target.path());
        format!(
            "{}{}/{id}/",
            self.site_urls.origin(),
            path.trim_end_matches('/')
        )
    }

    /// Takes the JSON of the body, which is parsed only once; `None` if the body is empty or not
    /// declared as JSON.
    ///
    /// # Errors
    ///
    /// `UnreadableBody` if it is not JSON, `UnsupportedMediaType` if its declared charset is not
    /// UTF-8, `RequestEntityTooLarge` if it has too many values.
    pub fn json(&self) -> Result<Option<Value>> {
        self.json.take(self.head, self.body)
    }
}

/// Returns the error for a request without credentials.
pub fn missing_credentials() -> Error {
    Error::unauthenticated("The request has neither a token nor a session cookie.")
        .help("Send a token in the header Authorization, or sign in first.")
}
