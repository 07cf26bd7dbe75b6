//! The Admin API: reads and changes, for staff and integrations (specification 4.3; details as
//! recorded from Ghost 6.65).
//!
//! One noun, one file, named as in [`crate::admin`], where the rules are. This module turns
//! requests into typed values and records into JSON. Nothing is cached: every response is made for
//! its request.

pub mod actions;
mod authentication;
pub mod config;
pub(super) mod cookie;
pub mod custom_theme_settings;
pub mod db;
pub mod email_previews;
pub mod email_stats;
pub mod emails;
pub mod envelope;
pub mod exports;
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
mod unfiltered;
mod uploaded_file;
pub mod uploads;
pub mod users;
pub mod view;
pub mod webhook_deliveries;
pub mod webhooks;

use std::fmt;

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::Value;

pub use self::reply::Reply;
use super::{
    Api, Options,
    listing::{Lookup, lookup_by_id},
    params::Query,
    request::RequestHead,
    request_decoding::JsonOnce,
    site_urls::SiteUrls,
};
use crate::{
    domain::actor::Actor,
    error::Result,
    id::Id,
    site::{Site, SiteSnapshot},
};

pub(super) use authentication::{Sender, TokenOnce, authenticate, has_valid_credentials};

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
    /// The JSON of the body.
    pub(super) json: JsonOnce,
    /// The decoded query.
    pub parameters: &'a Query,
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
        let path = self.site_urls.public_path(self.head.target.path());
        format!(
            "{}{}/{id}/",
            self.site_urls.origin(),
            path.trim_end_matches('/')
        )
    }

    /// Takes the JSON of the body, which is parsed once; `None` if it is not declared as JSON, or
    /// empty.
    ///
    /// # Errors
    ///
    /// `UnreadableBody` if it is not JSON, `UnsupportedMediaType` if its declared charset is not
    /// UTF-8, `RequestEntityTooLarge` if it has too many values.
    pub fn json(&self) -> Result<Option<Value>> {
        self.json.take(self.head, self.body)
    }
}
