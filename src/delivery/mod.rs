//! Delivers mail, newsletters and webhooks, with threads that are woken by the commits that queue
//! deliveries.
//!
//! Each waiting row was written in the commit of the change that caused it and is deleted after its
//! delivery. So a crash can repeat a delivery but never lose one.

pub mod envelope;
mod mail;
mod metrics;
mod newsletters;
pub mod post_message;
mod webhooks;

pub use mail::{
    MailDeliverer, MailOptions, MailServer, MailServerError, MailTrialError, NewsletterRate,
    SenderError, SenderOption,
};
pub use metrics::{DeliveryMetrics, KINDS, OUTCOMES};
pub use newsletters::{NewsletterDeliverer, PublicUrls};
pub use webhooks::{WebhookDeliverer, WebhookOptions};
