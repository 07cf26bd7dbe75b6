//! The endpoints of members.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    input,
    selection::{FILTER_RULES, search},
    view::{self, MemberView},
};
use crate::{
    admin::members::{self, Welcome},
    api::{
        admin::{Reply, Request, envelope},
        listing::{self, pagination},
        params::{Defaults, Paging, Selection},
    },
    catalog::{
        Catalog,
        browse::{Page, staff},
    },
    domain::{
        member::{MEMBERS_SIGN_IN_URL, Member},
        member_link::LinkPurpose,
    },
    error::{Error, Kind, Result},
    site::Transaction,
};

/// The name of the envelope.
pub const RESOURCE: &str = "members";

/// The relations of each member of a list.
const LIST_DEFAULTS: Defaults = Defaults {
    include: &["labels", "newsletters"],
    formats: &[],
};

/// The relations of a single member, which are always included.
const SINGLE_DEFAULTS: Defaults = Defaults {
    include: &["labels", "newsletters", "tiers", "attribution"],
    formats: &[],
};

/// `GET admin/members/`
pub fn browse(request: &Request) -> Result<Reply> {
    let paging = Paging::parse(request.parameters)?;
    let page = page(request, &request.snapshot.catalog, &paging)?;
    let selection = selection_of_list(request);
    let view = MemberView::of(
        request.site_urls,
        request.snapshot,
        &selection,
        request.options().member_avatars,
        request.now,
    );
    let records: Vec<Value> = page
        .records
        .iter()
        .map(|member| view.member(member).into())
        .collect();
    let meta = pagination(&page, &paging);
    Ok(Reply::value(&json!({ RESOURCE: records, "meta": meta })))
}

/// Returns the selection for the members of a list. `fields` is ignored if it names no known field
/// (Ghost 6.65, observed).
fn selection_of_list(request: &Request) -> Selection {
    let selection = Selection::for_staff_with_defaults(request.parameters, &LIST_DEFAULTS);
    if view::names_any_column(&selection) {
        selection
    } else {
        Selection::with_defaults(request.parameters, &LIST_DEFAULTS)
    }
}

/// Returns the page of members that `filter`, `search`, `order`, `page` and `limit` select.
///
/// # Errors
///
/// `BadRequest` if the filter does not parse or names an unknown field.
pub fn page(request: &Request, catalog: &Catalog, paging: &Paging) -> Result<Page<Member>> {
    let query = listing::query(catalog, request.now, paging, &FILTER_RULES)?;
    let search = search(request);
    Ok(staff::members(
        catalog,
        &query,
        search.as_ref(),
        request.now,
    ))
}

/// `GET admin/members/{id}/`
pub fn read(request: &Request) -> Result<Reply> {
    let member = members::found(&request.snapshot.catalog, request.id(0)?)?;
    Ok(Reply::value(&single(request, &member)))
}

/// `POST admin/members/`
pub fn add(request: &Request) -> Result<Reply> {
    let purpose = email_purpose(request)?;
    let mail_site = request.mail_site();
    let welcome = purpose.map(|purpose| Welcome {
        purpose,
        mail_site: &mail_site,
    });
    let change = input::new_member(envelope::only_record(request, RESOURCE)?)?;
    let actor = request.actor()?;
    let member = write(request, |transaction| {
        members::add(transaction, actor, &change, welcome.as_ref())
    })?;
    let body = single(request, &member).to_string().into_bytes();
    Ok(Reply::created(body, &request.location(member.id)))
}

/// `PUT admin/members/{id}/`: without a collision check, the last change wins.
pub fn edit(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let record = envelope::only_record_by_position(request, RESOURCE)?;
    envelope::check_id(&record, id)?;
    let change = input::change(record)?;
    let actor = request.actor()?;
    let member = write(request, |transaction| {
        members::edit(transaction, actor, id, &change)
    })?;
    Ok(Reply::value(&single(request, &member)))
}

/// `DELETE admin/members/{id}/suppression/`
pub fn lift_suppression(request: &Request) -> Result<Reply> {
    let (id, actor) = (request.id(0)?, request.actor()?);
    write(request, |transaction| {
        members::lift_suppression(transaction, actor, id)
    })?;
    Ok(Reply::no_content())
}

/// `DELETE admin/members/{id}/`
pub fn delete(request: &Request) -> Result<Reply> {
    let (id, actor) = (request.id(0)?, request.actor()?);
    request
        .site()
        .write(|transaction| members::delete(transaction, actor, id))?;
    Ok(Reply::no_content())
}

/// `DELETE admin/members/{id}/sessions/`
pub fn end_sessions(request: &Request) -> Result<Reply> {
    let member = members::found(&request.snapshot.catalog, request.id(0)?)?;
    // Revokes cookies, identity tokens, and links and codes that were mailed (docs/security.md).
    members::own::sign_out_everywhere(request.site(), member.id)?;
    Ok(Reply::no_content())
}

/// `GET admin/members/{id}/signin_urls/`: a sign-in URL for the member.
pub fn read_sign_in_url(request: &Request) -> Result<Reply> {
    // A client with this URL can sign in as the member.
    MEMBERS_SIGN_IN_URL.refuse_reader(request.actor()?)?;
    let member = members::found(&request.snapshot.catalog, request.id(0)?)?;
    let selection = Selection::of_defaults(&Defaults::NONE);
    let view = MemberView::of(
        request.site_urls,
        request.snapshot,
        &selection,
        request.options().member_avatars,
        request.now,
    );
    let links = view
        .links()
        .ok_or_else(|| Error::new(Kind::Internal, "The site has no secret to sign links with."))?;
    Ok(Reply::value(&json!({ "member_signin_urls": [{
        "member_id": member.id,
        "url": links.sign_in(&member, LinkPurpose::SignIn, request.now),
    }]})))
}

/// Changes one member in a transaction.
fn write(
    request: &Request,
    change: impl Fn(&mut Transaction) -> Result<Arc<Member>>,
) -> Result<Arc<Member>> {
    request.site().write(change)
}

/// Returns the envelope of one member, as of now.
fn single(request: &Request, member: &Arc<Member>) -> Value {
    let selection = Selection::with_defaults(request.parameters, &SINGLE_DEFAULTS);
    let snapshot = request.site().current();
    let view = MemberView::of(
        request.site_urls,
        &**snapshot,
        &selection,
        request.options().member_avatars,
        request.now,
    );
    json!({ RESOURCE: [view.member(member)] })
}

/// Returns the purpose of the welcome e-mail to a new member, if one is requested.
fn email_purpose(request: &Request) -> Result<Option<LinkPurpose>> {
    let is_requested = request.parameters.joined("send_email").as_deref() == Some("true");
    let purpose = match request.parameters.joined("email_type") {
        None => LinkPurpose::SignIn,
        Some(word) => LinkPurpose::from_name(&word).ok_or_else(|| {
            Error::new(
                Kind::Validation,
                format!("\"{word}\" is not a valid email_type: use signin, signup or subscribe."),
            )
        })?,
    };
    Ok(is_requested.then_some(purpose))
}
