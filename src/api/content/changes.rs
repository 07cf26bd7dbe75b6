//! The change feed: posts and pages published, changed or removed since a revision, for clients that keep
//! copies.
//!
//! A client that is new, or whose revision is older than the site's change log, gets a full
//! listing; the response then has `reset: true`, and the client discards records that are not
//! listed. The listing is ordered by kind and identifier, so that it can be paged while the site
//! changes. After the last page, the client gets the changes since the revision at which the listing
//! began.

use std::{fmt, time::Duration};

use serde_json::json;

use super::{EndpointBody, Request};
use crate::{
    api::{json, json::Object, listing::written_time, params::QueryParameters},
    catalog::{Catalog, public_records::PublicRecord},
    domain::change::{Change, ChangedRecord, Resource},
    error::{Error, Kind, Result},
    id::Id,
    site_urls::SiteUrls,
};

/// Default number of entries in a response.
pub const ENTRIES_DEFAULT: usize = 100;

/// Most entries in a response.
pub const ENTRIES_MAX: usize = 1000;

/// The longest time for which a response is deferred.
pub const WAIT_MAX: Duration = Duration::from_secs(60);

/// `GET changes/`
pub fn browse(request: &Request) -> EndpointBody {
    let requested = ChangesQuery::parse(request.parameters)?;
    let page = ChangesPage::of(request.catalog, &requested.since, requested.limit);
    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    json::list(
        object.name("changes"),
        page.entries.iter(),
        |bytes, entry| entry.write(bytes, request.catalog, request.site_urls),
    );
    let meta = json!({
        "revision": page.revision,
        "reset": page.is_reset,
        "next": page.next.as_ref().map(ToString::to_string),
    });
    object.field("meta", meta);
    object.end();
    Ok(bytes)
}

/// The parameters of a request to the feed.
#[derive(Clone, Debug)]
pub struct ChangesQuery {
    /// The revision that the client has.
    pub since: FeedPosition,
    /// Entries in the response, 1 to [`ENTRIES_MAX`].
    pub limit: usize,
    /// The time to wait for a change if there is none, up to [`WAIT_MAX`].
    pub wait: Duration,
}

impl ChangesQuery {
    /// Reads `since`, `limit` and `wait`.
    ///
    /// # Errors
    ///
    /// `Validation`, naming the parameter, if one is malformed or repeated.
    pub fn parse(query: &QueryParameters) -> Result<Self> {
        let single = |name| query.single(name, Kind::Validation);
        let since = single("since")?.map(|text| FeedPosition::parse(text, "since"));
        let limit = match single("limit")? {
            None => ENTRIES_DEFAULT,
            Some("all") => ENTRIES_MAX,
            Some(text) => whole_number(text)
                .filter(|limit| *limit > 0)
                .map(|limit| limit.min(ENTRIES_MAX as u64) as usize)
                .ok_or_else(|| malformed("limit", text, "a whole number from 1, or \"all\""))?,
        };
        let wait = match single("wait")? {
            None => Duration::ZERO,
            Some(text) => whole_number(text)
                .map(|seconds| Duration::from_secs(seconds).min(WAIT_MAX))
                .ok_or_else(|| malformed("wait", text, "a whole number of seconds, up to 60"))?,
        };
        Ok(Self {
            since: since.unwrap_or(Ok(FeedPosition::NOTHING))?,
            limit,
            wait,
        })
    }

    /// Returns whether the client has all changes.
    pub fn is_up_to_date(&self, catalog: &Catalog) -> bool {
        self.since == FeedPosition::Revision(catalog.changes.last())
    }
}

/// Parses a number that consists of digits only. On overflow, the result is `u64::MAX`.
fn whole_number(text: &str) -> Option<u64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().unwrap_or(u64::MAX))
}

fn malformed(name: &str, text: &str, expected: &str) -> Error {
    Error::new(
        Kind::Validation,
        format!("\"{text}\" is not a valid value for \"{name}\": use {expected}."),
    )
    .property(name)
}

/// The state of a client's copy: the value of `since`, which the feed returns for the next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedPosition {
    /// All changes up to this revision.
    Revision(u64),
    /// A full listing, up to and including the record `last`. Written `42.posts.65f…`.
    Listing {
        /// The revision at which the listing began.
        began: u64,
        /// The last record listed.
        last: ChangedRecord,
    },
}

impl FeedPosition {
    /// The position of a client without a copy.
    pub const NOTHING: Self = Self::Revision(0);

    /// Reads the value of the parameter or header field `name`.
    ///
    /// # Errors
    ///
    /// `Validation` if the value does not have the form of the values that the feed returns.
    pub fn parse(text: &str, name: &str) -> Result<Self> {
        let read = || match text.split_once('.') {
            None => whole_number(text).map(Self::Revision),
            Some((began, record)) => {
                let (resource, id) = record.split_once('.')?;
                Some(Self::Listing {
                    began: whole_number(began)?,
                    last: ChangedRecord {
                        resource: Resource::from_name(resource)?,
                        id: id.parse().ok()?,
                    },
                })
            }
        };
        read().ok_or_else(|| {
            let expected = "0, or the \"revision\" or \"next\" of a response";
            malformed(name, text, expected)
        })
    }
}

impl fmt::Display for FeedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Revision(revision) => write!(f, "{revision}"),
            Self::Listing { began, last } => {
                write!(f, "{began}.{}.{}", last.resource.name(), last.id)
            }
        }
    }
}

/// One page of the feed.
pub struct ChangesPage {
    /// The entries, in order.
    pub entries: Vec<ChangeEntry>,
    /// The revision of the client's copy after this page, or after the last page of a full listing.
    pub revision: u64,
    /// True if this page is part of a full listing.
    pub is_reset: bool,
    /// True if the full listing begins here.
    pub is_beginning: bool,
    /// The `since` of the next page, if there is one.
    pub next: Option<FeedPosition>,
}

impl ChangesPage {
    /// Returns the page for a client that has `since`, with up to `limit` entries.
    pub fn of(catalog: &Catalog, since: &FeedPosition, limit: usize) -> Self {
        let log = &catalog.changes;
        match *since {
            FeedPosition::Revision(revision) if log.is_complete_since(revision) => {
                Self::of_changes(catalog, revision, limit)
            }
            // A listing is always completed, even if the log no longer covers its revision. That is
            // checked when the client requests the changes since the listing.
            FeedPosition::Listing { began, last } => {
                Self::of_listing(catalog, began, Some(last), limit)
            }
            FeedPosition::Revision(_) => Self::of_listing(catalog, log.last(), None, limit),
        }
    }

    fn of_changes(catalog: &Catalog, since: u64, limit: usize) -> Self {
        let log = &catalog.changes;
        let mut changes = log.since(since);
        let entries: Vec<ChangeEntry> = changes
            .by_ref()
            .take(limit)
            .map(|change| ChangeEntry::of_change(catalog, change, since))
            .collect();
        let last_revision = entries.last().map_or(since, |entry| entry.revision);
        let has_more = changes.next().is_some();
        Self {
            entries,
            revision: if has_more { last_revision } else { log.last() },
            is_reset: false,
            is_beginning: false,
            next: has_more.then_some(FeedPosition::Revision(last_revision)),
        }
    }

    fn of_listing(
        catalog: &Catalog,
        began: u64,
        last: Option<ChangedRecord>,
        limit: usize,
    ) -> Self {
        let first = last.map_or(Resource::ALL[0], |last| last.resource);
        // The records of earlier kinds were already listed.
        let kinds = Resource::ALL.into_iter().filter(|kind| *kind >= first);
        let records = kinds.flat_map(|kind| {
            let begun = last.filter(|last| last.resource == kind);
            catalog.all_public(kind, begun.map_or(Id::MIN, |last| last.id))
        });
        // The scan begins with the last record of the previous page, which is skipped.
        let mut records = records.filter(|shown| Some(shown.subject) != last);
        let entries: Vec<ChangeEntry> = records
            .by_ref()
            .take(limit)
            .map(|shown| ChangeEntry::of_record(began, &shown))
            .collect();
        let last_subject = entries.last().map(|entry| entry.subject);
        let next = match records.next() {
            Some(_) => last_subject.map(|last| FeedPosition::Listing { began, last }),
            // The listing is complete; the changes since its beginning follow.
            None => (began != catalog.changes.last()).then_some(FeedPosition::Revision(began)),
        };
        Self {
            revision: began,
            is_reset: true,
            is_beginning: last.is_none(),
            next,
            entries,
        }
    }
}

/// A change of one record.
pub struct ChangeEntry {
    /// The number of the change; in a full listing, the revision at which it began.
    pub revision: u64,
    /// The record.
    pub subject: ChangedRecord,
    change_kind: &'static str,
    slug: Option<Box<str>>,
    has_page: bool,
    /// True if the record was removed and another record now has its slug.
    is_page_taken: bool,
    former_slugs: Vec<Box<str>>,
    updated_at: Option<jiff::Timestamp>,
}

impl ChangeEntry {
    /// Returns the entry of a change, for a client that has everything before `since`.
    fn of_change(catalog: &Catalog, change: &Change, since: u64) -> Self {
        let subject = change.subject();
        let updated_at = catalog.shown(subject).and_then(|shown| shown.updated_at);
        // If another record has taken over a slug, clients must not remove the page from their copy.
        let is_taken = |slug: &str| catalog.is_slug_public(subject.resource, slug);
        Self {
            revision: change.number,
            subject,
            change_kind: match change {
                change if change.removed => "removed",
                change if change.appeared > since => "published",
                _ => "changed",
            },
            slug: change.slug.clone(),
            has_page: change.has_page,
            is_page_taken: change.removed && change.slug.as_deref().is_some_and(is_taken),
            // All former slugs are listed, because `since` may be the revision of an earlier page.
            former_slugs: change
                .former_slugs
                .iter()
                .map(|former| former.slug.clone())
                .filter(|slug| !is_taken(slug))
                .collect(),
            updated_at: updated_at.or(Some(change.at)),
        }
    }

    fn of_record(began: u64, shown: &PublicRecord) -> Self {
        Self {
            revision: began,
            subject: shown.subject,
            change_kind: "published",
            slug: shown.slug.map(Box::from),
            has_page: shown.has_page,
            is_page_taken: false,
            former_slugs: Vec::new(),
            updated_at: shown.updated_at,
        }
    }

    /// Writes the entry as JSON.
    pub fn write(&self, bytes: &mut Vec<u8>, catalog: &Catalog, site_urls: &SiteUrls) {
        let page = |slug: &str| {
            self.has_page
                .then(|| site_urls.page(catalog, self.subject, slug))?
        };
        let slug = self.slug.as_deref();
        let url = slug.filter(|_| !self.is_page_taken).and_then(page);
        let id = (self.subject != ChangedRecord::SETTINGS).then_some(self.subject.id);
        let former = self.former_slugs.iter();
        let former: Vec<_> = former
            .map(|slug| json!({ "slug": slug, "url": page(slug) }))
            .collect();
        let mut object = Object::begin(bytes);
        object.field("revision", self.revision);
        object.field("resource", self.subject.resource.name());
        object.field("change", self.change_kind);
        object.field("id", id);
        object.field("slug", slug);
        object.field("url", url);
        object.field("previous", former);
        object.field("updated_at", self.updated_at.map(written_time));
        object.end();
    }
}
