//! The page behind the set-up link: a form, or one message. It loads nothing,
//! and sends no referrer, because its URL has the token.

use std::sync::LazyLock;

use bytes::Bytes;
use http::{HeaderValue, StatusCode};

use super::OwnerForm;
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

/// Allows this style, and forms to the page's own origin.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| html_page::policy(STYLE, "", "'self'"));

/// The inputs of the form: name, label, type, and the value that browsers fill in.
const INPUTS: [(&str, &str, &str, &str); 4] = [
    ("title", "Title of the site", "text", "off"),
    ("name", "Your name", "text", "name"),
    ("email", "Your e-mail address", "email", "username"),
    ("password", "Your password", "password", "new-password"),
];

/// Returns the form, filled in with the values sent before, and the reason of their refusal.
pub(super) fn form(given: &OwnerForm, refusal: Option<(&str, StatusCode)>) -> Response {
    let mut body = String::from("<main>\n<h1>Set up this site</h1>\n");
    if let Some((why, _)) = refusal {
        push_paragraph(&mut body, "<p class=\"ill\" role=\"alert\">", why);
    }
    body.push_str("<form method=\"post\">\n");
    for (name, label, kind, filled_with) in INPUTS {
        body.push_str("<label>");
        push_text(&mut body, label);
        body.push_str(" <input required");
        push_attribute(&mut body, "name", name);
        push_attribute(&mut body, "type", kind);
        push_attribute(&mut body, "autocomplete", filled_with);
        if kind != "password" {
            push_attribute(&mut body, "value", given.value(name));
        }
        body.push_str("></label>\n");
    }
    body.push_str("<button>Become the owner</button>\n</form>\n</main>\n");
    let status = refusal.map_or(StatusCode::OK, |(_, status)| status);
    response("Set up this site", &body, status)
}

/// Returns a page with a heading and one paragraph.
pub(super) fn message(heading: &str, text: &str, status: StatusCode) -> Response {
    let mut body = String::from("<main>\n<h1>");
    push_text(&mut body, heading);
    body.push_str("</h1>\n");
    push_paragraph(&mut body, "<p>", text);
    body.push_str("</main>\n");
    response(heading, &body, status)
}

fn push_paragraph(html: &mut String, start: &str, text: &str) {
    html.push_str(start);
    push_text(html, text);
    html.push_str("</p>\n");
}

fn response(title: &str, body: &str, status: StatusCode) -> Response {
    let page = HtmlPage {
        language: "en",
        title,
        style: STYLE,
        body,
        script: None,
    };
    Response {
        status,
        headers: html_page::headers(POLICY.clone(), CacheControl::Private),
        body: Body::Bytes(Bytes::from(page.html())),
    }
}
