//! What is said to clients of another version about an endpoint that there is not (specification section 9; details as
//! recorded from Ghost 6.65).

use super::headers::{API_VERSION_MAJOR, API_VERSION_MINOR, API_VERSION_NUMBER};
use crate::error::{Error, Kind};

/// A version of the API. One that names no second number is the first of its kind (Ghost 6.65, recorded).
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

    /// The first two numbers in a text.
    fn parse(text: &str) -> Option<Self> {
        let from_digits = text.trim_start_matches(|character: char| !character.is_ascii_digit());
        let mut numbers = from_digits.split('.').map(leading_number);
        Some(Self {
            major: numbers.next()??,
            minor: numbers.next().flatten().unwrap_or_default(),
        })
    }
}

fn leading_number(text: &str) -> Option<u64> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    match digits.is_empty() {
        true => None,
        false => Some(digits.parse().unwrap_or(u64::MAX)),
    }
}

/// Whether a client that says `accept_version` is made for a major version that is over: then the administrators are told
/// (specification section 7).
pub fn is_over(accept_version: &str) -> bool {
    Version::parse(accept_version).is_some_and(|version| version.major < API_VERSION_MAJOR)
}

/// The error for an endpoint that does not exist, asked for by a client that says `accept_version`.
pub fn unknown_endpoint(accept_version: Option<&str>) -> Error {
    let Some(wanted) = accept_version.filter(|version| !version.is_empty()) else {
        return Error::not_found("endpoint");
    };
    let Some(version) = Version::parse(wanted) else {
        return Error::new(
            Kind::BadRequest,
            "The Accept-Version header is not a version.",
        )
        .context(format!("\"{wanted}\" is not a version."))
        .help("A version looks like v6.0.");
    };
    let context =
        format!("The client asks for {wanted}; this is version {API_VERSION_NUMBER} of the API.");
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
    fn administrators_are_told_of_major_versions_that_are_over() {
        assert!(is_over("v5.130") && is_over("4"));
        assert!(!is_over("v6.0") && !is_over("v7.0") && !is_over("latest"));
    }
}
