//! The unsubscribe page: `/unsubscribe/?uuid=…&key=…&newsletter=…` (Ghost 6.65, recorded in members
//! and in e-mails).
//!
//! Mail programs send `POST` with `List-Unsubscribe=One-Click` (RFC 8058), which unsubscribes
//! immediately. People open the link with `GET`. Mail services also do, because they scan every link
//! before the e-mail is read, some of them in a browser that runs scripts. So `GET` changes nothing and
//! returns a page with a button. The page with the result offers to subscribe again, and contains the
//! proof that is required for this.
//!
//! Whether a request succeeds depends only on the validity of the key, so that the response does not
//! reveal who is a member.

use std::sync::Arc;

use http::{Method, StatusCode};
use url::form_urlencoded;
use uuid::Uuid;

use super::{
    Api, error,
    headers::CacheControl,
    message_page::{Button, MessagePage},
    params::QueryParameters,
    request::{Request, is_read},
    response::Response,
};
use crate::{
    admin::members::own::{self, Unsubscription},
    domain::{
        member::Member,
        member_link::{resubscribe_key, unsubscribe_key},
        newsletter::Newsletter,
        rate_limit::RateLimitKey,
        secret::{Digest, Secret},
    },
    error::{Error, Kind, Result},
    id::Id,
    reader_texts::ReaderTexts,
    site::SiteSnapshot,
};

/// The form field with the newsletters to subscribe to again.
const NEWSLETTERS_FIELD: &str = "again";

/// The form field with the proof that this is allowed.
const PROOF_FIELD: &str = "proof";

/// Returns the response to a request for `path`, which is relative to the site; `None` for another
/// path or method.
pub(super) fn respond(
    api: &Api,
    snapshot: &SiteSnapshot,
    request: &Request,
    path: &str,
) -> Option<Response> {
    let is_submission = request.head.method == Method::POST;
    if !matches!(path, "/unsubscribe/" | "/unsubscribe")
        || !(is_submission || is_read(&request.head.method))
    {
        return None;
    }
    let settings = &snapshot.catalog.settings;
    let title = settings.text("title").unwrap_or_default();
    let texts = settings.reader_texts();
    let response = UnsubscribeRequest::of(snapshot, request).and_then(|requested| {
        let visit = RequestContext {
            api,
            snapshot,
            title: &title,
            texts,
            requested: &requested,
        };
        if is_submission {
            visit.submit(&request.body)
        } else {
            Ok(visit.confirmation())
        }
    });
    Some(response.unwrap_or_else(|failure| error_page(&title, texts, &failure)))
}

/// The request of an unsubscribe link.
#[derive(Debug)]
enum UnsubscribeRequest<'e> {
    /// The link in a test e-mail.
    Preview,
    /// Unsubscribes from notifications that Galley does not send, of comments or updates. Such links are in
    /// mails that were sent by Ghost.
    NeverSent,
    /// Unsubscribes from one newsletter or all. The key of the member is valid.
    Ending {
        member: Uuid,
        secret: &'e Secret,
        newsletter: Option<Arc<Newsletter>>,
    },
    /// Unsubscribes from a newsletter that no longer exists. The key of the member is valid.
    Gone { member: Uuid, secret: &'e Secret },
}

impl<'e> UnsubscribeRequest<'e> {
    /// Parses and checks the link of a request.
    ///
    /// # Errors
    ///
    /// `BadRequest` if a parameter is missing, `NotFound` if the key is wrong.
    fn of(snapshot: &'e SiteSnapshot, request: &Request) -> Result<Self> {
        let query = QueryParameters::parse(request.head.target.query().unwrap_or_default())?;
        let given = |name: &str| query.first(name).map(str::to_owned);
        // The link in a test e-mail has no key.
        if given("preview").is_some_and(|preview| preview == "1") {
            return Ok(Self::Preview);
        }
        let (Some(member), Some(key)) = (given("uuid"), given("key")) else {
            return Err(Error::new(
                Kind::BadRequest,
                "The link is incomplete. Open it from the e-mail again, or copy all of it.",
            ));
        };
        let unknown = || Error::not_found("Subscription");
        let member = Uuid::try_parse(&member).map_err(|_| unknown())?;
        let key = Digest::from_hexadecimal(&key).ok_or_else(unknown)?;
        let secret = snapshot.catalog.member_secret.as_ref();
        let secret = secret
            .filter(|_| own::is_key_of(&snapshot.catalog, member, &key))
            .ok_or_else(unknown)?;
        let is_about = |name: &str| given(name).is_some_and(|value| !value.is_empty());
        if is_about("comments") || is_about("updatesandannouncements") {
            return Ok(Self::NeverSent);
        }
        let newsletter = match given("newsletter") {
            None => None,
            Some(named) => match by_uuid(snapshot, &named) {
                Some(newsletter) => Some(newsletter),
                None => return Ok(Self::Gone { member, secret }),
            },
        };
        Ok(Self::Ending {
            member,
            secret,
            newsletter,
        })
    }
}

/// A request and its context.
struct RequestContext<'a> {
    api: &'a Api,
    snapshot: &'a SiteSnapshot,
    title: &'a str,
    /// The texts in the language of the site.
    texts: ReaderTexts,
    requested: &'a UnsubscribeRequest<'a>,
}

impl RequestContext<'_> {
    /// Returns the page that asks for confirmation.
    fn confirmation(&self) -> Response {
        match self.requested {
            UnsubscribeRequest::Preview => self.preview(),
            UnsubscribeRequest::NeverSent => self.never_sent(),
            UnsubscribeRequest::Gone { member, secret } => self.gone(secret, *member),
            UnsubscribeRequest::Ending { newsletter, .. } => {
                let question = self.about(
                    newsletter.as_deref(),
                    [
                        "Unsubscribe from “{newsletter}”?",
                        "Unsubscribe from any newsletter of {site}?",
                        "Unsubscribe from any newsletter from here?",
                    ],
                );
                MessagePage {
                    paragraphs: vec![question],
                    buttons: vec![Button {
                        label: self.texts.text("Unsubscribe"),
                        ..Button::default()
                    }],
                    ..self.page("Unsubscribe")
                }
                .response(StatusCode::OK)
            }
        }
    }

    fn preview(&self) -> Response {
        let text = "This is a test e-mail. In a newsletter, this link unsubscribes the recipient; here it does nothing.";
        MessagePage {
            paragraphs: vec![self.texts.text(text).to_owned()],
            buttons: vec![Button {
                label: self.texts.text("Unsubscribe"),
                is_disabled: true,
                ..Button::default()
            }],
            ..self.page("Unsubscribe")
        }
        .response(StatusCode::OK)
    }

    fn never_sent(&self) -> Response {
        MessagePage {
            paragraphs: vec![
                self.texts
                    .text("This site sends no mails of this kind.")
                    .to_owned(),
            ],
            ..self.page("You are unsubscribed")
        }
        .response(StatusCode::OK)
    }

    fn gone(&self, secret: &Secret, member: Uuid) -> Response {
        MessagePage {
            paragraphs: vec![self.texts.text("It is no longer sent.").to_owned()],
            buttons: vec![self.ending_all(secret, member)],
            ..self.page("This newsletter does not exist")
        }
        .response(error::status(Kind::NotFound))
    }

    /// Processes the submitted form and returns the page with the result.
    fn submit(&self, body: &[u8]) -> Result<Response> {
        let (member, secret, newsletter) = match self.requested {
            UnsubscribeRequest::Preview => return Ok(self.preview()),
            UnsubscribeRequest::NeverSent => return Ok(self.never_sent()),
            UnsubscribeRequest::Gone { member, secret } => return Ok(self.gone(secret, *member)),
            UnsubscribeRequest::Ending {
                member,
                secret,
                newsletter,
            } => (member, secret, newsletter),
        };
        // A scan without an index suffices: only requests with a valid key get here, which are rare.
        let mut known = self.snapshot.catalog.members.iter();
        let site = &self.api.site;
        let known = known.find(|known| known.has_uuid(*member)).cloned();
        // Without tiers that have expired: they no longer admit to newsletters for paying members.
        let known = known.map(|known| known.as_of(site.now()));
        // Checked before unsubscribing, because both forms are sent to the same URL.
        if let Some(requested_again) = newsletters_in(body, secret, *member)? {
            // Only subscribing again is limited: unsubscribing must always work
            // (`toggling_is_rate_limited_but_unsubscribing_still_works`).
            let whose = RateLimitKey::Account(*Digest::of(&member.to_string()).as_bytes());
            self.api
                .rate_limits
                .subscriptions_again
                .spend(whose, &**site)?;
            let newsletters: Vec<Id> = requested_again
                .iter()
                .filter_map(|uuid| by_uuid(self.snapshot, uuid))
                .map(|newsletter| newsletter.id)
                .collect();
            let current = match &known {
                Some(known) => own::resubscribe(site, known.id, &newsletters)?,
                // The member was deleted, which the page must not reveal.
                None => Vec::new(),
            };
            return Ok(self.resubscribed(&current));
        }
        let unwanted = match newsletter {
            Some(newsletter) => Unsubscription::One(newsletter.id),
            None => Unsubscription::All,
        };
        let mut unsubscribed = Vec::new();
        if let Some(known) = &known {
            unsubscribed = own::unsubscribe(site, known.id, unwanted)?;
            // The page is the same if the newsletter was already unsubscribed by an earlier request.
            if let Some(newsletter) = newsletter {
                unsubscribed = vec![Arc::clone(newsletter)];
            }
            // Only newsletters that the member may have can be offered again.
            unsubscribed.retain(|newsletter| own::may_have(known, newsletter));
        }
        Ok(self.unsubscribed(
            secret,
            *member,
            known.as_deref(),
            newsletter.as_deref(),
            &unsubscribed,
        ))
    }

    fn unsubscribed(
        &self,
        secret: &Secret,
        member: Uuid,
        before: Option<&Member>,
        newsletter: Option<&Newsletter>,
        unsubscribed: &[Arc<Newsletter>],
    ) -> Response {
        let mut paragraphs = vec![self.about(
            newsletter,
            [
                "You no longer get “{newsletter}”.",
                "You no longer get any newsletter of {site}.",
                "You no longer get any newsletter from here.",
            ],
        )];
        let mut buttons = Vec::new();
        if !unsubscribed.is_empty() {
            let uuids: Vec<String> = unsubscribed
                .iter()
                .map(|newsletter| newsletter.uuid.to_string())
                .collect();
            let uuids = uuids.join(",");
            // The proof covers the list, so a form cannot subscribe to other newsletters.
            let proof = resubscribe_key(secret, member, &uuids).to_hexadecimal();
            buttons.push(Button {
                label: self.texts.text("Subscribe again"),
                fields: vec![(NEWSLETTERS_FIELD, uuids), (PROOF_FIELD, proof)],
                ..Button::default()
            });
        }
        // From before the request; its own newsletter is left out below.
        let current = before.map_or(&[][..], |before| &before.newsletters);
        let mut remaining = own::named(&self.snapshot.catalog, current);
        remaining.retain(|other| newsletter.is_some_and(|one| one.id != other.id) && other.active);
        if !remaining.is_empty() {
            let names: Vec<&str> = remaining.iter().map(|other| &*other.name).collect();
            let names = names.join(", ");
            paragraphs.push(
                self.texts
                    .filled("You still get: {newsletters}.", &[("newsletters", &names)]),
            );
            buttons.push(self.ending_all(secret, member));
        }
        MessagePage {
            paragraphs,
            buttons,
            ..self.page("You are unsubscribed")
        }
        .response(StatusCode::OK)
    }

    fn resubscribed(&self, current: &[Arc<Newsletter>]) -> Response {
        let names: Vec<&str> = current.iter().map(|newsletter| &*newsletter.name).collect();
        let texts = self.texts;
        let (heading, paragraph) = if names.is_empty() {
            let text = texts.text("The newsletters you had are no longer available.");
            ("You are not subscribed", text.to_owned())
        } else {
            let names = names.join(", ");
            let text = texts.filled("You will get: {newsletters}.", &[("newsletters", &names)]);
            ("You are subscribed", text)
        };
        let unsubscribe = Button {
            label: texts.text("Unsubscribe"),
            ..Button::default()
        };
        MessagePage {
            paragraphs: vec![paragraph],
            buttons: (!names.is_empty())
                .then_some(unsubscribe)
                .into_iter()
                .collect(),
            ..self.page(heading)
        }
        .response(StatusCode::OK)
    }

    /// Returns a page in the language of the site; `heading` is its heading in English.
    fn page(&self, heading: &'static str) -> MessagePage<'_> {
        MessagePage {
            site: self.title,
            texts: self.texts,
            heading: self.texts.text(heading),
            ..MessagePage::default()
        }
    }

    fn ending_all(&self, secret: &Secret, member: Uuid) -> Button {
        let key = unsubscribe_key(secret, member).to_hexadecimal();
        Button {
            label: self.texts.text("Unsubscribe from all"),
            query: Some(format!("?uuid={member}&key={key}")),
            ..Button::default()
        }
    }

    /// Returns the sentence `one` for a newsletter, `all` for all newsletters of the site, or `untitled`
    /// for all newsletters of a site without a title.
    fn about(&self, newsletter: Option<&Newsletter>, [one, all, untitled]: [&str; 3]) -> String {
        match newsletter {
            Some(newsletter) => self.texts.filled(one, &[("newsletter", &newsletter.name)]),
            None if self.title.is_empty() => self.texts.text(untitled).to_owned(),
            None => self.texts.filled(all, &[("site", self.title)]),
        }
    }
}

fn by_uuid(snapshot: &SiteSnapshot, text: &str) -> Option<Arc<Newsletter>> {
    let uuid = Uuid::try_parse(text).ok()?;
    let mut newsletters = snapshot.catalog.newsletters.iter();
    newsletters
        .find(|newsletter| newsletter.uuid == uuid)
        .cloned()
}

/// Returns the newsletters to which a form requests to subscribe again; `None` for other forms.
///
/// # Errors
///
/// `NotFound` if the form's proof is not valid for this member.
fn newsletters_in(body: &[u8], secret: &Secret, member: Uuid) -> Result<Option<Vec<String>>> {
    let field = |requested: &str| {
        let mut fields = form_urlencoded::parse(body);
        let found = fields.find(|(name, _)| name == requested);
        found.map(|(_, value)| value.into_owned())
    };
    let Some(requested) = field(NEWSLETTERS_FIELD) else {
        return Ok(None);
    };
    let proof = field(PROOF_FIELD).and_then(|proof| Digest::from_hexadecimal(&proof));
    if proof == Some(resubscribe_key(secret, member, &requested)) {
        Ok(Some(requested.split(',').map(str::to_owned).collect()))
    } else {
        Err(Error::not_found("Form").context("It was not made by this site."))
    }
}

/// Returns the page that explains an error to a member.
fn error_page(title: &str, texts: ReaderTexts, failure: &Error) -> Response {
    // This also logs internal errors.
    let mut response = error::response(failure, CacheControl::Private);
    let page = MessagePage {
        site: title,
        texts,
        heading: texts.text("Something went wrong"),
        paragraphs: vec![texts.text(failure.message()).to_owned()],
        ..MessagePage::default()
    };
    let shown = page.response(response.status);
    response.headers = shown.headers;
    response.body = shown.body;
    response
}
