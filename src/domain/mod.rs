//! The domain layer: the records of a publication, and the rules that depend on nothing else.
//!
//! Posts and pages, tags, users (authors) with their roles and credentials, tiers, newsletters,
//! members and their labels, settings, integrations, mail; actors and their permissions. This layer
//! has no wire JSON, no HTTP, no files and no store. The types are also the stored records: fields
//! are only ever added, each with a default, so that older records remain readable.

pub mod action;
pub mod actor;
pub mod change;
pub mod credentials;
pub mod delivery;
pub mod document;
pub mod email;
pub mod event;
pub mod file_edit;
pub mod file_reference;
pub mod former_path;
pub mod identity_key;
pub mod integration;
pub mod invite;
pub mod label;
pub mod link_token;
pub mod mail;
pub mod member;
pub mod member_event;
pub mod member_link;
pub mod member_proof;
pub mod member_session;
pub mod member_token;
pub mod newsletter;
pub mod newsletter_design;
pub mod notification;
pub mod offer;
mod optional_text;
pub mod origin;
pub mod password;
pub mod password_reset;
pub mod password_strength;
pub mod permission;
pub mod post;
pub mod post_email;
pub mod post_revision;
pub mod rate_limit;
pub mod reading_member;
pub mod recommendation;
pub mod record;
pub mod redirect;
pub mod role;
pub mod routes;
pub mod secret;
pub mod session;
pub mod setting;
pub mod setting_value;
pub mod site_proof;
pub mod snippet;
pub mod social_meta;
pub mod staff_token;
pub mod tag;
pub mod theme;
pub mod tier;
mod undated;
pub mod user;
pub mod webhook;
pub mod webhook_delivery;
pub mod webhook_retry;

pub use self::optional_text::OptionalText;
pub use self::undated::UNDATED;
