//! What leaves the site, by threads that are woken when a commit has something for them.
//!
//! Each row that waits was written in the commit of the change that caused it, and goes when it was delivered: a crash can
//! repeat a delivery, never lose one.

pub mod envelope;
pub mod letter;
mod mail;
mod newsletters;

use std::sync::Arc;

pub use mail::{
    MailOptions, MailServer, MailServerError, NewsletterRate, SenderError, SenderOption,
};
pub use newsletters::Whereabouts;

use crate::{error::Result, site::Site};
use mail::MailDeliverer;
use newsletters::NewsletterDeliverer;

/// Delivers until it is dropped.
pub struct Deliverer {
    _mail: MailDeliverer,
    _newsletters: NewsletterDeliverer,
}

impl Deliverer {
    /// Delivers what waits, and goes on doing so.
    ///
    /// # Errors
    ///
    /// When the system has no thread to give.
    pub fn start(
        site: Arc<Site>,
        options: MailOptions,
        whereabouts: Arc<dyn Whereabouts>,
    ) -> Result<Self> {
        Ok(Self {
            _mail: MailDeliverer::start(Arc::clone(&site), options.clone())?,
            _newsletters: NewsletterDeliverer::start(site, options, whereabouts)?,
        })
    }
}
