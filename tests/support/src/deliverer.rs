//! The workers that deliver the messages of a site.

use std::sync::Arc;

use galley::{
    delivery::{
        DeliveryMetrics, MailDeliverer, MailOptions, NewsletterDeliverer, PublicUrls,
        WebhookDeliverer, WebhookOptions,
    },
    error::Result,
    site::Site,
};

/// Delivers mail, newsletters and webhooks until it is dropped.
pub struct Deliverer {
    _mail: MailDeliverer,
    _newsletters: NewsletterDeliverer,
    _webhooks: WebhookDeliverer,
}

impl Deliverer {
    /// Starts the workers.
    pub fn start(
        site: Arc<Site>,
        mail: MailOptions,
        webhooks: WebhookOptions,
        public_urls: Arc<dyn PublicUrls>,
        metrics: Arc<DeliveryMetrics>,
    ) -> Result<Self> {
        let (of_mail, of_newsletters) = (Arc::clone(&metrics), Arc::clone(&metrics));
        Ok(Self {
            _mail: MailDeliverer::start(Arc::clone(&site), mail.clone(), of_mail)?,
            _newsletters: NewsletterDeliverer::start(
                Arc::clone(&site),
                mail,
                public_urls,
                of_newsletters,
            )?,
            _webhooks: WebhookDeliverer::start(site, webhooks, metrics)?,
        })
    }
}
