//! The activity feed of members, newest first (Ghost 6.65, observed).
//!
//! The pagination has only totals: a client requests older events with `data.created_at:<` in its
//! filter.

use std::ops::ControlFlow;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    Reply, Request,
    members::{attributed_to, avatar::MemberAvatars},
    records::Resource,
    stats::referrer,
    view::View,
};
use crate::{
    api::{
        json::Object,
        listing::{self, FilterRules, written_time},
        params::{Defaults, Paging, Selection},
    },
    catalog::{
        fields::{MEMBER_EVENTS, STAFF_NEWSLETTERS},
        filter::Filter,
    },
    domain::{
        member::Member,
        member_event::{EventSource, MemberEvent, MemberEventKind},
        newsletter::Newsletter,
    },
    error::Result,
    id::Id,
};

/// Events per page by default (Ghost 6.65, observed).
const PAGE_EVENTS_DEFAULT: usize = 10;

/// `GET admin/members/events/`
pub fn browse(request: &Request) -> Result<Reply> {
    let paging = Paging::parse(request.parameters)?;
    let limit = match request.parameters.all("limit").next() {
        None => PAGE_EVENTS_DEFAULT,
        Some(_) => paging.limit,
    };
    let filter = match &paging.filter {
        Some(text) => listing::filter(
            &request.snapshot.catalog,
            request.now,
            text,
            &FilterRules::of_fields(&MEMBER_EVENTS),
        )?,
        None => None,
    };
    let (events, total) = found(request, filter.as_ref(), limit)?;
    let views: Vec<Value> = events
        .iter()
        .filter_map(|event| view(request, event).transpose())
        .collect::<Result<_>>()?;
    Ok(Reply::value(&json!({
        "events": views,
        "meta": { "pagination": {
            "limit": limit,
            "total": total,
            "pages": total.div_ceil(limit),
            "page": null,
            "next": null,
            "prev": null,
        } },
    })))
}

/// Returns the newest events that match the filter, and the number of all matches.
fn found(
    request: &Request,
    filter: Option<&Filter<MemberEvent>>,
    limit: usize,
) -> Result<(Vec<MemberEvent>, usize)> {
    let mut events = Vec::new();
    let mut total = 0;
    let mut take = |event: MemberEvent| {
        if filter.is_none_or(|filter| filter.holds(&event)) {
            if events.len() < limit {
                events.push(event);
            }
            total += 1;
        }
    };
    match filter.and_then(member_of) {
        // Events of one member are indexed.
        Some(member) => request
            .snapshot
            .events_of_member(member)?
            .into_iter()
            .for_each(take),
        None => request.snapshot.visit_member_events(|event| {
            take(event);
            ControlFlow::Continue(())
        })?,
    }
    Ok((events, total))
}

/// Returns the member that the filter restricts events to, if there is exactly one.
fn member_of(filter: &Filter<MemberEvent>) -> Option<Id> {
    let conjuncts = filter.conjuncts().iter();
    let named = conjuncts.filter_map(|condition| condition.equal_texts("data.member_id"));
    named
        .filter(|ids| ids.len() == 1)
        .find_map(|ids| ids[0].parse().ok())
}

/// Returns an event as JSON; `None` if its member is deleted.
fn view(request: &Request, event: &MemberEvent) -> Result<Option<Value>> {
    let Some(kind) = event.happening.name() else {
        return Ok(None);
    };
    let Some(member) = request.snapshot.catalog.members.get(event.member) else {
        return Ok(None);
    };
    let mut data = json!({
        "id": event.id,
        "member_id": event.member,
        "created_at": written_time(event.created_at),
        "member": member_view(member, request.options().member_avatars),
    });
    match &event.happening {
        MemberEventKind::SignedUp => write_sign_up(&mut data, event, member, request.now),
        MemberEventKind::SignedIn | MemberEventKind::StatusChanged { .. } => {}
        MemberEventKind::Newsletter {
            newsletter,
            subscribed,
        } => {
            data["subscribed"] = json!(subscribed);
            data["source"] = json!(event.source.name());
            data["newsletter_id"] = json!(newsletter);
            let newsletter = request.snapshot.catalog.newsletters.get(*newsletter);
            data["newsletter"] = newsletter.map_or(Value::Null, |newsletter| {
                newsletter_view(request, newsletter)
            });
        }
        MemberEventKind::EmailChanged { from, to } => {
            data["from_email"] = json!(from);
            data["to_email"] = json!(to);
        }
    }
    Ok(Some(json!({ "type": kind, "data": data })))
}

/// Writes the sign-up of a member: attribution is not tracked.
fn write_sign_up(data: &mut Value, event: &MemberEvent, member: &Member, now: Timestamp) {
    for name in [
        "attribution_id",
        "attribution_type",
        "attribution_url",
        "referrer_url",
        "utm_source",
        "utm_medium",
        "utm_campaign",
        "utm_term",
        "utm_content",
    ] {
        data[name] = Value::Null;
    }
    let source = referrer(event.source);
    let medium = (event.source == EventSource::Admin).then_some("Ghost Admin");
    data["referrer_source"] = json!(source);
    data["referrer_medium"] = json!(medium);
    data["source"] = json!(event.source.name());
    data["created_with_status"] = json!(member.at(now).status().name());
    data["attribution"] = attributed_to(source, medium);
}

fn member_view(member: &Member, images: MemberAvatars) -> Value {
    json!({
        "id": member.id,
        "uuid": member.uuid,
        "name": member.name,
        "email": member.email,
        "avatar_image": images.of(&member.email),
    })
}

/// Returns a newsletter with all its fields.
fn newsletter_view(request: &Request, newsletter: &Newsletter) -> Value {
    let selection = Selection::of_defaults(&Defaults::NONE);
    let view = View {
        snapshot: request.snapshot,
        site_urls: request.site_urls,
        selection: &selection,
    };
    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    newsletter.write(&view, &mut object, &selection.rows(&STAFF_NEWSLETTERS, &[]));
    object.end();
    serde_json::from_slice(&bytes).expect("invariant: a view is JSON")
}
