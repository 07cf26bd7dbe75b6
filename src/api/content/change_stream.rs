//! The change feed as Server-Sent Events: `reset` when everything is told anew, `change` for each record, and `revision` when
//! there is nothing more for now.
//!
//! Each event carries what a client hands back as `Last-Event-ID` to go on where it was. Nothing waits in memory for a
//! client: each piece is made when the one before has been taken.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use http::header;
use serde_json::json;

use super::changes::{Asked, ENTRIES_DEFAULT, Page, Since};
use crate::{
    api::{
        addresses::AddressSources,
        keys,
        params::Query,
        request::{HeadRef, RequestHead},
        response::{Live, Next},
    },
    catalog::Catalog,
    error::{Error, Kind, Result},
    site::Site,
};

/// What the answer is called in `Accept` and `Content-Type`.
pub const EVENT_STREAM: &str = "text/event-stream";

/// The header field in which a client says what it heard last.
const LAST_EVENT_ID: &str = "last-event-id";

/// How soon a client comes back whose connection broke.
const PREAMBLE: &[u8] = b"retry: 2000\n\n";

/// Whether the request is for events.
pub fn is_wanted(head: &HeadRef) -> bool {
    let accepted = head.fields.values(&header::ACCEPT);
    let mut kinds = accepted
        .flat_map(|value| value.split(','))
        .map(|kind| kind.split(';').next().unwrap_or_default().trim());
    kinds.any(|kind| kind.eq_ignore_ascii_case(EVENT_STREAM))
}

/// The events of one client.
pub struct ChangeStream {
    source: Source,
    query: Query,
    since: Since,
    /// Whether there is nothing to say about the revision that the client knows: it was told, or it said so itself.
    is_told: bool,
    has_begun: bool,
}

/// Where the events come from.
pub struct Source {
    /// The site.
    pub site: Arc<Site>,
    /// Where it is for its readers.
    pub addresses: AddressSources,
}

impl fmt::Debug for ChangeStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "changes since {}", self.since)
    }
}

impl ChangeStream {
    /// The events for whoever sent this request. What it heard last comes before what the address says, which is of when the
    /// client was started.
    ///
    /// # Errors
    ///
    /// `Validation` when a parameter or the identifier of the last event is malformed.
    pub fn new(source: Source, head: &RequestHead, query: Query) -> Result<Self> {
        let asked = Asked::parse(&query)?;
        let heard = head.headers.get(LAST_EVENT_ID).filter(|id| !id.is_empty());
        let since = match heard {
            None => asked.since,
            Some(id) => {
                let id = id.to_str().map_err(|_| {
                    let message = "The header field \"Last-Event-ID\" is no text.";
                    Error::new(Kind::Validation, message).property("Last-Event-ID")
                })?;
                Since::parse(id, "Last-Event-ID")?
            }
        };
        Ok(Self {
            source,
            query,
            since,
            is_told: matches!(since, Since::Revision(_)),
            has_begun: false,
        })
    }

    fn events(&mut self, catalog: &Catalog) -> Option<Vec<u8>> {
        let page = Page::of(catalog, &self.since, ENTRIES_DEFAULT);
        if page.entries.is_empty() && self.is_told {
            return None;
        }
        let addresses = self.source.addresses.of(&catalog.settings);
        let mut bytes = Vec::new();
        if page.is_beginning {
            let about = json!({ "revision": page.revision });
            bytes.extend_from_slice(format!("event: reset\ndata: {about}\n\n").as_bytes());
        }
        for entry in &page.entries {
            let heard = match page.is_reset {
                true => Since::Listing {
                    began: entry.revision,
                    last: entry.subject,
                },
                false => Since::Revision(entry.revision),
            };
            bytes.extend_from_slice(format!("id: {heard}\nevent: change\ndata: ").as_bytes());
            entry.write(&mut bytes, &addresses);
            bytes.extend_from_slice(b"\n\n");
        }
        self.is_told = page.next.is_none();
        if self.is_told {
            let revision = page.revision;
            let about = json!({ "revision": revision });
            let event = format!("id: {revision}\nevent: revision\ndata: {about}\n\n");
            bytes.extend_from_slice(event.as_bytes());
        }
        self.since = page.next.unwrap_or(Since::Revision(page.revision));
        Some(bytes)
    }
}

impl Live for ChangeStream {
    fn next(&mut self) -> Next {
        let edition = self.source.site.current();
        // A key that was taken away shows nothing more.
        if keys::check(&edition.catalog, &self.query).is_err() {
            return Next::End;
        }
        if !self.has_begun {
            self.has_begun = true;
            return Next::Bytes(Bytes::from_static(PREAMBLE));
        }
        match self.events(&edition.catalog) {
            Some(events) => Next::Bytes(Bytes::from(events)),
            None => Next::Wait,
        }
    }

    fn heartbeat(&self) -> Bytes {
        Bytes::from_static(b":\n\n")
    }
}
