//! The values of a site that `galley doctor` checks.

use super::{ControlContext, status::status, webhooks};
use crate::{control::examination_report::Examination, domain::site_proof, error::Result};

/// Returns the values of the site, with its response to `challenge`.
pub(super) fn examine(context: &ControlContext, challenge: &str) -> Result<Examination> {
    let snapshot = context.site.current();
    let catalog = &snapshot.catalog;
    let configured = context.site_urls.configured(&catalog.settings);
    let secret = catalog.member_secret.as_ref();
    Ok(Examination {
        status: status(context)?,
        webhooks: webhooks::list(&snapshot)?,
        url: configured.map(|urls| urls.site().to_owned()),
        proof: secret.and_then(|secret| site_proof::response(secret, challenge)),
    })
}
