//! The account of the signed-in member.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    call::{Call, text_of},
    replies::{empty_object, json_response, no_content, text},
    session,
};
use crate::{
    admin::{
        member_sign_in,
        members::own::{self, OwnChange},
    },
    api::{
        admin::members::MemberView,
        params::{Defaults, Selection},
        response::Response,
    },
    catalog::Catalog,
    domain::{
        member::{Member, NAME_CHARACTERS_MAX, Status},
        secret::Digest,
    },
    error::{Error, Kind, Result},
};

/// `GET members/api/member`: 204 without a body if the client is not signed in.
pub fn read(call: &Call) -> Result<Response> {
    let Some(member) = call.member() else {
        return Ok(no_content());
    };
    let member = own::record_visit(&call.api.site, member)?;
    Ok(json_response(&account(call, &member)))
}

/// `PUT members/api/member`
pub fn edit(call: &Call) -> Result<Response> {
    let member = call.signed_in()?;
    let change = change(&call.body()?)?;
    let member = own::edit(&call.api.site, member.id, &change)?;
    Ok(json_response(&account(call, &member)))
}

/// `DELETE members/api/member`, which Ghost does not have.
pub fn delete(call: &Call) -> Result<Response> {
    let member = call.signed_in()?;
    own::delete(&call.api.site, member.id)?;
    let mut response = no_content();
    // The cookie is no longer valid; removing it keeps the browser from sending it.
    session::remove(&mut response, &call.cache.site_urls);
    Ok(response)
}

/// `DELETE members/api/session`: signs out; in all browsers if the body contains `"all": true`.
pub fn sign_out(call: &Call) -> Result<Response> {
    if call.body()?.get("all") == Some(&Value::Bool(true))
        && let Some(member) = call.member()
    {
        own::sign_out_everywhere(&call.api.site, member.id)?;
    }
    let mut response = no_content();
    session::remove(&mut response, &call.cache.site_urls);
    Ok(response)
}

/// `DELETE members/api/member/suppression`
pub fn lift_suppression(call: &Call) -> Result<Response> {
    let member = call.signed_in()?;
    own::lift_suppression(&call.api.site, member.id)?;
    Ok(no_content())
}

/// `POST members/api/member/email`: mails a link to a new address of the member whose identity
/// token is in the body.
pub fn request_address(call: &Call) -> Result<Response> {
    let body = call.body()?;
    let Some(identity) = text_of(&body, "identity") else {
        let message = "The identity token is missing.";
        return Err(Error::new(Kind::NoPermission, message));
    };
    let now = call.api.site.now();
    let member =
        call.api
            .verified_tokens
            .member_of(call.snapshot, &call.cache.site_urls, identity, now);
    let Some(member) = member else {
        let message = "The identity token is invalid.";
        return Err(Error::new(Kind::Unauthorized, message));
    };
    let mail_site = call.mail_site();
    let email = text_of(&body, "email").unwrap_or_default();
    member_sign_in::request_address(&call.sign_in(&mail_site), &member, email)?;
    Ok(text(StatusCode::CREATED, "Created."))
}

/// `GET members/api/member/newsletters`, with the member's `uuid` and `key` in the query.
pub fn read_newsletters(call: &Call) -> Result<Response> {
    let member = by_key(call)?;
    Ok(json_response(&subscriptions(call, &member)))
}

/// `PUT members/api/member/newsletters`, with the same parameters.
pub fn edit_newsletters(call: &Call) -> Result<Response> {
    let member = by_key(call)?;
    // The key in mails allows only changes of the newsletters, not of the name.
    let change = OwnChange {
        newsletters: change(&call.body()?)?.newsletters,
        ..OwnChange::default()
    };
    let member = own::edit(&call.api.site, member.id, &change)?;
    Ok(json_response(&subscriptions(call, &member)))
}

/// `GET members/api/announcement`: the announcement for this reader, if there is one.
pub fn announcement(call: &Call) -> Response {
    let settings = call.settings();
    let content = settings.text("announcement_content");
    let audience = match call.member() {
        None => "visitors",
        Some(member) => match member.status() {
            Status::Paid | Status::Comped => "paid_members",
            Status::Free => "free_members",
        },
    };
    let visibility = settings.get("announcement_visibility");
    let mut visible_to = visibility.as_array().into_iter().flatten();
    let is_visible = visible_to.any(|visible_to| visible_to == audience);
    let content = content.filter(|content| is_visible && !content.is_empty());
    let announcement = content.map(|content| {
        json!({
            "announcement": content,
            "announcement_background": settings.get("announcement_background"),
        })
    });
    let announcement = announcement.unwrap_or_else(empty_object);
    json_response(&json!({ "announcement": [announcement] }))
}

/// Returns the member whose key is in the query.
///
/// # Errors
///
/// `Unauthorized` if the key is missing or wrong. The key is checked before the member is looked up, so
/// that the error does not reveal whether the member exists.
pub fn by_key(call: &Call) -> Result<Arc<Member>> {
    let refused = |message| Error::new(Kind::Unauthorized, message);
    let uuid = call.query.first("uuid").filter(|uuid| !uuid.is_empty());
    let uuid = uuid.ok_or_else(|| refused("The uuid is missing."))?;
    let wrong_key = || refused("The key is invalid.");
    let uuid = Uuid::try_parse(uuid).map_err(|_| wrong_key())?;
    let key = call.query.first("key").and_then(Digest::from_hexadecimal);
    let catalog = &call.snapshot.catalog;
    if !key.is_some_and(|key| own::is_key_of(catalog, uuid, &key)) {
        return Err(wrong_key());
    }
    // A scan without an index suffices: only requests with a valid key get here, which are rare.
    let mut members = catalog.members.iter();
    let member = members.find(|member| member.has_uuid(uuid)).cloned();
    let member = member.map(|member| member.as_of(call.api.site.now()));
    member.ok_or_else(|| refused("The uuid is invalid."))
}

/// Returns the change that a body requests.
///
/// # Errors
///
/// `Validation` if the name is invalid.
pub fn change(body: &Map<String, Value>) -> Result<OwnChange> {
    let name = match body.get("name") {
        None => None,
        Some(Value::Null) => Some(None),
        Some(name) => {
            let name = name
                .as_str()
                .filter(|name| name.chars().count() <= NAME_CHARACTERS_MAX);
            let name = name.ok_or_else(|| {
                Error::new(Kind::Validation, "The name is invalid or too long.").property("name")
            })?;
            Some((!name.is_empty()).then(|| name.into()))
        }
    };
    let newsletters = body.get("newsletters").and_then(Value::as_array);
    let newsletters = newsletters.map(|chosen| {
        let ids = chosen.iter().filter_map(|one| one["id"].as_str());
        ids.filter_map(|id| id.parse().ok()).collect()
    });
    Ok(OwnChange {
        name,
        newsletters,
        subscribed: body.get("subscribed").and_then(Value::as_bool),
    })
}

/// Returns the account as its member sees it, with the keys in Ghost's order.
fn account(call: &Call, member: &Member) -> Value {
    // Not the snapshot of the call, because the request may have changed the member.
    let snapshot = call.api.site.current();
    let selection = Selection::of_defaults(&Defaults {
        include: &["newsletters"],
        formats: &[],
    });
    let avatars = call.api.options.member_avatars;
    let now = call.api.site.now();
    let view = MemberView::of(&call.cache.site_urls, &**snapshot, &selection, avatars, now);
    let member = &*member.at(now);
    let mut seen = view.member(member);
    let mut take = |name: &str| seen.remove(name).unwrap_or_default();
    let first_name = member
        .name
        .as_deref()
        .and_then(|name| name.split(' ').next());
    json!({
        "uuid": member.uuid,
        "email": member.email,
        "name": member.name,
        "firstname": first_name,
        // Shown only next to comments, which Galley does not have.
        "expertise": null,
        "avatar_image": take("avatar_image"),
        "unsubscribe_url": take("unsubscribe_url"),
        "subscribed": take("subscribed"),
        "subscriptions": take("subscriptions"),
        "status": member.status(),
        "paid": member.status() != Status::Free,
        "created_at": take("created_at"),
        // Portal shows a switch for this field, which has no effect: Galley does not have comments.
        "enable_comment_notifications": true,
        "enable_updates_and_announcements": take("enable_updates_and_announcements"),
        "can_comment": take("can_comment"),
        "commenting": take("commenting"),
        "newsletters": newsletters(&snapshot.catalog, member),
        "email_suppression": take("email_suppression"),
    })
}

/// Returns the data that is visible with a member's key.
fn subscriptions(call: &Call, member: &Member) -> Value {
    json!({
        "uuid": member.uuid,
        "email": member.email,
        "name": member.name,
        "newsletters": newsletters(&call.snapshot.catalog, member),
        "enable_comment_notifications": true,
        "enable_updates_and_announcements": true,
        "status": member.status(),
    })
}

fn newsletters(catalog: &Catalog, member: &Member) -> Vec<Value> {
    let newsletters = own::named(catalog, &member.newsletters).into_iter();
    let active = newsletters.filter(|newsletter| newsletter.active);
    let shown = active.map(|newsletter| {
        json!({
            "id": newsletter.id,
            "uuid": newsletter.uuid,
            "name": newsletter.name,
            "description": newsletter.description,
            "sort_order": newsletter.sort_order,
        })
    });
    shown.collect()
}
