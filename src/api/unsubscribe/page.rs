//! The small page that a member sees. It loads nothing, runs nothing but its own line, and tells nobody where it is: its
//! address is the key.

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

/// Presses the first button.
const SCRIPT: &str = "document.forms[0].submit()";

/// Lets this style and this line through, and the form to where the page is from.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| html_page::policy(STYLE, SCRIPT, "'self'"));

/// What is on the page.
#[derive(Debug, Default)]
pub(super) struct Page<'a> {
    /// What the site is called.
    pub site: &'a str,
    /// What it is about, in a few words.
    pub heading: &'a str,
    /// What there is to say.
    pub paragraphs: Vec<String>,
    /// What can be done, each as a form.
    pub buttons: Vec<Button>,
    /// Whether the first button is pressed by itself.
    pub presses_itself: bool,
}

/// Something that can be done.
#[derive(Debug, Default)]
pub(super) struct Button {
    /// What it says.
    pub label: &'static str,
    /// The query of the address that it leads to, with its question mark; none is that of the page.
    pub query: Option<String>,
    /// What it sends.
    pub fields: Vec<(&'static str, String)>,
    /// Whether it only shows what there would be.
    pub is_for_show: bool,
}

impl Page<'_> {
    /// The page as an answer.
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
            script: self.presses_itself.then_some(SCRIPT),
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
    html.push_str(match button.is_for_show {
        true => "<button disabled>",
        false => "<button>",
    });
    push_text(html, button.label);
    html.push_str("</button>\n</form>\n");
}
