//! The parts of a served site whose options can change at run time.

use std::sync::Arc;

use super::{AppError, deliveries::Deliveries, https::HttpsSite};
use crate::{
    api::{Api, LiveOptions},
    certificates::Certificates,
    config::Config,
    outbound::{Client, MediaClient},
    server::{LimitsHandle, Server},
};

/// The option with the names of the site.
const DOMAIN: &str = "domain";

/// The parts of a served site whose options can change at run time.
pub struct LiveParts {
    api: Arc<Api>,
    limits: LimitsHandle,
    deliveries: Arc<Deliveries>,
    https: Option<HttpsSite>,
    /// The public URL in the configuration at start-up.
    url: Option<String>,
}

impl LiveParts {
    pub(super) fn new(
        (api, server): (&Arc<Api>, &Server),
        deliveries: Arc<Deliveries>,
        https: Option<HttpsSite>,
        config: &Config,
    ) -> Arc<Self> {
        Arc::new(Self {
            api: Arc::clone(api),
            limits: server.limits(),
            deliveries,
            https,
            url: config.url.clone(),
        })
    }

    /// Returns the certificates, if the site is served over https.
    pub(super) fn certificates(&self) -> Option<&Certificates> {
        self.https.as_ref().map(|https| &*https.certificates)
    }

    /// Returns whether an option that is marked as live can change without a restart. `domain`
    /// requires a restart if the change affects the site's URL or whether the site is served over
    /// https.
    pub fn is_live(&self, key: &str, config: &Config) -> bool {
        key != DOMAIN || self.changeable_names(config).is_some()
    }

    /// Rejects a configuration that the parts cannot use.
    ///
    /// # Errors
    ///
    /// If the certificate of the operator does not cover all names.
    pub fn admit(&self, config: &Config) -> Result<(), AppError> {
        match self.changeable_names(config) {
            // The operator may have replaced the certificate by one that is not for all names in use.
            Some((https, names)) if https.certificates.names() != names => https.admit_names(names),
            _ => Ok(()),
        }
    }

    /// Returns the names in a configuration if the site can be served under them without a restart.
    fn changeable_names<'a>(&'a self, config: &'a Config) -> Option<(&'a HttpsSite, &'a [String])> {
        let https = self.https.as_ref()?;
        let names = &*config.https.as_ref()?.names;
        // A change from no name to some, or back, changes the URL or starts and ends https, which
        // only a restart can do.
        let is_possible =
            self.url == config.url && !names.is_empty() && !https.certificates.names().is_empty();
        is_possible.then_some((https, names))
    }

    /// Applies the options of `config` that are marked as live in the table of options. `changed`
    /// are the names of the options that differ from the current values; only the affected parts of
    /// the application change.
    ///
    /// # Errors
    ///
    /// If workers of deliveries cannot be restarted.
    pub fn reconfigure(&self, config: &Config, changed: &[String]) -> Result<(), AppError> {
        if changed.is_empty() {
            return Ok(());
        }
        // Deliveries come last: restarting them waits for messages in flight, and may fail.
        self.limits.apply(&config.limits);
        self.api.reconfigure(live_options(config));
        if changed.iter().any(|key| key == DOMAIN)
            && let Some((https, names)) = self.changeable_names(config)
        {
            https.change_names(names)?;
        }
        let has_changed = |start: &str| changed.iter().any(|key| key.starts_with(start));
        let (of_mail, of_webhooks) = (has_changed("mail."), has_changed("private_receivers"));
        self.deliveries.reconfigure(config, of_mail, of_webhooks)
    }
}

/// Returns the options of the API that can change at run time.
pub(super) fn live_options(config: &Config) -> LiveOptions {
    let embed_client = || Arc::new(Client::new(config.allowed_addresses));
    LiveOptions {
        member_origins: config.member_origins.clone(),
        integration_scope: config.integration_scope,
        list_limit_max: config.list_limit_max,
        body_bytes_max: config.limits.body_bytes_max,
        upload_bytes_max: config.upload_bytes_max,
        device_verification: config.device_verification,
        has_mail_server: config.mail.server.is_some(),
        outside: config.fetches_embeds.then(embed_client),
        media: Arc::new(MediaClient::new(config.allowed_addresses)),
        github: config.github.clone(),
    }
}
