//! The operations about members, mails, deliveries and figures that do not follow from their method and path.

use http::Method;
use serde_json::{Value, json};

use super::special::{Answer, Special, special};

/// Every such operation.
pub static MEMBERSHIP: &[Special] = &[
    special(
        Method::GET,
        "admin/webhooks/{}/deliveries/",
        "browseWebhookDeliveries",
        "Read what a webhook was told, the last first, and what it is told next",
        200,
        Answer::Record("WebhookDeliveries"),
    ),
    special(
        Method::POST,
        "admin/webhooks/{}/deliveries/{}/retry/",
        "retryWebhookDelivery",
        "Tell a webhook something again, under the same name",
        200,
        Answer::Envelope("deliveries"),
    ),
    special(
        Method::DELETE,
        "admin/members/{}/suppression/",
        "liftMemberSuppression",
        "Let mail go to a member again",
        204,
        Answer::Nothing,
    ),
    special(
        Method::GET,
        "admin/members/events/",
        "browseMemberEvents",
        "Read what happened to members, from new to old",
        200,
        Answer::Envelope("events"),
    ),
    special(
        Method::GET,
        "admin/members/stats/count/",
        "countMembers",
        "Read how many members there were on each day",
        200,
        Answer::Envelope("data"),
    ),
    special(
        Method::GET,
        "admin/members/stats/mrr/",
        "readMemberRevenue",
        "Read what members pay: nothing",
        200,
        Answer::Envelope("data"),
    ),
    special(
        Method::POST,
        "admin/members/upload/",
        "importMembers",
        "Bring a list of members in",
        201,
        Answer::Object("meta"),
    ),
    special(
        Method::GET,
        "admin/members/upload/",
        "exportMembers",
        "Take the list of members out as CSV",
        200,
        Answer::Other("text/csv"),
    ),
    special(
        Method::GET,
        "admin/email_previews/posts/{}/",
        "previewEmail",
        "Read what a post would look like as a mail",
        200,
        Answer::Envelope("email_previews"),
    ),
    special(
        Method::POST,
        "admin/email_previews/posts/{}/",
        "sendTestEmail",
        "Send a post as a mail to try",
        204,
        Answer::Nothing,
    ),
    special(
        Method::GET,
        "admin/members/{}/signin_urls/",
        "readMemberSignInAddress",
        "Make an address with which a member comes in",
        200,
        Answer::Envelope("member_signin_urls"),
    ),
    special(
        Method::PUT,
        "admin/members/bulk/",
        "editMembers",
        "Change all members that a filter or a search finds",
        200,
        Answer::Object("bulk"),
    ),
    special(
        Method::DELETE,
        "admin/members/",
        "deleteMembers",
        "Delete all members that a filter or a search finds",
        200,
        Answer::Object("meta"),
    ),
    special(
        Method::GET,
        "admin/emails/{}/batches/",
        "browseEmailBatches",
        "Browse the parts in which a mail was sent",
        200,
        Answer::Envelope("batches"),
    ),
    special(
        Method::GET,
        "admin/emails/{}/recipient-failures/",
        "browseEmailFailures",
        "Browse whom a mail did not reach",
        200,
        Answer::Envelope("failures"),
    ),
    special(
        Method::PUT,
        "admin/emails/{}/retry/",
        "retryEmail",
        "Send a mail once more, to those whom it has not reached",
        200,
        Answer::Envelope("emails"),
    ),
    special(
        Method::POST,
        "admin/notifications/",
        "addNotification",
        "Tell the staff something; nothing is added when it has been told before",
        201,
        Answer::Envelope("notifications"),
    ),
    special(
        Method::DELETE,
        "admin/notifications/{}/",
        "dismissNotification",
        "Put a notification away, for oneself",
        204,
        Answer::Nothing,
    ),
    special(
        Method::GET,
        "admin/stats/member_count/",
        "readMemberCount",
        "Read how many members there were on each day",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/mrr/",
        "readRevenue",
        "Read what members pay: nothing",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/subscriptions/",
        "readSubscriptions",
        "Read how many pay: nobody",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/subscriber-count/",
        "readSubscriberCount",
        "Read how many got a newsletter on each day",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/referrers/",
        "readReferrers",
        "Read how members came to sign up, day by day",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/top-sources-growth/",
        "readSources",
        "Read how members came to sign up",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/top-posts/",
        "readTopPosts",
        "Read at which posts members signed up: it is not known",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/top-posts-views/",
        "readTopPostsByViews",
        "Read which posts were seen most: it is not counted",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/top-content/",
        "readTopContent",
        "Read what was seen most: it is not counted",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/newsletter-stats/",
        "readNewsletterStats",
        "Read what became of mails: it is not counted",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/newsletter-basic-stats/",
        "readNewsletterBasicStats",
        "Read which mails were sent: it is told at /emails/",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/newsletter-click-stats/",
        "readNewsletterClickStats",
        "Read which links were followed: it is not counted",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/posts/{}/stats/",
        "readPostStats",
        "Read what became of a post: it is not counted",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/posts/{}/top-referrers/",
        "readPostReferrers",
        "Read where readers of a post came from: it is not known",
        200,
        Answer::Envelope("stats"),
    ),
    special(
        Method::GET,
        "admin/stats/posts/{}/growth/",
        "readPostGrowth",
        "Read how many signed up at a post: it is not known",
        200,
        Answer::Envelope("stats"),
    ),
];

/// The parameters of operations about members, beside those of all lists.
pub fn parameters(method: &Method, path: &str) -> Vec<Value> {
    let parameter = |name: &str, about: &str, schema: Value| json!({ "name": name, "in": "query", "description": about, "schema": schema });
    let search = || {
        let about = "A text that stands in the name or the address, in whatever case.";
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
            let about = "Which newsletter.";
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
                "Who gets it.",
                json!({ "enum": ["status:free", "status:-free"] }),
            ),
            parameter(
                "newsletter",
                "The slug of the newsletter.",
                json!({ "type": "string" }),
            ),
        ],
        (&Method::PUT, "admin/members/bulk/") | (&Method::DELETE, "admin/members/") => {
            let about = "That all members are meant, in place of a filter or a search.";
            vec![
                filter(),
                search(),
                parameter("all", about, json!({ "enum": ["true"] })),
            ]
        }
        (&Method::POST, "admin/members/") => {
            let about = "Whether the member gets a letter with a link.";
            let about_type = "What the link is for.";
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
            let about =
                "Whether webhooks are told of each record, and not only that the site changed.";
            let boolean = json!({ "type": "boolean", "default": true });
            vec![parameter("events", about, boolean)]
        }
        _ => Vec::new(),
    }
}
