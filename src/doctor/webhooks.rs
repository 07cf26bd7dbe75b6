//! Checks whether the receivers of webhooks accept deliveries.

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::control::WebhookReport;

/// Checks the last delivery of each webhook. Nothing is sent.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let Some(site) = examined.examination() else {
        return vec![UnnamedFinding::skipped(
            "there is no site, or it cannot be read",
        )];
    };
    if site.webhooks.is_empty() {
        return vec![UnnamedFinding::skipped("there are none")];
    }
    let failing: Vec<UnnamedFinding> = site.webhooks.iter().filter_map(failure).collect();
    if failing.is_empty() {
        let count = site.webhooks.len();
        return vec![UnnamedFinding::ok(format!(
            "{count}; the last delivery of each succeeded"
        ))];
    }
    failing
}

fn failure(webhook: &WebhookReport) -> Option<UnnamedFinding> {
    let WebhookReport {
        id,
        event,
        target_url,
        waiting,
        ..
    } = webhook;
    let error = webhook.last_triggered_error.as_ref()?;
    let status = webhook.last_triggered_status.as_deref();
    let status = status.map_or(String::new(), |status| format!(" (status {status})"));
    Some(UnnamedFinding::error(
        format!("{event} to {target_url}: {error}{status}; {waiting} deliveries wait"),
        format!(
            "`galley webhook log {id}` shows the attempts. Correct the receiver, or remove the webhook."
        ),
    ))
}
