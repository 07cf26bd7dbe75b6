//! The only module that turns an error into a response: its status and Ghost's envelope.

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use serde_json::json;
use uuid::Uuid;

use super::{
    entity_tag::entity_tag,
    headers::{self, CacheControl},
    request::RequestRefusal,
    response::{Body, Response},
};
use crate::error::{Error, Kind};

/// The `Retry-After` of a response when no worker or memory is free, in seconds.
static BUSY_RETRY_SECONDS: HeaderValue = HeaderValue::from_static("5");

/// The `Retry-After` of a response when too many requests are waiting, in seconds.
static WAITING_RETRY_SECONDS: HeaderValue = HeaderValue::from_static("30");

/// Returns the status of an error kind (Ghost 6.65, recorded).
pub fn status(kind: Kind) -> StatusCode {
    match kind {
        Kind::BadRequest
        | Kind::UnreadableRequest
        | Kind::UnreadableBody
        | Kind::IncorrectUsage => StatusCode::BAD_REQUEST,
        Kind::Unauthorized | Kind::PasswordResetRequired => StatusCode::UNAUTHORIZED,
        Kind::NoPermission | Kind::NeedsSecondFactor => StatusCode::FORBIDDEN,
        Kind::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Kind::NotFound => StatusCode::NOT_FOUND,
        Kind::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Kind::DisabledFeature => StatusCode::CONFLICT,
        Kind::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
        Kind::UpdateCollision => StatusCode::CONFLICT,
        Kind::RequestEntityTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Kind::Validation => StatusCode::UNPROCESSABLE_ENTITY,
        Kind::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Kind::Maintenance => StatusCode::SERVICE_UNAVAILABLE,
        Kind::NoSpace => StatusCode::INSUFFICIENT_STORAGE,
    }
}

/// Returns the name of an error kind on the wire, which clients compare (Ghost 6.65, recorded).
pub fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::BadRequest | Kind::UnreadableRequest => "BadRequestError",
        Kind::Unauthorized => "UnauthorizedError",
        Kind::NoPermission => "NoPermissionError",
        Kind::NotFound => "NotFoundError",
        Kind::MethodNotAllowed => "MethodNotAllowedError",
        Kind::DisabledFeature => "DisabledFeatureError",
        Kind::NotAcceptable => "RequestNotAcceptableError",
        Kind::UpdateCollision => "UpdateCollisionError",
        Kind::IncorrectUsage => "IncorrectUsageError",
        Kind::UnsupportedMediaType => "UnsupportedMediaTypeError",
        Kind::NeedsSecondFactor => "Needs2FAError",
        Kind::PasswordResetRequired => "PasswordResetRequiredError",
        Kind::Validation => "ValidationError",
        Kind::TooManyRequests => "TooManyRequestsError",
        // An invalid body is an error of the client, but Ghost uses this name.
        Kind::Internal | Kind::NoSpace | Kind::UnreadableBody | Kind::RequestEntityTooLarge => {
            "InternalServerError"
        }
        Kind::Maintenance => "MaintenanceError",
    }
}

/// Returns the error's code, or the default of its kind.
fn code(error: &Error) -> Option<&'static str> {
    error.code_name().or(match error.kind() {
        Kind::UnreadableBody | Kind::RequestEntityTooLarge => Some("UNEXPECTED_ERROR"),
        _ => None,
    })
}

impl From<RequestRefusal> for Error {
    fn from(refusal: RequestRefusal) -> Self {
        let kind = match refusal {
            RequestRefusal::Malformed
            | RequestRefusal::Host
            | RequestRefusal::BodyTooSlow(_)
            | RequestRefusal::TargetTooLong(_)
            | RequestRefusal::HeadersTooLarge => Kind::UnreadableRequest,
            RequestRefusal::BodyTooLarge(_) => Kind::RequestEntityTooLarge,
            RequestRefusal::Panicked => Kind::Internal,
            RequestRefusal::Busy | RequestRefusal::TooManyWaiting => Kind::Maintenance,
        };
        Self::new(kind, refusal.to_string())
    }
}

/// Returns the response to a request that the HTTP server refuses.
pub fn refused(refusal: RequestRefusal) -> Response {
    let mut response =
        response_with_status(&refusal.into(), refusal.status(), CacheControl::Private);
    if refusal == RequestRefusal::TooManyWaiting {
        let seconds = WAITING_RETRY_SECONDS.clone();
        response.headers.set(header::RETRY_AFTER, seconds);
    }
    response
}

/// Returns the response to a request that failed with `error`. Internal errors are logged with the id
/// that the response contains.
pub fn response(error: &Error, cache_control: CacheControl) -> Response {
    response_with_status(error, status(error.kind()), cache_control)
}

/// Returns the same as [`response`] with another status, for errors of the HTTP server that have their
/// own status.
pub fn response_with_status(
    error: &Error,
    status: StatusCode,
    cache_control: CacheControl,
) -> Response {
    let id = Uuid::new_v4();
    if matches!(error.kind(), Kind::Internal | Kind::NoSpace) {
        // A panic is the only internal error without a source.
        let source = std::error::Error::source(error).map(ToString::to_string);
        tracing::error!(%id, error = source.as_deref().unwrap_or("panic"), "request failed");
    }
    let body = json!({"errors": [{
        "message": error.message(),
        "context": error.context_text(),
        "type": error.own_type_name().unwrap_or(type_name(error.kind())),
        "details": error.detail_values(),
        "property": error.property_name(),
        "help": error.help_text(),
        "code": code(error),
        "id": id,
        "ghostErrorCode": null,
    }]});
    let body = Bytes::from(body.to_string());
    let mut headers = headers::of_json(cache_control);
    headers.set(header::ETAG, entity_tag(&body));
    if error.kind() == Kind::Maintenance {
        headers.set(header::RETRY_AFTER, BUSY_RETRY_SECONDS.clone());
    }
    Response {
        status,
        headers,
        body: Body::Bytes(body),
    }
}
