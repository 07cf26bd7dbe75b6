//! Checks a front end that is served elsewhere.

use http::Request;

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::outbound::DirectClient;

/// Requests the front page.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let Some(front_end) = examined.config.front_end.external() else {
        return vec![UnnamedFinding::skipped("front_end is not a URL")];
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
        Ok(response) if response.status().is_success() => UnnamedFinding::ok(format!(
            "{url} responds with {}",
            response.status().as_u16()
        )),
        Ok(response) if response.status().is_server_error() => UnnamedFinding::error(
            format!("{url} responds with {}", response.status().as_u16()),
            "See the log of the front end: readers get that error.",
        ),
        Ok(response) => UnnamedFinding::warning(
            format!("{url} responds with {}", response.status().as_u16()),
            "Check the URL in front_end: the app, mails and redirects send readers there.",
        ),
        Err(error) => UnnamedFinding::error(
            format!("{url}: {error}"),
            "Check the URL in front_end, and that the front end runs.",
        ),
    }]
}
