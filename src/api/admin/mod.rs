//! The Admin API: reads and changes, for staff and integrations (specification 4.3; details as recorded from Ghost 6.65).
//!
//! One noun, one file, named as in [`crate::admin`], where the rules are. In here a request becomes typed values and a
//! record becomes JSON. Nothing is kept: every answer is made for its request.

pub mod actions;
mod authentication;
pub mod config;
mod cookie;
pub mod custom_theme_settings;
pub mod db;
pub mod email_previews;
pub mod emails;
pub mod envelope;
pub mod files;
mod form_file;
pub mod git;
pub mod images;
pub mod input;
pub mod integrations;
pub mod invites;
pub mod labels;
pub mod lists_of_none;
pub mod long_reply;
pub mod media;
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
pub mod tags;
pub mod themes;
pub mod tiers;
mod token;
mod uploads;
pub mod users;
pub mod view;
pub mod webhook_deliveries;
pub mod webhooks;

use std::fmt;

use bytes::Bytes;
use http::{Method, header};
use jiff::Timestamp;
use serde_json::Value;

pub use self::reply::Reply;
use super::{
    Api, Options,
    addresses::Addresses,
    listing::{Lookup, lookup_by_id},
    params::Query,
    request::RequestHead,
};
use crate::{
    domain::{actor::Actor, permission::Right},
    error::{Error, Kind, Result},
    id::Id,
    render::limits::{Budget, JsonCost},
    site::{Edition, Site},
};

pub(super) use authentication::{authenticate, is_shown};

/// A request to the Admin API that may be answered.
pub struct Request<'a> {
    /// The API that was asked.
    pub(super) api: &'a Api,
    /// The site as it was when the request came. After a change, [`Site::current`] has the next one.
    pub edition: &'a Edition,
    /// Where things are.
    pub addresses: &'a Addresses,
    /// What was asked, but for the body.
    pub head: &'a RequestHead,
    /// The body, undecoded. Endpoints that take JSON use [`envelope`].
    pub body: &'a Bytes,
    /// The decoded query.
    pub parameters: &'a Query,
    /// What stands in the path where the route has variables; decoded.
    pub variables: Vec<String>,
    /// Who asks; nobody at an entrance.
    pub actor: Option<Actor>,
    /// How far the right goes that the route asks for.
    pub right: Right,
    /// The time of the request.
    pub now: Timestamp,
}

/// Answers one endpoint.
pub type Endpoint = fn(&Request) -> Result<Reply>;

impl Request<'_> {
    /// The site that is asked.
    pub fn site(&self) -> &Site {
        &self.api.site
    }

    /// What the API was told about its surroundings.
    pub fn options(&self) -> &Options {
        &self.api.options
    }

    /// Who asks.
    ///
    /// # Errors
    ///
    /// `NoPermission` when nobody has shown who it is.
    pub fn actor(&self) -> Result<&Actor> {
        self.actor.as_ref().ok_or_else(authentication::nobody)
    }

    /// What stands in the path where the route has its first variable.
    pub fn variable(&self) -> &str {
        self.variables.first().map_or("", String::as_str)
    }

    /// The identifier that stands in the path where the route has its variable of this number; `None` for one that is
    /// nobody's.
    ///
    /// # Errors
    ///
    /// `Validation` when it is not one.
    pub fn id(&self, number: usize) -> Result<Option<Id>> {
        match lookup_by_id(self.variables.get(number).map_or("", String::as_str))? {
            Lookup::Id(id) => Ok(id),
            Lookup::Slug(_) => Ok(None),
        }
    }

    /// The address of a record below the path that was asked, as `Location` tells it: with the version that the path has.
    pub fn location(&self, id: impl fmt::Display) -> String {
        let path = self.head.target.path().trim_end_matches('/');
        format!("{}{path}/{id}/", self.addresses.origin())
    }

    /// The JSON of the body; `None` when the request does not say that it is JSON, or there is none.
    ///
    /// # Errors
    ///
    /// `UnreadableBody` when it is not JSON, `UnsupportedMediaType` when it says that it is not UTF-8,
    /// `RequestEntityTooLarge` when it has too many values.
    pub fn json(&self) -> Result<Option<Value>> {
        json(self.head, self.body)
    }
}

/// Whether a request may come to hashing a password, decoding a picture or waiting for a repository, which takes a worker
/// for long by design.
pub(super) fn takes_long(head: &RequestHead) -> bool {
    const BUSY: [&str; 6] = [
        "session/",
        "authentication/",
        "users/password",
        "images/upload",
        "media/",
        "git/sync",
    ];
    let path = head.target.path().to_ascii_lowercase();
    let below = path.split_once("/admin/").map(|(_, below)| below);
    matches!(head.method, Method::POST | Method::PUT)
        && below.is_some_and(|below| BUSY.iter().any(|start| below.starts_with(start)))
}

/// The kind of a body and its parameters, as the client declares them.
fn declared_kind(head: &RequestHead) -> impl Iterator<Item = &str> {
    let declared = head.headers.get(header::CONTENT_TYPE);
    let declared = declared.and_then(|kind| kind.to_str().ok());
    declared.unwrap_or_default().split(';').map(str::trim)
}

/// Whether a request says that its body is JSON.
pub(super) fn is_json(head: &RequestHead) -> bool {
    let mut parts = declared_kind(head);
    parts
        .next()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"))
}

/// A text without the mark that some write before UTF-8, which is passed over (Ghost 6.65, observed).
pub(super) fn unmarked(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)
}

/// The JSON of a body, as [`Request::json`] reads it.
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
                .context(format!("The body says that it is in {charset}.")),
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
            .context(format!("Of the JSON in it: {excess}."))
        })?;
    let value: Value = serde_json::from_slice(text).map_err(|error| {
        Error::new(Kind::UnreadableBody, "The body is not JSON.").context(format!("{error}."))
    })?;
    match value {
        Value::Object(_) | Value::Array(_) => Ok(Some(value)),
        _ => Err(Error::new(
            Kind::UnreadableBody,
            "The body is neither an object nor a list.",
        )),
    }
}
