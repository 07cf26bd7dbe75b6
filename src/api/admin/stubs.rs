//! Stubs for features of Ghost that Galley does not have, such as comments, gift links, custom fields
//! of members, automations, mentions and feedback. The endpoints respond with empty lists, empty objects
//! or 404 (Ghost 6.65, recorded), and refuse to add such records, with a reason.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Reply, Request, emails, envelope, unfiltered};
use crate::{
    api::{listing, params::Paging},
    error::{Error, Kind, Result},
};

/// Default number of incoming recommendations on a page.
const PAGE_INCOMING_DEFAULT: usize = 5;

/// Default number of feedback entries on a page.
const PAGE_FEEDBACK_DEFAULT: usize = 10;

/// The only bulk action on links in e-mails.
const UPDATE_LINK: &str = "updateLink";

/// The parameters that a list accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AcceptedParameters {
    /// `page` and `limit`.
    Pages,
    /// `page`, `limit` and `order`.
    Order,
    /// `page`, `limit`, `order` and `filter`.
    Filter,
}

/// `GET admin/comments/`: there are no comments.
pub fn comments(request: &Request) -> Result<Reply> {
    page(request, "comments", AcceptedParameters::Filter, None)
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

/// `POST admin/comments/`, and `POST admin/members/{id}/commenting/`
pub fn refuse_comments(_request: &Request) -> Result<Reply> {
    refuse("Galley has no comments.")
}

/// `GET admin/links/`: links in e-mails are not tracked. The page is ignored.
pub fn links(request: &Request) -> Result<Reply> {
    if let Some(filter) = request.parameters.single("filter", Kind::BadRequest)? {
        unfiltered::check(request, filter)?;
    }
    Ok(Reply::value(&json!({
        "links": [],
        "meta": { "pagination": { "total": 0, "page": 1, "pages": 1 } },
    })))
}

/// `PUT admin/links/bulk/`: changes nothing.
pub fn edit_links(request: &Request) -> Result<Reply> {
    let filter = request.parameters.single("filter", Kind::BadRequest)?;
    let filter = filter.filter(|filter| !filter.is_empty()).ok_or_else(|| {
        Error::new(
            Kind::Validation,
            "\"filter\" is required: it selects the links to change.",
        )
    })?;
    unfiltered::check(request, filter)?;
    let bulk = envelope::bulk(request)?;
    if bulk.get("action").and_then(Value::as_str) != Some(UPDATE_LINK) {
        return Err(Error::new(
            Kind::IncorrectUsage,
            format!("The only action on links is \"{UPDATE_LINK}\"."),
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

/// `GET admin/feedback/{id}/`: readers cannot give feedback on posts.
pub fn feedback(request: &Request) -> Result<Reply> {
    request.id(0)?;
    page(
        request,
        "feedback",
        AcceptedParameters::Order,
        Some(PAGE_FEEDBACK_DEFAULT),
    )
}

/// `GET admin/incoming_recommendations/`: recommendations by other sites are not tracked.
pub fn incoming_recommendations(request: &Request) -> Result<Reply> {
    let default = Some(PAGE_INCOMING_DEFAULT);
    page(
        request,
        "recommendations",
        AcceptedParameters::Pages,
        default,
    )
}

/// `GET admin/mentions/`: links from other sites are not tracked. Without `limit`, all mentions are on
/// one page.
pub fn mentions(request: &Request) -> Result<Reply> {
    let is_limited = request.parameters.all("limit").next().is_some();
    let mut body = list(request, "mentions", AcceptedParameters::Filter, None)?;
    if !is_limited {
        body["meta"]["pagination"]["page"] = json!(1);
        body["meta"]["pagination"]["limit"] = json!("all");
    }
    Ok(Reply::value(&body))
}

/// `GET admin/automated_emails/`: nothing is sent automatically on sign-up.
pub fn automated_emails(request: &Request) -> Result<Reply> {
    page(request, "automated_emails", AcceptedParameters::Order, None)
}

/// `GET admin/automated_emails/design/`
pub fn automated_email_design(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({ "automated_email_design": [] })))
}

/// `GET admin/automated_emails/{id}/`, and `POST` of its preview and test
pub fn automated_email(request: &Request) -> Result<Reply> {
    absent_record(request, "automated email")
}

/// `POST admin/automated_emails/` and `PUT admin/automated_emails/{id}/`
pub fn add_automated_email(_request: &Request) -> Result<Reply> {
    refuse("Galley sends no welcome mails.")
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

/// `GET admin/automations/{id}/`, and the endpoints of its emails
pub fn automation(request: &Request) -> Result<Reply> {
    absent_record(request, "automation")
}

/// `PUT admin/automations/{id}/`
pub fn edit_automation(_request: &Request) -> Result<Reply> {
    refuse("Galley has no automations.")
}

/// `GET admin/identities/`: no identity tokens for other services are issued.
pub fn identities(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({ "identities": [] })))
}

/// `GET admin/members/metafields/{namespace}/`: members have no custom fields.
pub fn metafields(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({ "members_metafields": [] })))
}

/// `GET admin/members/metafields/{namespace}/{key}/`
pub fn metafield(_request: &Request) -> Result<Reply> {
    Err(Error::not_found("custom field"))
}

/// `GET admin/tinybird/token/`: there is no web analytics.
pub fn tinybird_token(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({ "tinybird": null })))
}

/// `GET admin/featurebase/token/`: refused. Featurebase is the feedback forum of Ghost.
pub fn featurebase_token(_request: &Request) -> Result<Reply> {
    Err(Error::new(
        Kind::Validation,
        "Galley is not connected to Featurebase.",
    ))
}

/// `GET admin/members/stripe_connect/`
pub fn connect_stripe(_request: &Request) -> Result<Reply> {
    refuse("Galley takes no payments, so there is no account to connect.")
}

/// `POST admin/slack/test/`: there is no Slack integration, and nothing is sent.
pub fn test_slack(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({})))
}

/// `GET admin/posts/{id}/gift_links/`, and of pages: there are no gift links.
pub fn gift_links(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let post = id.and_then(|id| request.snapshot.catalog.posts.get(id));
    match post {
        Some(_) => Ok(Reply::value(&json!({ "gift_links": [] }))),
        None => Err(Error::not_found("post")),
    }
}

/// `PUT` and `POST admin/posts/{id}/gift_links/`, and of pages; `PUT admin/gift_links/remove_all/`
pub fn refuse_gift_links(_request: &Request) -> Result<Reply> {
    refuse("Galley has no gift links.")
}

/// `GET admin/tiers/checkout_config/`
pub fn checkout_configs(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({ "tiers_checkout_config": [] })))
}

/// `GET admin/tiers/{id}/checkout_config/`
pub fn checkout_config(request: &Request) -> Result<Reply> {
    let id = request.id(0)?;
    let tier = id.and_then(|id| request.snapshot.catalog.tiers.get(id));
    let tier = tier.ok_or_else(|| Error::not_found("tier"))?;
    let config = json!({ "tier_id": tier.id.to_string(), "custom_fields": [] });
    Ok(Reply::value(&json!({ "tiers_checkout_config": [config] })))
}

/// `PUT admin/tiers/{id}/checkout_config/`
pub fn edit_checkout_config(_request: &Request) -> Result<Reply> {
    refuse("Galley takes no payments, so a tier has no checkout.")
}

/// `POST admin/members/{id}/subscriptions/` and
/// `PUT admin/members/{id}/subscriptions/{subscription}/`: there are no paid subscriptions.
pub fn subscription(request: &Request) -> Result<Reply> {
    request.id(0)?;
    Err(Error::new(
        Kind::BadRequest,
        "Missing Stripe connection: members have no paid subscriptions here.",
    ))
}

/// `GET admin/emails/{id}/analytics/`: opened e-mails are not tracked.
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

/// `PUT admin/emails/{id}/analytics/`: opened e-mails are not tracked, so nothing is scheduled.
pub fn schedule_email_analytics(request: &Request) -> Result<Reply> {
    emails::requested_email(request)?;
    Ok(Reply::value(&json!({ "emails": [{}] })))
}

/// `DELETE admin/emails/analytics/`: there is no scheduled job to cancel.
pub fn cancel_email_analytics(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({ "emails": [{}] })))
}

/// `POST admin/stats/posts-member-counts/`: sign-ups are not attributed to posts.
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

/// `POST admin/stats/posts-visitor-counts/`: there is no web analytics.
pub fn post_visitor_counts(_request: &Request) -> Result<Reply> {
    Ok(Reply::value(
        &json!({ "stats": [{ "data": { "visitor_counts": {} } }] }),
    ))
}

/// Returns the requested page of the empty list `name`; `limit` is the default page size.
fn page(
    request: &Request,
    name: &str,
    accepted: AcceptedParameters,
    limit: Option<usize>,
) -> Result<Reply> {
    list(request, name, accepted, limit).map(|body| Reply::value(&body))
}

fn list(
    request: &Request,
    name: &str,
    accepted: AcceptedParameters,
    limit: Option<usize>,
) -> Result<Value> {
    let ignored: &[&str] = match accepted {
        AcceptedParameters::Pages => &["order", "filter"],
        AcceptedParameters::Order => &["filter"],
        AcceptedParameters::Filter => &[],
    };
    // Parameters that this list ignores are not validated either.
    let mut paging = Paging::parse(&request.parameters.without(ignored))?;
    let is_limited = request.parameters.all("limit").next().is_some();
    if let Some(limit) = limit.filter(|_| !is_limited) {
        paging.limit = limit;
    }
    if let Some(filter) = &paging.filter {
        unfiltered::check(request, filter)?;
    }
    // Only the pagination of this empty page is used.
    let page = listing::page(Vec::<Arc<Value>>::new(), &paging);
    let mut body = json!({ "meta": listing::pagination(&page, &paging) });
    body[name] = json!([]);
    Ok(body)
}

/// Refuses a request that requires a feature that Galley does not have.
fn refuse(reason: &str) -> Result<Reply> {
    Err(Error::new(Kind::BadRequest, reason))
}

/// Returns the error for a record that cannot exist; its identifier must still be well-formed.
fn absent_record(request: &Request, noun: &str) -> Result<Reply> {
    request.id(0)?;
    Err(Error::not_found(noun))
}
