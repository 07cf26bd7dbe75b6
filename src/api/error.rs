//! The one place where an error becomes an answer: its status and Ghost's envelope.

use bytes::Bytes;
use http::StatusCode;
use serde_json::json;
use uuid::Uuid;

use super::{
    headers::{self, CacheControl},
    response::{Body, Response},
};
use crate::error::{Error, Kind};

/// The status of an error (Ghost 6.65, recorded).
pub fn status(kind: Kind) -> StatusCode {
    match kind {
        Kind::BadRequest | Kind::UnreadableRequest => StatusCode::BAD_REQUEST,
        Kind::Unauthorized => StatusCode::UNAUTHORIZED,
        Kind::NoPermission => StatusCode::FORBIDDEN,
        Kind::NotFound => StatusCode::NOT_FOUND,
        Kind::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
        Kind::UpdateCollision => StatusCode::CONFLICT,
        Kind::RequestEntityTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Kind::Validation => StatusCode::UNPROCESSABLE_ENTITY,
        Kind::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Kind::Maintenance => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// The name of an error on the wire, which clients compare (Ghost 6.65, recorded).
pub fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::BadRequest | Kind::UnreadableRequest => "BadRequestError",
        Kind::Unauthorized => "UnauthorizedError",
        Kind::NoPermission => "NoPermissionError",
        Kind::NotFound => "NotFoundError",
        Kind::NotAcceptable => "RequestNotAcceptableError",
        Kind::UpdateCollision => "UpdateCollisionError",
        Kind::RequestEntityTooLarge => "RequestEntityTooLargeError",
        Kind::Validation => "ValidationError",
        Kind::TooManyRequests => "TooManyRequestsError",
        Kind::Internal => "InternalServerError",
        Kind::Maintenance => "MaintenanceError",
    }
}

/// The answer to a request that failed with `error`. Faults of the server are logged with the number that the client sees.
pub fn response(error: &Error, cache_control: CacheControl) -> Response {
    response_with_status(error, status(error.kind()), cache_control)
}

/// The same with a status of the edge's choosing, for what HTTP has a status of its own.
pub fn response_with_status(
    error: &Error,
    status: StatusCode,
    cache_control: CacheControl,
) -> Response {
    let id = Uuid::new_v4();
    if error.kind() == Kind::Internal {
        let source = std::error::Error::source(error).map(ToString::to_string);
        tracing::error!(%id, error = source.as_deref().unwrap_or("panic"), "a request failed");
    }
    let body = json!({"errors": [{
        "message": error.message(),
        "context": error.context_text(),
        "type": type_name(error.kind()),
        "details": null,
        "property": error.property_name(),
        "help": error.help_text(),
        "code": error.code_name(),
        "id": id,
        "ghostErrorCode": null,
    }]});
    Response {
        status,
        headers: headers::of_json(cache_control),
        body: Body::Bytes(Bytes::from(body.to_string())),
    }
}
