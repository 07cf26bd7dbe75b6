//! The change feed as Server-Sent Events: `reset` before a full listing, `change` for each record,
//! and `revision` when the client is up to date.
//!
//! Each event has an id that a client sends as `Last-Event-ID` to resume. Nothing is buffered for a
//! client: each chunk is built after the previous chunk was sent.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use http::header;
use serde_json::json;

use super::changes::{ChangesPage, ChangesQuery, ENTRIES_DEFAULT, FeedPosition};
use crate::{
    api::{
        keys,
        params::QueryParameters,
        request::{HeadRef, RequestHead},
        response::{Live, StreamStep},
    },
    catalog::Catalog,
    error::{Error, Kind, Result},
    site::Site,
    site_urls::SiteUrlSources,
};

/// The media type of the stream in `Accept` and `Content-Type`.
pub const EVENT_STREAM: &str = "text/event-stream";

/// The header field with the id of the last event that a client received.
const LAST_EVENT_ID: &str = "last-event-id";

/// The reconnection delay of clients, in milliseconds.
const PREAMBLE: &[u8] = b"retry: 2000\n\n";

/// Returns whether the request accepts an event stream.
pub fn accepts_event_stream(head: &HeadRef) -> bool {
    let accepted = head.fields.values(&header::ACCEPT);
    let mut kinds = accepted
        .flat_map(|value| value.split(','))
        .map(|kind| kind.split(';').next().unwrap_or_default().trim());
    kinds.any(|kind| kind.eq_ignore_ascii_case(EVENT_STREAM))
}

/// The event stream of one client.
pub struct ChangeStream {
    source: ChangeSource,
    query: QueryParameters,
    since: FeedPosition,
    /// True if the client knows the revision of its copy, because it sent the revision itself or
    /// received it in a `revision` event.
    is_caught_up: bool,
    has_begun: bool,
}

/// The source of the events.
pub struct ChangeSource {
    /// The site.
    pub site: Arc<Site>,
    /// The sources of the site's public URL.
    pub site_urls: SiteUrlSources,
}

impl fmt::Debug for ChangeStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "changes since {}", self.since)
    }
}

impl ChangeStream {
    /// Returns the stream for the sender of this request. `Last-Event-ID` takes precedence over the
    /// parameter `since`, which clients do not update when they reconnect.
    ///
    /// # Errors
    ///
    /// `Validation` if a parameter or the `Last-Event-ID` is malformed.
    pub fn new(source: ChangeSource, head: &RequestHead, query: QueryParameters) -> Result<Self> {
        let requested = ChangesQuery::parse(&query)?;
        let last_event = head.headers.get(LAST_EVENT_ID).filter(|id| !id.is_empty());
        let since = match last_event {
            None => requested.since,
            Some(id) => {
                let id = id.to_str().map_err(|_| {
                    let message = "The header field \"Last-Event-ID\" is not valid text.";
                    Error::new(Kind::Validation, message).property("Last-Event-ID")
                })?;
                FeedPosition::parse(id, "Last-Event-ID")?
            }
        };
        Ok(Self {
            source,
            query,
            since,
            is_caught_up: matches!(since, FeedPosition::Revision(_)),
            has_begun: false,
        })
    }

    fn events(&mut self, catalog: &Catalog) -> Option<Vec<u8>> {
        let page = ChangesPage::of(catalog, &self.since, ENTRIES_DEFAULT);
        // An empty page is also sent once, because its `revision` event shows the client that it is up
        // to date.
        if page.entries.is_empty() && self.is_caught_up {
            return None;
        }
        let site_urls = self.source.site_urls.of(catalog);
        let mut bytes = Vec::new();
        if page.is_beginning {
            let about = json!({ "revision": page.revision });
            bytes.extend_from_slice(format!("event: reset\ndata: {about}\n\n").as_bytes());
        }
        for entry in &page.entries {
            // A client that reconnects during a listing continues after this record.
            let last_event = if page.is_reset {
                FeedPosition::Listing {
                    began: entry.revision,
                    last: entry.subject,
                }
            } else {
                FeedPosition::Revision(entry.revision)
            };
            bytes.extend_from_slice(format!("id: {last_event}\nevent: change\ndata: ").as_bytes());
            entry.write(&mut bytes, catalog, &site_urls);
            bytes.extend_from_slice(b"\n\n");
        }
        self.is_caught_up = page.next.is_none();
        if self.is_caught_up {
            let revision = page.revision;
            let about = json!({ "revision": revision });
            let event = format!("id: {revision}\nevent: revision\ndata: {about}\n\n");
            bytes.extend_from_slice(event.as_bytes());
        }
        self.since = page.next.unwrap_or(FeedPosition::Revision(page.revision));
        Some(bytes)
    }
}

impl Live for ChangeStream {
    fn next(&mut self) -> StreamStep {
        let snapshot = self.source.site.current();
        // The stream ends when the key is revoked.
        if keys::check(&snapshot.catalog, &self.query).is_err() {
            return StreamStep::End;
        }
        if !self.has_begun {
            self.has_begun = true;
            return StreamStep::Bytes(Bytes::from_static(PREAMBLE));
        }
        match self.events(&snapshot.catalog) {
            Some(events) => StreamStep::Bytes(Bytes::from(events)),
            None => StreamStep::Wait,
        }
    }

    fn heartbeat(&self) -> Bytes {
        // A comment of the event stream format, which clients ignore.
        Bytes::from_static(b":\n\n")
    }
}
