//! The request of a step, as it goes over the wire.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    scenario::{Auth, Exchange},
    shape::{self, Variables},
    token,
};

/// What stands for itself in a query.
const PLAIN_IN_QUERY: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A request that is ready to go.
pub struct Request {
    /// Method, path and query, with the key if there is one.
    pub line: String,
    /// All of it.
    pub text: String,
}

impl Request {
    /// The request of a step.
    ///
    /// # Errors
    ///
    /// It needs a value that no step has kept: its name.
    pub fn new(exchange: &Exchange, variables: &Variables) -> Result<Self, String> {
        let filled = |text: &str| match shape::missing(text, variables) {
            Some(name) => Err(name.to_owned()),
            None => Ok(shape::filled(text, variables)),
        };
        let body = match (&exchange.json, &exchange.raw) {
            (Some(json), _) => filled(&json.to_string())?,
            (None, Some(raw)) => filled(raw)?,
            (None, None) => String::new(),
        };
        let line = format!(
            "{} {}",
            exchange.method,
            target(exchange, variables, filled)?
        );
        let mut text = format!("{line} HTTP/1.1\r\n");
        for (name, value) in headers(exchange, variables, &body) {
            text.push_str(&format!("{name}: {}\r\n", filled(&value)?));
        }
        text.push_str("\r\n");
        text.push_str(&body);
        Ok(Self { line, text })
    }
}

fn target(
    exchange: &Exchange,
    variables: &Variables,
    filled: impl Fn(&str) -> Result<String, String>,
) -> Result<String, String> {
    let mut target = filled(&exchange.path)?;
    let mut joint = '?';
    for (name, value) in &exchange.query {
        let value = filled(value.as_str().unwrap())?;
        let [name, value] =
            [name, &value].map(|text| utf8_percent_encode(text, PLAIN_IN_QUERY).to_string());
        target.push_str(&format!("{joint}{name}={value}"));
        joint = '&';
    }
    if exchange.auth == Auth::Content {
        // A path may have a query of its own.
        joint = if target.contains('?') { '&' } else { '?' };
        target.push_str(&format!("{joint}key={}", variables["content_key"]));
    }
    Ok(target)
}

fn headers(exchange: &Exchange, variables: &Variables, body: &str) -> Vec<(String, String)> {
    let mut headers = vec![
        ("host", variables["host"].clone()),
        ("connection", "close".to_owned()),
        ("accept-encoding", "identity".to_owned()),
    ];
    if exchange.json.is_some() {
        headers.push(("content-type", "application/json".to_owned()));
    }
    if !body.is_empty() {
        headers.push(("content-length", body.len().to_string()));
    }
    if exchange.auth == Auth::Integration {
        let token = token::of_key(&variables["admin_key"]);
        headers.push(("authorization", format!("Ghost {token}")));
    }
    // What the step says itself counts.
    headers.retain(|(name, _)| {
        let is_name = |other: &String| other.eq_ignore_ascii_case(name);
        !exchange.headers.keys().any(is_name)
    });
    let usual = headers
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    let own = exchange.headers.clone();
    usual.chain(own).collect()
}
