//! The small page that a member sees. It loads nothing, runs nothing but its own line, and tells nobody where it is: its
//! address is the key.

use std::sync::LazyLock;

use bytes::Bytes;
use data_encoding::BASE64;
use http::{HeaderName, HeaderValue, StatusCode, header};
use sha2::{Digest, Sha256};

use crate::{
    api::{
        headers::CacheControl,
        response::{Body, Response},
    },
    render::html_escape::{push_attribute, push_text},
};

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{margin:0;padding:48px 20px;font:18px/1.5 system-ui,sans-serif}\
main{max-width:480px;margin:0 auto}\
h1{font-size:26px;line-height:1.2;margin:0 0 16px}\
p{margin:0 0 16px;overflow-wrap:anywhere}\
form{margin:24px 0 0}\
button{font:inherit;padding:12px 20px;border:1px solid;border-radius:6px;cursor:pointer;width:100%}\
button:disabled{cursor:default;opacity:.5}\
small{display:block;margin:48px 0 0;opacity:.7}";

/// Presses the first button.
const SCRIPT: &str = "document.forms[0].submit()";

/// Lets this style and this line through, and the form to where the page is from.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let hash = |text: &str| BASE64.encode(&Sha256::digest(text));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    HeaderValue::from_str(&policy).expect("invariant: hashes are of digits and letters")
});

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
        let fixed = HeaderValue::from_static;
        Response {
            status,
            headers: [
                (header::CONTENT_TYPE, fixed("text/html; charset=utf-8")),
                (header::CACHE_CONTROL, CacheControl::Private.value()),
                (header::CONTENT_SECURITY_POLICY, POLICY.clone()),
                (
                    HeaderName::from_static("x-robots-tag"),
                    fixed("noindex, nofollow"),
                ),
                (header::REFERRER_POLICY, fixed("no-referrer")),
                (header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff")),
            ]
            .into_iter()
            .collect(),
            body: Body::Bytes(Bytes::from(self.html())),
        }
    }

    fn html(&self) -> String {
        let mut html = String::from(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"robots\" content=\"noindex, nofollow\">\n<title>",
        );
        push_text(&mut html, self.heading);
        html.extend([
            "</title>\n<style>",
            STYLE,
            "</style>\n</head>\n<body>\n<main>\n<h1>",
        ]);
        push_text(&mut html, self.heading);
        html.push_str("</h1>\n");
        for paragraph in &self.paragraphs {
            html.push_str("<p>");
            push_text(&mut html, paragraph);
            html.push_str("</p>\n");
        }
        self.buttons
            .iter()
            .for_each(|button| push_button(&mut html, button));
        if !self.site.is_empty() {
            html.push_str("<small>");
            push_text(&mut html, self.site);
            html.push_str("</small>\n");
        }
        html.push_str("</main>\n");
        if self.presses_itself {
            html.extend(["<script>", SCRIPT, "</script>\n"]);
        }
        html.push_str("</body>\n</html>\n");
        html
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
