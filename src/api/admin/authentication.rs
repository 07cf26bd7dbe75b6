//! Who asks.

use http::header;

use super::super::{Api, call::Call, request::RequestHead};
use crate::{
    domain::actor::Actor,
    error::{Error, Kind, Result},
};

/// Finds out who sent a request.
///
/// # Errors
///
/// `NoPermission` when nothing tells who it is.
pub fn authenticate(_api: &Api, _call: &Call) -> Result<Actor> {
    Err(nobody())
}

/// Whether a request shows something that may tell who sends it. Whether that is good is seen later.
pub fn is_shown(head: &RequestHead) -> bool {
    head.headers.contains_key(header::AUTHORIZATION) || head.headers.contains_key(header::COOKIE)
}

/// The error for who has not shown who it is.
pub fn nobody() -> Error {
    Error::new(
        Kind::NoPermission,
        "The request does not show who sends it.",
    )
    .help("Send a token in the header Authorization, or sign in first.")
}
