//! The operations on members, e-mails, deliveries and statistics that do not follow from their
//! method and path.

use http::Method;
use serde_json::{Value, json};

use super::named_operations::{NamedOperation, ResponseContent, operation};

/// All such operations.
pub static MEMBERSHIP: &[NamedOperation] = &[
    operation(
        Method::GET,
        "admin/webhooks/{}/deliveries/",
        "browseWebhookDeliveries",
        "Browse deliveries of a webhook, latest first, with those in the queue",
        200,
        ResponseContent::Record("WebhookDeliveries"),
    ),
    operation(
        Method::POST,
        "admin/webhooks/{}/deliveries/{}/retry/",
        "retryWebhookDelivery",
        "Retry a delivery of a webhook, with the same id",
        200,
        ResponseContent::Envelope("deliveries"),
    ),
    operation(
        Method::DELETE,
        "admin/members/{}/suppression/",
        "liftMemberSuppression",
        "Lift the e-mail suppression of a member",
        204,
        ResponseContent::Nothing,
    ),
    operation(
        Method::GET,
        "admin/members/events/",
        "browseMemberEvents",
        "Browse events of members, newest first",
        200,
        ResponseContent::Envelope("events"),
    ),
    operation(
        Method::GET,
        "admin/members/stats/count/",
        "countMembers",
        "Read the number of members by day",
        200,
        ResponseContent::Envelope("data"),
    ),
    operation(
        Method::GET,
        "admin/members/stats/mrr/",
        "readMemberRevenue",
        "Read the revenue from members: always empty",
        200,
        ResponseContent::Envelope("data"),
    ),
    operation(
        Method::POST,
        "admin/members/upload/",
        "importMembers",
        "Import a list of members from CSV",
        201,
        ResponseContent::Object("meta"),
    ),
    operation(
        Method::GET,
        "admin/members/upload/",
        "exportMembers",
        "Export members as CSV",
        200,
        ResponseContent::Other("text/csv"),
    ),
    operation(
        Method::GET,
        "admin/email_previews/posts/{}/",
        "previewEmail",
        "Preview a post as an e-mail",
        200,
        ResponseContent::Envelope("email_previews"),
    ),
    operation(
        Method::POST,
        "admin/email_previews/posts/{}/",
        "sendTestEmail",
        "Send a test e-mail of a post",
        204,
        ResponseContent::Nothing,
    ),
    operation(
        Method::GET,
        "admin/members/{}/signin_urls/",
        "readMemberSignInAddress",
        "Create a sign-in URL for a member",
        200,
        ResponseContent::Envelope("member_signin_urls"),
    ),
    operation(
        Method::PUT,
        "admin/members/bulk/",
        "editMembers",
        "Edit all members that match a filter or a search",
        200,
        ResponseContent::Object("bulk"),
    ),
    operation(
        Method::DELETE,
        "admin/members/",
        "deleteMembers",
        "Delete all members that match a filter or a search",
        200,
        ResponseContent::Object("meta"),
    ),
    operation(
        Method::GET,
        "admin/emails/{}/batches/",
        "browseEmailBatches",
        "Browse batches of an e-mail",
        200,
        ResponseContent::Envelope("batches"),
    ),
    operation(
        Method::GET,
        "admin/emails/{}/recipient-failures/",
        "browseEmailFailures",
        "Browse failed recipients of an e-mail",
        200,
        ResponseContent::Envelope("failures"),
    ),
    operation(
        Method::PUT,
        "admin/emails/{}/retry/",
        "retryEmail",
        "Retry an e-mail, for recipients it has not reached",
        200,
        ResponseContent::Envelope("emails"),
    ),
    operation(
        Method::POST,
        "admin/notifications/",
        "addNotification",
        "Add a notification for staff; a repeated one is not added",
        201,
        ResponseContent::Envelope("notifications"),
    ),
    operation(
        Method::DELETE,
        "admin/notifications/{}/",
        "dismissNotification",
        "Dismiss a notification, for the requesting user",
        204,
        ResponseContent::Nothing,
    ),
    operation(
        Method::GET,
        "admin/stats/member_count/",
        "readMemberCount",
        "Read the number of members by day",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/mrr/",
        "readRevenue",
        "Read the revenue from members: always 0",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/subscriptions/",
        "readSubscriptions",
        "Read paid subscriptions: always empty",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/subscriber-count/",
        "readSubscriberCount",
        "Read the number of a newsletter's subscribers by day",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/referrers/",
        "readReferrers",
        "Read sign-ups by source and day",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/top-sources-growth/",
        "readSources",
        "Read sign-ups by source",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/top-posts/",
        "readTopPosts",
        "Read posts by sign-ups: not tracked",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/top-posts-views/",
        "readTopPostsByViews",
        "Read posts by views: not tracked",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/top-content/",
        "readTopContent",
        "Read content by views: not tracked",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/newsletter-stats/",
        "readNewsletterStats",
        "Read statistics of newsletters: not tracked",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/newsletter-basic-stats/",
        "readNewsletterBasicStats",
        "Read basic statistics of newsletters: see /emails/",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/newsletter-click-stats/",
        "readNewsletterClickStats",
        "Read clicks in newsletters: not tracked",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/posts/{}/stats/",
        "readPostStats",
        "Read statistics of a post: not tracked",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/posts/{}/top-referrers/",
        "readPostReferrers",
        "Read referrers of a post: not tracked",
        200,
        ResponseContent::Envelope("stats"),
    ),
    operation(
        Method::GET,
        "admin/stats/posts/{}/growth/",
        "readPostGrowth",
        "Read sign-ups at a post: not tracked",
        200,
        ResponseContent::Envelope("stats"),
    ),
];

/// Returns the parameters of these operations, beside those of all lists.
pub fn parameters(method: &Method, path: &str) -> Vec<Value> {
    let parameter = |name: &str, about: &str, schema: Value| json!({ "name": name, "in": "query", "description": about, "schema": schema });
    let search = || {
        let about = "A text that the name or the e-mail address contains, case-insensitively.";
        parameter("search", about, json!({ "type": "string" }))
    };
    let filter = || super::parameters::reference("filter");
    let day = |name: &str, about: &str| {
        parameter(name, about, json!({ "type": "string", "format": "date" }))
    };
    let period = || {
        vec![
            day("date_from", "The first day."),
            day("date_to", "The last day."),
        ]
    };
    match (method, path) {
        (&Method::GET, "admin/members/") => vec![search()],
        (&Method::GET, "admin/members/upload/") => vec![filter(), search()],
        (&Method::GET, "admin/webhooks/{}/deliveries/") => {
            ["page", "limit"].map(super::parameters::reference).to_vec()
        }
        (&Method::GET, "admin/members/events/") => vec![filter()],
        (&Method::GET, "admin/members/stats/count/" | "admin/stats/member_count/") => period(),
        (&Method::GET, "admin/stats/subscriber-count/") => {
            let about = "The id of the newsletter.";
            let mut parameters = period();
            parameters.push(parameter(
                "newsletter_id",
                about,
                json!({ "type": "string" }),
            ));
            parameters
        }
        (&Method::GET, "admin/email_previews/posts/{}/") => vec![
            parameter(
                "memberSegment",
                "The segment of recipients.",
                json!({ "enum": ["status:free", "status:-free"] }),
            ),
            parameter(
                "newsletter",
                "The slug of the newsletter.",
                json!({ "type": "string" }),
            ),
        ],
        (&Method::PUT, "admin/members/bulk/") | (&Method::DELETE, "admin/members/") => {
            let about = "Selects all members, in place of a filter or a search.";
            vec![
                filter(),
                search(),
                parameter("all", about, json!({ "enum": ["true"] })),
            ]
        }
        (&Method::POST, "admin/members/") => {
            let about = "Whether the member gets an e-mail with a link.";
            let about_type = "The purpose of the link.";
            vec![
                parameter("send_email", about, json!({ "type": "boolean" })),
                parameter(
                    "email_type",
                    about_type,
                    json!({ "enum": ["signin", "signup", "subscribe"] }),
                ),
            ]
        }
        (&Method::POST, "admin/db/") => {
            let about = "Whether webhooks get an event for each record, and not only for the change of the site.";
            let boolean = json!({ "type": "boolean", "default": true });
            vec![parameter("events", about, boolean)]
        }
        _ => Vec::new(),
    }
}
