//! Who asks.

use super::super::{Api, call::Call};
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

/// The error for who has not shown who it is.
pub fn nobody() -> Error {
    Error::new(
        Kind::NoPermission,
        "The request does not show who sends it.",
    )
    .help("Send a token in the header Authorization, or sign in first.")
}
