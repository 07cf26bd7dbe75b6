//! Outbound link tagging: adds the referring site (`?ref=`) to links that the Content API serves.
//!
//! Only attributes `href="…"` of `a` elements with an absolute URL are changed. Comments and
//! scripts are skipped. URLs are serialised by the URL standard (Ghost 6.65, recorded).

use std::borrow::Cow;

use url::{Position, Url};

use super::html_attributes::{self, Occurrence};
use super::html_scan::Quote;
use super::urls;

/// Hosts that do not accept an additional parameter in their URLs.
const UNTAGGED_HOSTS: [&str; 8] = [
    "facebook.com",
    "www.facebook.com",
    "archive.org",
    "web.archive.org",
    "bailii.org",
    "www.bailii.org",
    "www.federalreserve.gov",
    "www.chicagomag.com",
];

/// Domains whose subdomains do not accept one either.
const UNTAGGED_BELOW: [&str; 2] = [".doubleclick.net", ".substack.com"];

/// Parameters that already name the source.
const SOURCE_PARAMETERS: [&str; 3] = ["ref", "source", "utm_source"];

/// Returns `html` with links to sites other than `site` tagged; borrowed if nothing changes.
pub fn tag<'a>(html: &'a str, site: &Url) -> Cow<'a, str> {
    html_attributes::rewrite(html, |found| {
        if !is_link(found) {
            return None;
        }
        let written = found.attribute.value;
        let url = Url::parse(&htmlize::unescape_attribute(written)).ok()?;
        let tagged = attribute_value(tagged(&url, site));
        (tagged != written).then_some(tagged)
    })
}

fn is_link(found: &Occurrence<'_>) -> bool {
    found.element == "a" && found.attribute.name == "href" && found.attribute.quote == Quote::Double
}

fn tagged(url: &Url, site: &Url) -> String {
    if !may_be_tagged(url, site) {
        // Serialised even without a tag, as in Ghost (recorded).
        return url.to_string();
    }
    let separator = if url.query().unwrap_or_default().is_empty() {
        '?'
    } else {
        '&'
    };
    let mut tagged = format!(
        "{}{separator}ref={}",
        &url[..Position::AfterQuery],
        site_name(site)
    );
    if let Some(fragment) = url.fragment().filter(|fragment| !fragment.is_empty()) {
        tagged.push('#');
        tagged.push_str(fragment);
    }
    tagged
}

fn may_be_tagged(url: &Url, site: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let names_source = |name: &str| SOURCE_PARAMETERS.contains(&name);
    matches!(url.scheme(), "http" | "https")
        && !urls::is_below(url, site)
        && !UNTAGGED_HOSTS.contains(&host)
        && !UNTAGGED_BELOW.iter().any(|domain| host.ends_with(domain))
        && !url.query_pairs().any(|(name, _)| names_source(&name))
}

fn site_name(site: &Url) -> &str {
    let host = site.host_str().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

/// Returns a URL as an attribute value. Ampersands are not escaped (recorded), unless a browser
/// would then read a different URL.
fn attribute_value(url: String) -> String {
    if htmlize::unescape_attribute(url.as_str()) == url {
        return url;
    }
    url.replace('&', "&amp;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag_on(site: &str, html: &str) -> String {
        tag(html, &Url::parse(site).unwrap()).into_owned()
    }

    #[test]
    fn site_in_a_subdirectory_differs_from_its_host() {
        let site = "https://site.example/blog/";
        assert_eq!(
            tag_on(site, "<a href=\"https://site.example/blog/x/\">"),
            "<a href=\"https://site.example/blog/x/\">"
        );
        assert_eq!(
            tag_on(site, "<a href=\"https://site.example/\">"),
            "<a href=\"https://site.example/?ref=site.example\">"
        );
    }

    #[test]
    fn tag_is_the_host_without_www_and_port() {
        assert_eq!(
            tag_on(
                "http://www.site.example:2368/",
                "<a href=\"https://a.example/\">"
            ),
            "<a href=\"https://a.example/?ref=site.example\">"
        );
    }

    #[test]
    fn ampersand_stays_escaped_where_it_would_begin_an_entity() {
        assert_eq!(
            tag_on(
                "https://site.example/",
                "<a href=\"https://a.example/?x=1&amp;copy;=2\">"
            ),
            "<a href=\"https://a.example/?x=1&amp;copy;=2&amp;ref=site.example\">"
        );
    }

    #[test]
    fn url_cannot_break_out_of_its_attribute() {
        assert_eq!(
            tag_on(
                "https://site.example/",
                "<a href=\"mailto:a&quot;onclick=&quot;b\">"
            ),
            "<a href=\"mailto:a&quot;onclick=&quot;b\">"
        );
    }
}
