//! The common parts of lists in both APIs: looking up a record, reading filter, order and page, and
//! writing the pagination.

use std::sync::Arc;

use jiff::Timestamp;

use super::params::{self, Paging};
use crate::{
    catalog::{
        Catalog,
        browse::{Page, Query},
        fields::Schema,
        filter::{Filter, FilterError, Filterable, Scope},
        order::Order,
        relation::{self, Relations},
    },
    clock,
    error::{Error, Kind, Result},
    id::Id,
    nql::{self, Expression},
};

/// The key of a record lookup.
pub enum Lookup<'a> {
    /// Its identifier; `None` for a well-formed one that no record has.
    Id(Option<Id>),
    /// Its slug.
    Slug(&'a str),
}

/// Reads the `{id}` of a path: 24 hexadecimal digits of either case; `1` and `me` are well-formed
/// and match no record (Ghost 6.65, recorded).
///
/// # Errors
///
/// `Validation` for anything else.
pub fn lookup_by_id(variable: &str) -> Result<Lookup<'_>> {
    match (variable, variable.parse()) {
        (_, Ok(id)) => Ok(Lookup::Id(Some(id))),
        ("1" | "me", _) => Ok(Lookup::Id(None)),
        _ => Err(Error::new(
            Kind::Validation,
            format!("\"{variable}\" is not an identifier."),
        )
        .context("An identifier is 24 hexadecimal digits.")),
    }
}

/// Reads the `{slug}` of a path.
///
/// # Errors
///
/// `Validation` if it holds anything but lower-case letters, digits, dashes and underscores (Ghost
/// 6.65, recorded).
pub fn lookup_by_slug(variable: &str) -> Result<Lookup<'_>> {
    let allowed = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
    };
    if variable.is_empty() || !variable.bytes().all(allowed) {
        return Err(
            Error::new(Kind::Validation, format!("\"{variable}\" is not a slug."))
                .context("A slug contains lower-case letters, digits, dashes and underscores."),
        );
    }
    Ok(Lookup::Slug(variable))
}

/// Returns the error for a record that does not exist or is hidden.
pub fn not_found(noun: &str) -> Error {
    Error::not_found(noun)
}

/// The rules for reading the filter of one resource.
pub struct FilterRules<R: 'static> {
    /// The fields.
    pub schema: &'static Schema<R>,
    /// The related records that conditions can refer to.
    pub relations: Relations,
    /// True if records can be ordered by their number of posts.
    pub with_post_count: bool,
}

impl<R> FilterRules<R> {
    /// Returns the rules of a resource that is filtered by its own fields only.
    pub const fn of_fields(schema: &'static Schema<R>) -> Self {
        Self {
            schema,
            relations: Relations::None,
            with_post_count: false,
        }
    }
}

/// Reads the query of a list, bound to the resource's fields. `now` is the value of that word in
/// the filter.
///
/// # Errors
///
/// As [`filter`].
pub fn query<R: Filterable>(
    catalog: &Catalog,
    now: Timestamp,
    paging: &Paging,
    rules: &FilterRules<R>,
) -> Result<Query<R>> {
    let expression = paging.filter.as_deref().map(parse_filter).transpose()?;
    let filter = match (&expression, paging.filter.as_deref()) {
        (Some(expression), Some(text)) => compile(catalog, now, expression, text, rules)?,
        _ => None,
    };
    let listed_relations = match (&expression, rules.relations) {
        (Some(expression), Relations::OfPosts) => relation::listed(expression),
        _ => Vec::new(),
    };
    Ok(Query {
        filter,
        order: paging
            .order
            .as_deref()
            .and_then(|order| Order::parse(order, rules.schema, rules.with_post_count)),
        listed_relations,
        page: paging.page,
        limit: paging.limit,
    })
}

/// Reads the query of a list that is downloaded as a file: unlimited, unless `limit` is a number.
///
/// # Errors
///
/// As [`query`], and `Validation` for an invalid page or limit.
pub fn query_of_file<R: Filterable>(
    catalog: &Catalog,
    now: Timestamp,
    parameters: &params::Query,
    rules: &FilterRules<R>,
) -> Result<Query<R>> {
    let mut query = query(catalog, now, &Paging::parse(parameters)?, rules)?;
    let limit = parameters.joined("limit");
    if limit.is_none_or(|limit| limit.parse::<usize>().is_err()) {
        query.limit = usize::MAX;
    }
    Ok(query)
}

/// Reads a filter; `None` if it had conditions on private fields only.
///
/// # Errors
///
/// `BadRequest` if it does not parse or names an unknown field, `Validation` if it compares a time
/// with a value that is not a date.
pub fn filter<R: Filterable>(
    catalog: &Catalog,
    now: Timestamp,
    text: &str,
    rules: &FilterRules<R>,
) -> Result<Option<Filter<R>>> {
    compile(catalog, now, &parse_filter(text)?, text, rules)
}

/// Reads a filter without resolving the names in it.
///
/// # Errors
///
/// `BadRequest` if it does not parse.
pub fn parse_filter(text: &str) -> Result<Expression> {
    nql::parse(text).map_err(|error| {
        Error::new(Kind::BadRequest, "The filter cannot be read.")
            .context(format!("In \"{text}\": {error}."))
            .help("docs/content-api.md describes the filter language.")
    })
}

fn compile<R: Filterable>(
    catalog: &Catalog,
    now: Timestamp,
    expression: &Expression,
    text: &str,
    rules: &FilterRules<R>,
) -> Result<Option<Filter<R>>> {
    let scope = Scope {
        schema: rules.schema,
        relations: rules.relations,
        catalog,
        now,
        text,
    };
    Filter::compile(expression, &scope).map_err(|error| {
        let (kind, message) = match &error {
            FilterError::UnknownField(_) => {
                let message = "The filter names an unknown field.";
                (Kind::BadRequest, message.to_owned())
            }
            FilterError::TooManySearches { .. } => {
                let message = "The filter has too many searches.";
                (Kind::BadRequest, message.to_owned())
            }
            FilterError::NotADate(error) => (
                Kind::Validation,
                format!(
                    "The filter compares {} with \"{}\", which is not a date.",
                    error.name, error.value
                ),
            ),
        };
        Error::new(kind, message).context(format!("In \"{text}\": {error}."))
    })
}

/// Returns the requested page of records that are all in memory, in their order.
pub fn page<R>(records: Vec<Arc<R>>, paging: &Paging) -> Page<R> {
    let first = (paging.page - 1).saturating_mul(paging.limit);
    Page {
        total: records.len(),
        records: records.into_iter().skip(first).take(paging.limit).collect(),
    }
}

/// Formats an instant with the milliseconds that clients expect (Ghost 6.65, recorded).
pub fn written_time(time: Timestamp) -> String {
    let utc = clock::utc(time);
    utc.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Returns `meta.pagination` (specification 2.2). Past the last page, both `next` and `prev` are
/// null.
pub fn pagination<R>(page: &Page<R>, paging: &Paging) -> serde_json::Value {
    let pages = page.total.div_ceil(paging.limit.max(1)).max(1);
    serde_json::json!({"pagination": {
        "page": paging.page,
        "limit": paging.limit,
        "pages": pages,
        "total": page.total,
        "next": (paging.page < pages).then(|| paging.page + 1),
        "prev": (paging.page > 1 && paging.page <= pages).then(|| paging.page - 1),
    }})
}
