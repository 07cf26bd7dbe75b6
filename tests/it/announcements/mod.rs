//! Tests of webhook events: which changes cause them, from every origin, in which order, and with which payload.
//!
//! These tests read the queue as a commit leaves it. Delivery is tested elsewhere.

mod audience;
mod change_origins;
mod imports;
mod records;
mod site_changed;
