//! The front end elsewhere.

use http::Request;

use super::{finding::Outcome, subject::Subject};
use crate::outbound::DirectClient;

/// Requests its front page.
pub(super) fn check(subject: &Subject) -> Vec<Outcome> {
    let Some(front_end) = subject.config.front_end.external() else {
        return vec![Outcome::skipped("front_end is not a URL")];
    };
    let url = front_end.url("/");
    let response = DirectClient::new(None)
        .map_err(|error| error.to_string())
        .and_then(|client| {
            let request = Request::get(&url).body(Vec::new());
            let request = request.map_err(|error| error.to_string())?;
            client.send(request).map_err(|error| error.to_string())
        });
    vec![match response {
        Ok(response) if response.status().is_success() => Outcome::ok(format!(
            "{url} responds with {}",
            response.status().as_u16()
        )),
        Ok(response) if response.status().is_server_error() => Outcome::error(
            format!("{url} responds with {}", response.status().as_u16()),
            "See the log of the front end: readers get that error.",
        ),
        Ok(response) => Outcome::warning(
            format!("{url} responds with {}", response.status().as_u16()),
            "Check the URL in front_end: the app, mails and redirects send readers there.",
        ),
        Err(error) => Outcome::error(
            format!("{url}: {error}"),
            "Check the URL in front_end, and that the front end runs.",
        ),
    }]
}
