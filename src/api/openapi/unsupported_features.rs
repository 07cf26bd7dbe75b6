//! The operations of features that the site does not have, as far as they do not follow from their
//! method and path.

use http::Method;
use serde_json::{Value, json};

use super::{
    named_operations::{NamedOperation, ResponseContent, named_operations},
    parameters::reference,
    records::object,
};

/// All such operations.
pub static UNSUPPORTED: &[NamedOperation] = &[
    operation(
        Method::GET,
        "admin/incoming_recommendations/",
        "browseIncomingRecommendations",
        "Browse recommendations by other sites: always empty",
        200,
        ResponseContent::Envelope("recommendations"),
    ),
    operation(
        Method::GET,
        "admin/members/metafields/{}/",
        "browseMemberMetafields",
        "Browse custom fields of members: always empty",
        200,
        ResponseContent::Envelope("members_metafields"),
    ),
    operation(
        Method::GET,
        "admin/members/metafields/{}/{}/",
        "readMemberMetafield",
        "Read a custom field of members: there is none",
        200,
        ResponseContent::Envelope("members_metafields"),
    ),
    operation(
        Method::GET,
        "admin/posts/{}/gift_links/",
        "browsePostGiftLinks",
        "Browse gift links of a post: always empty",
        200,
        ResponseContent::Envelope("gift_links"),
    ),
    operation(
        Method::GET,
        "admin/pages/{}/gift_links/",
        "browsePageGiftLinks",
        "Browse gift links of a page: always empty",
        200,
        ResponseContent::Envelope("gift_links"),
    ),
    operation(
        Method::GET,
        "admin/tiers/checkout_config/",
        "browseCheckoutConfigs",
        "Browse checkout configurations: always empty",
        200,
        ResponseContent::Envelope("tiers_checkout_config"),
    ),
    operation(
        Method::GET,
        "admin/tiers/{}/checkout_config/",
        "readCheckoutConfig",
        "Read the checkout configuration of a tier: without custom fields",
        200,
        ResponseContent::Envelope("tiers_checkout_config"),
    ),
    operation(
        Method::GET,
        "admin/tinybird/token/",
        "readTinybirdToken",
        "Read the web analytics token: always null",
        200,
        ResponseContent::Record("TinybirdToken"),
    ),
    operation(
        Method::POST,
        "admin/slack/test/",
        "testSlack",
        "Test the Slack integration: nothing is posted",
        200,
        ResponseContent::Acknowledged,
    ),
    operation(
        Method::POST,
        "admin/stats/posts-member-counts/",
        "countMembersOfPosts",
        "Read sign-ups by post: always 0",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::POST,
        "admin/stats/posts-visitor-counts/",
        "countVisitorsOfPosts",
        "Read visitors by post: not tracked",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::PUT,
        "admin/links/bulk/",
        "editLinks",
        "Edit links in e-mails: there are none",
        200,
        ResponseContent::Object("bulk"),
    ),
    operation(
        Method::GET,
        "admin/emails/{}/analytics/",
        "readEmailAnalytics",
        "Read the state of e-mail analytics: not running",
        200,
        ResponseContent::Object("latest"),
    ),
    operation(
        Method::DELETE,
        "admin/emails/analytics/",
        "cancelEmailAnalytics",
        "Cancel scheduled e-mail analytics: there is none",
        200,
        ResponseContent::Envelope("emails"),
    ),
    operation(
        Method::POST,
        "admin/db/backup/",
        "backUpContent",
        "Request a backup on the server: rejected",
        200,
        ResponseContent::Envelope("db"),
    ),
];

/// Returns the query parameters of these operations.
pub fn parameters(path: &str) -> Vec<Value> {
    match path {
        "admin/incoming_recommendations/" => ["limit", "page"].map(reference).into(),
        "admin/feedback/{}/" => ["order", "limit", "page"].map(reference).into(),
        "admin/comments/{}/replies/" | "admin/comments/post/{}/" => super::parameters::of_lists(),
        "admin/links/bulk/" => vec![reference("filter")],
        _ => Vec::new(),
    }
}

/// Returns the schema of a response without a token.
pub fn tinybird_token() -> Value {
    object(vec![("tinybird", json!({ "type": "null" }))])
}
