//! Tests of statistics, and of lists of unsupported resources.

use galley_tests::TestSite;
use serde_json::json;

use super::failure;

#[test]
fn period_includes_every_day() {
    let site = TestSite::staffed();

    let counted = site.read("stats/member_count/?date_from=2026-03-01&date_to=2026-03-04");

    let days = counted["stats"].as_array().unwrap().iter();
    let days: Vec<_> = days.map(|day| day["date"].as_str().unwrap()).collect();
    let expected = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];
    assert_eq!(days, expected);
    let none = json!({"paid": 0, "free": 0, "comped": 0, "gift": 0});
    assert_eq!(counted["meta"]["totals"], none);
    let refused = site.ask("GET", "stats/member_count/?date_from=march", None);
    assert_eq!(failure(&refused).0, 422);
}

#[test]
fn unsupported_statistics_are_zero_or_empty() {
    let site = TestSite::staffed();
    let post = "000000000000000000000001";
    for endpoint in [
        "stats/top-posts/",
        "stats/top-posts-views/",
        "stats/top-content/",
        "stats/newsletter-stats/",
        "stats/newsletter-basic-stats/",
        "stats/newsletter-click-stats/",
        "stats/subscriptions/",
        "stats/referrers/",
        "stats/top-sources-growth/",
        &format!("stats/posts/{post}/stats/"),
        &format!("stats/posts/{post}/top-referrers/"),
    ] {
        assert_eq!(site.read(endpoint)["stats"], json!([]), "{endpoint}");
    }
    assert_eq!(site.read("stats/mrr/")["stats"][0]["mrr"], 0);
    let growth = site.read(&format!("stats/posts/{post}/growth/"));
    let none = json!({"post_id": post, "free_members": 0, "paid_members": 0, "mrr": 0});
    assert_eq!(growth["stats"], json!([none]));
    let subscribers = site.read("stats/subscriber-count/");
    assert_eq!(subscribers["stats"], json!([{"total": 0, "values": []}]));
    assert_eq!(site.ask("GET", "stats/posts/x/growth/", None).status, 422);
    let refused = site.ask("GET", "stats/subscriber-count/?newsletter_id=x", None);
    assert_eq!(refused.status, 422);
}

#[test]
fn lists_of_unsupported_resources_are_empty() {
    let site = TestSite::staffed();
    let email = "000000000000000000000001";
    for (endpoint, name) in [
        ("comments/", "comments"),
        ("links/?limit=50&page=2", "links"),
        ("emails/?filter=status:failed", "emails"),
        (&format!("emails/{email}/batches/"), "batches"),
        (&format!("emails/{email}/recipient-failures/"), "failures"),
    ] {
        let listed = site.read(endpoint);
        assert_eq!(listed[name], json!([]), "{endpoint}");
        assert_eq!(listed["meta"]["pagination"]["total"], 0, "{endpoint}");
    }
    for (endpoint, status) in [
        (&*format!("emails/{email}/"), 404),
        ("emails/x/", 422),
        ("emails/?filter=status:", 400),
        ("comments/?limit=-1", 422),
    ] {
        let response = site.ask("GET", endpoint, None);
        assert_eq!(response.status, status, "{endpoint}: {}", response.text());
    }
}
