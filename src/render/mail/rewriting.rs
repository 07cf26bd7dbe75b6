//! Rewrites HTML for mail programs, with the functions of cards.

use super::{body, design::Design};
use crate::render::cards;

/// Rewrites the HTML of a post; `url` is its URL on the web.
pub(super) fn for_mail(html: &str, url: &str, design: &Design) -> String {
    body::rewritten(html, url, design, cards::mail_form)
}
