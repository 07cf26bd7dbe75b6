//! The operations of staff and integrations on a site, behind the Admin API and the command line.
//!
//! Each resource has one file. An operation takes the site or a transaction, the actor, and the request
//! as typed values; it applies the rules, changes the site in a transaction, and records the
//! action. *This layer contains no wire JSON and no HTTP.*

pub mod accounts;
pub mod active_urls;
pub mod auth_mails;
pub mod authentication;
pub mod codes;
pub mod collection;
pub mod content_files;
pub mod custom_theme_settings;
pub mod db;
pub mod email_previews;
pub mod emails;
pub mod ignored_fields;
pub mod integrations;
pub mod invites;
pub mod labels;
pub mod media_inlining;
pub mod member_counts;
pub mod member_lists;
pub mod member_sign_in;
pub mod members;
pub mod newsletters;
pub mod notifications;
pub mod offers;
pub mod outdated_clients;
pub mod passwords;
pub mod posts;
pub mod rate_limits;
pub mod recommendations;
pub mod redirects;
pub mod routes_file;
pub mod security;
pub mod sessions;
pub mod set_up;
pub mod settings;
pub mod setup_link;
pub mod sign_in;
pub mod site_files;
pub mod snippets;
pub mod staff_tokens;
pub mod tags;
pub mod texts;
pub mod themes;
pub mod tiers;
pub mod uploads;
pub mod user_deletion;
pub mod users;
pub mod webhook_deliveries;
pub mod webhooks;
