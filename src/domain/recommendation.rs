//! Recommendations of other sites.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{OptionalText, permission::permissions, record::record};
use crate::id::Id;

/// Default number of recommendations per page (Ghost 6.65, observed).
pub const PAGE_RECOMMENDATIONS_DEFAULT: usize = 5;

/// A recommendation (Ghost 6.65, recorded).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The record's identifier.
    pub id: Id,
    /// The title of the other site.
    pub title: Box<str>,
    /// The reason for the recommendation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: OptionalText,
    /// The other site's description of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: OptionalText,
    /// URL of an image, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub featured_image: OptionalText,
    /// URL of the site's icon, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub favicon: OptionalText,
    /// URL of the other site; no two recommendations have the same [`Recommendation::site`].
    pub url: Box<str>,
    /// True if readers can subscribe to the other site's newsletter from this site.
    #[serde(default)]
    pub one_click_subscribe: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

// A recommendation has a URL, which is also unique, instead of a slug.
record!(
    Recommendation,
    "recommendation",
    |recommendation| &recommendation.title,
    |recommendation| recommendation.site()
);

permissions! {
    RECOMMENDATIONS_BROWSE: "recommendations", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    RECOMMENDATIONS_EDIT: "recommendations", "edit" => Yes, Yes, No, No, No, No, No;
}

impl Recommendation {
    /// Returns the part of the URL that identifies the site: without scheme, `www.`, query,
    /// fragment and trailing slash (Ghost 6.65, recorded).
    pub fn site(&self) -> &str {
        site_of(&self.url)
    }
}

/// Returns the [`site`](Recommendation::site) of a recommendation with this URL.
pub fn site_of(url: &str) -> &str {
    let address = url.split_once("://").map_or(url, |(_, address)| address);
    let address = address.strip_prefix("www.").unwrap_or(address);
    let end = address.find(['?', '#']).unwrap_or(address.len());
    address[..end].trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_is_identified_by_host_and_path() {
        let site = |url: &str| {
            let recommendation = Recommendation {
                id: Id::derive("recommendation", url),
                title: "t".into(),
                description: None,
                excerpt: None,
                featured_image: None,
                favicon: None,
                url: url.into(),
                one_click_subscribe: false,
                created_at: Timestamp::UNIX_EPOCH,
                updated_at: Timestamp::UNIX_EPOCH,
            };
            recommendation.site().to_owned()
        };
        for same in [
            "http://a.example/x",
            "https://www.a.example/x/?ref=y",
            "https://a.example/x#z",
        ] {
            assert_eq!(site(same), "a.example/x");
        }
        assert_eq!(site("https://a.example/y"), "a.example/y");
        assert_eq!(site("https://b.example"), "b.example");
    }
}
