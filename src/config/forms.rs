//! Checks the form of text values. A value is checked when it is read, even if it is only used together with
//! another option.

use std::{
    fmt::Display,
    net::{SocketAddr, ToSocketAddrs},
    str::FromStr,
    time::Duration,
};

use jiff::SignedDuration;
use url::Url;

use crate::{
    domain::email,
    repository::{BranchName, FolderInRepository, ReviewBranchName},
    site_urls::SiteUrls,
};

/// Checks a text. The error describes valid texts.
pub type Form = fn(&str) -> Result<(), String>;

/// Checks a listen address.
pub fn address(text: &str) -> Result<(), String> {
    listen_address(text).map(drop).map_err(str::to_owned)
}

/// Parses a listen address, such as `127.0.0.1:2368` or `localhost:2368`. If a host has several addresses,
/// returns the first IPv4 address, since the default is IPv4 too.
///
/// # Errors
///
/// A description of valid values, if the text is not an address with a port, or the host has no address.
pub fn listen_address(text: &str) -> Result<SocketAddr, &'static str> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let resolved = text.to_socket_addrs().map(Iterator::collect);
    let addresses: Vec<SocketAddr> = resolved.unwrap_or_default();
    let of_ipv4 = addresses.iter().find(|address| address.is_ipv4());
    of_ipv4
        .or(addresses.first())
        .copied()
        .ok_or("an address and a port, such as 127.0.0.1:2368, [::1]:2368 or localhost:2368")
}

/// Checks the name of a branch.
pub fn branch(text: &str) -> Result<(), String> {
    parsed::<BranchName>(text)
}

/// Checks the name of a branch for review, which may contain placeholders.
pub fn review_branch(text: &str) -> Result<(), String> {
    parsed::<ReviewBranchName>(text)
}

/// Checks the path of a folder in a repository.
pub fn folder_in_repository(text: &str) -> Result<(), String> {
    parsed::<FolderInRepository>(text)
}

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<(), String> {
    let parsed = text.parse::<T>().map(drop);
    parsed.map_err(|error| error.to_string())
}

/// Checks a URL.
pub fn url(text: &str) -> Result<(), String> {
    let parsed = Url::parse(text).map(drop);
    parsed.map_err(|_| "a URL, such as https://example.com".to_owned())
}

/// Checks the public URL of a site.
pub fn site_url(text: &str) -> Result<(), String> {
    let parsed = SiteUrls::new(text).map(drop);
    parsed.map_err(|_| {
        "a valid site URL, such as https://example.com or https://example.com/blog".to_owned()
    })
}

/// Checks an e-mail address, optionally with `mailto:`.
pub fn contact(text: &str) -> Result<(), String> {
    let address = text.strip_prefix("mailto:").unwrap_or(text);
    let is_valid = email::is_address(address);
    is_valid.then_some(()).ok_or("an email address".to_owned())
}

/// Checks a time of at least a second.
pub fn time(text: &str) -> Result<(), String> {
    duration(text).map(drop)
}

/// Parses a time of at least a second.
///
/// # Errors
///
/// A description of valid times.
pub fn duration(text: &str) -> Result<Duration, String> {
    let parsed = text.parse::<SignedDuration>().ok();
    let duration = parsed.and_then(|time| Duration::try_from(time).ok());
    let is_long = |time: &Duration| *time >= Duration::from_secs(1);
    let found = duration.filter(is_long);
    found.ok_or("a time of at least a second, such as 24h or 30m".to_owned())
}
