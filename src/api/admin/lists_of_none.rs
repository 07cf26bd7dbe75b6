//! What Ghost's clients read of features that this site does not have: empty lists, nothing, or that there is no such record
//! (Ghost 6.65, recorded). Comments, gift links, custom fields of members, automations, mentions and feedback are such.

use serde_json::{Map, Value, json};

use super::{Reply, Request, envelope};
use crate::{
    admin::members,
    api::{
        listing::{self, not_found},
        params::Paging,
    },
    error::{Error, Kind, Result},
};

/// Recommendations by other sites on a page when `limit` is not given.
const PAGE_INCOMING_DEFAULT: usize = 5;

/// Votes of readers on a page when `limit` is not given.
const PAGE_FEEDBACK_DEFAULT: usize = 10;

/// What there is to change of links in mails.
const UPDATE_LINK: &str = "updateLink";

/// Which parameters of a list are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// `page` and `limit`.
    Pages,
    /// These and `order`.
    Order,
    /// These and `filter`.
    Filter,
}

/// `GET admin/comments/`: readers do not comment here.
pub fn comments(request: &Request) -> Result<Reply> {
    page(request, "comments", Reads::Filter, None)
}

/// `GET admin/comments/{id}/replies/`
pub fn replies(request: &Request) -> Result<Reply> {
    request.id(0)?;
    comments(request)
}

/// `GET` and `PUT admin/comments/{id}/`, and `GET` of its likes, dislikes and reports.
pub fn comment(request: &Request) -> Result<Reply> {
    absent_record(request, "comment")
}

/// `GET admin/links/`: links in mails are not counted, so they lead where they say. Pages are not told apart.
pub fn links(request: &Request) -> Result<Reply> {
    if let Some(filter) = request.parameters.single("filter", Kind::BadRequest)? {
        check_filter(filter)?;
    }
    Ok(Reply::value(&json!({
        "links": [],
        "meta": { "pagination": { "total": 0, "page": 1, "pages": 1 } },
    })))
}

/// `PUT admin/links/bulk/`: changes none.
pub fn edit_links(request: &Request) -> Result<Reply> {
    let filter = request.parameters.single("filter", Kind::BadRequest)?;
    let filter = filter.filter(|filter| !filter.is_empty()).ok_or_else(|| {
        Error::new(
            Kind::Validation,
            "\"filter\" says which links are changed, and is missing.",
        )
    })?;
    check_filter(filter)?;
    let bulk = envelope::bulk(request)?;
    if bulk.get("action").and_then(Value::as_str) != Some(UPDATE_LINK) {
        return Err(Error::new(
            Kind::IncorrectUsage,
            format!("The action on links is \"{UPDATE_LINK}\"."),
        ));
    }
    let meta = json!({
        "stats": { "successful": 0, "unsuccessful": 0 },
        "errors": [],
        "unsuccessfulData": [],
    });
    let body = json!({ "bulk": { "action": UPDATE_LINK, "meta": meta } });
    Ok(Reply::value(&body).invalidating("/*"))
}

/// `GET admin/feedback/{id}/`: readers of mails are not asked what they think of a post.
pub fn feedback(request: &Request) -> Result<Reply> {
    request.id(0)?;
    page(
        request,
        "feedback",
        Reads::Order,
        Some(PAGE_FEEDBACK_DEFAULT),
    )
}

/// `GET admin/incoming_recommendations/`: it is not known who recommends this site.
pub fn incoming_recommendations(request: &Request) -> Result<Reply> {
    let default = Some(PAGE_INCOMING_DEFAULT);
    page(request, "recommendations", Reads::Pages, default)
}

/// `GET admin/mentions/`: it is not known who links to this site. Without `limit` all are on one page.
pub fn mentions(request: &Request) -> Result<Reply> {
    let is_limited = request.parameters.all("limit").next().is_some();
    let mut body = list(request, "mentions", Reads::Filter, None)?;
    if !is_limited {
        body["meta"]["pagination"]["page"] = json!(1);
        body["meta"]["pagination"]["limit"] = json!("all");
    }
    Ok(Reply::value(&body))
}

/// `GET admin/automated_emails/`: nothing is sent by itself when somebody signs up.
pub fn automated_emails(request: &Request) -> Result<Reply> {
    page(request, "automated_emails", Reads::Order, None)
}

/// `GET admin/automated_emails/{id}/`
pub fn automated_email(request: &Request) -> Result<Reply> {
    absent_record(request, "automated email")
}

/// `GET admin/automations/`
pub fn automations(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({
        "automations": [],
        "meta": { "pagination": {
            "page": 1, "limit": "all", "pages": 1, "total": 0, "next": null, "prev": null,
        } },
    })))
}

/// `GET admin/automations/{id}/`
pub fn automation(request: &Request) -> Result<Reply> {
    absent_record(request, "automation")
}

/// `GET admin/identities/`: no service of others is shown who somebody is.
pub fn identities(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({ "identities": [] })))
}

/// `GET admin/members/metafields/{namespace}/`: members have no fields but those of the API.
pub fn metafields(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({ "members_metafields": [] })))
}

/// `GET admin/members/metafields/{namespace}/{key}/`
pub fn metafield(_request: &Request) -> Result<Reply> {
    Err(not_found("custom field"))
}

/// `GET admin/tinybird/token/`: visits are not counted.
pub fn tinybird_token(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({ "tinybird": null })))
}

/// `POST admin/slack/test/`: nothing is posted to Slack, and nothing is tried.
pub fn test_slack(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({})))
}

/// `GET admin/posts/{id}/gift_links/`, and of pages: posts are not given away.
pub fn gift_links(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let post = id.and_then(|id| request.edition.catalog.posts.get(id));
    match post {
        Some(_) => Ok(Reply::value(&json!({ "gift_links": [] }))),
        None => Err(not_found("post")),
    }
}

/// `GET admin/tiers/checkout_config/`
pub fn checkout_configs(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({ "tiers_checkout_config": [] })))
}

/// `GET admin/tiers/{id}/checkout_config/`
pub fn checkout_config(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let tier = id.and_then(|id| request.edition.catalog.tiers.get(id));
    let tier = tier.ok_or_else(|| not_found("tier"))?;
    let config = json!({ "tier_id": tier.id.to_string(), "custom_fields": [] });
    Ok(Reply::value(&json!({ "tiers_checkout_config": [config] })))
}

/// `DELETE admin/members/{id}/sessions/`: members do not sign in here, so nothing ends.
pub fn end_member_sessions(request: &Request) -> Result<Reply> {
    members::found(&request.edition.catalog, request.id(0)?)?;
    Ok(Reply::no_content())
}

/// `POST admin/members/{id}/subscriptions/` and `PUT admin/members/{id}/subscriptions/{subscription}/`: nobody pays here.
pub fn subscription(request: &Request) -> Result<Reply> {
    request.id(0)?;
    Err(Error::new(
        Kind::BadRequest,
        "Missing Stripe connection: members have no paid subscriptions here.",
    ))
}

/// `GET admin/emails/{id}/analytics/`: it is not counted who opens mails.
pub fn email_analytics(_request: &Request) -> Result<Reply> {
    let job = |name: &str| json!({ "running": false, "jobName": name });
    let fetching = |name: &str| {
        let mut job = job(name);
        job["fetchedThrough"] = Value::Null;
        job["lagSeconds"] = Value::Null;
        job
    };
    Ok(Reply::value(&json!({
        "latest": fetching("email-analytics-latest-others"),
        "missing": fetching("email-analytics-missing"),
        "scheduled": job("email-analytics-scheduled"),
        "latestOpened": fetching("email-analytics-latest-opened"),
    })))
}

/// `DELETE admin/emails/analytics/`: nothing is scheduled that could be cancelled.
pub fn cancel_email_analytics(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({ "emails": [{}] })))
}

/// `POST admin/stats/posts-member-counts/`: it is not known which post somebody signed up at.
pub fn post_member_counts(request: &Request) -> Result<Reply> {
    let body = request.json()?.unwrap_or_default();
    let posts = body["postIds"].as_array().map_or(&[][..], Vec::as_slice);
    let counts: Map<String, Value> = posts
        .iter()
        .map(|post| match post {
            Value::String(id) => id.clone(),
            other => other.to_string(),
        })
        .map(|id| (id, json!({ "free_members": 0, "paid_members": 0 })))
        .collect();
    Ok(Reply::value(&json!({ "stats": [counts] })))
}

/// `POST admin/stats/posts-visitor-counts/`: visits are not counted.
pub fn post_visitor_counts(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(
        &json!({ "stats": [{ "data": { "visitor_counts": {} } }] }),
    ))
}

/// The page that is asked for of the empty list `name`; `limit` is how many records it would have when nothing is said.
fn page(request: &Request, name: &str, reads: Reads, limit: Option<usize>) -> Result<Reply> {
    list(request, name, reads, limit).map(|body| Reply::value(&body))
}

fn list(request: &Request, name: &str, reads: Reads, limit: Option<usize>) -> Result<Value> {
    let unread: &[&str] = match reads {
        Reads::Pages => &["order", "filter"],
        Reads::Order => &["filter"],
        Reads::Filter => &[],
    };
    let mut paging = Paging::parse(&request.parameters.without(unread))?;
    let is_limited = request.parameters.all("limit").next().is_some();
    if let Some(limit) = limit.filter(|_| !is_limited) {
        paging.limit = limit;
    }
    if let Some(filter) = &paging.filter {
        check_filter(filter)?;
    }
    let page = listing::page(Vec::<std::sync::Arc<Value>>::new(), &paging);
    let mut body = json!({ "meta": listing::pagination(&page, &paging) });
    body[name] = json!([]);
    Ok(body)
}

fn check_filter(filter: &str) -> Result<()> {
    listing::parse_filter(filter).map(drop)
}

/// The answer for a record of which there is none: its identifier must be one all the same.
fn absent_record(request: &Request, noun: &str) -> Result<Reply> {
    request.id(0)?;
    Err(not_found(noun))
}
