//! The Admin API: reads and changes, for staff and integrations (specification 4.3; details as
//! recorded from Ghost 6.65).
//!
//! One noun, one file, named as in [`crate::admin`], where the rules are. This module turns
//! requests into typed values and records into JSON. Nothing is cached: every response is made for
//! its request.

pub mod actions;
mod authentication;
pub mod config;
mod cookie;
pub mod custom_theme_settings;
pub mod db;
pub mod email_previews;
pub mod emails;
pub mod envelope;
pub mod git;
pub mod input;
pub mod integrations;
pub mod invites;
pub mod labels;
pub mod long_reply;
pub mod member_events;
pub mod member_lists;
pub mod members;
pub mod newsletters;
pub mod notifications;
pub mod oembed;
pub mod offers;
pub mod passwords;
pub mod posts;
pub mod recommendations;
pub mod records;
pub mod redirects;
pub mod reply;
pub mod roles;
pub mod routes_file;
pub mod search_index;
pub mod sessions;
pub mod set_up;
pub mod settings;
pub mod site;
pub mod slugs;
pub mod snippets;
pub mod staff_tokens;
pub mod stats;
pub mod stubs;
pub mod tags;
pub mod themes;
pub mod tiers;
mod token;
mod uploaded_file;
pub mod uploads;
pub mod users;
pub mod view;
pub mod webhook_deliveries;
pub mod webhooks;

use std::fmt;

use bytes::Bytes;
use http::header;
use jiff::Timestamp;
use serde_json::Value;

pub use self::reply::Reply;
use super::{
    Api, Options,
    listing::{Lookup, lookup_by_id},
    params::Query,
    request::RequestHead,
    site_urls::SiteUrls,
};
use crate::{
    domain::actor::Actor,
    error::{Error, Kind, Result},
    id::Id,
    render::limits::{Budget, JsonCost},
    site::{Site, SiteSnapshot},
};

pub(super) use authentication::{authenticate, has_valid_credentials};

/// An authorised request to the Admin API.
pub struct Request<'a> {
    /// The API.
    pub(super) api: &'a Api,
    /// The site snapshot when the request arrived. After a change, [`Site::current`] has a newer
    /// one.
    pub snapshot: &'a SiteSnapshot,
    /// The URLs of the site.
    pub site_urls: &'a SiteUrls,
    /// The request without its body.
    pub head: &'a RequestHead,
    /// The body, undecoded. Endpoints that take JSON use [`envelope`].
    pub body: &'a Bytes,
    /// The decoded query.
    pub parameters: &'a Query,
    /// The decoded values of the route's variables.
    pub variables: Vec<String>,
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
        self.actor
            .as_ref()
            .ok_or_else(authentication::missing_credentials)
    }

    /// Returns the value of the route's first variable.
    pub fn variable(&self) -> &str {
        self.variables.first().map_or("", String::as_str)
    }

    /// Returns the identifier in the route's variable of this number; `None` for a well-formed one
    /// that no record has.
    ///
    /// # Errors
    ///
    /// `Validation` if it is malformed.
    pub fn id(&self, number: usize) -> Result<Option<Id>> {
        match lookup_by_id(self.variables.get(number).map_or("", String::as_str))? {
            Lookup::Id(id) => Ok(id),
            Lookup::Slug(_) => Ok(None),
        }
    }

    /// Returns the URL of a record below the requested path, for `Location`, with the version in
    /// the path.
    pub fn location(&self, id: impl fmt::Display) -> String {
        let path = self.head.target.path().trim_end_matches('/');
        format!("{}{path}/{id}/", self.site_urls.origin())
    }

    /// Returns the JSON of the body; `None` if it is not declared as JSON, or empty.
    ///
    /// # Errors
    ///
    /// `UnreadableBody` if it is not JSON, `UnsupportedMediaType` if its declared charset is not
    /// UTF-8, `RequestEntityTooLarge` if it has too many values.
    pub fn json(&self) -> Result<Option<Value>> {
        json(self.head, self.body)
    }
}

/// Returns the declared media type of a body and its parameters.
fn declared_kind(head: &RequestHead) -> impl Iterator<Item = &str> {
    let declared = head.headers.get(header::CONTENT_TYPE);
    let declared = declared.and_then(|kind| kind.to_str().ok());
    declared.unwrap_or_default().split(';').map(str::trim)
}

/// Returns whether a request declares a JSON body.
pub(super) fn is_json(head: &RequestHead) -> bool {
    let mut parts = declared_kind(head);
    parts
        .next()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"))
}

/// Strips a leading UTF-8 byte order mark, which is ignored (Ghost 6.65, observed).
pub(super) fn unmarked(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)
}

/// Reads the JSON of a body, as [`Request::json`].
pub(super) fn json(head: &RequestHead, body: &Bytes) -> Result<Option<Value>> {
    if !is_json(head) || body.is_empty() {
        return Ok(None);
    }
    let charset = declared_kind(head).skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.eq_ignore_ascii_case("charset")
            .then(|| value.trim_matches('"').to_lowercase())
    });
    if let Some(charset) = charset.filter(|charset| !matches!(charset.as_str(), "utf-8" | "utf8")) {
        return Err(
            Error::new(Kind::UnsupportedMediaType, "JSON must be UTF-8.")
                .context(format!("The declared charset is {charset}.")),
        );
    }
    let text = unmarked(body);
    Budget::of(text.len())
        .take_json(text, JsonCost::OF_VALUES)
        .map_err(|excess| {
            Error::new(
                Kind::RequestEntityTooLarge,
                "The body is larger than this server accepts.",
            )
            .context(format!("Its JSON is too complex: {excess}."))
        })?;
    let value: Value = serde_json::from_slice(text).map_err(|error| {
        Error::new(Kind::UnreadableBody, "The body is not valid JSON.").context(format!("{error}."))
    })?;
    match value {
        Value::Object(_) | Value::Array(_) => Ok(Some(value)),
        _ => Err(Error::new(
            Kind::UnreadableBody,
            "The body is neither an object nor a list.",
        )),
    }
}
