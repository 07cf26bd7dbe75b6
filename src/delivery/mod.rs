//! Deliveries of mail, newsletters and webhooks, by threads that are woken after commits that
//! concern them.
//!
//! Each waiting row was written in the commit of the change that caused it, and is deleted after it
//! was delivered: a crash can repeat a delivery, never lose one.

pub mod envelope;
mod mail;
pub mod message_template;
mod metrics;
mod newsletters;
mod webhooks;

use std::sync::Arc;

pub use mail::{
    MailOptions, MailServer, MailServerError, NewsletterRate, SenderError, SenderOption,
};
pub use metrics::{DeliveryMetrics, KINDS, OUTCOMES};
pub use newsletters::PublicUrls;
pub use webhooks::WebhookOptions;

use crate::{error::Result, site::Site};
use mail::MailDeliverer;
use newsletters::NewsletterDeliverer;
use webhooks::WebhookDeliverer;

/// Delivers until it is dropped.
pub struct Deliverer {
    _mail: MailDeliverer,
    _newsletters: NewsletterDeliverer,
    _webhooks: WebhookDeliverer,
}

impl Deliverer {
    /// Starts delivering in threads, and counts deliveries in `metrics`.
    ///
    /// # Errors
    ///
    /// If no thread can be started, or the store cannot be read.
    pub fn start(
        site: Arc<Site>,
        mail: MailOptions,
        webhooks: WebhookOptions,
        public_urls: Arc<dyn PublicUrls>,
        metrics: Arc<DeliveryMetrics>,
    ) -> Result<Self> {
        Ok(Self {
            _mail: MailDeliverer::start(Arc::clone(&site), mail.clone(), Arc::clone(&metrics))?,
            _newsletters: NewsletterDeliverer::start(
                Arc::clone(&site),
                mail,
                public_urls,
                Arc::clone(&metrics),
            )?,
            _webhooks: WebhookDeliverer::start(site, webhooks, metrics)?,
        })
    }
}
