//! The values of a site that `galley doctor` checks.

use serde::{Deserialize, Serialize};

use crate::control::{StatusReport, webhook_report::WebhookReport};

/// The values of a site that `galley doctor` checks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Examination {
    /// The status.
    pub status: StatusReport,
    /// The webhooks.
    pub webhooks: Vec<WebhookReport>,
    /// The configured URL, from the operator or the site's setting, if there is one.
    pub url: Option<String>,
    /// The response of the site to the challenge; `None` if it has no secret yet.
    pub proof: Option<String>,
}
