//! The deliveries of mail, newsletters and webhooks, whenever this process leads them. Their
//! options can change at run time: the workers are stopped, as on shutdown, and restarted with the
//! new options.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use arc_swap::ArcSwap;

use super::{AppError, OpenSite};
use crate::{
    api::headers::API_VERSION_NUMBER,
    config::Config,
    delivery::{
        DeliveryMetrics, MailDeliverer, MailOptions, NewsletterDeliverer, PublicUrls,
        WebhookDeliverer, WebhookOptions,
    },
    leadership::{Leadership, Workers},
    site::{LeasedSite, Work},
    site_urls::SiteUrlSources,
};

/// The options of deliveries, and the running workers.
pub(super) struct Deliveries {
    mail: ArcSwap<MailOptions>,
    webhooks: ArcSwap<WebhookOptions>,
    /// The running workers by kind.
    running: Mutex<Vec<(Work, Weak<DeliveryWorkers>)>>,
}

/// The workers of one kind, which are stopped when this value is dropped.
struct DeliveryWorkers {
    start: Box<dyn Fn() -> Result<Workers, AppError> + Send + Sync>,
    running: Mutex<Option<Workers>>,
}

impl DeliveryWorkers {
    /// Stops the workers, if any are running, and starts new ones.
    fn restart(&self) -> Result<(), AppError> {
        // Locked until the new workers run, so that two restarts at the same time cannot start two
        // sets of workers.
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // The old workers must stop first; otherwise both would send the same messages.
        drop(running.take());
        *running = Some((self.start)()?);
        Ok(())
    }
}

impl Deliveries {
    fn new(config: &Config, open: &OpenSite) -> Arc<Self> {
        Arc::new(Self {
            mail: ArcSwap::from_pointee(config.mail.clone()),
            webhooks: ArcSwap::from_pointee(WebhookOptions {
                allowed_addresses: config.allowed_addresses,
                content_version: format!("v{API_VERSION_NUMBER}"),
                memory: Arc::clone(&open.memory),
            }),
            running: Mutex::default(),
        })
    }

    /// Applies the options of `config` and restarts the workers of mail, of webhooks, or of both. A
    /// message in flight has a few seconds to complete; otherwise it is sent again.
    ///
    /// # Errors
    ///
    /// If no thread can be started, or the store cannot be read.
    pub fn reconfigure(
        &self,
        config: &Config,
        of_mail: bool,
        of_webhooks: bool,
    ) -> Result<(), AppError> {
        self.mail.store(Arc::new(config.mail.clone()));
        let webhooks = WebhookOptions {
            allowed_addresses: config.allowed_addresses,
            ..WebhookOptions::clone(&self.webhooks.load())
        };
        self.webhooks.store(Arc::new(webhooks));
        // The options are stored before this lock is taken, so that workers that start from here on
        // read the new ones.
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let concerned = running.iter().filter(|(work, _)| match work {
            Work::Webhooks => of_webhooks,
            _ => of_mail,
        });
        let concerned: Vec<_> = concerned
            .filter_map(|(_, workers)| workers.upgrade())
            .collect();
        // Released before the restarts, which may wait for messages in flight for seconds, so that
        // other work can start in the meantime.
        drop(running);
        concerned.iter().try_for_each(|workers| workers.restart())
    }

    /// Starts workers, and registers them for [`reconfigure`](Self::reconfigure).
    fn start(
        &self,
        work: Work,
        start: impl Fn() -> Result<Workers, AppError> + Send + Sync + 'static,
    ) -> Result<Workers, AppError> {
        let workers = Arc::new(DeliveryWorkers {
            start: Box::new(start),
            running: Mutex::default(),
        });
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // The leadership has dropped these since, because another process leads.
        running.retain(|(_, other)| other.strong_count() > 0);
        running.push((work, Arc::downgrade(&workers)));
        drop(running);
        // After the registration, so that no change of options is missed in between.
        workers.restart()?;
        Ok(Box::new(workers))
    }
}

/// Starts the deliveries of the site `open`, counted in `metrics`.
///
/// # Errors
///
/// If no thread can be started, or the store cannot be read.
pub(super) fn lead(
    leadership: &mut Leadership,
    config: &Config,
    open: &OpenSite,
    site_urls: &SiteUrlSources,
    metrics: &Arc<DeliveryMetrics>,
) -> Result<Arc<Deliveries>, AppError> {
    let deliveries = Deliveries::new(config, open);
    let (options, counted) = (Arc::clone(&deliveries), Arc::clone(metrics));
    leadership.lead(Work::Mail, move |site: LeasedSite| {
        let (own, counted) = (Arc::clone(&options), Arc::clone(&counted));
        options.start(Work::Mail, move || {
            // Loaded at each start of the workers, so that a restart applies changed options.
            let mail = MailOptions::clone(&own.mail.load());
            let deliverer = MailDeliverer::start(site.clone(), mail, Arc::clone(&counted))?;
            Ok(Box::new(deliverer))
        })
    })?;
    let (options, counted) = (Arc::clone(&deliveries), Arc::clone(metrics));
    let public_urls: Arc<dyn PublicUrls> = Arc::new(site_urls.clone());
    leadership.lead(Work::Newsletters, move |site: LeasedSite| {
        let (own, counted) = (Arc::clone(&options), Arc::clone(&counted));
        let public_urls = Arc::clone(&public_urls);
        options.start(Work::Newsletters, move || {
            let mail = MailOptions::clone(&own.mail.load());
            let (urls, counted) = (Arc::clone(&public_urls), Arc::clone(&counted));
            let deliverer = NewsletterDeliverer::start(site.clone(), mail, urls, counted)?;
            Ok(Box::new(deliverer))
        })
    })?;
    let (options, counted) = (Arc::clone(&deliveries), Arc::clone(metrics));
    leadership.lead(Work::Webhooks, move |site: LeasedSite| {
        let (own, counted) = (Arc::clone(&options), Arc::clone(&counted));
        options.start(Work::Webhooks, move || {
            let webhooks = WebhookOptions::clone(&own.webhooks.load());
            let deliverer = WebhookDeliverer::start(site.clone(), webhooks, Arc::clone(&counted))?;
            Ok(Box::new(deliverer))
        })
    })?;
    Ok(deliveries)
}
