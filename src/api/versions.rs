//! Errors for clients made for other versions of the API that request an unknown endpoint (specification
//! section 9; details as recorded from Ghost 6.65).

use super::headers::{API_VERSION_MAJOR, API_VERSION_MINOR, API_VERSION_NUMBER};
use crate::error::{Error, Kind};

/// A version of the API. A missing minor number is 0 (Ghost 6.65, recorded).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u64,
    minor: u64,
}

impl Version {
    /// The version of this API.
    const OWN: Self = Self {
        major: API_VERSION_MAJOR,
        minor: API_VERSION_MINOR,
    };

    /// Parses the first two numbers in a text.
    fn parse(text: &str) -> Option<Self> {
        let from_digits = text.trim_start_matches(|character: char| !character.is_ascii_digit());
        let mut numbers = from_digits.split('.').map(leading_number);
        Some(Self {
            major: numbers.next()??,
            minor: numbers.next().flatten().unwrap_or_default(),
        })
    }
}

/// Returns the number at the beginning of a text. On overflow, the result is `u64::MAX`.
fn leading_number(text: &str) -> Option<u64> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    if digits.is_empty() {
        None
    } else {
        Some(digits.parse().unwrap_or(u64::MAX))
    }
}

/// Returns whether a client that sends `accept_version` is made for an outdated major version. If so, the
/// administrators are notified (specification section 7).
pub fn is_outdated(accept_version: &str) -> bool {
    Version::parse(accept_version).is_some_and(|version| version.major < API_VERSION_MAJOR)
}

/// Returns the error for an endpoint that does not exist, requested by a client that sends
/// `accept_version`.
pub fn unknown_endpoint(accept_version: Option<&str>) -> Error {
    let Some(requested) = accept_version.filter(|version| !version.is_empty()) else {
        return Error::not_found("endpoint");
    };
    let Some(version) = Version::parse(requested) else {
        return Error::new(
            Kind::BadRequest,
            "The Accept-Version header is not a version.",
        )
        .context(format!("\"{requested}\" is not a version."))
        .help("A version looks like v6.0.");
    };
    let context = format!(
        "The client requests {requested}; this is version {API_VERSION_NUMBER} of the API."
    );
    match version.cmp(&Version::OWN) {
        std::cmp::Ordering::Less => Error::new(
            Kind::NotAcceptable,
            "Endpoint not found: the client is made for an older version of the API.",
        )
        .code("UPDATE_CLIENT")
        .context(context)
        .help("Update the client."),
        std::cmp::Ordering::Greater => Error::new(
            Kind::NotAcceptable,
            "Endpoint not found: the client is made for a newer version of the API.",
        )
        .code("UPDATE_GHOST")
        .context(context)
        .help("Update Galley."),
        std::cmp::Ordering::Equal => Error::not_found("endpoint"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_first_two_numbers() {
        for (version, kind, code) in [
            (None, Kind::NotFound, None),
            (Some(""), Kind::NotFound, None),
            (Some("v6.65"), Kind::NotFound, None),
            (Some("6.65.1"), Kind::NotFound, None),
            (Some("v6.0"), Kind::NotAcceptable, Some("UPDATE_CLIENT")),
            (Some("v6"), Kind::NotAcceptable, Some("UPDATE_CLIENT")),
            (Some("v6.99"), Kind::NotAcceptable, Some("UPDATE_GHOST")),
            (Some("v5.0"), Kind::NotAcceptable, Some("UPDATE_CLIENT")),
            (Some("4.0"), Kind::NotAcceptable, Some("UPDATE_CLIENT")),
            (
                Some("v99999999999999999999"),
                Kind::NotAcceptable,
                Some("UPDATE_GHOST"),
            ),
            (Some("latest"), Kind::BadRequest, None),
        ] {
            let error = unknown_endpoint(version);
            assert_eq!(
                (error.kind(), error.code_name()),
                (kind, code),
                "{version:?}"
            );
        }
    }

    #[test]
    fn outdated_major_versions_are_reported() {
        assert!(is_outdated("v5.130") && is_outdated("4"));
        assert!(!is_outdated("v6.0") && !is_outdated("v7.0") && !is_outdated("latest"));
    }
}
