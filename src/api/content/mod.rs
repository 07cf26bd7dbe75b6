//! The Content API: read-only, with a public key, always as an anonymous reader sees the site
//! (specification 4.1).

pub mod bodies;
pub mod change_stream;
pub mod changes;
pub mod newsletters;
pub mod offers;
pub mod posts;
pub mod recommendations;
pub mod response_memory;
pub mod search_index;
pub mod settings;
pub mod tags_and_authors;
pub mod tiers;
pub(super) mod view;

use std::sync::Arc;

use jiff::Timestamp;

use self::{
    bodies::{Bodies, Body, Form},
    response_memory::ResponseMemory,
};
use super::{
    addresses::Addresses,
    listing::{self, FilterRules},
    params::{Paging, Query as Parameters},
};
use crate::{
    catalog::{Catalog, browse::Query, filter::Filterable},
    domain::post::Post,
    error::{Error, Result},
    site::Edition,
};

/// Most records examined for an inline response.
const INLINE_RECORDS_MAX: usize = 500;

/// Most bytes of bodies in an inline response.
const INLINE_BODY_BYTES_MAX: usize = 512 * 1024;

/// A request to the Content API whose key was accepted.
pub struct Request<'a> {
    /// The site snapshot that the response is made from.
    pub edition: &'a Edition,
    /// Its catalog.
    pub catalog: &'a Catalog,
    /// The URLs of the site.
    pub addresses: &'a Addresses,
    /// The cached bodies of posts.
    pub bodies: &'a Bodies,
    /// The memory for bodies in the response.
    pub memory: &'a ResponseMemory,
    /// The budget for making the response.
    pub effort: Effort,
    /// The decoded query.
    pub parameters: &'a Parameters,
    /// The decoded value of the route's variable.
    pub variable: &'a str,
    /// The value of `now` in a filter.
    pub now: Timestamp,
}

/// The budget for making a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Unlimited; the store may be read.
    Any,
    /// Some ten microseconds: memory only, and little of it.
    Little,
}

/// The reason why an endpoint returns no JSON.
#[derive(Debug)]
pub enum Unanswered {
    /// An error response.
    Failed(Error),
    /// The budget is exceeded.
    TakesMore,
}

impl From<Error> for Unanswered {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Unanswered> for Error {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Failed(error) => error,
            Unanswered::TakesMore => Error::internal("the response exceeds its budget"),
        }
    }
}

/// The JSON of a successful response.
pub type Answered = Result<Vec<u8>, Unanswered>;

/// Handles one endpoint.
pub type Endpoint = fn(&Request) -> Answered;

impl Request<'_> {
    /// Reads the query of a list, bound to the resource's fields.
    ///
    /// # Errors
    ///
    /// `BadRequest` if the filter does not parse or names an unknown field, and `TakesMore` if it
    /// exceeds the budget.
    fn query<R: Filterable>(
        &self,
        paging: &Paging,
        rules: &FilterRules<R>,
    ) -> Result<Query<R>, Unanswered> {
        if paging.filter.is_some() {
            // Conditions on tags and authors are evaluated for all of them.
            self.look_at(self.catalog.tags.len() + self.catalog.users.len())?;
        }
        Ok(listing::query(self.catalog, self.now, paging, rules)?)
    }

    /// Charges the examination of `records` to the budget.
    ///
    /// # Errors
    ///
    /// `TakesMore` if the budget is exceeded.
    fn look_at(&self, records: usize) -> Result<(), Unanswered> {
        match self.effort {
            Effort::Little if records > INLINE_RECORDS_MAX => Err(Unanswered::TakesMore),
            _ => Ok(()),
        }
    }

    /// Returns the bodies of `posts`, in their order.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, as [`ResponseMemory::take`], and `TakesMore` if the store would
    /// have to be read or the bodies exceed the budget.
    fn bodies(&self, posts: &[&Arc<Post>], form: Form) -> Result<Vec<Arc<Body>>, Unanswered> {
        match self.effort {
            Effort::Any => Ok(self.bodies.of(self.edition, posts, form, self.memory)?),
            Effort::Little => {
                let cached = self.bodies.kept(posts, form);
                cached
                    .filter(|bodies| bodies::bytes(bodies) <= INLINE_BODY_BYTES_MAX)
                    .ok_or(Unanswered::TakesMore)
            }
        }
    }
}
