//! What leaves the site, by threads that are woken when a commit has something for them.
//!
//! Each row that waits was written in the commit of the change that caused it, and goes when it was delivered: a crash can
//! repeat a delivery, never lose one.

pub mod envelope;
pub mod letter;
mod mail;

use std::sync::Arc;

pub use mail::{MailOptions, MailServer, MailServerError, SenderError, SenderOption};

use crate::{error::Result, site::Site};
use mail::MailDeliverer;

/// Delivers until it is dropped.
pub struct Deliverer {
    _mail: MailDeliverer,
}

impl Deliverer {
    /// Delivers what waits, and goes on doing so.
    ///
    /// # Errors
    ///
    /// When the system has no thread to give.
    pub fn start(site: Arc<Site>, options: MailOptions) -> Result<Self> {
        Ok(Self {
            _mail: MailDeliverer::start(site, options)?,
        })
    }
}
