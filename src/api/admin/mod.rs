//! The Admin API: reads and changes, for staff and integrations (specification 4.3; details as
//! recorded from Ghost 6.65).
//!
//! Each resource has a file, with the name of the file in [`crate::admin`] that contains its rules.
//! This module turns requests into typed values and records into JSON. Responses are not cached.

pub mod actions;
mod authentication;
pub mod config;
pub(super) mod cookie;
pub mod custom_theme_settings;
pub mod db;
pub mod email_previews;
pub mod email_stats;
pub mod emails;
pub mod envelope;
pub mod exports;
pub mod git;
pub mod input;
pub mod integrations;
pub mod invites;
pub mod labels;
pub mod long_reply;
pub mod member_events;
pub mod member_lists;
pub mod members;
pub mod newsletters;
pub mod notifications;
pub mod oembed;
pub mod offers;
pub mod passwords;
pub mod posts;
pub mod recommendations;
pub mod records;
pub mod redirects;
pub mod reply;
mod request;
pub mod roles;
pub mod routes_file;
pub mod search_index;
pub mod sessions;
pub mod set_up;
pub mod settings;
pub mod site;
pub mod slugs;
pub mod snippets;
pub mod staff_tokens;
pub mod stats;
pub mod stubs;
pub mod tags;
pub mod themes;
pub mod tiers;
mod token;
mod unfiltered;
mod uploaded_file;
pub mod uploads;
pub mod users;
pub mod view;
pub mod webhook_deliveries;
pub mod webhooks;

pub use self::{
    reply::Reply,
    request::{AdminHandler, Request},
};

pub(super) use self::authentication::{RequestToken, Sender, authenticate, has_valid_credentials};
