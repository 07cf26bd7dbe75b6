//! A site without a server, whose clock the test sets.

use std::sync::Arc;

use galley::{
    body_memory::BodyMemory,
    clock::{Clock, ManualClock},
    delivery::{MailOptions, PublicUrls, WebhookOptions},
    outbound::AllowedAddresses,
    site::Site,
    site_urls::{SiteUrlSources, SiteUrls},
    store::{Store, memory::MemoryStore},
};
use jiff::{SignedDuration, Timestamp};

use crate::deliverer::Deliverer;

/// The initial time.
const NOW: &str = "2026-01-02T03:04:05Z";

/// The URL of the site.
pub const URL: &str = "https://harbour.example/";

/// A site and its clock, which advances only when the test moves it.
pub struct ClockedSite {
    /// The site.
    pub site: Arc<Site>,
    /// Its clock.
    pub clock: Arc<ManualClock>,
}

impl ClockedSite {
    /// Returns a new site in memory, at the initial time.
    pub fn new() -> Self {
        Self::on(MemoryStore::new())
    }

    /// Returns the site in `store`, at the initial time.
    pub fn on(store: impl Store + 'static) -> Self {
        Self::at(NOW.parse().unwrap(), store)
    }

    /// Returns the site in `store`, at the time `now`.
    pub fn at(now: Timestamp, store: impl Store + 'static) -> Self {
        let clock = Arc::new(ManualClock::new(now));
        let shared: Arc<dyn Clock> = Arc::clone(&clock) as _;
        let site = Site::open(Box::new(store), shared).unwrap();
        Self {
            site: Arc::new(site),
            clock,
        }
    }

    /// Advances the clock.
    pub fn advance_clock(&self, time: SignedDuration) {
        self.clock.set(self.clock.now() + time);
    }

    /// Delivers mail, newsletters and webhooks until the result is dropped.
    pub fn deliver(&self, mail: MailOptions, webhooks: WebhookOptions) -> Deliverer {
        let site = Arc::clone(&self.site);
        Deliverer::start(site, mail, webhooks, public_urls(), Arc::default()).unwrap()
    }
}

/// Returns the public URLs of the site.
pub fn public_urls() -> Arc<dyn PublicUrls> {
    Arc::new(SiteUrlSources {
        operator: None,
        listen: SiteUrls::new(URL).unwrap(),
    })
}

/// Returns the configuration of webhooks, which permits receivers on this machine.
pub fn webhook_options() -> WebhookOptions {
    WebhookOptions {
        allowed_addresses: AllowedAddresses::All,
        content_version: "v6.65".to_owned(),
        memory: BodyMemory::new(256 << 20),
    }
}
