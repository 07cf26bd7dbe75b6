//! The link with which a site is set up from another machine: `/ghost/?setup=TOKEN`.
//!
//! Ghost's admin app has a screen for the set-up: the link gives the browser a cookie that the app
//! then sends along, and opens that screen. Without the app, the page has a form itself. The
//! token is in the query, which the request log omits.

mod owner_form;
mod page;
mod visit;

pub(super) use self::visit::respond;
