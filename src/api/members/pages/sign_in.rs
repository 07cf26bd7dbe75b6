//! Sign-up and sign-in: the form for the e-mail address, and the form for the code in the mail.

use askama::Template;
use http::StatusCode;

use super::{
    super::{call::Call, links, tokens},
    form::Form,
    page::{self, SiteFrame},
};
use crate::{
    api::{error, response::Response},
    domain::member_link::LinkPurpose,
    error::{Error, Kind, Result},
};

/// The form for the email address, filled in with the values that were sent before.
#[derive(Template)]
#[template(path = "api/members/pages/sign_in.html", config = "src/askama.toml")]
pub struct SignInPage {
    site: SiteFrame,
    is_sign_up: bool,
    /// The URL to which the form is sent.
    action: String,
    /// The URL of the other page: sign-in for sign-up, and the reverse.
    other: String,
    token: String,
    /// The page that the link in the mail opens.
    redirect: String,
    email: String,
    name: String,
    has_name: bool,
    /// The terms for new members, as HTML written by staff.
    terms: Option<String>,
    needs_consent: bool,
    refusal: Option<String>,
}

impl SignInPage {
    /// Returns the page, or a redirect to the account for a signed-in member.
    ///
    /// # Errors
    ///
    /// If the site has no secret yet.
    pub fn open(call: &Call, purpose: LinkPurpose) -> Result<Response> {
        if call.member().is_some() {
            return page::redirect(&page::url(call, "account"));
        }
        let given = call.query.first("email").unwrap_or_default().to_owned();
        let redirect = call.query.first("r").unwrap_or_default().to_owned();
        let page = Self::new(call, purpose, given, &redirect)?;
        Ok(page::response(&page, StatusCode::OK))
    }

    /// Mails the link that the form requests. A form without a valid token, such as a form in a theme, is shown again and must
    /// be confirmed with another click.
    ///
    /// # Errors
    ///
    /// If the site cannot be read or written.
    pub fn submit(call: &Call, purpose: LinkPurpose) -> Result<Response> {
        let mut form = Form::of(call);
        let redirect = own_page(call, form.text("redirect"));
        let again = |refusal: Option<&Error>| -> Result<Response> {
            let status = refusal.map_or(StatusCode::OK, |refusal| error::status(refusal.kind()));
            let page = Self {
                name: form.text("name").to_owned(),
                refusal: refusal.map(|refusal| call.texts().text(refusal.message()).to_owned()),
                ..Self::new(call, purpose, form.text("email").to_owned(), &redirect)?
            };
            Ok(page::response(&page, status))
        };
        if let Err(failure) = tokens::check_integrity(call, &form.0) {
            let was_sent = !form.text("integrityToken").is_empty();
            return again(was_sent.then_some(&failure));
        }
        let mut reference = None;
        if !links::is_of_program(&form.0) {
            let mut fields = form.0.clone();
            // `Form` adds this list even if it is empty, which would select no newsletters.
            fields.remove("newsletters");
            fields.insert("emailType".to_owned(), purpose.name().into());
            fields.insert("includeOTC".to_owned(), true.into());
            fields.insert("redirect".to_owned(), redirect.as_str().into());
            match links::request(call, &fields) {
                Ok(requested) => reference = requested,
                Err(failure) if failure.kind() == Kind::Internal => return Err(failure),
                Err(failure) => return again(Some(&failure)),
            }
        }
        // The page is also shown if nothing was mailed, so that programs do not notice.
        form.0.insert("otcRef".to_owned(), reference.into());
        CodePage::shown(call, purpose, &form, &redirect, None)
    }

    fn new(call: &Call, purpose: LinkPurpose, email: String, redirect: &str) -> Result<Self> {
        let settings = call.settings();
        let is_sign_up = purpose == LinkPurpose::SignUp;
        let (own, other) = if is_sign_up {
            ("signup", "signin")
        } else {
            ("signin", "signup")
        };
        // In `open`, the page comes from the query and is not checked yet.
        let redirect = own_page(call, redirect);
        let mut other = page::url(call, other);
        // The front page opens by default, so its URL is not passed on.
        if redirect != SiteFrame::of(call).home {
            let query: String = url::form_urlencoded::byte_serialize(redirect.as_bytes()).collect();
            other = format!("{other}?r={query}");
        }
        let terms = settings.text("portal_signup_terms_html");
        Ok(Self {
            site: SiteFrame::of(call),
            action: page::url(call, own),
            other,
            token: tokens::integrity(call)?,
            redirect,
            email,
            name: String::new(),
            has_name: is_sign_up && settings.is_on("portal_name"),
            terms: terms.filter(|_| is_sign_up),
            needs_consent: settings.is_on("portal_signup_checkbox_required"),
            refusal: None,
            is_sign_up,
        })
    }

    fn heading(&self) -> &'static str {
        self.site.texts.text(if self.is_sign_up {
            "Sign up"
        } else {
            "Sign in"
        })
    }
}

/// The form for the code in the mail.
#[derive(Template)]
#[template(path = "api/members/pages/code.html", config = "src/askama.toml")]
struct CodePage<'f> {
    site: SiteFrame,
    is_sign_up: bool,
    action: String,
    token: String,
    redirect: &'f str,
    reference: &'f str,
    email: &'f str,
    refusal: Option<String>,
}

impl CodePage<'_> {
    /// Returns the page for the code in the mail that `form` requested.
    fn shown(
        call: &Call,
        purpose: LinkPurpose,
        form: &Form,
        redirect: &str,
        refusal: Option<&Error>,
    ) -> Result<Response> {
        let status = refusal.map_or(StatusCode::OK, |refusal| error::status(refusal.kind()));
        let page = CodePage {
            site: SiteFrame::of(call),
            is_sign_up: purpose == LinkPurpose::SignUp,
            action: page::url(call, "signin/code"),
            token: tokens::integrity(call)?,
            redirect,
            reference: form.text("otcRef"),
            email: form.text("email"),
            refusal: refusal.map(|refusal| call.texts().text(refusal.message()).to_owned()),
        };
        Ok(page::response(&page, status))
    }

    /// Returns the sentence above the form. For a sign-in, it does not reveal whether the address belongs to a member.
    fn introduction(&self) -> String {
        let english = if self.is_sign_up {
            "A message with a link and a code is on its way to {email}. Open the link, or enter the code here."
        } else {
            "If {email} belongs to a member, a message with a link and a code is on its way there. Open the link, or enter the code here."
        };
        self.site.texts.filled(english, &[("email", self.email)])
    }
}

/// Signs in with the code.
///
/// # Errors
///
/// If the site cannot be read or written.
pub fn submit_code(call: &Call) -> Result<Response> {
    let mut form = Form::of(call);
    let redirect = own_page(call, form.text("redirect"));
    form.0
        .insert("redirect".to_owned(), redirect.as_str().into());
    match links::enter_code(call, &form.0) {
        Ok(url) => page::redirect(&url),
        Err(failure) if failure.kind() == Kind::Internal => Err(failure),
        Err(failure) => {
            let purpose = LinkPurpose::from_name(form.text("purpose"));
            let purpose = purpose.unwrap_or(LinkPurpose::SignIn);
            CodePage::shown(call, purpose, &form, &redirect, Some(&failure))
        }
    }
}

/// Returns the page that opens after the sign-in: the given page if it belongs to the site, otherwise the front page.
fn own_page(call: &Call, given: &str) -> String {
    if links::is_own(call, given) {
        given.to_owned()
    } else {
        SiteFrame::of(call).home
    }
}
