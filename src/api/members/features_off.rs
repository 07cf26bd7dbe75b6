//! Endpoints below `/members/api/` for features that Galley does not have: comments, feedback, fields of members and
//! payments. They respond as in a Ghost where these features are off (Ghost 6.65, recorded).

use http::header;
use serde_json::{Map, Value, json};

use super::{
    account,
    call::Call,
    replies::{json_response, no_content},
};
use crate::{
    api::{headers::CacheControl, response::Response},
    domain::post::Status,
    error::{Error, Kind, Result},
};

/// Returns the response to a request for `path` below `api/`.
///
/// # Errors
///
/// `NotFound` for an unknown path.
pub fn respond(call: &Call, verb: &str, path: &str) -> Result<Response> {
    // The first segment is `api`.
    let mut segments = path.split('/').skip(1);
    match (verb, segments.next().unwrap_or_default(), segments.next()) {
        ("GET", "comments", Some("counts")) => Ok(comment_counts(call)),
        ("GET", "comments", Some("post")) => Ok(json_response(&json!({
            "comments": [],
            "meta": { "pagination": {
                "page": 1, "limit": 15, "pages": 1, "total": 0, "next": null, "prev": null,
            } },
        }))),
        (_, "comments", _) => Err(no_comments(call, verb)),
        ("POST", "feedback", None) => Err(no_feedback(call)?),
        ("GET", "member", Some("metafields")) => {
            call.signed_in()?;
            Ok(json_response(&json!({ "members_metafields": [] })))
        }
        ("POST", "member", Some("offers")) => Ok(json_response(&json!({ "offers": [] }))),
        ("POST", "recommendations", Some(_)) => Ok(no_content()),
        (
            "POST",
            "create-stripe-checkout-session"
            | "create-stripe-update-session"
            | "create-stripe-billing-portal-session",
            None,
        )
        | ("PUT" | "POST", "subscriptions", Some(_)) => Err(Error::new(
            Kind::DisabledFeature,
            "This site takes no payments.",
        )),
        _ => Err(Error::not_found("Resource")),
    }
}

/// `GET members/feedback/{post}/{score}/`, a link in mails of Ghost: redirects to the post. The URL
/// lacks the part that would make Portal send the feedback.
///
/// # Errors
///
/// If the URL of the post is not valid in a header field.
pub fn redirect_feedback(call: &Call, path: &str) -> Result<Response> {
    let post = path.split('/').nth(1).and_then(|id| id.parse().ok());
    let post = post.and_then(|id| call.snapshot.catalog.posts.get(id));
    let post = post.filter(|post| post.status == Status::Published);
    let front = call.front();
    let target = match post {
        Some(post) => format!("{front}{}", call.cache.site_urls.post_path(post)),
        None => format!("{front}/"),
    };
    Response::redirect(false, &target, CacheControl::Private.value()).map_err(Error::internal)
}

/// Returns the number of comments of each requested post, which is always 0.
fn comment_counts(call: &Call) -> Response {
    let ids = call.query.first("ids").unwrap_or_default();
    let ids = ids.split(',').filter(|id| !id.is_empty());
    let counts: Map<String, Value> = ids.map(|id| (id.to_owned(), json!(0))).collect();
    let mut response = json_response(&Value::Object(counts));
    let public = CacheControl::Public.value();
    response.headers.set(header::CACHE_CONTROL, public);
    response
}

fn no_comments(call: &Call, verb: &str) -> Error {
    let changes_own = matches!(verb, "POST" | "PUT");
    if changes_own && call.member().is_none() {
        return Error::new(Kind::Unauthorized, "Unable to find member");
    }
    let message = "Comments are not enabled for this site.";
    Error::new(Kind::MethodNotAllowed, message)
}

/// Returns the error with which feedback is refused.
///
/// # Errors
///
/// `Unauthorized` for a client that is not a member; `Validation` if the score is invalid.
fn no_feedback(call: &Call) -> Result<Error> {
    if call.query.first("uuid").is_some() || call.member().is_none() {
        account::by_key(call)?;
    }
    let body = call.body()?;
    let score = body.get("feedback").map(|feedback| &feedback[0]["score"]);
    if !score.is_some_and(|score| *score == 0 || *score == 1) {
        let message = "Invalid feedback score. Only 1 or 0 is currently allowed.";
        return Err(Error::new(Kind::Validation, message).property("score"));
    }
    let message = "This site collects no feedback.";
    Ok(Error::new(Kind::DisabledFeature, message))
}
