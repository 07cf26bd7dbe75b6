//! Requests to a test site, and their senders.

use serde_json::Value;

use crate::multipart::Form;

/// The path of the Admin API.
pub const ADMIN: &str = "/ghost/api/admin";

/// The sender of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// An anonymous client, from the site's own pages.
    Anonymous,
    /// A client with the Content API key.
    Reader,
    /// A client with a token of the integration's key.
    Integration,
    /// A client with a staff token of the user with this role.
    StaffToken(String),
    /// A browser with the session cookie of the user with this role.
    Session(String),
}

impl Who {
    /// Returns the user with this role, authenticated by cookie.
    pub fn session(role: &str) -> Self {
        Self::Session(role.to_owned())
    }

    /// Returns the user with this role, authenticated by token.
    pub fn staff_token(role: &str) -> Self {
        Self::StaffToken(role.to_owned())
    }
}

/// Returns the owner, signed in.
pub fn owner() -> Who {
    Who::session("Owner")
}

/// A request, without its sender.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The method, such as `GET`.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Header fields. They replace the default ones; a field without a value removes a default
    /// field.
    pub headers: Vec<(String, Option<String>)>,
    /// The raw body.
    pub body: Option<Vec<u8>>,
}

impl Request {
    /// Returns a request without a body.
    pub fn new(method: &str, target: &str) -> Self {
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            ..Self::default()
        }
    }

    /// Returns a request to an Admin API endpoint, such as `posts/`, without a body.
    pub fn admin(method: &str, endpoint: &str) -> Self {
        Self::new(method, &admin_path(endpoint))
    }

    /// Sets a JSON body.
    pub fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json")
            .bytes(body.to_string())
    }

    /// Sets a form as the body.
    pub fn form(self, form: Form) -> Self {
        let (kind, body) = form.finish();
        self.header("content-type", &kind).bytes(body)
    }

    /// Sets a raw body.
    pub fn bytes(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Adds a header field.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), Some(value.to_owned())));
        self
    }
}

/// Returns the path of an Admin API endpoint, given with or without a leading slash.
fn admin_path(endpoint: &str) -> String {
    format!("{ADMIN}/{}", endpoint.trim_start_matches('/'))
}
