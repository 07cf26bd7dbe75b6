//! The change feed: what was published, changed or removed since a revision, for those who keep copies.
//!
//! Who knows nothing yet, or less than the site remembers, is told everything that there is; the answer then says
//! `reset: true`, and what a client has beside it is no more. Everything is listed by kind and identifier, so that it can be
//! told in pages while the site goes on: what changed meanwhile follows from the revision at which the listing began.

use std::{fmt, time::Duration};

use serde_json::json;

use super::{Answered, Request};
use crate::{
    api::{
        addresses::Addresses,
        json::{self, Object},
        listing::written_time,
        params::Query,
    },
    catalog::{Catalog, shown::Shown},
    domain::change::{Change, Resource, Subject},
    error::{Error, Kind, Result},
    id::Id,
};

/// Entries of an answer when the request does not say.
pub const ENTRIES_DEFAULT: usize = 100;

/// Entries of an answer at most.
pub const ENTRIES_MAX: usize = 1000;

/// The longest time for which an answer waits.
pub const WAIT_MAX: Duration = Duration::from_secs(60);

/// `GET changes/`
pub fn browse(request: &Request) -> Answered {
    let asked = Asked::parse(request.parameters)?;
    let page = Page::of(request.catalog, &asked.since, asked.limit);
    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    json::list(
        object.name("changes"),
        page.entries.iter(),
        |bytes, entry| entry.write(bytes, request.addresses),
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

/// What is asked of the feed.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What the client knows.
    pub since: Since,
    /// Entries in the answer, 1 to [`ENTRIES_MAX`].
    pub limit: usize,
    /// How long to wait when there is nothing to tell, up to [`WAIT_MAX`].
    pub wait: Duration,
}

impl Asked {
    /// Reads `since`, `limit` and `wait`.
    ///
    /// # Errors
    ///
    /// `Validation`, naming the parameter, when one is malformed or stands there twice.
    pub fn parse(query: &Query) -> Result<Self> {
        let single = |name| query.single(name, Kind::Validation);
        let since = single("since")?.map(|text| Since::parse(text, "since"));
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
            since: since.unwrap_or(Ok(Since::NOTHING))?,
            limit,
            wait,
        })
    }

    /// Whether there is nothing to tell yet.
    pub fn has_nothing_new(&self, catalog: &Catalog) -> bool {
        self.since == Since::Revision(catalog.changes.last())
    }
}

/// Digits alone; a number that is too large for any purpose is the largest there is.
fn whole_number(text: &str) -> Option<u64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().unwrap_or(u64::MAX))
}

fn malformed(name: &str, text: &str, wanted: &str) -> Error {
    Error::new(
        Kind::Validation,
        format!("\"{text}\" is no value for \"{name}\": it is {wanted}."),
    )
    .property(name)
}

/// How much of the site a client knows: what it hands in as `since`, and what the feed tells it to hand in next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// All up to this change.
    Revision(u64),
    /// Everything that there is, up to this record, in a listing that began at this revision. Written `42.posts.65f…`.
    Listing {
        /// The last change when the listing began.
        began: u64,
        /// The last record that was told.
        last: Subject,
    },
}

impl Since {
    /// Nothing is known.
    pub const NOTHING: Self = Self::Revision(0);

    /// Reads what the parameter or header field `name` says.
    ///
    /// # Errors
    ///
    /// `Validation` when it is nothing that the feed tells.
    pub fn parse(text: &str, name: &str) -> Result<Self> {
        let read = || match text.split_once('.') {
            None => whole_number(text).map(Self::Revision),
            Some((began, record)) => {
                let (resource, id) = record.split_once('.')?;
                Some(Self::Listing {
                    began: whole_number(began)?,
                    last: Subject {
                        resource: Resource::from_name(resource)?,
                        id: id.parse().ok()?,
                    },
                })
            }
        };
        read().ok_or_else(|| {
            let wanted = "0, or what an answer says under \"revision\" or \"next\"";
            malformed(name, text, wanted)
        })
    }
}

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Revision(revision) => write!(f, "{revision}"),
            Self::Listing { began, last } => {
                write!(f, "{began}.{}.{}", last.resource.name(), last.id)
            }
        }
    }
}

/// A part of what there is to tell.
pub struct Page {
    /// What is told, in order.
    pub entries: Vec<Entry>,
    /// What a client knows that has read to the last page.
    pub revision: u64,
    /// Whether this is a part of a listing of everything.
    pub is_reset: bool,
    /// Whether the listing of everything begins here.
    pub is_beginning: bool,
    /// Where it goes on, if it does.
    pub next: Option<Since>,
}

impl Page {
    /// What a client that knows `since` is told, up to `limit` entries.
    pub fn of(catalog: &Catalog, since: &Since, limit: usize) -> Self {
        let log = &catalog.changes;
        match *since {
            Since::Revision(revision) if log.knows_since(revision) => {
                Self::of_changes(catalog, revision, limit)
            }
            // To its end, whatever happened meanwhile: what follows tells whether that was too much.
            Since::Listing { began, last } => Self::of_listing(catalog, began, Some(last), limit),
            Since::Revision(_) => Self::of_listing(catalog, log.last(), None, limit),
        }
    }

    fn of_changes(catalog: &Catalog, since: u64, limit: usize) -> Self {
        let log = &catalog.changes;
        let mut changes = log.since(since);
        let entries: Vec<Entry> = changes
            .by_ref()
            .take(limit)
            .map(|change| Entry::of_change(catalog, change, since))
            .collect();
        let told = entries.last().map_or(since, |entry| entry.revision);
        let has_more = changes.next().is_some();
        Self {
            entries,
            revision: if has_more { told } else { log.last() },
            is_reset: false,
            is_beginning: false,
            next: has_more.then_some(Since::Revision(told)),
        }
    }

    fn of_listing(catalog: &Catalog, began: u64, last: Option<Subject>, limit: usize) -> Self {
        let first = last.map_or(Resource::ALL[0], |last| last.resource);
        let kinds = Resource::ALL.into_iter().filter(|kind| *kind >= first);
        let records = kinds.flat_map(|kind| {
            let begun = last.filter(|last| last.resource == kind);
            catalog.all_shown(kind, begun.map_or(Id::MIN, |last| last.id))
        });
        let mut records = records.filter(|shown| Some(shown.subject) != last);
        let entries: Vec<Entry> = records
            .by_ref()
            .take(limit)
            .map(|shown| Entry::of_record(began, &shown))
            .collect();
        let told = entries.last().map(|entry| entry.subject);
        let next = match records.next() {
            Some(_) => told.map(|last| Since::Listing { began, last }),
            // What changed while everything was told.
            None => (began != catalog.changes.last()).then_some(Since::Revision(began)),
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

/// What became of one record.
pub struct Entry {
    /// The number of the change; in a listing of everything, that at which the listing began.
    pub revision: u64,
    /// The record.
    pub subject: Subject,
    outcome: &'static str,
    slug: Option<Box<str>>,
    has_page: bool,
    /// Whether another record has its page by now.
    is_page_taken: bool,
    former_slugs: Vec<Box<str>>,
    updated_at: Option<jiff::Timestamp>,
}

impl Entry {
    /// A change, told to a client that knows what was before `since`.
    fn of_change(catalog: &Catalog, change: &Change, since: u64) -> Self {
        let subject = change.subject();
        let updated_at = catalog.shown(subject).and_then(|shown| shown.updated_at);
        // What another record has now is that one's, and nobody is to take it down.
        let is_taken = |slug: &str| catalog.is_slug_shown(subject.resource, slug);
        Self {
            revision: change.number,
            subject,
            outcome: match change {
                change if change.removed => "removed",
                change if change.appeared > since => "published",
                _ => "changed",
            },
            slug: change.slug.clone(),
            has_page: change.has_page,
            is_page_taken: change.removed && change.slug.as_deref().is_some_and(is_taken),
            // All that are known, since the revision may be that of an earlier page.
            former_slugs: change
                .former_slugs
                .iter()
                .map(|former| former.slug.clone())
                .filter(|slug| !is_taken(slug))
                .collect(),
            updated_at: updated_at.or(Some(change.at)),
        }
    }

    fn of_record(began: u64, shown: &Shown) -> Self {
        Self {
            revision: began,
            subject: shown.subject,
            outcome: "published",
            slug: shown.slug.map(Box::from),
            has_page: shown.has_page,
            is_page_taken: false,
            former_slugs: Vec::new(),
            updated_at: shown.updated_at,
        }
    }

    /// Writes it as JSON.
    pub fn write(&self, bytes: &mut Vec<u8>, addresses: &Addresses) {
        let resource = self.subject.resource;
        let page = |slug: &str| {
            let page = self.has_page.then(|| addresses.page(resource, slug));
            page.flatten()
        };
        let slug = self.slug.as_deref();
        let url = slug.filter(|_| !self.is_page_taken).and_then(page);
        let id = (self.subject != Subject::SETTINGS).then_some(self.subject.id);
        let former = self.former_slugs.iter();
        let former: Vec<_> = former
            .map(|slug| json!({ "slug": slug, "url": page(slug) }))
            .collect();
        let mut object = Object::begin(bytes);
        object.field("revision", self.revision);
        object.field("resource", resource.name());
        object.field("change", self.outcome);
        object.field("id", id);
        object.field("slug", slug);
        object.field("url", url);
        object.field("previous", former);
        object.field("updated_at", self.updated_at.map(written_time));
        object.end();
    }
}
