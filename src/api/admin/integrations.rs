//! Integrations and their keys (Ghost 6.65, recorded).
//!
//! The keys are included with `include=api_keys`, and in responses to changes. The built-in
//! integration is not listed here: it belongs to the operator, and `galley key` shows it.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType, ListEntry},
    webhooks,
};
use crate::{
    admin::{
        integrations::{self, IntegrationChanges},
        webhooks::{NewWebhook, WantedWebhook},
    },
    api::{
        listing::{self, written_time},
        params::{Paging, Selection},
    },
    catalog::Catalog,
    domain::integration::{ApiKey, Integration, IntegrationScope},
    error::{Error, Result},
    id::Id,
};

/// The writable fields of an integration. The webhooks in a request replace the existing webhooks
/// (Ghost 6.65, observed). The operation checks lengths, because the errors for lengths name no field
/// (Ghost 6.65, recorded).
pub static FIELDS: &[InputField] = &[
    InputField::set("name", InputType::Text(2000)),
    InputField::optional("description", InputType::Text(2000)),
    InputField::optional("icon_image", InputType::Scalar(2000)),
    InputField::optional("scope", InputType::Choice(&IntegrationScope::NAMES)),
    InputField::set("webhooks", InputType::List(ListEntry::Record)),
];

/// Most webhooks in a request.
const WEBHOOKS_MAX: usize = 100;

/// The role of the Admin API keys of integrations (Ghost 6.65, recorded).
const INTEGRATIONS_ROLE: &str = "Admin Integration";

/// `GET admin/integrations/`
pub fn browse(request: &Request) -> Result<Reply> {
    let selection = Selection::parse(request.parameters);
    let paging = Paging::parse(request.parameters)?;
    let integrations = request.snapshot.catalog.integrations();
    let mut known: Vec<Arc<Integration>> = integrations
        .filter(|integration| !integration.came_with_site)
        .cloned()
        .collect();
    known.sort_by_key(|integration| (integration.created_at, integration.id));
    let page = listing::page(known, &paging);
    let records: Vec<Value> = page
        .records
        .iter()
        .map(|integration| {
            view(
                &request.snapshot.catalog,
                integration,
                &IncludedRelations::of(&selection),
            )
        })
        .collect();
    Ok(Reply::value(&json!({
        "integrations": records,
        "meta": listing::pagination(&page, &paging),
    })))
}

/// `GET admin/integrations/{id}/`
pub fn read(request: &Request) -> Result<Reply> {
    let selection = Selection::parse(request.parameters);
    let id = request.id(0)?;
    let integration = request
        .snapshot
        .catalog
        .integrations()
        .find(|known| Some(known.id) == id && !known.came_with_site)
        .ok_or_else(|| Error::not_found("integration"))?;
    Ok(envelope_of(
        &request.snapshot.catalog,
        integration,
        &IncludedRelations::of(&selection),
    ))
}

/// `POST admin/integrations/`
pub fn add(request: &Request) -> Result<Reply> {
    let selection = Selection::parse(request.parameters);
    let input = Input::change(record(request)?, FIELDS)?;
    let webhooks = new_webhooks(input.list("webhooks").unwrap_or_default())?;
    let (site, actor) = (request.site(), request.actor()?);
    let integration = integrations::add(site, actor, changes(&input), webhooks)?;
    let location = request.location(integration.id);
    let shown = IncludedRelations {
        keys: true,
        ..IncludedRelations::of(&selection)
    };
    // Read after the change, because the response shows its webhooks.
    let catalog = &request.site().current().catalog;
    let body = json!({"integrations": [view(catalog, &integration, &shown)]});
    Ok(Reply::created(body.to_string().into_bytes(), &location))
}

/// `PUT admin/integrations/{id}/`
pub fn edit(request: &Request) -> Result<Reply> {
    let selection = Selection::parse(request.parameters);
    let id = request.id(0)?;
    let record = record(request)?;
    envelope::check_id(&record, id)?;
    let input = Input::change(record, FIELDS)?;
    let webhooks = input.list("webhooks").map(wanted_webhooks).transpose()?;
    let (site, actor) = (request.site(), request.actor()?);
    let integration = integrations::edit(site, actor, id, changes(&input), webhooks)?;
    let shown = IncludedRelations {
        keys: true,
        ..IncludedRelations::of(&selection)
    };
    Ok(envelope_of(
        &request.site().current().catalog,
        &integration,
        &shown,
    ))
}

/// `POST admin/integrations/{id}/api_key/{id}/refresh/`
pub fn refresh_key(request: &Request) -> Result<Reply> {
    // A malformed key id is an unknown key, not a validation error (Ghost 6.65, observed).
    let (id, key) = (request.id(0)?, request.id(1).ok().flatten());
    // The body must contain a record, but its fields are ignored.
    record(request)?;
    let integration = integrations::refresh_key(request.site(), request.actor()?, id, key)?;
    let all = IncludedRelations {
        keys: true,
        webhooks: true,
    };
    Ok(envelope_of(
        &request.site().current().catalog,
        &integration,
        &all,
    ))
}

/// Returns the integration in the body of a request.
fn record(request: &Request) -> Result<Map<String, Value>> {
    envelope::first_record(request, "integrations")
}

/// Reads the webhooks of a new integration.
fn new_webhooks(sent: &[Value]) -> Result<Vec<NewWebhook>> {
    each_webhook(sent, |_, record| webhooks::new_webhook(record))
}

/// Reads the webhooks of a changed integration. An identifier refers to an existing webhook.
fn wanted_webhooks(sent: &[Value]) -> Result<Vec<WantedWebhook>> {
    each_webhook(sent, |index, mut record| {
        match record.remove("id").unwrap_or_default() {
            Value::Null => webhooks::new_webhook(record).map(WantedWebhook::New),
            id => {
                let id = id.as_str().and_then(|id| id.parse().ok());
                let id = id.ok_or_else(|| not_a_webhook(index))?;
                Ok(WantedWebhook::Known(id, webhooks::changes(record)?))
            }
        }
    })
}

fn each_webhook<T>(
    sent: &[Value],
    read: impl Fn(usize, Map<String, Value>) -> Result<T>,
) -> Result<Vec<T>> {
    let read = |(index, webhook): (usize, &Value)| match webhook.as_object() {
        Some(record) => read(index, record.clone()),
        None => Err(not_a_webhook(index)),
    };
    envelope::each(sent, "webhooks", WEBHOOKS_MAX, read)
}

fn not_a_webhook(index: usize) -> Error {
    let message = format!("Element {index} of the list is not a webhook.");
    envelope::malformed(&index.to_string(), "type", message)
}

fn changes(input: &Input) -> IntegrationChanges {
    IntegrationChanges {
        // Unlike `Input::text`, this keeps an empty name, which the operation rejects.
        name: input.value("name").and_then(Value::as_str).map(Into::into),
        description: input.text("description").map(|text| text.map(Into::into)),
        icon_image: input.text("icon_image").map(|text| text.map(Into::into)),
        scope: input
            .text("scope")
            .map(|name| name.and_then(IntegrationScope::named)),
    }
}

/// The relations that a response includes.
struct IncludedRelations {
    keys: bool,
    webhooks: bool,
}

impl IncludedRelations {
    fn of(selection: &Selection) -> Self {
        Self {
            keys: selection.includes("api_keys"),
            webhooks: selection.includes("webhooks"),
        }
    }
}

fn envelope_of(catalog: &Catalog, integration: &Integration, shown: &IncludedRelations) -> Reply {
    Reply::value(&json!({"integrations": [view(catalog, integration, shown)]}))
}

fn view(catalog: &Catalog, integration: &Integration, shown: &IncludedRelations) -> Value {
    let mut record = json!({
        "id": integration.id,
        "type": "custom",
        "name": integration.name,
        "slug": integration.slug,
        "icon_image": integration.icon_image,
        "description": integration.description,
        "created_at": written_time(integration.created_at),
        "updated_at": written_time(integration.updated_at),
    });
    // Ghost has no such field, so it is shown only if set.
    if let Some(scope) = integration.scope {
        record["scope"] = json!(scope.name());
    }
    if shown.keys {
        record["api_keys"] = json!([
            key(
                integration,
                &integration.content_key,
                "content",
                &integration.content_key.secret,
                None
            ),
            key(
                integration,
                &integration.admin_key,
                "admin",
                &integration.admin_key_text(),
                Some(Id::derive("role", INTEGRATIONS_ROLE))
            ),
        ]);
    }
    if shown.webhooks {
        let own = catalog.webhooks.of_integration(integration.id);
        record["webhooks"] = own.map(|webhook| webhooks::view(webhook)).collect();
    }
    record
}

fn key(
    integration: &Integration,
    key: &ApiKey,
    kind: &str,
    secret: &str,
    role: Option<Id>,
) -> Value {
    json!({
        "id": key.id,
        "type": kind,
        "secret": secret,
        "role_id": role,
        "integration_id": integration.id,
        "user_id": null,
        "last_seen_at": null,
        "last_seen_version": null,
        "created_at": written_time(integration.created_at),
        "updated_at": written_time(integration.updated_at),
    })
}
