//! The API that readers' pages call, below `/members/`: sign-up, sign-in and the member's account
//! (Ghost 6.65, recorded: shapes and names as used by its Portal and its sign-up forms).
//!
//! No response reveals whether an address belongs to a member. Responses that depend on a member are
//! never cached. Responses to pages of origins other than the site's own and the listed ones never
//! depend on the member's cookie.

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
