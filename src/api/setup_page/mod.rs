//! The link for setting up a site from another machine: `/ghost/?setup=TOKEN`.
//!
//! Ghost's admin app has a screen for the set-up: the link sets a cookie, which the browser sends with
//! the app's requests, and opens that screen. Without the app, the page contains a form. The token is in
//! the query, which the request log omits.

mod owner_form;
mod page;
mod visit;

pub(super) use self::visit::respond;
