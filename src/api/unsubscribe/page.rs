//! The small page that a member sees. It loads nothing, runs only its own line of script, and sends
//! no referrer, because its URL contains the key.

use std::sync::LazyLock;

use bytes::Bytes;
use http::{HeaderValue, StatusCode};

use crate::{
    api::{
        headers::CacheControl,
        html_page::{self, HtmlPage},
        response::{Body, Response},
    },
    render::html_escape::{push_attribute, push_text},
};

const STYLE: &str = concat!(
    include_str!("../html_page/base.css"),
    include_str!("page.css")
);

/// Submits the first form.
const SCRIPT: &str = "document.forms[0].submit()";

/// Allows this style and this script, and forms to the page's own origin.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| html_page::policy(STYLE, SCRIPT, "'self'"));

/// The content of the page.
#[derive(Debug, Default)]
pub(super) struct Page<'a> {
    /// The title of the site.
    pub site: &'a str,
    /// The heading.
    pub heading: &'a str,
    /// The paragraphs of text.
    pub paragraphs: Vec<String>,
    /// The buttons, each in a form of its own.
    pub buttons: Vec<Button>,
    /// Whether the first form is submitted automatically.
    pub submits_itself: bool,
}

/// A button in a form.
#[derive(Debug, Default)]
pub(super) struct Button {
    /// Its label.
    pub label: &'static str,
    /// The query of the form's URL, with its question mark; `None` for the page's own URL.
    pub query: Option<String>,
    /// The hidden fields of the form.
    pub fields: Vec<(&'static str, String)>,
    /// Whether the button is disabled.
    pub is_disabled: bool,
}

impl Page<'_> {
    /// Returns the page as a response.
    pub(super) fn response(&self, status: StatusCode) -> Response {
        Response {
            status,
            headers: html_page::headers(POLICY.clone(), CacheControl::Private),
            body: Body::Bytes(Bytes::from(self.html())),
        }
    }

    fn html(&self) -> String {
        let mut body = String::from("<main>\n<h1>");
        push_text(&mut body, self.heading);
        body.push_str("</h1>\n");
        for paragraph in &self.paragraphs {
            body.push_str("<p>");
            push_text(&mut body, paragraph);
            body.push_str("</p>\n");
        }
        self.buttons
            .iter()
            .for_each(|button| push_button(&mut body, button));
        if !self.site.is_empty() {
            body.push_str("<small>");
            push_text(&mut body, self.site);
            body.push_str("</small>\n");
        }
        body.push_str("</main>\n");
        let page = HtmlPage {
            language: "en",
            title: self.heading,
            style: STYLE,
            body: &body,
            script: self.submits_itself.then_some(SCRIPT),
        };
        page.html()
    }
}

fn push_button(html: &mut String, button: &Button) {
    html.push_str("<form method=\"post\"");
    if let Some(query) = &button.query {
        push_attribute(html, "action", query);
    }
    html.push_str(">\n");
    for (name, value) in &button.fields {
        html.push_str("<input type=\"hidden\"");
        push_attribute(html, "name", name);
        push_attribute(html, "value", value);
        html.push_str(">\n");
    }
    html.push_str(if button.is_disabled {
        "<button disabled>"
    } else {
        "<button>"
    });
    push_text(html, button.label);
    html.push_str("</button>\n</form>\n");
}
