//! The parts of a served site whose options change while it is served.

use std::sync::Arc;

use super::{AppError, deliveries::Deliveries};
use crate::{
    api::{Api, LiveOptions},
    config::Config,
    outbound::{Client, MediaClient},
    server::{LimitsHandle, Server},
};

/// The parts of a served site whose options change while it is served.
pub struct LiveParts {
    api: Arc<Api>,
    limits: LimitsHandle,
    deliveries: Arc<Deliveries>,
}

impl LiveParts {
    pub(super) fn new(api: &Arc<Api>, server: &Server, deliveries: Arc<Deliveries>) -> Arc<Self> {
        Arc::new(Self {
            api: Arc::clone(api),
            limits: server.limits(),
            deliveries,
        })
    }

    /// Uses those options of `config` that are marked as live in the table of options. `changed` are the options that
    /// differ from those in use; only what they concern is touched.
    ///
    /// # Errors
    ///
    /// If workers of deliveries cannot be started again.
    pub fn reconfigure(&self, config: &Config, changed: &[String]) -> Result<(), AppError> {
        if changed.is_empty() {
            return Ok(());
        }
        self.limits.apply(&config.limits);
        self.api.reconfigure(live_options(config));
        let has_changed = |start: &str| changed.iter().any(|key| key.starts_with(start));
        let (of_mail, of_webhooks) = (has_changed("mail."), has_changed("private_receivers"));
        self.deliveries.reconfigure(config, of_mail, of_webhooks)
    }
}

/// Returns the options of the API that change while it is served.
pub(super) fn live_options(config: &Config) -> LiveOptions {
    let outside = || Arc::new(Client::new(config.reach));
    LiveOptions {
        member_origins: config.member_origins.clone(),
        integration_scope: config.integration_scope,
        list_limit_max: config.list_limit_max,
        body_bytes_max: config.limits.body_bytes_max,
        upload_bytes_max: config.upload_bytes_max,
        device_verification: config.device_verification,
        has_mail_server: config.mail.server.is_some(),
        outside: config.fetches_embeds.then(outside),
        media: Arc::new(MediaClient::new(config.reach)),
        github: config.github.clone(),
    }
}
