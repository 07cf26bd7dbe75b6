//! The page with the form that sets up a site. It loads no other resources, and sends no referrer,
//! because its URL contains the token.

use std::sync::LazyLock;

use askama::Template;
use http::{HeaderValue, StatusCode};

use super::owner_form::OwnerForm;
use crate::api::{html_page, response::Response};

const STYLE: &str = concat!(
    include_str!("../html_page/base.css"),
    include_str!("../html_page/forms.css"),
    include_str!("page.css")
);

/// Allows only this style, and forms to the page's own origin.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| html_page::policy(STYLE, "", "'self'"));

/// The form, filled in with the values that were sent before.
#[derive(Template)]
#[template(path = "api/setup_page/form.html", config = "src/askama.toml")]
pub(super) struct FormPage<'a> {
    pub given: &'a OwnerForm,
    /// The message and status of the error for the values that were sent.
    pub refusal: Option<(&'a str, StatusCode)>,
}

impl FormPage<'_> {
    /// Returns the page as a response.
    pub(super) fn response(&self) -> Response {
        let status = self.refusal.map_or(StatusCode::OK, |(_, status)| status);
        html_page::response(self, status, POLICY.clone())
    }
}
