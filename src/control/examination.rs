//! The values of a site that `galley doctor` checks.

use serde::{Deserialize, Serialize};

use super::{
    ControlContext, StatusReport,
    status::status,
    webhooks::{self, WebhookReport},
};
use crate::{domain::site_proof, error::Result};

/// The values of a site that `galley doctor` checks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Examination {
    /// The status.
    pub status: StatusReport,
    /// The webhooks.
    pub webhooks: Vec<WebhookReport>,
    /// The URL that the operator or the site's setting configures, if one does.
    pub url: Option<String>,
    /// The response of the site to the challenge; `None` if it has no secret yet.
    pub proof: Option<String>,
}

/// Returns the values of the site, with its response to `challenge`.
pub(super) fn examine(subject: &ControlContext, challenge: &str) -> Result<Examination> {
    let snapshot = subject.site.current();
    let catalog = &snapshot.catalog;
    let configured = subject.site_urls.configured(&catalog.settings);
    let secret = catalog.member_secret.as_ref();
    Ok(Examination {
        status: status(subject)?,
        webhooks: webhooks::list(&snapshot)?,
        url: configured.map(|urls| urls.site().to_owned()),
        proof: secret.and_then(|secret| site_proof::response(secret, challenge)),
    })
}
