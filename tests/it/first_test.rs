//! The test that `CONTRIBUTING.md` shows.

use galley_tests::TestSite;
use serde_json::json;

#[test]
fn published_post_is_listed_by_its_slug() {
    let site = TestSite::staffed();
    let post = json!({"posts": [{"title": "High water", "status": "published"}]});

    let added = site.ask("POST", "posts/", Some(&post));

    assert_eq!(added.status, 201, "{}", added.text());
    assert_eq!(site.slugs("posts/"), ["high-water"]);
}
