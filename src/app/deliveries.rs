//! The deliveries of mail, newsletters and webhooks, whenever this process leads them.

use std::sync::Arc;

use super::{AppError, OpenSite};
use crate::{
    api::headers::API_VERSION_NUMBER,
    config::Config,
    delivery::{
        DeliveryMetrics, MailDeliverer, NewsletterDeliverer, PublicUrls, WebhookDeliverer,
        WebhookOptions,
    },
    leadership::{Leadership, Workers},
    site::Work,
    site_urls::SiteUrlSources,
};

/// Delivers what `open` has to deliver, and counts it in `metrics`.
///
/// # Errors
///
/// If no thread can be started, or the store cannot be read.
pub fn lead(
    leadership: &mut Leadership,
    config: &Config,
    open: &OpenSite,
    site_urls: &SiteUrlSources,
    metrics: &Arc<DeliveryMetrics>,
) -> Result<(), AppError> {
    let (mail, counted) = (config.mail.clone(), Arc::clone(metrics));
    leadership.lead(Work::Mail, move |site| -> Result<Workers, AppError> {
        let deliverer = MailDeliverer::start(site, mail.clone(), Arc::clone(&counted))?;
        Ok(Box::new(deliverer))
    })?;
    let (mail, counted) = (config.mail.clone(), Arc::clone(metrics));
    let public_urls: Arc<dyn PublicUrls> = Arc::new(site_urls.clone());
    leadership.lead(
        Work::Newsletters,
        move |site| -> Result<Workers, AppError> {
            let (urls, counted) = (Arc::clone(&public_urls), Arc::clone(&counted));
            let deliverer = NewsletterDeliverer::start(site, mail.clone(), urls, counted)?;
            Ok(Box::new(deliverer))
        },
    )?;
    let options = WebhookOptions {
        reach: config.reach,
        content_version: format!("v{API_VERSION_NUMBER}"),
        memory: Arc::clone(&open.memory),
    };
    let counted = Arc::clone(metrics);
    leadership.lead(Work::Webhooks, move |site| -> Result<Workers, AppError> {
        let deliverer = WebhookDeliverer::start(site, options.clone(), Arc::clone(&counted))?;
        Ok(Box::new(deliverer))
    })
}
