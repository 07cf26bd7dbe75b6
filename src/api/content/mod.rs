//! The Content API: read-only, keyed by a public key, always as an anonymous reader sees the site (specification 4.1).

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

/// Most records that are looked at for an answer that is to take a moment.
const LITTLE_RECORDS_MAX: usize = 500;

/// Longest bodies, together, of such an answer, in bytes.
const LITTLE_BODY_BYTES_MAX: usize = 512 * 1024;

/// A request to the Content API whose key was accepted.
pub struct Request<'a> {
    /// The site as it is for this answer.
    pub edition: &'a Edition,
    /// Everything of it but the bodies.
    pub catalog: &'a Catalog,
    /// Where things are.
    pub addresses: &'a Addresses,
    /// The bodies of posts that are at hand.
    pub bodies: &'a Bodies,
    /// Memory for the bodies in it.
    pub memory: &'a ResponseMemory,
    /// How much may be done for the answer.
    pub effort: Effort,
    /// The decoded query.
    pub parameters: &'a Parameters,
    /// What stands in the path where the route has a variable; decoded.
    pub variable: &'a str,
    /// What `now` means in a filter.
    pub now: Timestamp,
}

/// How much may be done for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// What it takes; the store may be read.
    Any,
    /// What takes some ten microseconds: of memory alone, and not of much of it.
    Little,
}

/// Why there is no JSON of a successful answer.
#[derive(Debug)]
pub enum Unanswered {
    /// It is answered otherwise.
    Failed(Error),
    /// It takes more than was to be done.
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
            Unanswered::TakesMore => Error::internal("the answer takes more than was to be done"),
        }
    }
}

/// The JSON of a successful answer, if there is one.
pub type Answered = Result<Vec<u8>, Unanswered>;

/// Answers one endpoint.
pub type Endpoint = fn(&Request) -> Answered;

impl Request<'_> {
    /// What a list is asked for, tied to the resource's fields.
    ///
    /// # Errors
    ///
    /// `BadRequest` when the filter does not parse or names an unknown field, and `TakesMore` when there is too much to
    /// look at.
    fn query<R: Filterable>(
        &self,
        paging: &Paging,
        rules: &FilterRules<R>,
    ) -> Result<Query<R>, Unanswered> {
        if paging.filter.is_some() {
            // Conditions on tags and authors are asked of all of these.
            self.look_at(self.catalog.tags.len() + self.catalog.users.len())?;
        }
        Ok(listing::query(self.catalog, self.now, paging, rules)?)
    }

    /// Whether so many records may be looked at.
    ///
    /// # Errors
    ///
    /// `TakesMore` when they are too many.
    fn look_at(&self, records: usize) -> Result<(), Unanswered> {
        match self.effort {
            Effort::Little if records > LITTLE_RECORDS_MAX => Err(Unanswered::TakesMore),
            _ => Ok(()),
        }
    }

    /// The bodies of `posts`, in their order.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, as [`ResponseMemory::take`], and `TakesMore` when it would have to be read or the bodies
    /// are long.
    fn bodies(&self, posts: &[&Arc<Post>], form: Form) -> Result<Vec<Arc<Body>>, Unanswered> {
        match self.effort {
            Effort::Any => Ok(self.bodies.of(self.edition, posts, form, self.memory)?),
            Effort::Little => {
                let kept = self.bodies.kept(posts, form);
                kept.filter(|bodies| bodies::bytes(bodies) <= LITTLE_BODY_BYTES_MAX)
                    .ok_or(Unanswered::TakesMore)
            }
        }
    }
}
