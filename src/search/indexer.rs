//! Builds the index, and updates it after each commit of the site.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
};

use tracing::warn;

use super::{SearchIndex, analysis::Analyzer, index::Index};
use crate::{
    background,
    error::{Error, Result},
    id::Id,
    site::{CommitTopic, Site, SiteSnapshot},
};

/// Number of posts that are indexed from one snapshot.
const POSTS_AT_ONCE: usize = 100;

/// Keeps a search index current until it is dropped.
pub struct Indexer {
    events: Sender<IndexerMessage>,
    is_stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IndexerMessage {
    Commit,
    Stop,
}

impl Indexer {
    /// Builds the index of `site` in a thread, and keeps it current.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn start(site: Arc<Site>, index: Arc<SearchIndex>) -> Result<Self> {
        let (events, received) = mpsc::channel();
        let wake = events.clone();
        site.on_commit(CommitTopic::Texts, move || {
            // If the receiver is gone, the program is shutting down.
            let _ = wake.send(IndexerMessage::Commit);
        });
        // The listener is set, and changes are recorded, before the thread reads its first
        // snapshot: a commit in between is indexed twice rather than not at all.
        site.record_changed_texts();
        let is_stopping = Arc::new(AtomicBool::new(false));
        let of_thread = Arc::clone(&is_stopping);
        let thread = thread::Builder::new()
            .name("search index".to_owned())
            .spawn(move || {
                background::lower_own_priority();
                IndexerThread {
                    site,
                    index,
                    received,
                    is_stopping: of_thread,
                }
                .run();
            })
            .map_err(Error::internal)?;
        Ok(Self {
            events,
            is_stopping,
            thread: Some(thread),
        })
    }
}

impl Drop for Indexer {
    fn drop(&mut self) {
        // Indexing a large site takes a while, and shutting down does not wait for it.
        // Relaxed, because the flag protects no other data. The message wakes a thread that waits
        // for commits.
        self.is_stopping.store(true, Ordering::Relaxed);
        // If the receiver is gone, the thread has ended.
        let _ = self.events.send(IndexerMessage::Stop);
        if let Some(thread) = self.thread.take() {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}

struct IndexerThread {
    site: Arc<Site>,
    index: Arc<SearchIndex>,
    received: Receiver<IndexerMessage>,
    is_stopping: Arc<AtomicBool>,
}

impl IndexerThread {
    fn run(self) {
        let mut locale = self.locale();
        let mut index = self.build(&locale);
        while !self.is_stopping.load(Ordering::Relaxed) {
            // Not reached if the thread is stopping: `build` and `put` return early then, and the
            // index is incomplete. The clone shares all nodes with the next version.
            self.index.current.store(Some(Arc::new(index.clone())));
            match self.received.recv() {
                Ok(IndexerMessage::Commit) => {}
                Ok(IndexerMessage::Stop) | Err(_) => return,
            }
            // Pending commits are indexed together.
            if self
                .received
                .try_iter()
                .any(|event| event == IndexerMessage::Stop)
            {
                return;
            }
            // Taken before the texts are read, so that a concurrent change is indexed twice rather
            // than not at all.
            let changed = self.site.take_changed_texts();
            // The locale decides the stemmer of all documents without a language tag, so another
            // one needs a new index.
            let current = self.locale();
            if current != locale {
                locale = current;
                index = self.build(&locale);
            } else {
                let changed: Vec<Id> = changed.into_iter().collect();
                self.put(&mut index, &changed);
                if index.has_many_removed() {
                    index = index.without_removed();
                }
            }
        }
    }

    fn locale(&self) -> String {
        let snapshot = self.site.current();
        let locale = snapshot.catalog.settings.text("locale");
        locale.unwrap_or_default()
    }

    /// Indexes all posts.
    fn build(&self, locale: &str) -> Index {
        // Changes from here on are recorded and indexed again.
        self.site.take_changed_texts();
        let mut index = Index::new(Analyzer::for_locale(locale));
        let snapshot = self.site.current();
        let posts: Vec<Id> = snapshot.catalog.posts.iter().map(|post| post.id).collect();
        // A snapshot holds the memory of its commit, and building may take long on a large site.
        drop(snapshot);
        for posts in posts.chunks(POSTS_AT_ONCE) {
            self.put(&mut index, posts);
        }
        index
    }

    /// Indexes the current versions of posts.
    fn put(&self, index: &mut Index, posts: &[Id]) {
        for posts in posts.chunks(POSTS_AT_ONCE) {
            if self.is_stopping.load(Ordering::Relaxed) {
                return;
            }
            let snapshot = self.site.current();
            if let Err(error) = put(index, &snapshot, posts) {
                // The other posts are indexed nevertheless. These are not found until they change
                // again.
                warn!("Posts could not be indexed for search: {error}");
            }
        }
    }
}

fn put(index: &mut Index, snapshot: &SiteSnapshot, posts: &[Id]) -> Result<()> {
    let catalog = &snapshot.catalog;
    let mut put_post = |id: Id, html: &str| match catalog.posts.get(id) {
        Some(post) => index.put(catalog, post, html),
        // The post was deleted after its identifier was listed.
        None => index.remove(id),
    };
    let mut without_body: BTreeSet<Id> = posts.iter().copied().collect();
    // One at a time and without a copy, because a body may take much memory.
    snapshot.visit_bodies(posts.iter().copied(), |nth, html| {
        without_body.remove(&posts[nth]);
        put_post(posts[nth], html);
    })?;
    without_body.iter().for_each(|id| put_post(*id, ""));
    Ok(())
}
