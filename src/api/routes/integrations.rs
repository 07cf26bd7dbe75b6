//! Integrations, their keys and webhooks.

use super::{
    parameters::{LIMIT, LISTS, PAGE, STAFF_RECORDS},
    route::{
        CREATED,
        Input::{NoBody, Record},
        NO_CONTENT, OK,
        Output::{Nothing, Page, Records, Schema},
        Route, delete, get, post, put,
    },
    shape::Shape::Ref,
};
use crate::{
    api::admin::{integrations, records, webhook_deliveries, webhooks},
    domain::{
        integration::Integration,
        permission::{
            INTEGRATIONS_ADD, INTEGRATIONS_BROWSE, INTEGRATIONS_DELETE, INTEGRATIONS_EDIT,
            INTEGRATIONS_KEYS, INTEGRATIONS_READ,
        },
        webhook::{WEBHOOKS_ADD, WEBHOOKS_DELETE, WEBHOOKS_EDIT, Webhook},
    },
};

/// The endpoints of this area, laid out as a table.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    // Integrations and their keys.
    get("admin/integrations/", &INTEGRATIONS_BROWSE, integrations::browse)
        .named("adminBrowseIntegrations", "Browse integrations")
        .query(&[LISTS, STAFF_RECORDS])
        .returns(OK, Page("integrations", Ref("Integration"))),
    get("admin/integrations/{id}/", &INTEGRATIONS_READ, integrations::read)
        .named("adminReadIntegrationsById", "Read an integration by ID")
        .query(&[STAFF_RECORDS])
        .returns(OK, Records("integrations", Ref("Integration"))),
    post("admin/integrations/", &INTEGRATIONS_ADD, integrations::add)
        .named("adminAddIntegrations", "Add an integration")
        .takes(Record("integrations", integrations::FIELDS))
        .returns(CREATED, Records("integrations", Ref("Integration"))),
    put("admin/integrations/{id}/", &INTEGRATIONS_EDIT, integrations::edit)
        .named("adminEditIntegrationsById", "Edit an integration")
        .takes(Record("integrations", integrations::FIELDS))
        .returns(OK, Records("integrations", Ref("Integration"))),
    delete("admin/integrations/{id}/", &INTEGRATIONS_DELETE, records::delete::<Integration>)
        .named("adminDeleteIntegrationsById", "Delete an integration")
        .returns(NO_CONTENT, Nothing),
    post("admin/integrations/{id}/api_key/{key_id}/refresh/", &INTEGRATIONS_KEYS, integrations::refresh_key)
        .named("refreshKey", "Regenerate a key of an integration")
        .takes(NoBody)
        .returns(OK, Records("integrations", Ref("Integration"))),
    // Webhooks.
    post("admin/webhooks/", &WEBHOOKS_ADD, webhooks::add)
        .named("adminAddWebhooks", "Add a webhook")
        .takes(Record("webhooks", webhooks::FIELDS))
        .returns(CREATED, Records("webhooks", Ref("Webhook"))),
    put("admin/webhooks/{id}/", &WEBHOOKS_EDIT, webhooks::edit)
        .named("adminEditWebhooksById", "Edit a webhook")
        .takes(Record("webhooks", webhooks::FIELDS))
        .returns(OK, Records("webhooks", Ref("Webhook"))),
    delete("admin/webhooks/{id}/", &WEBHOOKS_DELETE, records::delete::<Webhook>)
        .named("adminDeleteWebhooksById", "Delete a webhook")
        .returns(NO_CONTENT, Nothing),
    get("admin/webhooks/{id}/deliveries/", &WEBHOOKS_EDIT, webhook_deliveries::browse)
        .named("browseWebhookDeliveries", "Browse deliveries of a webhook, latest first, with those in the queue")
        .query(&[&[PAGE, LIMIT]])
        .returns(OK, Schema("WebhookDeliveries")),
    post("admin/webhooks/{id}/deliveries/{number}/retry/", &WEBHOOKS_EDIT, webhook_deliveries::retry)
        .named("retryWebhookDelivery", "Retry a delivery of a webhook, with the same id")
        .takes(NoBody)
        .returns(OK, Records("deliveries", Ref("WebhookDelivery"))),
];
