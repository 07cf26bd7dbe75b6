//! A request to the Content API, and the budget for its response.

use std::sync::Arc;

use jiff::Timestamp;

use super::{
    bodies::{Bodies, CachedRepresentation, RenderedFormat},
    response_memory::ResponseMemory,
    served_body::{self, ServedBody},
};
use crate::{
    api::{
        listing,
        listing::FilterRules,
        params::{PageSize, Paging, QueryParameters},
    },
    catalog::{Catalog, browse::Query, filter::Filterable},
    domain::{
        post::{Post, PostKind},
        reading_member::ReadingMember,
    },
    error::{Error, Result},
    search::{SearchIndex, SearchResults, Searcher},
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// Most records examined for an inline response.
const INLINE_RECORDS_MAX: usize = 500;

/// Most bytes of bodies in an inline response.
const INLINE_BODY_BYTES_MAX: usize = 512 * 1024;

/// A request to the Content API whose key was accepted.
pub struct Request<'a> {
    /// The snapshot of the site from which the response is built.
    pub snapshot: &'a SiteSnapshot,
    /// Its catalog.
    pub catalog: &'a Catalog,
    /// The URLs of the site.
    pub site_urls: &'a SiteUrls,
    /// The cached bodies of posts.
    pub bodies: &'a Bodies,
    /// The memory for bodies in the response.
    pub memory: &'a ResponseMemory,
    /// The member who reads; `None` for anonymous readers.
    pub reader: Option<&'a ReadingMember>,
    /// The budget for building the response.
    pub budget: Budget,
    /// The search index.
    pub search: &'a SearchIndex,
    /// Most records on a page of a list.
    pub list_limit_max: usize,
    /// The decoded query.
    pub parameters: &'a QueryParameters,
    /// The decoded value of the route's variable.
    pub variable: &'a str,
    /// The value of `now` in a filter.
    pub now: Timestamp,
}

/// The budget for building a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Unlimited; the store may be read.
    Unlimited,
    /// About ten microseconds: the store must not be read, and little memory may be used.
    Inline,
}

/// The reason why an endpoint does not return JSON.
#[derive(Debug)]
pub enum EndpointError {
    /// An error response.
    Failed(Error),
    /// The budget is exceeded.
    OverBudget,
}

impl From<Error> for EndpointError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<EndpointError> for Error {
    fn from(error: EndpointError) -> Self {
        match error {
            EndpointError::Failed(error) => error,
            EndpointError::OverBudget => Error::internal("the response exceeds its budget"),
        }
    }
}

/// The JSON of a successful response.
pub type EndpointBody = Result<Vec<u8>, EndpointError>;

/// Handles one endpoint.
pub type ContentHandler = fn(&Request) -> EndpointBody;

impl Request<'_> {
    /// Parses the parameters that select the records of a list, and charges the page size to the
    /// budget.
    ///
    /// # Errors
    ///
    /// The errors of [`Paging::parse`], and `OverBudget` if the budget is exceeded.
    pub(super) fn paging(&self) -> Result<Paging, EndpointError> {
        self.paging_of(PageSize::USUAL.default)
    }

    /// Does the same as [`Request::paging`] for a list with `default` records per page by default.
    pub(super) fn paging_of(&self, default: usize) -> Result<Paging, EndpointError> {
        let size = PageSize {
            default,
            max: self.list_limit_max,
        };
        let paging = Paging::parse_with(self.parameters, size)?;
        self.charge(paging.limit)?;
        Ok(paging)
    }

    /// Parses the query of a list and binds it to the resource's fields.
    ///
    /// # Errors
    ///
    /// `BadRequest` if the filter does not parse or names an unknown field, and `OverBudget` if it
    /// exceeds the budget.
    pub(super) fn query<R: Filterable>(
        &self,
        paging: &Paging,
        rules: &FilterRules<R>,
    ) -> Result<Query<R>, EndpointError> {
        if paging.filter.is_some() {
            // Conditions on tags and authors are evaluated for every tag and author.
            self.charge(self.catalog.tags.len() + self.catalog.users.len())?;
        }
        Ok(listing::query(self.catalog, self.now, paging, rules)?)
    }

    /// Returns the posts and pages, or only those of one kind, that match the search `text` and that the
    /// reader may see.
    ///
    /// # Errors
    ///
    /// The errors of [`SearchIndex::search`], and `OverBudget` for an inline response.
    pub(super) fn search(
        &self,
        text: &str,
        kind: Option<PostKind>,
    ) -> Result<SearchResults, EndpointError> {
        // A search may read texts of candidates from the store.
        if self.budget == Budget::Inline {
            return Err(EndpointError::OverBudget);
        }
        let searcher = match self.reader {
            None => Searcher::Anonymous,
            Some(member) => Searcher::Member(member.clone()),
        };
        Ok(self.search.search(self.snapshot, text, kind, &searcher)?)
    }

    /// Charges the examination of `records` to the budget.
    ///
    /// # Errors
    ///
    /// `OverBudget` if the budget is exceeded.
    pub(super) fn charge(&self, records: usize) -> Result<(), EndpointError> {
        // Each charge is compared alone; a request has only a few of them.
        match self.budget {
            Budget::Inline if records > INLINE_RECORDS_MAX => Err(EndpointError::OverBudget),
            _ => Ok(()),
        }
    }

    /// Returns the bodies of `posts`, in the order of `posts`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, the errors of [`ResponseMemory::take`], and for an inline response
    /// `OverBudget` if a body is not cached or the bodies are too long.
    pub(super) fn bodies<B: CachedRepresentation>(
        &self,
        posts: &[&Arc<Post>],
        form: RenderedFormat,
    ) -> Result<Vec<Arc<ServedBody<B>>>, EndpointError> {
        match self.budget {
            Budget::Unlimited => {
                Ok(self
                    .bodies
                    .of(self.snapshot, posts, form, self.reader, self.memory)?)
            }
            Budget::Inline => {
                let cached = self.bodies.cached(posts, form, self.reader);
                cached
                    .filter(|bodies| served_body::bytes(bodies) <= INLINE_BODY_BYTES_MAX)
                    .ok_or(EndpointError::OverBudget)
            }
        }
    }
}
