//! Parses the query of a list: filter, order and page, bound to the fields of a resource.

use jiff::Timestamp;
use serde::Serialize;

use super::{
    Catalog,
    browse::Query,
    fields::Schema,
    filter::{Filter, FilterError, FilterScope, Filterable},
    order::Order,
    params::{self, Paging},
    relation::{self, Relations},
};
use crate::{
    error::{Error, Kind, Result},
    nql::{self, Expression},
};

/// The rules for the filter and the order of a resource.
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

/// Parses the query of a list, bound to the fields of the resource. `now` is the value of `now` in
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

/// Parses the query of a list that is downloaded as a file: without a limit, unless `limit` is a
/// number.
///
/// # Errors
///
/// As [`query`], and `Validation` for an invalid page or limit.
pub fn query_of_file<R: Filterable>(
    catalog: &Catalog,
    now: Timestamp,
    parameters: &params::QueryParameters,
    rules: &FilterRules<R>,
) -> Result<Query<R>> {
    let mut query = query(catalog, now, &Paging::parse(parameters)?, rules)?;
    let limit = parameters.joined("limit");
    // `limit=all` means the maximum of a page in lists, but everything in a file.
    if limit.is_none_or(|limit| limit.parse::<usize>().is_err()) {
        query.limit = usize::MAX;
    }
    Ok(query)
}

/// Parses a filter. Returns `None` if it has conditions on private fields only.
///
/// # Errors
///
/// `BadRequest` if the filter does not parse or names an unknown field, `Validation` if it compares
/// a time with a value that is not a date.
pub fn filter<R: Filterable>(
    catalog: &Catalog,
    now: Timestamp,
    text: &str,
    rules: &FilterRules<R>,
) -> Result<Option<Filter<R>>> {
    compile(catalog, now, &parse_filter(text)?, text, rules)
}

/// Parses a filter without resolving the names in it.
///
/// # Errors
///
/// `BadRequest` if it does not parse.
pub fn parse_filter(text: &str) -> Result<Expression> {
    nql::parse(text).map_err(|error| {
        Error::new(Kind::BadRequest, "The filter is invalid.")
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
    let scope = FilterScope {
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

/// The pagination of a list, as served in `meta.pagination` (specification 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pagination {
    /// The page, from 1.
    pub page: usize,
    /// Records per page.
    pub limit: usize,
    /// The number of pages, at least 1.
    pub pages: usize,
    /// The number of records on all pages.
    pub total: usize,
    /// The next page; `None` on and after the last page.
    pub next: Option<usize>,
    /// The previous page; `None` on the first page and after the last page.
    pub prev: Option<usize>,
}

impl Pagination {
    /// Returns the pagination of a list of `total` records.
    pub fn new(page: usize, limit: usize, total: usize) -> Self {
        let pages = total.div_ceil(limit.max(1)).max(1);
        Self {
            page,
            limit,
            pages,
            total,
            next: (page < pages).then(|| page + 1),
            prev: (page > 1 && page <= pages).then(|| page - 1),
        }
    }
}
