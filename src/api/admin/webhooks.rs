//! Webhooks: added, changed and deleted here, and listed with their integration (specification 2.8
//! and 4.4).

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType},
    reply::ReplyBody,
};
use crate::{
    admin::webhooks::{self, NewWebhook, WebhookChanges},
    api::{headers::API_VERSION_NUMBER, listing::written_time},
    domain::webhook::{
        API_VERSION_CHARACTERS_MAX, EVENT_CHARACTERS_MAX, STATUS, TARGET_CHARACTERS_MAX,
        TEXT_CHARACTERS_MAX, Webhook,
    },
    error::Result,
};

/// The writable fields of a webhook. `integration_id` is accepted only for new webhooks, and only from
/// users.
pub static FIELDS: &[InputField] = &[
    InputField::required("event", InputType::Text(EVENT_CHARACTERS_MAX)),
    InputField::required("target_url", InputType::Url(TARGET_CHARACTERS_MAX)),
    InputField::optional("name", InputType::Text(TEXT_CHARACTERS_MAX)),
    InputField::optional("secret", InputType::Text(TEXT_CHARACTERS_MAX)),
    InputField::optional("api_version", InputType::Text(API_VERSION_CHARACTERS_MAX)),
    InputField::optional("integration_id", InputType::Text(TEXT_CHARACTERS_MAX)),
];

/// `POST admin/webhooks/`
pub fn add(request: &Request) -> Result<Reply> {
    let new = new_webhook(envelope::only_record(request, "webhooks")?)?;
    let webhook = webhooks::add(request.site(), request.actor()?, new)?;
    // Unlike other responses to POST, this one has no `Location`, because a webhook cannot be read
    // (Ghost 6.65, recorded).
    let body = envelope_of(&webhook).to_string().into_bytes();
    Ok(Reply::new(StatusCode::CREATED, ReplyBody::Json(body)))
}

/// Reads a new webhook.
///
/// # Errors
///
/// `Validation`, naming the field.
pub fn new_webhook(record: Map<String, Value>) -> Result<NewWebhook> {
    let input = Input::new_record(record, FIELDS)?;
    let required = |name: &str| {
        input
            .value(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let optional = |name: &str| input.text(name).flatten().map(Into::into);
    Ok(NewWebhook {
        event: required("event").into(),
        target_url: required("target_url").into(),
        name: optional("name"),
        secret: optional("secret"),
        api_version: optional("api_version").unwrap_or_else(own_version),
        integration: optional("integration_id"),
    })
}

/// `PUT admin/webhooks/{id}/`
pub fn edit(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let record = envelope::only_record(request, "webhooks")?;
    envelope::check_id(&record, id)?;
    let changes = changes(record)?;
    let webhook = webhooks::edit(request.site(), request.actor()?, id, changes)?;
    Ok(Reply::value(&envelope_of(&webhook)))
}

/// Reads the changes to a webhook.
///
/// # Errors
///
/// `Validation`, naming the field.
pub fn changes(record: Map<String, Value>) -> Result<WebhookChanges> {
    let input = Input::change(record, FIELDS)?;
    let text = |name: &str| input.value(name).and_then(Value::as_str).map(Into::into);
    let optional = |name: &str| input.text(name).map(|text| text.map(Into::into));
    Ok(WebhookChanges {
        event: text("event"),
        target_url: text("target_url"),
        name: optional("name"),
        secret: optional("secret"),
        api_version: input
            .text("api_version")
            .map(|version| version.map_or_else(own_version, Into::into)),
    })
}

/// Returns the default API version (specification 4.4, rule 5).
fn own_version() -> Box<str> {
    format!("v{API_VERSION_NUMBER}").into()
}

fn envelope_of(webhook: &Webhook) -> Value {
    json!({ "webhooks": [view(webhook)] })
}

/// Returns a webhook as JSON.
pub fn view(webhook: &Webhook) -> Value {
    json!({
        "id": webhook.id,
        "event": webhook.event,
        "target_url": webhook.target_url,
        "name": webhook.name,
        "secret": webhook.secret,
        "api_version": webhook.api_version,
        "integration_id": webhook.integration,
        "status": STATUS,
        "last_triggered_at": webhook.last_triggered_at.map(written_time),
        "last_triggered_status": webhook.last_triggered_status,
        "last_triggered_error": webhook.last_triggered_error,
        "created_at": written_time(webhook.created_at),
        "updated_at": written_time(webhook.updated_at),
    })
}
