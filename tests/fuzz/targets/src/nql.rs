//! Properties of filters: a text is parsed to a tree that survives printing and matches the same records, or results in
//! an error with a valid position.

use std::{net::Ipv4Addr, sync::LazyLock};

use bytes::Bytes;
use galley::{
    api::Api,
    nql::{LENGTH_BYTES_MAX, parse},
};
use http::{Method, StatusCode};
use url::form_urlencoded;

use super::small_site::{self, SmallSite};

/// A site whose records are filtered.
struct Fixture {
    site: SmallSite,
    api: Api,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let site = SmallSite::with_content();
    let api = site.api();
    Fixture { site, api }
});

/// Panics unless these properties hold for a filter.
pub fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    match parse(&text) {
        Ok(tree) => {
            let printed = tree.to_string();
            if printed.len() > LENGTH_BYTES_MAX {
                return;
            }
            let again = parse(&printed).unwrap_or_else(|error| panic!("{printed:?}: {error}"));
            assert_eq!(again, tree, "{printed:?}");
            assert_eq!(again.to_string(), printed);
            for list in ["posts", "tags", "authors"] {
                assert_eq!(found(list, &text), found(list, &printed), "{printed:?}");
            }
        }
        Err(error) => {
            assert!(text.get(error.span.start..error.span.end).is_some());
            let before = &text[..error.span.start];
            assert_eq!(error.character, before.chars().count() + 1);
            let responded = found("posts", &text);
            assert!(
                text.trim().is_empty() || responded.is_none_or(|found| found.is_err()),
                "an invalid filter was accepted: {text:?}"
            );
        }
    }
}

/// Returns the response of the Content API with this filter, or the status of its refusal; `None` if the filter is too
/// long for a URL.
fn found(list: &str, filter: &str) -> Option<Result<Bytes, StatusCode>> {
    let Fixture { site, api } = &*FIXTURE;
    let query: String = form_urlencoded::Serializer::new(String::new())
        .append_pair("key", &site.integration.content_key.secret)
        .append_pair("filter", filter)
        .finish();
    let target = format!("/ghost/api/content/{list}/?{query}");
    let response = small_site::ask(api, Ipv4Addr::LOCALHOST, Method::GET, &target, None)?;
    Some(match response.status {
        StatusCode::OK => Ok(small_site::body(response)),
        refused @ (StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY) => Err(refused),
        status => panic!("{status} for {filter:?}"),
    })
}
