//! What is said to clients of another version about an endpoint that there is not (specification section 9; details as
//! recorded from Ghost 6.65).

use super::headers::{API_VERSION_NUMBER, API_VERSION_PARTS};
use crate::error::{Error, Kind};

/// The code that tells a client that it is made for an older version.
pub const CLIENT_TOO_OLD: &str = "UPDATE_CLIENT";

/// The error for an endpoint that does not exist, asked for by a client that says `accept_version`.
pub fn unknown_endpoint(accept_version: Option<&str>) -> Error {
    let Some(wanted) = accept_version.filter(|version| !version.is_empty()) else {
        return Error::new(Kind::NotFound, "There is no such endpoint.");
    };
    let Some(version) = major_and_minor(wanted) else {
        return Error::new(
            Kind::BadRequest,
            "The header Accept-Version names no version.",
        )
        .context(format!("\"{wanted}\" is not a version."))
        .help("A version looks like v6.0.");
    };
    let context =
        format!("The client asks for {wanted}; this is version {API_VERSION_NUMBER} of the API.");
    match version.cmp(&API_VERSION_PARTS) {
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

/// The first two numbers in a version; the second is 0 when it is not said.
fn major_and_minor(version: &str) -> Option<(u64, u64)> {
    let from_digits = version.trim_start_matches(|character: char| !character.is_ascii_digit());
    let mut numbers = from_digits.split('.').map(|part| {
        let digits = part
            .find(|character: char| !character.is_ascii_digit())
            .map_or(part, |end| &part[..end]);
        match digits.is_empty() {
            true => None,
            false => Some(digits.parse().unwrap_or(u64::MAX)),
        }
    });
    let major = numbers.next().flatten()?;
    Some((major, numbers.next().flatten().unwrap_or(0)))
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
            (Some("6.65.3"), Kind::NotFound, None),
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
}
