//! The delivery log of webhooks, and manual retries. They are specific to Galley: Ghost has no such log.

use serde_json::{Map, Value, json};

use super::{Reply, Request};
use crate::{
    admin::webhook_deliveries,
    api::{
        listing::{pagination, written_time},
        params::Paging,
    },
    catalog::browse::Page,
    domain::webhook_delivery::{self, Attempt, FinishedDelivery, LoggedResponse, WebhookDelivery},
    error::Result,
    id::Id,
};

/// `GET admin/webhooks/{id}/deliveries/`
pub fn browse(request: &Request) -> Result<Reply> {
    let paging = Paging::parse(request.parameters)?;
    let first = (paging.page - 1).saturating_mul(paging.limit);
    let deliveries = webhook_deliveries::browse(
        request.snapshot,
        request.actor()?,
        request.id(0)?,
        first,
        paging.limit,
    )?;
    let finished = deliveries.finished.iter();
    let views: Vec<Value> = finished
        .map(|delivery| view_of_finished(deliveries.webhook, delivery))
        .collect();
    // The pagination depends only on the total.
    let page = Page::<FinishedDelivery> {
        records: Vec::new(),
        total: deliveries.finished_count,
    };
    let mut meta = pagination(&page, &paging);
    meta["waiting"] = json!({
        "count": deliveries.waiting_count,
        "is_more": deliveries.may_be_more(),
        "next": deliveries.next.as_ref().map(view_of_waiting),
    });
    Ok(Reply::value(&json!({ "deliveries": views, "meta": meta })))
}

/// `POST admin/webhooks/{id}/deliveries/{number}/retry/`
pub fn retry(request: &Request) -> Result<Reply> {
    let number = request.variables.get(1);
    let number = number.and_then(|number| number.parse().ok());
    let delivery =
        webhook_deliveries::retry(request.site(), request.actor()?, request.id(0)?, number)?;
    Ok(Reply::value(
        &json!({ "deliveries": [view_of_waiting(&delivery)] }),
    ))
}

fn view_of_finished(webhook: Id, delivery: &FinishedDelivery) -> Value {
    let request = delivery.request.as_ref();
    let headers = request.map(|request| fields(&request.headers));
    let state = if delivery.is_delivered {
        "delivered"
    } else {
        "given_up"
    };
    json!({
        "id": webhook_delivery::name(webhook, delivery.number),
        "number": delivery.number,
        "event": delivery.event,
        "state": state,
        "queued_at": written_time(delivery.queued_at),
        "finished_at": written_time(delivery.finished_at),
        "due_at": null,
        "latency_ms": delivery.attempts.last().map(|attempt| attempt.latency_ms),
        "attempt_count": delivery.attempt_count,
        "attempts": delivery.attempts.iter().map(view_of_attempt).collect::<Vec<Value>>(),
        "request": {
            "url": request.map(|request| &request.address),
            "headers": headers.unwrap_or_default(),
            "body": delivery.body,
            "body_bytes": delivery.body_bytes,
        },
        "response": delivery.response.as_ref().map(view_of_response),
    })
}

fn view_of_waiting(delivery: &WebhookDelivery) -> Value {
    let progress = &delivery.progress;
    json!({
        "id": delivery.name(),
        "number": delivery.number,
        "event": delivery.event,
        "state": "waiting",
        "queued_at": written_time(delivery.queued_at),
        "finished_at": null,
        "due_at": progress.due_at.map(written_time),
        "latency_ms": progress.attempts.last().map(|attempt| attempt.latency_ms),
        "attempt_count": progress.attempt_count,
        "attempts": progress.attempts.iter().map(view_of_attempt).collect::<Vec<Value>>(),
        "request": {
            "url": null,
            "headers": {},
            "body": delivery.body,
            "body_bytes": delivery.body.len(),
        },
        "response": null,
    })
}

fn view_of_attempt(attempt: &Attempt) -> Value {
    json!({
        "at": written_time(attempt.at),
        "status": attempt.status,
        "error": attempt.error,
        "latency_ms": attempt.latency_ms,
    })
}

fn view_of_response(response: &LoggedResponse) -> Value {
    json!({
        "status": response.status,
        "headers": fields(&response.headers),
        "body": response.body,
        "is_cut": response.is_cut,
    })
}

/// Returns header fields as an object, with the last value of repeated fields.
fn fields(headers: &[(Box<str>, Box<str>)]) -> Map<String, Value> {
    let headers = headers.iter();
    headers
        .map(|(name, value)| (name.to_string(), json!(value)))
        .collect()
}
