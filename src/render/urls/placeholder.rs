//! The placeholder that stored texts have for the site's URL.

use std::borrow::Cow;

use memchr::memmem;
use url::Url;

/// The placeholder for the site's URL without its trailing slash.
pub const PLACEHOLDER: &str = "__GHOST_URL__";

/// Returns stored text of any kind as served on `site`; borrowed if it has no placeholder.
pub fn to_served<'a>(stored: &'a str, site: &Url) -> Cow<'a, str> {
    to_served_with(stored, base(site))
}

/// Returns stored text with `base` for each placeholder.
pub(super) fn to_served_with<'a>(stored: &'a str, base: &str) -> Cow<'a, str> {
    if memmem::find(stored.as_bytes(), PLACEHOLDER.as_bytes()).is_none() {
        return Cow::Borrowed(stored);
    }
    Cow::Owned(stored.replace(PLACEHOLDER, base))
}

/// Returns the replacement of the placeholder.
pub(super) fn base(site: &Url) -> &str {
    site.as_str().strip_suffix('/').unwrap_or(site.as_str())
}
