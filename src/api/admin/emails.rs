//! Posts sent by mail, their batches, and failed recipients (names on the wire as in Ghost 6.65).

use std::{ops::ControlFlow, sync::Arc};

use serde_json::{Value, json};

use super::{Reply, Request, members::avatar::MemberAvatars, unfiltered, view::View};
use crate::{
    admin::emails,
    api::{
        json::{self, Object},
        listing::{self, FilterRules, pagination, written_time},
        params::{Defaults, Paging, Selection},
    },
    catalog::{browse::Page, fields::EMAILS},
    domain::post_email::{EmailBatch, EmailStatus, PostEmail, RecipientRefusal},
    error::{Error, Result},
    id::Id,
    site::SiteSnapshot,
};

/// The phase of an email before its first batch is sent.
const PREPARING: &str = "preparing";

/// `GET admin/emails/`: newest first.
pub fn browse(request: &Request) -> Result<Reply> {
    let catalog = &request.snapshot.catalog;
    let paging = Paging::parse(request.parameters)?;
    let rules = FilterRules::of_fields(&EMAILS);
    let query = listing::query(catalog, request.now, &paging, &rules)?;
    let filter = query.filter.as_ref();
    let is_found =
        |email: &&Arc<PostEmail>| filter.is_none_or(|filter| filter.holds(email.as_ref()));
    // Identifiers begin with the time of creation, so the reverse of their order is newest first.
    let mut found: Vec<Arc<PostEmail>> = catalog
        .emails
        .iter()
        .rev()
        .filter(is_found)
        .cloned()
        .collect();
    if let Some(order) = &query.order {
        // The sort is stable: equal emails remain ordered from new to old.
        found.sort_by(|a, b| order.compare(a, b, |_| 0));
    }
    let page = listing::page(found, &paging);
    Ok(Reply::json(envelope_of(
        request,
        request.snapshot,
        &page.records,
        Some(pagination(&page, &paging)),
    )))
}

/// `GET admin/emails/{id}/`
pub fn read(request: &Request) -> Result<Reply> {
    let email = requested_email(request)?;
    Ok(Reply::json(envelope_of(
        request,
        request.snapshot,
        &[Arc::clone(email)],
        None,
    )))
}

/// `GET admin/emails/{id}/status/`
pub fn status(request: &Request) -> Result<Reply> {
    let email = requested_email(request)?;
    let mut sending = json!({
        "status": match email.status {
            EmailStatus::Pending => PREPARING,
            other => other.name(),
        },
        "progress": {
            "completed": email.recipients - email.unreached(),
            "total": email.recipients,
            "estimated_seconds_remaining": null,
        },
    });
    if email.status == EmailStatus::Failed {
        let has_begun = email.sending.batches > 0;
        sending["failed_during"] = json!(if has_begun { "submitting" } else { PREPARING });
    }
    let status = json!({ "id": email.id.to_string(), "sending": sending });
    Ok(Reply::value(&json!({ "email_statuses": [status] })))
}

/// `PUT admin/emails/{id}/retry/`: sends the email to the recipients that it has not reached.
pub fn retry(request: &Request) -> Result<Reply> {
    let email = emails::retry(request.site(), request.id(0)?)?;
    // The snapshot of the request is from before the change.
    let snapshot = request.site().current();
    Ok(Reply::json(envelope_of(
        request,
        &snapshot,
        &[Arc::new(email)],
        None,
    )))
}

/// `GET admin/emails/{id}/batches/`: empty also for an unknown email (Ghost 6.65, observed).
pub fn batches(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let paging = parsed_paging(request)?;
    let selection = Selection::for_staff(request.parameters, &Defaults::NONE);
    let is_counted = selection.includes("count.recipients");
    let page = collected(request.snapshot, id, &paging, |batch, keep| {
        keep(batch);
    })?;
    let records = page.records.iter();
    let batches: Vec<Value> = records
        .map(|batch| batch_view(batch, id, is_counted))
        .collect();
    Ok(Reply::value(
        &json!({ "batches": batches, "meta": pagination(&page, &paging) }),
    ))
}

/// `GET admin/emails/{id}/recipient-failures/`: empty also for an unknown email.
pub fn recipient_failures(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let paging = parsed_paging(request)?;
    let selection = Selection::for_staff(request.parameters, &Defaults::NONE);
    let page = collected(request.snapshot, id, &paging, |batch, keep| {
        for refusal in batch.refusals {
            keep((batch.id, refusal));
        }
    })?;
    let failures: Vec<Value> = page
        .records
        .iter()
        .map(|failure| failure_view(failure, id, &selection, request.options().member_avatars))
        .collect();
    Ok(Reply::value(
        &json!({ "failures": failures, "meta": pagination(&page, &paging) }),
    ))
}

/// Returns the email that the path names.
pub(super) fn requested_email<'r>(request: &'r Request) -> Result<&'r Arc<PostEmail>> {
    let id = request.id(0)?;
    let email = id.and_then(|id| request.snapshot.catalog.emails.get(id));
    email.ok_or_else(|| Error::not_found("email"))
}

/// Reads the requested page. A filter must be valid, but does not restrict the list, because there
/// are no fields to filter by.
fn parsed_paging(request: &Request) -> Result<Paging> {
    let paging = Paging::parse(request.parameters)?;
    if let Some(filter) = &paging.filter {
        unfiltered::check(request, filter)?;
    }
    Ok(paging)
}

/// Returns a page of the items that `take` yields from the batches of an email. Only the items of the
/// page are held in memory.
fn collected<T>(
    snapshot: &SiteSnapshot,
    email: Option<Id>,
    paging: &Paging,
    mut take: impl FnMut(EmailBatch, &mut dyn FnMut(T)),
) -> Result<Page<T>> {
    let first = (paging.page - 1).saturating_mul(paging.limit);
    let window = first..first.saturating_add(paging.limit);
    let mut page = Page {
        records: Vec::new(),
        total: 0,
    };
    let Some(email) = email else {
        return Ok(page);
    };
    snapshot.visit_email_batches(email, |batch| {
        take(batch, &mut |found| {
            if window.contains(&page.total) {
                page.records.push(Arc::new(found));
            }
            page.total += 1;
        });
        ControlFlow::Continue(())
    })?;
    Ok(page)
}

/// Returns the envelope of these emails.
fn envelope_of(
    request: &Request,
    snapshot: &SiteSnapshot,
    emails: &[Arc<PostEmail>],
    meta: Option<Value>,
) -> Vec<u8> {
    let selection = Selection::for_staff(request.parameters, &Defaults::NONE);
    let view = View {
        snapshot,
        site_urls: request.site_urls,
        selection: &selection,
    };
    let rows = selection.rows(&EMAILS, &[]);
    let mut bytes = Vec::new();
    let mut envelope = Object::begin(&mut bytes);
    json::list(envelope.name("emails"), emails.iter(), |bytes, email| {
        let mut object = Object::begin(bytes);
        view.fields(&mut object, email.as_ref(), &rows, |_, _, _| {});
        object.end();
    });
    if let Some(meta) = meta {
        envelope.field("meta", meta);
    }
    envelope.end();
    bytes
}

fn batch_view(batch: &EmailBatch, email: Option<Id>, is_counted: bool) -> Value {
    let mut view = json!({
        "id": batch.id,
        "email_id": email,
        "provider_id": null,
        "fallback_sending_domain": false,
        "status": batch.status.name(),
        "member_segment": null,
        "error_status_code": null,
        "error_message": batch.error,
        "error_data": null,
        "created_at": written_time(batch.created_at),
        "updated_at": written_time(batch.updated_at),
    });
    if is_counted {
        view["count"] = json!({ "recipients": batch.size });
    }
    view
}

fn failure_view(
    (batch, refusal): &(Id, RecipientRefusal),
    email: Option<Id>,
    selection: &Selection,
    images: MemberAvatars,
) -> Value {
    // Ghost stores a record for each recipient. Galley does not, so it derives the identifiers, which
    // are therefore the same in each response.
    let recipient = Id::derive("email recipient", &format!("{batch}/{}", refusal.member));
    let failed_at = written_time(refusal.at);
    let mut view = json!({
        "id": Id::derive("email failure", &format!("{batch}/{}", refusal.member)),
        "email_id": email,
        "member_id": refusal.member,
        "email_recipient_id": recipient,
        "code": refusal.code,
        "enhanced_code": null,
        "message": refusal.message,
        "severity": "permanent",
        "failed_at": failed_at,
        "event_id": null,
    });
    if selection.includes("member") {
        view["member"] = json!({
            "id": refusal.member,
            "uuid": refusal.member_uuid,
            "name": refusal.name,
            "email": refusal.address,
            "avatar_image": images.of(&refusal.address),
        });
    }
    if selection.includes("email_recipient") {
        view["email_recipient"] = json!({
            "id": recipient,
            "email_id": email,
            "member_id": refusal.member,
            "batch_id": batch,
            "processed_at": failed_at,
            "delivered_at": null,
            "opened_at": null,
            "failed_at": failed_at,
            "member_uuid": refusal.member_uuid,
            "member_email": refusal.address,
            "member_name": refusal.name,
        });
    }
    view
}
