//! The placeholder for the site's URL in stored texts.

use std::{borrow::Cow, iter, sync::LazyLock};

use memchr::memmem;
use url::Url;

/// The placeholder for the site's URL without a trailing slash.
pub const PLACEHOLDER: &str = "__GHOST_URL__";

/// Returns stored text of any kind as served on `site`; borrowed if it contains no placeholder.
pub fn to_served<'a>(stored: &'a str, site: &Url) -> Cow<'a, str> {
    to_served_with(stored, base(site))
}

/// Searches for placeholders. Built once, because nearly every URL of a page is searched.
static PLACEHOLDERS: LazyLock<memmem::Finder<'static>> =
    LazyLock::new(|| memmem::Finder::new(PLACEHOLDER));

/// Returns stored text in which `base` replaces each placeholder.
pub(super) fn to_served_with<'a>(stored: &'a str, base: &str) -> Cow<'a, str> {
    let mut positions = PLACEHOLDERS.find_iter(stored.as_bytes());
    let Some(first) = positions.next() else {
        return Cow::Borrowed(stored);
    };
    let mut served = String::with_capacity(stored.len() + base.len());
    let mut copied = 0;
    for position in iter::once(first).chain(positions) {
        served.push_str(&stored[copied..position]);
        served.push_str(base);
        copied = position + PLACEHOLDER.len();
    }
    served.push_str(&stored[copied..]);
    Cow::Owned(served)
}

/// Returns the text that replaces the placeholder: the site's URL without a trailing slash.
pub(super) fn base(site: &Url) -> &str {
    site.as_str().strip_suffix('/').unwrap_or(site.as_str())
}
