//! The URLs of other services that this program requests.

use url::{Host, Url};

use super::{ConfigError, values::Values};

/// Returns the URL of the document with the newest release, if it is set.
pub(super) fn upgrade(values: &Values) -> Result<Option<Url>, ConfigError> {
    const KEY: &str = "upgrade.url";
    match values.given_parsed::<Url>(KEY)? {
        Some(url) if url.scheme() != "https" && !is_loopback(&url) => {
            Err(values.invalid(KEY, "a URL at https"))
        }
        url => Ok(url),
    }
}

/// Returns the URL of GitHub's API.
pub(super) fn github(values: &Values) -> Result<Url, ConfigError> {
    const KEY: &str = "themes.github";
    const EXPECTED: &str = "a URL at https, such as https://github.example.com/api/v3";
    let url: Url = values.parsed(KEY, EXPECTED)?;
    let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(&url));
    if is_safe && url.query().is_none() && url.fragment().is_none() {
        Ok(url)
    } else {
        Err(values.invalid(KEY, EXPECTED))
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        _ => false,
    }
}
