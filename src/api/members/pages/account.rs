//! The account page: name, newsletters, e-mail address, and deletion of the account.

use std::sync::Arc;

use askama::Template;
use http::StatusCode;
use url::form_urlencoded;

use super::{
    super::{account, call::Call, session},
    form::Form,
    page::{self, SiteFrame},
};
use crate::{
    admin::{
        member_sign_in,
        members::own::{self, OwnChange},
    },
    api::{error, message_page, response::Response},
    domain::{
        member::{Member, Status},
        newsletter::Newsletter,
    },
    error::{Error, Kind, Result},
};

#[derive(Template)]
#[template(path = "api/members/pages/account.html", config = "src/askama.toml")]
struct AccountPage<'m> {
    site: SiteFrame,
    member: &'m Member,
    status: &'static str,
    is_suppressed: bool,
    /// The newsletters from which the member may choose.
    newsletters: Vec<Arc<Newsletter>>,
    /// The message about the last change, and whether it was refused.
    notice: Option<(String, bool)>,
}

/// Returns the page, or a redirect to the sign-in page if the client is not signed in.
///
/// # Errors
///
/// If the visit cannot be recorded.
pub fn open(call: &Call) -> Result<Response> {
    let Some(member) = call.member() else {
        return sign_in(call);
    };
    let member = own::record_visit(&call.api.site, member)?;
    Ok(shown(call, &member, None))
}

/// Performs the action of the button that was pressed.
///
/// # Errors
///
/// If the site cannot be written.
pub fn submit(call: &Call) -> Result<Response> {
    let Some(member) = call.member() else {
        return sign_in(call);
    };
    let form = Form::of(call);
    let site = &call.api.site;
    let outcome = match form.text("do") {
        "save" => save(call, &member, &form),
        "email" => request_address(call, &member, &form),
        "lift" => own::lift_suppression(site, member.id).map(|member| {
            shown(
                call,
                &member,
                Some(call.texts().text("You get mail again.")),
            )
        }),
        "sign_out" => signed_out(call),
        "sign_out_everywhere" => {
            own::sign_out_everywhere(site, member.id).and_then(|_| signed_out(call))
        }
        "delete" if form.text("confirmed") == "yes" => delete(call, &member),
        _ => Err(Error::new(Kind::BadRequest, "The form is incomplete.")),
    };
    outcome.or_else(|failure| {
        // The page for internal errors shows the identifier that is also in the log.
        if failure.kind() == Kind::Internal {
            return Err(failure);
        }
        let notice = Some((call.texts().text(failure.message()).to_owned(), true));
        let page = AccountPage {
            notice,
            ..of(call, &member)
        };
        Ok(page::response(&page, error::status(failure.kind())))
    })
}

fn save(call: &Call, member: &Member, form: &Form) -> Result<Response> {
    let change = OwnChange {
        subscribed: None,
        ..account::change(&form.0)?
    };
    let member = own::edit(&call.api.site, member.id, &change)?;
    Ok(shown(
        call,
        &member,
        Some(call.texts().text("It is saved.")),
    ))
}

fn request_address(call: &Call, member: &Member, form: &Form) -> Result<Response> {
    let mail_site = call.mail_site();
    let email = form.text("email");
    member_sign_in::request_address(&call.sign_in(&mail_site), member, email)?;
    let notice = call.texts().filled(
        "Open the link in the mail to {email}. Until then, your address stays as it is.",
        &[("email", email)],
    );
    Ok(shown(call, member, Some(&notice)))
}

fn delete(call: &Call, member: &Member) -> Result<Response> {
    own::delete(&call.api.site, member.id)?;
    let site = SiteFrame::of(call);
    let page = message_page::MessagePage {
        site: &site.title,
        home: Some(&site.home),
        texts: site.texts,
        heading: site.texts.text("Your account is deleted"),
        paragraphs: vec![
            site.texts
                .text("You get no more mail from here.")
                .to_owned(),
        ],
        ..message_page::MessagePage::default()
    };
    let mut response = page.response(StatusCode::OK);
    session::remove(&mut response, &call.cache.site_urls);
    Ok(response)
}

fn signed_out(call: &Call) -> Result<Response> {
    let mut response = page::redirect(&SiteFrame::of(call).home)?;
    session::remove(&mut response, &call.cache.site_urls);
    Ok(response)
}

fn sign_in(call: &Call) -> Result<Response> {
    let account = page::url(call, "account");
    let account: String = form_urlencoded::byte_serialize(account.as_bytes()).collect();
    page::redirect(&format!("{}?r={account}", page::url(call, "signin")))
}

fn shown(call: &Call, member: &Member, notice: Option<&str>) -> Response {
    let page = AccountPage {
        notice: notice.map(|text| (text.to_owned(), false)),
        ..of(call, member)
    };
    page::response(&page, StatusCode::OK)
}

fn of<'m>(call: &Call, member: &'m Member) -> AccountPage<'m> {
    // Not the snapshot of the call, because the form may have changed the member.
    let snapshot = call.api.site.current();
    let newsletters = snapshot.catalog.newsletters.iter();
    let allowed = newsletters.filter(|newsletter| own::may_have(member, newsletter));
    let ids: Vec<_> = allowed.map(|newsletter| newsletter.id).collect();
    AccountPage {
        site: SiteFrame::of(call),
        member,
        status: match member.status() {
            Status::Free => "free member",
            Status::Comped => "member with a complimentary subscription",
            Status::Paid => "paying member",
        },
        is_suppressed: member.email_suppression.is_some(),
        newsletters: own::named(&snapshot.catalog, &ids),
        notice: None,
    }
}
