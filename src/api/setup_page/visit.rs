//! Handles requests with the set-up link: opens the set-up, or processes the submitted form.

use http::{HeaderValue, Method, StatusCode, header};

use super::{owner_form::OwnerForm, page::FormPage};
use crate::{
    admin::{
        set_up::{self, SetUp},
        setup_link::{LinkCheck, PARAMETER},
    },
    api::{
        Api, SnapshotCache, admin_app,
        client_address::client_address,
        error,
        headers::CacheControl,
        message_page::MessagePage,
        params::QueryParameters,
        request::{Request, RequestHead, is_read},
        response::Response,
    },
    domain::password::Password,
    error::{Error, Kind, Result},
    site::SiteSnapshot,
};

impl Api {
    /// Returns the check for the token of a request.
    pub(in crate::api) fn setup_check<'a>(
        &'a self,
        snapshot: &'a SiteSnapshot,
        head: &RequestHead,
    ) -> LinkCheck<'a> {
        LinkCheck {
            link: self.setup_link.get().map(|link| &**link),
            site: &self.site,
            snapshot,
            rate_limits: &self.rate_limits,
            client: client_address(&head.head_ref()),
        }
    }
}

/// Returns the response to a request for `path`, which is relative to the site; `None` if it is not
/// the link.
pub(in crate::api) fn respond(
    api: &Api,
    snapshot: &SiteSnapshot,
    cache: &SnapshotCache,
    request: &Request,
    path: &str,
) -> Option<Response> {
    let head = &request.head;
    let path = path.strip_prefix('/')?;
    let path = path.strip_prefix(api.options.path_prefix.as_str())?;
    let is_submission = head.method == Method::POST;
    if !matches!(path, "" | "/") || !(is_submission || is_read(&head.method)) {
        return None;
    }
    let query = QueryParameters::parse(head.target.query()?).ok()?;
    let token = query.first(PARAMETER)?;
    let visit = Visit {
        api,
        snapshot,
        cache,
        token,
    };
    // The link of a site that is set up has no effect, so its token need not be checked.
    let response = if set_up::is_done(&snapshot.catalog) && !is_submission {
        visit.redirect("")
    } else {
        let checked = api.setup_check(snapshot, head).admit(token);
        checked.and_then(|()| visit.respond(is_submission.then_some(&request.body)))
    };
    Some(response.unwrap_or_else(|failure| {
        let status = error::status(failure.kind());
        message(
            "The site cannot be set up",
            failure.message().to_owned(),
            status,
        )
    }))
}

/// Returns a page with a heading and one paragraph.
fn message(heading: &str, text: String, status: StatusCode) -> Response {
    let page = MessagePage {
        heading,
        paragraphs: vec![text],
        ..MessagePage::default()
    };
    page.response(status)
}

/// A request with the link.
struct Visit<'a> {
    api: &'a Api,
    snapshot: &'a SiteSnapshot,
    cache: &'a SnapshotCache,
    token: &'a str,
}

impl Visit<'_> {
    /// Opens the set-up, or processes the submitted form.
    fn respond(&self, submitted: Option<&[u8]>) -> Result<Response> {
        if let Some(body) = submitted {
            return self.submit(&OwnerForm::parse(body));
        }
        let mut response = if self.has_app() {
            self.redirect("#/setup")?
        } else {
            let title = self.snapshot.catalog.settings.text("title");
            let blank = OwnerForm(vec![("title".to_owned(), title.unwrap_or_default())]);
            FormPage {
                given: &blank,
                refusal: None,
            }
            .response()
        };
        let cookie = self.api.setup_cookie(&self.cache.site_urls, self.token);
        let cookie = HeaderValue::from_str(&cookie).map_err(Error::internal)?;
        response.headers.set(header::SET_COOKIE, cookie);
        Ok(response)
    }

    /// Returns whether there is a staff client: the installed admin app, or a client at another origin.
    fn has_app(&self) -> bool {
        self.api.options.admin_origin.is_some() || admin_app::is_installed(self.api)
    }

    /// Redirects to a page of the staff client.
    fn redirect(&self, page: &str) -> Result<Response> {
        let location = format!("{}{page}", self.api.staff_url(&self.cache.site_urls));
        let mut response = Response::redirect(false, &location, CacheControl::Private.value())
            .map_err(Error::internal)?;
        // The requested URL contains the token.
        let no_referrer = HeaderValue::from_static("no-referrer");
        response.headers.set(header::REFERRER_POLICY, no_referrer);
        Ok(response)
    }

    fn submit(&self, form: &OwnerForm) -> Result<Response> {
        let site_urls = &self.cache.site_urls;
        let result = set_up::set_up(
            &self.api.site,
            &SetUp {
                name: form.value("name"),
                email: form.value("email"),
                password: &Password::new(form.value("password")),
                site_title: Some(form.value("title")),
                subdirectory: site_urls.subdirectory(),
                site: site_urls.url(),
            },
        );
        let owner = match result {
            Err(failure) if failure.kind() == Kind::Validation => {
                let status = error::status(failure.kind());
                let refusal = Some((failure.message(), status));
                return Ok(FormPage {
                    given: form,
                    refusal,
                }
                .response());
            }
            result => result?,
        };
        let text = format!(
            "{} is now the owner of this site, and can sign in with this e-mail address and password. \
             To install an editor, run `galley admin install`.",
            owner.name
        );
        Ok(message("The site is set up", text, StatusCode::OK))
    }
}
