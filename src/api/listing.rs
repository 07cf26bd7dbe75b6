//! The common parts of both APIs: the parameters with which a record is looked up, pages and their pagination.

use std::sync::Arc;

use super::params::Paging;
pub use crate::{
    catalog::listing::{FilterRules, filter, query, query_of_file},
    clock::written_time,
};
use crate::{
    catalog::{browse::Page, listing::Pagination},
    error::{Error, Kind, Result},
    id::Id,
};

/// The key of a record lookup.
pub enum LookupKey<'a> {
    /// The identifier; `None` for a well-formed identifier that no record can have.
    Id(Option<Id>),
    /// The slug.
    Slug(&'a str),
}

/// Parses the `{id}` of a path: 24 hexadecimal digits in upper or lower case. `1` and `me` are also
/// well-formed, and match no record (Ghost 6.65, recorded).
///
/// # Errors
///
/// `Validation` for anything else.
pub fn lookup_by_id(variable: &str) -> Result<LookupKey<'_>> {
    match (variable, variable.parse()) {
        (_, Ok(id)) => Ok(LookupKey::Id(Some(id))),
        ("1" | "me", _) => Ok(LookupKey::Id(None)),
        _ => Err(Error::new(
            Kind::Validation,
            format!("\"{variable}\" is not an identifier."),
        )
        .context("An identifier is 24 hexadecimal digits.")),
    }
}

/// Parses the `{slug}` of a path.
///
/// # Errors
///
/// `Validation` if it is empty or contains anything but lower-case letters, digits, dashes and
/// underscores (Ghost 6.65, recorded).
pub fn lookup_by_slug(variable: &str) -> Result<LookupKey<'_>> {
    let allowed = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
    };
    if variable.is_empty() || !variable.bytes().all(allowed) {
        return Err(
            Error::new(Kind::Validation, format!("\"{variable}\" is not a slug."))
                .context("A slug contains lower-case letters, digits, dashes and underscores."),
        );
    }
    Ok(LookupKey::Slug(variable))
}

/// Returns the requested page of `records`, in their order.
pub fn page<R>(records: Vec<Arc<R>>, paging: &Paging) -> Page<R> {
    let first = (paging.page - 1).saturating_mul(paging.limit);
    Page {
        total: records.len(),
        records: records.into_iter().skip(first).take(paging.limit).collect(),
    }
}

/// Returns `meta.pagination`.
pub fn pagination<R>(page: &Page<R>, paging: &Paging) -> serde_json::Value {
    let pagination = Pagination::new(paging.page, paging.limit, page.total);
    serde_json::json!({ "pagination": pagination })
}
