//! The operations of features that the site does not have, as far as they do not follow from their method and path.

use http::Method;
use serde_json::{Value, json};

use super::{
    parameters::reference,
    records::object,
    special::{Answer, Special, special},
};

/// Every such operation.
pub static ABSENT: &[Special] = &[
    special(
        Method::GET,
        "admin/incoming_recommendations/",
        "browseIncomingRecommendations",
        "Browse recommendations by other sites: it is not known who recommends this one",
        200,
        Answer::Envelope("recommendations"),
    ),
    special(
        Method::GET,
        "admin/members/metafields/{}/",
        "browseMemberMetafields",
        "Browse further fields of members: they have none",
        200,
        Answer::Envelope("members_metafields"),
    ),
    special(
        Method::GET,
        "admin/members/metafields/{}/{}/",
        "readMemberMetafield",
        "Read a further field of members: they have none",
        200,
        Answer::Envelope("members_metafields"),
    ),
    special(
        Method::GET,
        "admin/posts/{}/gift_links/",
        "browsePostGiftLinks",
        "Browse links that give a post away: there are none",
        200,
        Answer::Envelope("gift_links"),
    ),
    special(
        Method::GET,
        "admin/pages/{}/gift_links/",
        "browsePageGiftLinks",
        "Browse links that give a page away: there are none",
        200,
        Answer::Envelope("gift_links"),
    ),
    special(
        Method::GET,
        "admin/tiers/checkout_config/",
        "browseCheckoutConfigs",
        "Browse what members fill in when they pay: nothing",
        200,
        Answer::Envelope("tiers_checkout_config"),
    ),
    special(
        Method::GET,
        "admin/tiers/{}/checkout_config/",
        "readCheckoutConfig",
        "Read what members fill in when they pay for a tier: nothing",
        200,
        Answer::Envelope("tiers_checkout_config"),
    ),
    special(
        Method::GET,
        "admin/tinybird/token/",
        "readTinybirdToken",
        "Read the token for figures about visits: they are not counted",
        200,
        Answer::Record("TinybirdToken"),
    ),
    special(
        Method::POST,
        "admin/slack/test/",
        "testSlack",
        "Accept a test of Slack, to which nothing is posted",
        200,
        Answer::Acknowledged,
    ),
    special(
        Method::POST,
        "admin/stats/posts-member-counts/",
        "countMembersOfPosts",
        "Read how many signed up at posts: it is not known",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::POST,
        "admin/stats/posts-visitor-counts/",
        "countVisitorsOfPosts",
        "Read how many visited posts: it is not counted",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::PUT,
        "admin/links/bulk/",
        "editLinks",
        "Change all links in mails that a filter finds: there are none",
        200,
        Answer::Object("bulk"),
    ),
    special(
        Method::GET,
        "admin/emails/{}/analytics/",
        "readEmailAnalytics",
        "Read how far the opening of mails is counted: it is not",
        200,
        Answer::Object("latest"),
    ),
    special(
        Method::DELETE,
        "admin/emails/analytics/",
        "cancelEmailAnalytics",
        "Cancel what is scheduled to count mails again: nothing is",
        200,
        Answer::Envelope("emails"),
    ),
    special(
        Method::POST,
        "admin/db/backup/",
        "backUpContent",
        "Ask for a backup on the server, which is refused",
        200,
        Answer::Envelope("db"),
    ),
];

/// The parameters of the lists among them that stand below a record.
pub fn parameters(path: &str) -> Vec<Value> {
    match path {
        "admin/incoming_recommendations/" => ["limit", "page"].map(reference).into(),
        "admin/feedback/{}/" => ["order", "limit", "page"].map(reference).into(),
        "admin/comments/{}/replies/" | "admin/comments/post/{}/" => super::parameters::of_lists(),
        "admin/links/bulk/" => vec![reference("filter")],
        _ => Vec::new(),
    }
}

/// The schema of the answer that tells of no token.
pub fn tinybird_token() -> Value {
    object(vec![("tinybird", json!({ "type": "null" }))])
}
