//! What webhooks are told: of which changes, by whomever they are made, in which order, and what of them.
//!
//! The queue of what is to be told is looked at, as a commit left it. That it goes out is shown elsewhere.

mod audience;
mod imports;
mod records;
mod site_changed;
mod whoever_it_is;
