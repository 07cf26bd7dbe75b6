//! URLs that run code, in fields that staff and integrations send. Ghost 6.65 takes most of them (observed); here they are
//! dropped, which the log says: a response has no place for it. What Ghost refuses is refused by the rule of its field.

use crate::render::active_urls::{Usage, is_active};

/// How much of a URL that is dropped is logged, in characters.
const LOGGED_CHARACTERS_MAX: usize = 80;

/// Returns the URL in a field, unless it runs code where it is used so.
pub fn passive<'t>(field: &str, url: &'t str, usage: Usage) -> Option<&'t str> {
    if !is_active(url, usage) {
        return Some(url);
    }
    report_dropped(field, &[url.to_owned()]);
    None
}

/// Logs which URLs of a field were dropped.
pub fn report_dropped(field: &str, urls: &[String]) {
    if let Some(first) = urls.first() {
        let first: String = first.chars().take(LOGGED_CHARACTERS_MAX).collect();
        tracing::warn!(
            field,
            urls = urls.len(),
            first,
            "URLs that run code were dropped"
        );
    }
}
