//! Properties of imports of Ghost exports, archives with an export, and member lists: a valid file is imported, the
//! site still responds, and a repeated import changes nothing; an invalid file is rejected with a reason and changes
//! nothing.

use std::net::Ipv4Addr;

use galley::{api::Api, error::Kind};
use http::{Method, StatusCode};

use super::small_site::{self, SmallSite};

/// Lists of the Content API, with everything that can be included.
const LISTS: [&str; 7] = [
    "posts/?include=tags,authors,tiers&formats=html,plaintext&limit=100",
    "pages/?include=tags,authors,tiers&formats=html,plaintext&limit=100",
    "authors/?include=count.posts&limit=100",
    "tags/?include=count.posts&limit=100",
    "tiers/?include=monthly_price,yearly_price,benefits",
    "newsletters/?limit=100",
    "settings/?",
];

/// Panics unless these properties hold for a file.
pub fn check(input: &[u8]) {
    let data = tempfile::tempdir().unwrap();
    let site = SmallSite::new(data.path());
    let before = site.everything();
    match site.import(input) {
        Ok(_) => {
            let imported = site.everything();
            check_responses(&site, &site.api());
            if let Err(error) = site.import(input) {
                panic!("the second import failed: {error}");
            }
            site.everything().assert_same_as(&imported);
        }
        Err(error) => {
            let kinds = [Kind::BadRequest, Kind::Validation];
            assert!(kinds.contains(&error.kind()), "{error}");
            site.everything().assert_same_as(&before);
        }
    }
}

fn check_responses(site: &SmallSite, api: &Api) {
    let key = &site.integration.content_key.secret;
    for list in LISTS {
        let target = format!("/ghost/api/content/{list}&key={key}");
        let response = small_site::ask(api, Ipv4Addr::LOCALHOST, Method::GET, &target, None);
        let response = response.unwrap();
        assert_eq!(response.status, StatusCode::OK, "{list}");
        serde_json::from_slice::<serde_json::Value>(&small_site::body(response)).unwrap();
    }
}
