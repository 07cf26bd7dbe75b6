//! URLs that run code, in fields that clients send. Ghost 6.65 accepts most of them (observed);
//! here they are dropped and logged, and their fields reported as ignored. Those that Ghost rejects
//! are rejected by the rule of their field.

use super::ignored_fields;
use crate::render::active_urls::{Usage, is_active};

/// Length to which a dropped URL is truncated in the log, in characters.
const LOGGED_CHARACTERS_MAX: usize = 80;

/// Returns the URL of a field, or `None` if it would run code in this usage.
pub fn passive<'t>(field: &str, url: &'t str, usage: Usage) -> Option<&'t str> {
    if !is_active(url, usage) {
        return Some(url);
    }
    report_dropped(field, &[url.to_owned()]);
    None
}

/// Logs the dropped URLs of a field.
pub fn report_dropped(field: &str, urls: &[String]) {
    if let Some(first) = urls.first() {
        ignored_fields::report(field);
        let first: String = first.chars().take(LOGGED_CHARACTERS_MAX).collect();
        tracing::warn!(
            field,
            urls = urls.len(),
            first,
            "URLs that run code were dropped"
        );
    }
}
