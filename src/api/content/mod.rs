//! The Content API: read-only, keyed by a public key, always as an anonymous reader sees the site (specification 4.1).

pub mod change_stream;
pub mod changes;
pub mod newsletters;
pub mod offers;
pub mod posts;
pub mod recommendations;
pub mod search_index;
pub mod settings;
pub mod tags_and_authors;
pub mod tiers;
pub(super) mod view;

use jiff::Timestamp;

use super::{
    addresses::Addresses,
    listing::{self, FilterRules},
    params::{Paging, Query as Parameters},
};
use crate::{
    catalog::{Catalog, browse::Query, filter::Filterable},
    error::Result,
    site::Edition,
};

/// A request to the Content API whose key was accepted.
pub struct Request<'a> {
    /// The site as it is for this answer.
    pub edition: &'a Edition,
    /// Everything of it but the bodies.
    pub catalog: &'a Catalog,
    /// Where things are.
    pub addresses: &'a Addresses,
    /// The decoded query.
    pub parameters: &'a Parameters,
    /// What stands in the path where the route has a variable; decoded.
    pub variable: &'a str,
    /// What `now` means in a filter.
    pub now: Timestamp,
}

/// Answers one endpoint: the JSON of a successful answer.
pub type Endpoint = fn(&Request) -> Result<Vec<u8>>;

impl Request<'_> {
    /// What a list is asked for, tied to the resource's fields.
    ///
    /// # Errors
    ///
    /// `BadRequest` when the filter does not parse or names an unknown field.
    fn query<R: Filterable>(&self, paging: &Paging, rules: &FilterRules<R>) -> Result<Query<R>> {
        listing::query(self.catalog, self.now, paging, rules)
    }
}
