//! The API that readers' pages call, below `/members/`: sign up, sign in, the own account (Ghost
//! 6.65, recorded: shapes and names, as its Portal and its sign-up forms use them).
//!
//! No response shows whether an address belongs to a member. Its responses are never cached, and pages
//! of origins that are not the site's own or listed get none that depend on the member's cookie.

mod account;
mod call;
mod cors;
mod features_off;
mod inbox_links;
mod links;
mod pages;
mod reader;
mod replies;
mod routing;
mod session;
mod tokens;
mod verified_tokens;

pub use self::{
    cors::mark_content,
    reader::{has_credentials, reader},
    verified_tokens::VerifiedTokens,
};

pub(super) use self::routing::respond;
