//! The address with which a member ends what is mailed: `/unsubscribe/?uuid=…&key=…&newsletter=…` (Ghost 6.65, recorded in
//! members and in letters).
//!
//! Programs for mail send `POST` with `List-Unsubscribe=One-Click` (RFC 8058), and it is done. A person comes by `GET`, and
//! so do the programs of mail services that look at every link of a letter before anybody reads it: so that alone ends
//! nothing. It shows a page that sends the form by itself, with a button where no script runs. What was ended can be had
//! again, with what that page was given for it.
//!
//! A wrong key is told from a good one and from nothing else: nobody learns here who is a member.

mod page;

use std::sync::Arc;

use http::{Method, StatusCode};
use url::form_urlencoded;
use uuid::Uuid;

use self::page::{Button, Page};
use super::{
    Api, error, headers::CacheControl, is_read, params::Query, request::Request, response::Response,
};
use crate::{
    admin::members::own::{self, Unwanted},
    domain::{
        attempts::Counted,
        member::Member,
        member_link::{resubscribe_key, unsubscribe_key},
        newsletter::Newsletter,
        secret::{Digest, Secret},
    },
    error::{Error, Kind, Result},
    id::Id,
    site::Edition,
};

/// The field of a form that names newsletters to be had again, and the one that shows that they may be.
const AGAIN: &str = "again";
const PROOF: &str = "proof";

/// The answer to a request for `path`, which is relative to the site; `None` when it is about something else.
pub(super) fn answer(
    api: &Api,
    edition: &Edition,
    request: &Request,
    path: &str,
) -> Option<Response> {
    let is_press = request.head.method == Method::POST;
    if !matches!(path, "/unsubscribe/" | "/unsubscribe")
        || !(is_press || is_read(&request.head.method))
    {
        return None;
    }
    let title = edition.catalog.settings.text("title").unwrap_or_default();
    let answered = Asked::of(edition, request).and_then(|asked| {
        let visit = Visit {
            api,
            edition,
            title: &title,
            asked: &asked,
        };
        match is_press {
            true => visit.done(&request.body),
            false => Ok(visit.question()),
        }
    });
    Some(answered.unwrap_or_else(|failure| failed(&title, &failure)))
}

/// What an address asks for.
#[derive(Debug)]
enum Asked<'e> {
    /// To see what it looks like.
    Preview,
    /// To end something, one newsletter or all; whoever asks has the member's key.
    Ending {
        member: Uuid,
        secret: &'e Secret,
        newsletter: Option<Arc<Newsletter>>,
    },
    /// To end a newsletter that there is no more; likewise.
    Gone { member: Uuid, secret: &'e Secret },
}

impl<'e> Asked<'e> {
    /// What the address of a request asks for.
    ///
    /// # Errors
    ///
    /// `BadRequest` when something is missing, `NotFound` when the key is wrong.
    fn of(edition: &'e Edition, request: &Request) -> Result<Self> {
        let query = Query::parse(request.head.target.query().unwrap_or_default())?;
        let given = |name: &str| query.first(name).map(str::to_owned);
        if given("preview").is_some_and(|preview| preview == "1") {
            return Ok(Self::Preview);
        }
        let (Some(member), Some(key)) = (given("uuid"), given("key")) else {
            return Err(Error::new(
                Kind::BadRequest,
                "The address is not complete. Open it from the mail once more, or copy all of it.",
            ));
        };
        let unknown = || Error::not_found("Subscription");
        let member = Uuid::try_parse(&member).map_err(|_| unknown())?;
        let key = Digest::from_hexadecimal(&key).ok_or_else(unknown)?;
        let secret = edition.catalog.member_secret.as_ref();
        let secret = secret
            .filter(|secret| unsubscribe_key(secret, member) == key)
            .ok_or_else(unknown)?;
        let newsletter = match given("newsletter") {
            None => None,
            Some(named) => match by_uuid(edition, &named) {
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

/// A request, and what it is answered from.
struct Visit<'a> {
    api: &'a Api,
    edition: &'a Edition,
    title: &'a str,
    asked: &'a Asked<'a>,
}

impl Visit<'_> {
    /// The page that asks, and answers for whoever opened it.
    fn question(&self) -> Response {
        match self.asked {
            Asked::Preview => self.preview(),
            Asked::Gone { member, secret } => self.gone(secret, *member),
            Asked::Ending { newsletter, .. } => {
                let what = what(newsletter.as_deref(), self.title);
                Page {
                    site: self.title,
                    heading: "Unsubscribe",
                    paragraphs: vec![format!("With this button you no longer get {what}.")],
                    buttons: vec![Button {
                        label: "Unsubscribe",
                        ..Button::default()
                    }],
                    presses_itself: true,
                }
                .response(StatusCode::OK)
            }
        }
    }

    fn preview(&self) -> Response {
        Page {
            site: self.title,
            heading: "Unsubscribe",
            paragraphs: vec![
                "This is a mail to try. In a letter, this link ends the newsletter for whoever got it; here it ends \
                 nothing."
                    .to_owned(),
            ],
            buttons: vec![Button {
                label: "Unsubscribe",
                is_for_show: true,
                ..Button::default()
            }],
            presses_itself: false,
        }
        .response(StatusCode::OK)
    }

    fn gone(&self, secret: &Secret, member: Uuid) -> Response {
        Page {
            site: self.title,
            heading: "There is no such newsletter",
            paragraphs: vec!["It is not sent any more.".to_owned()],
            buttons: vec![from_all(secret, member)],
            presses_itself: false,
        }
        .response(error::status(Kind::NotFound))
    }

    /// Does what is asked for, and says so.
    fn done(&self, body: &[u8]) -> Result<Response> {
        let (member, secret, newsletter) = match self.asked {
            Asked::Preview => return Ok(self.preview()),
            Asked::Gone { member, secret } => return Ok(self.gone(secret, *member)),
            Asked::Ending {
                member,
                secret,
                newsletter,
            } => (member, secret, newsletter),
        };
        // No index: who comes so far has a key, and comes once.
        let mut known = self.edition.catalog.members.iter();
        let known = known.find(|known| known.uuid == *member).cloned();
        let site = &self.api.site;
        if let Some(wanted) = again(body, secret, *member)? {
            let whose = Counted::Account(*Digest::of(&member.to_string()).as_bytes());
            self.api
                .attempts
                .subscriptions_again
                .spend(whose, site.now())?;
            let wanted: Vec<Id> = wanted
                .iter()
                .filter_map(|uuid| by_uuid(self.edition, uuid))
                .map(|newsletter| newsletter.id)
                .collect();
            let had = match &known {
                Some(known) => own::resubscribe(site, known.id, &wanted)?,
                None => Vec::new(),
            };
            return Ok(self.had_again(&had));
        }
        let unwanted = match newsletter {
            Some(newsletter) => Unwanted::One(newsletter.id),
            None => Unwanted::All,
        };
        let mut ended = Vec::new();
        if let Some(known) = &known {
            ended = own::unsubscribe(site, known.id, unwanted)?;
            // Who presses twice is told the same twice.
            if let Some(newsletter) = newsletter {
                ended = vec![Arc::clone(newsletter)];
            }
            ended.retain(|newsletter| own::may_have(known, newsletter));
        }
        Ok(self.ended(
            secret,
            *member,
            known.as_deref(),
            newsletter.as_deref(),
            &ended,
        ))
    }

    fn ended(
        &self,
        secret: &Secret,
        member: Uuid,
        before: Option<&Member>,
        newsletter: Option<&Newsletter>,
        ended: &[Arc<Newsletter>],
    ) -> Response {
        let mut paragraphs = vec![format!(
            "You no longer get {}.",
            what(newsletter, self.title)
        )];
        let mut buttons = Vec::new();
        if !ended.is_empty() {
            let uuids: Vec<String> = ended.iter().map(|ended| ended.uuid.to_string()).collect();
            let uuids = uuids.join(",");
            let proof = resubscribe_key(secret, member, &uuids).to_hexadecimal();
            buttons.push(Button {
                label: "Subscribe again",
                fields: vec![(AGAIN, uuids), (PROOF, proof)],
                ..Button::default()
            });
        }
        let had = before.map_or(&[][..], |before| &before.newsletters);
        let mut left = own::named(&self.edition.catalog, had);
        left.retain(|other| newsletter.is_some_and(|one| one.id != other.id) && other.active);
        if !left.is_empty() {
            let names: Vec<&str> = left.iter().map(|other| &*other.name).collect();
            paragraphs.push(format!("You still get: {}.", names.join(", ")));
            buttons.push(from_all(secret, member));
        }
        Page {
            site: self.title,
            heading: "You are unsubscribed",
            paragraphs,
            buttons,
            presses_itself: false,
        }
        .response(StatusCode::OK)
    }

    fn had_again(&self, had: &[Arc<Newsletter>]) -> Response {
        let names: Vec<&str> = had.iter().map(|newsletter| &*newsletter.name).collect();
        let (heading, paragraph) = match names.is_empty() {
            true => (
                "You are not subscribed",
                "What you had is not sent to you any more.".to_owned(),
            ),
            false => (
                "You are subscribed",
                format!("You get this again: {}.", names.join(", ")),
            ),
        };
        let unsubscribe = Button {
            label: "Unsubscribe",
            ..Button::default()
        };
        Page {
            site: self.title,
            heading,
            paragraphs: vec![paragraph],
            buttons: (!names.is_empty())
                .then_some(unsubscribe)
                .into_iter()
                .collect(),
            presses_itself: false,
        }
        .response(StatusCode::OK)
    }
}

fn from_all(secret: &Secret, member: Uuid) -> Button {
    let key = unsubscribe_key(secret, member).to_hexadecimal();
    Button {
        label: "Unsubscribe from all",
        query: Some(format!("?uuid={member}&key={key}")),
        ..Button::default()
    }
}

/// What the member no longer gets, in the middle of a sentence.
fn what(newsletter: Option<&Newsletter>, title: &str) -> String {
    match newsletter {
        Some(newsletter) => format!("“{}”", newsletter.name),
        None if title.is_empty() => "any newsletter from here".to_owned(),
        None => format!("any newsletter of {title}"),
    }
}

fn by_uuid(edition: &Edition, text: &str) -> Option<Arc<Newsletter>> {
    let uuid = Uuid::try_parse(text).ok()?;
    let mut newsletters = edition.catalog.newsletters.iter();
    newsletters
        .find(|newsletter| newsletter.uuid == uuid)
        .cloned()
}

/// The newsletters that a form asks to have again; `None` for every other body, whatever is in it.
///
/// # Errors
///
/// `NotFound` when the form was not made here for this member.
fn again(body: &[u8], secret: &Secret, member: Uuid) -> Result<Option<Vec<String>>> {
    let field = |wanted: &str| {
        let mut fields = form_urlencoded::parse(body);
        let found = fields.find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.into_owned())
    };
    let Some(wanted) = field(AGAIN) else {
        return Ok(None);
    };
    let proof = field(PROOF).and_then(|proof| Digest::from_hexadecimal(&proof));
    match proof == Some(resubscribe_key(secret, member, &wanted)) {
        true => Ok(Some(wanted.split(',').map(str::to_owned).collect())),
        false => Err(Error::not_found("Form").context("It was not made by this site.")),
    }
}

/// The page that tells a member what went wrong.
fn failed(title: &str, failure: &Error) -> Response {
    let mut told = error::response(failure, CacheControl::Private);
    let page = Page {
        site: title,
        heading: "This did not work",
        paragraphs: vec![failure.message().to_owned()],
        ..Page::default()
    };
    let shown = page.response(told.status);
    told.headers = shown.headers;
    told.body = shown.body;
    told
}
