//! A small page with a message for people: a question about a subscription, its result, or an error. The
//! page loads no other resources, runs no scripts, and sends no referrer, because its URL may contain a
//! key.

use std::sync::LazyLock;

use askama::Template;
use http::{HeaderValue, StatusCode, header};
use serde_json::Value;

use super::{
    error, html_page,
    response::{Body, Response},
};
use crate::{error::Kind, reader_texts::ReaderTexts};

const STYLE: &str = concat!(
    include_str!("../html_page/base.css"),
    include_str!("page.css")
);

/// Allows only this style, and forms to the page's own origin.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| html_page::policy(STYLE, "", "'self'"));

/// The content of the page.
#[derive(Debug, Default, Template)]
#[template(path = "api/message_page/page.html", config = "src/askama.toml")]
pub struct MessagePage<'a> {
    /// The title of the site.
    pub site: &'a str,
    /// The URL of the site's front page, if the page should link to it.
    pub home: Option<&'a str>,
    /// The texts in the language of the site and of the page.
    pub texts: ReaderTexts,
    /// The heading.
    pub heading: &'a str,
    /// The paragraphs of text.
    pub paragraphs: Vec<String>,
    /// The buttons, each in its own form.
    pub buttons: Vec<Button>,
}

/// A button in a form.
#[derive(Debug, Default)]
pub struct Button {
    /// The label.
    pub label: &'static str,
    /// The query of the form's URL, including the question mark; `None` for the page's own URL.
    pub query: Option<String>,
    /// The hidden fields of the form.
    pub fields: Vec<(&'static str, String)>,
    /// True if the button is disabled.
    pub is_disabled: bool,
}

/// Replaces the JSON of an error with a page that has the same status and message, and a link to `home`,
/// the front page of the site with the title `site`. Other responses are returned unchanged.
pub fn replacing_error(response: Response, site: &str, home: &str, texts: ReaderTexts) -> Response {
    let is_failure = response.status.is_client_error() || response.status.is_server_error();
    let Some(messages) = messages_in(&response).filter(|_| is_failure) else {
        return response;
    };
    let is_missing = response.status == error::status(Kind::NotFound);
    let page = MessagePage {
        site,
        home: Some(home),
        texts,
        heading: texts.text(if is_missing {
            "Page not found"
        } else {
            "Something went wrong"
        }),
        paragraphs: if is_missing {
            vec![texts.text("There is nothing at this address.").to_owned()]
        } else {
            messages
        },
        ..MessagePage::default()
    };
    // All other header fields of the response describe its JSON.
    let mut page = page.response(response.status);
    if let Some(wait) = response.headers.get(&header::RETRY_AFTER) {
        page.headers.set(header::RETRY_AFTER, wait.clone());
    }
    page
}

/// Returns the messages of a response in Ghost's envelope of errors; `None` for other responses.
fn messages_in(response: &Response) -> Option<Vec<String>> {
    let Body::Bytes(body) = &response.body else {
        return None;
    };
    let kind = response.headers.get(&header::CONTENT_TYPE)?;
    kind.as_bytes()
        .starts_with(b"application/json")
        .then_some(())?;
    let envelope: Value = serde_json::from_slice(body).ok()?;
    let error = envelope.get("errors")?.get(0)?;
    let text = |name| error.get(name).and_then(Value::as_str);
    let messages = ["message", "context"].into_iter().filter_map(text);
    let mut messages: Vec<String> = messages.map(str::to_owned).collect();
    // The log contains this identifier, too.
    if let Some(id) = text("id").filter(|_| response.status.is_server_error()) {
        messages.push(format!("Error id: {id}."));
    }
    Some(messages)
}

impl MessagePage<'_> {
    /// Returns the page as a response.
    pub fn response(&self, status: StatusCode) -> Response {
        html_page::response(self, status, POLICY.clone())
    }
}
