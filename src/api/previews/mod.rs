//! Pages of posts at URLs outside the public site: `/p/UUID/` for unpublished posts, `/email/UUID/`
//! for posts sent only by mail (Ghost 6.65, recorded).
//!
//! Anyone with the URL sees the post, and nothing else: the page is not indexed by search engines,
//! not cached, sends no referrer, and runs in a sandbox, so that scripts of a draft have no access
//! to the visitor's session. Once the post is published, the URL redirects to it.

mod audience;
mod page;
mod responses;
pub mod site_page;

pub use self::{
    audience::{PostPageKind, ReaderStatus},
    responses::{Preview, find, published_response, respond},
};
