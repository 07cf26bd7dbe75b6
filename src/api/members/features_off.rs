//! What Ghost has below `/members/api/` and Galley does not: comments, feedback and payments respond
//! as in a Ghost where they are off.

use super::{Call, account, empty_object, json_response, no_content};
use crate::{
    api::response::Response,
    error::{Error, Kind, Result},
};

/// Returns the response to a request for `path`.
///
/// # Errors
///
/// `NotFound` for an unknown path.
pub fn respond(call: &Call, verb: &str, path: &str) -> Result<Response> {
    let mut segments = path.split('/').skip(1);
    match (verb, segments.next().unwrap_or_default(), segments.next()) {
        // Numbers of comments by post: none has any.
        ("GET", "comments", Some("counts")) => Ok(json_response(&empty_object())),
        (_, "comments", _) => Err(Error::new(
            Kind::MethodNotAllowed,
            "Comments are not enabled.",
        )),
        ("POST", "feedback", None) => {
            if call.member().is_none() {
                account::by_key(call)?;
            }
            Err(Error::not_found("Post"))
        }
        ("POST", "member", Some("offers")) => {
            Ok(json_response(&serde_json::json!({ "offers": [] })))
        }
        ("POST", "recommendations", Some(_)) => Ok(no_content()),
        (
            "POST",
            "create-stripe-checkout-session"
            | "create-stripe-update-session"
            | "create-stripe-billing-portal-session",
            None,
        ) => Err(Error::new(
            Kind::DisabledFeature,
            "This site takes no payments.",
        )),
        _ => Err(Error::not_found("Resource")),
    }
}
