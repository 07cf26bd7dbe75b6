//! Tests of webhook events: which changes cause them, from every origin, in which order, and with which payload.
//!
//! These tests read the queue after a commit. Delivery is tested in `webhooks`.

mod change_origins;
mod event_site;
mod imports;
mod records;
mod site_changed;
