//! What is said to clients of another version about an endpoint that there is not (specification section 9; details as
//! recorded from Ghost 6.65).

use super::headers::{API_VERSION_MAJOR, API_VERSION_NUMBER};
use crate::error::{Error, Kind};

/// The code that tells a client that it is made for an older version.
pub const CLIENT_TOO_OLD: &str = "UPDATE_CLIENT";

/// The error for an endpoint that does not exist, asked for by a client that says `accept_version`.
pub fn unknown_endpoint(accept_version: Option<&str>) -> Error {
    let Some(wanted) = accept_version.filter(|version| !version.is_empty()) else {
        return Error::new(Kind::NotFound, "There is no such endpoint.");
    };
    let Some(major) = major_version(wanted) else {
        return Error::new(
            Kind::BadRequest,
            "The header Accept-Version names no version.",
        )
        .context(format!("\"{wanted}\" is not a version."))
        .help("A version looks like v6.0.");
    };
    let context =
        format!("The client asks for {wanted}; this is version {API_VERSION_NUMBER} of the API.");
    match major.cmp(&API_VERSION_MAJOR) {
        std::cmp::Ordering::Less => Error::new(
            Kind::NotAcceptable,
            "The client is made for an older version of the API, which had this endpoint.",
        )
        .code(CLIENT_TOO_OLD)
        .context(context)
        .help("Update the client."),
        std::cmp::Ordering::Greater => Error::new(
            Kind::NotAcceptable,
            "The client is made for a newer version of the API, which may have this endpoint.",
        )
        .code("UPDATE_GHOST")
        .context(context)
        .help("Update Galley."),
        std::cmp::Ordering::Equal => Error::new(Kind::NotFound, "There is no such endpoint."),
    }
}

/// The first number in a version.
fn major_version(version: &str) -> Option<u64> {
    let from_digits = version.trim_start_matches(|character: char| !character.is_ascii_digit());
    let digits: String = from_digits
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    match digits.is_empty() {
        true => None,
        false => Some(digits.parse().unwrap_or(u64::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_first_number() {
        for (version, kind, code) in [
            (None, Kind::NotFound, None),
            (Some(""), Kind::NotFound, None),
            (Some("v6.99"), Kind::NotFound, None),
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
}
