//! Copies media of other sites to the uploads, and makes posts, tags and users refer to the copies,
//! for example after a migration from another service.
//!
//! The job runs on a separate thread, record by record. Each URL is requested once. A record is
//! changed as an edit by the user who started the job, so rights, revisions and content files are
//! handled as for any edit. If a file cannot be copied, its URL stays and is listed as a failure.
//! After a restart the job can be started again: URLs of copied files no longer begin with one of
//! the domains.

mod naming;

use std::{
    collections::HashMap,
    fs::{self, File},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;
use url::Url;

use self::naming::{MediaFolder, MediaName, name_of};
use super::{
    posts::{self, BodyChange, ChangeContext, PostChange, body},
    tags::{self, TagChanges},
    texts::TextChanges,
    uploads::{
        DeclaredUpload, Folders, files,
        images::{self, Purpose},
        media,
    },
    users::{self, UserChanges},
};
use crate::{
    background,
    catalog::{
        fields::{POST_TEXTS, StoredText, TAG_TEXTS, TextContent, USER_TEXTS},
        value::Value,
    },
    domain::{actor::Actor, post::Post},
    error::{Error, Kind, Result},
    id::Id,
    images::Memory,
    interruption::{Ended, Interruption},
    outbound::{DOWNLOAD_TIMEOUT, MediaClient, MediaError},
    periodic_thread::{PeriodicThread, StopSignal},
    render::{
        external_media::{MediaPrefixes, replace_in_document, replaced},
        html_to_lexical,
        urls::lexical_to_served,
    },
    site::{Site, SiteView},
    uploads::Uploads,
};

/// The domains used if a request names none (Ghost 6.65, observed).
pub const DEFAULT_DOMAINS: [&str; 2] =
    ["https://s3.amazonaws.com/revue", "https://substackcdn.com"];

/// Maximum number of jobs that wait for the running one.
const WAITING_MAX: usize = 10;

/// Maximum number of listed failures; further failures are only counted.
const FAILURES_MAX: usize = 1000;

/// Maximum number of attempts to change a record that is edited concurrently.
const ATTEMPTS_MAX: usize = 3;

/// The parts of the site that the job uses.
#[derive(Clone)]
pub struct MediaTools {
    /// The site.
    pub site: Arc<Site>,
    /// The storage of uploads.
    pub uploads: Uploads,
    /// The content folder.
    pub content: Option<PathBuf>,
    /// Memory for images.
    pub memory: Arc<Memory>,
    /// The client for files of other sites.
    pub client: Arc<MediaClient>,
    /// Longest file, in bytes.
    pub bytes_max: u64,
}

/// A request to copy media.
#[derive(Clone, Debug)]
pub struct MediaJob {
    /// The prefixes of the media's URLs.
    pub prefixes: MediaPrefixes,
    /// The user who started the job and is recorded as the author of its changes.
    pub actor: Actor,
    /// The site's public URL.
    pub site_url: Url,
}

/// The progress of the job.
#[derive(Clone, Debug, Default)]
pub struct MediaProgress {
    /// True if a job is running.
    pub is_running: bool,
    /// The number of waiting jobs.
    pub waiting: usize,
    /// The domains of the running job, or of the last one.
    pub domains: Vec<String>,
    /// Time of the start.
    pub started_at: Option<Timestamp>,
    /// Time of the end.
    pub ended_at: Option<Timestamp>,
    /// The number of records to check.
    pub records: usize,
    /// The number of checked records.
    pub records_done: usize,
    /// The number of records that were changed to refer to copies.
    pub records_changed: usize,
    /// The number of copied files.
    pub files_copied: usize,
    /// The files and records that were not copied or changed.
    pub failures: Vec<MediaFailure>,
    /// The number of further failures.
    pub failures_more: usize,
}

/// Something that was not copied or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaFailure {
    /// The URL of the file, or the record: `post "night-ferry"`.
    pub subject: String,
    /// Why.
    pub reason: String,
}

/// The job and its progress.
#[derive(Default)]
pub struct MediaInlining {
    state: Arc<Mutex<InliningState>>,
    thread: Mutex<Option<PeriodicThread>>,
}

#[derive(Default)]
struct InliningState {
    progress: MediaProgress,
    waiting: Vec<MediaJob>,
}

impl MediaInlining {
    /// Returns the progress of the current or last job.
    pub fn progress(&self) -> MediaProgress {
        let state = locked(&self.state);
        MediaProgress {
            waiting: state.waiting.len(),
            ..state.progress.clone()
        }
    }

    /// Starts a job, or queues it if one is running.
    ///
    /// # Errors
    ///
    /// `Maintenance` if too many jobs are waiting.
    pub fn begin(&self, tools: &MediaTools, job: MediaJob) -> Result<()> {
        // Lock order: `thread` before `state`. The running thread locks only `state`.
        let mut thread = locked(&self.thread);
        let mut state = locked(&self.state);
        if state.waiting.len() >= WAITING_MAX {
            let message = "Too many jobs that copy media are waiting.";
            return Err(Error::new(Kind::Maintenance, message).help("Try again later."));
        }
        state.waiting.push(job);
        if state.progress.is_running {
            return Ok(());
        }
        state.progress.is_running = true;
        // The new thread begins by locking `state`.
        drop(state);
        let (tools, state) = (tools.clone(), Arc::clone(&self.state));
        let work = move |stop: &StopSignal| {
            background::lower_own_priority();
            run_all(&tools, &state, stop);
        };
        let started = PeriodicThread::start("media inlining", work).inspect_err(|_| {
            // Otherwise this job and all later ones would wait for a thread that does not exist.
            let mut state = locked(&self.state);
            state.progress.is_running = false;
            state.waiting.clear();
        });
        *thread = Some(started.map_err(Error::internal)?);
        Ok(())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No change leaves the state inconsistent, so a poisoned lock is safe to use.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the waiting jobs in sequence until the queue is empty or `stop` is given.
fn run_all(tools: &MediaTools, state: &Mutex<InliningState>, stop: &StopSignal) {
    loop {
        let job = {
            let mut state = locked(state);
            // The queue is checked and `is_running` is reset under one lock; otherwise `begin`
            // could queue a job for a thread that is about to end.
            if state.waiting.is_empty() || stop.is_given() {
                state.progress.is_running = false;
                return;
            }
            let job = state.waiting.remove(0);
            state.progress = MediaProgress {
                is_running: true,
                domains: job.prefixes.as_slice().to_vec(),
                started_at: Some(tools.site.now()),
                ..MediaProgress::default()
            };
            job
        };
        let mut run = MediaRun {
            tools,
            job: &job,
            state,
            stop,
            copies: HashMap::new(),
        };
        run.all_records();
        locked(state).progress.ended_at = Some(tools.site.now());
    }
}

/// A running job.
struct MediaRun<'a> {
    tools: &'a MediaTools,
    job: &'a MediaJob,
    state: &'a Mutex<InliningState>,
    stop: &'a StopSignal,
    /// The URLs of the copies by original URL; `None` for a file that cannot be copied.
    copies: HashMap<String, Option<String>>,
}

impl MediaRun<'_> {
    fn all_records(&mut self) {
        let catalog = Arc::clone(&self.tools.site.current());
        let posts: Vec<Id> = catalog.catalog.posts.iter().map(|post| post.id).collect();
        let tags: Vec<Id> = catalog.catalog.tags.iter().map(|tag| tag.id).collect();
        let users: Vec<Id> = catalog.catalog.users.iter().map(|user| user.id).collect();
        // The job may take hours; a snapshot that is held prevents the store from reusing space.
        drop(catalog);
        locked(self.state).progress.records = posts.len() + tags.len() + users.len();
        self.each(&posts, Self::change_post);
        self.each(&tags, Self::change_tag);
        self.each(&users, Self::change_user);
    }

    /// Changes records. Retries a record that another client changed in the meantime.
    fn each(&mut self, ids: &[Id], change: fn(&mut Self, Id) -> Result<bool>) {
        for id in ids {
            let mut result = Ok(false);
            for _ in 0..ATTEMPTS_MAX {
                if self.stop.is_given() {
                    return;
                }
                result = change(self, *id);
                // A collision means that someone has edited the record since it was read, so it is
                // read again.
                let is_collision = |error: &Error| matches!(error.kind(), Kind::UpdateCollision);
                if !result.as_ref().is_err_and(is_collision) {
                    break;
                }
            }
            let changed = match result {
                Ok(is_changed) => is_changed,
                Err(error) => {
                    self.fail(&self.name_of(*id), error.message());
                    false
                }
            };
            let mut state = locked(self.state);
            state.progress.records_changed += usize::from(changed);
            state.progress.records_done += 1;
        }
    }

    fn name_of(&self, id: Id) -> String {
        let snapshot = self.tools.site.current();
        let catalog = &snapshot.catalog;
        if let Some(post) = catalog.posts.get(id) {
            return format!("{} \"{}\"", post.kind.name(), post.slug);
        }
        if let Some(tag) = catalog.tags.get(id) {
            return format!("tag \"{}\"", tag.slug);
        }
        let user = catalog.users.get(id);
        user.map_or_else(|| id.to_string(), |user| format!("user \"{}\"", user.slug))
    }

    fn fail(&self, subject: &str, reason: &str) {
        let progress = &mut locked(self.state).progress;
        if progress.failures.len() < FAILURES_MAX {
            progress.failures.push(MediaFailure {
                subject: subject.to_owned(),
                reason: reason.to_owned(),
            });
        } else {
            progress.failures_more += 1;
        }
    }

    fn change_post(&mut self, id: Id) -> Result<bool> {
        let snapshot = Arc::clone(&self.tools.site.current());
        let Some(post) = snapshot.catalog.posts.get(id) else {
            return Ok(false);
        };
        let texts = self.texts(&**post, POST_TEXTS);
        let body = self.body(&*snapshot, post)?;
        // A stopped job has copied only some of the files that the post refers to.
        if texts.is_empty() && body.is_none() || self.stop.is_given() {
            return Ok(false);
        }
        let change = PostChange {
            // Detects collisions, as for an editor: a post that changed since it was read is read
            // again.
            updated_at: Some(post.updated_at),
            texts,
            body,
            ..PostChange::default()
        };
        let context = ChangeContext {
            actor: &self.job.actor,
            site: &self.job.site_url,
        };
        let site = &self.tools.site;
        site.write(|transaction| {
            posts::edit(transaction, &context, post.kind, id, change.clone())
        })?;
        Ok(true)
    }

    /// Returns the body of a post with the URLs of copies; `None` if it contains no URLs to
    /// replace.
    fn body(&mut self, snapshot: &dyn SiteView, post: &Post) -> Result<Option<BodyChange>> {
        let site_url = &self.job.site_url;
        let stored = match snapshot.lexical(post.id)? {
            Some(lexical) => lexical,
            None => match snapshot.html(post.id)? {
                Some(html) => html_to_lexical::to_lexical_faithfully(&html, site_url),
                None => return Ok(None),
            },
        };
        let served = lexical_to_served(&stored, site_url);
        let Ok(mut document) = serde_json::from_str(&served) else {
            return Ok(None);
        };
        let prefixes = self.job.prefixes.clone();
        let is_changed =
            replace_in_document(&mut document, &prefixes, &mut |url| self.copy_of(url));
        Ok(is_changed.then(|| body::of_lexical(&document.to_string(), &self.job.site_url)))
    }

    fn change_tag(&mut self, id: Id) -> Result<bool> {
        let snapshot = Arc::clone(&self.tools.site.current());
        let Some(tag) = snapshot.catalog.tags.get(id) else {
            return Ok(false);
        };
        let changes = TagChanges {
            texts: self.texts(&**tag, TAG_TEXTS),
            ..TagChanges::default()
        };
        if changes.texts.is_empty() || self.stop.is_given() {
            return Ok(false);
        }
        let (site, job) = (&self.tools.site, self.job);
        tags::edit(site, &job.actor, Some(id), &changes, &job.site_url)?;
        Ok(true)
    }

    fn change_user(&mut self, id: Id) -> Result<bool> {
        let snapshot = Arc::clone(&self.tools.site.current());
        let Some(user) = snapshot.catalog.users.get(id) else {
            return Ok(false);
        };
        let changes = UserChanges {
            texts: self.texts(&**user, USER_TEXTS),
            ..UserChanges::default()
        };
        if changes.texts.is_empty() || self.stop.is_given() {
            return Ok(false);
        }
        let (site, job) = (&self.tools.site, self.job);
        users::edit(site, &job.actor, Some(id), &changes, None, &job.site_url)?;
        Ok(true)
    }

    /// Returns the image fields of a record to change, with the URLs of their copies.
    fn texts<R>(&mut self, record: &R, fields: &[&'static StoredText<R>]) -> TextChanges<R> {
        let mut changes = Vec::new();
        for field in fields {
            let Value::Text(url) = (field.get)(record) else {
                continue;
            };
            if field.content != TextContent::Image {
                continue;
            }
            let prefixes = self.job.prefixes.clone();
            if let Some(copy) = replaced(&url, &prefixes, &mut |url| self.copy_of(url)) {
                changes.push((*field, Some(copy)));
            }
        }
        changes
    }

    /// Returns the URL of the copy of a file, copying it on first use; `None` if it cannot be
    /// copied.
    fn copy_of(&mut self, url: &str) -> Option<String> {
        if let Some(known) = self.copies.get(url) {
            return known.clone();
        }
        // Not stored as a failure, because the file was not requested.
        if self.stop.is_given() {
            return None;
        }
        let copy = match self.copied(url) {
            Ok(path) => {
                locked(self.state).progress.files_copied += 1;
                let site_url = self.job.site_url.as_str().trim_end_matches('/');
                Some(format!("{site_url}/content/{path}"))
            }
            Err(reason) => {
                self.fail(url, &reason);
                None
            }
        };
        self.copies.insert(url.to_owned(), copy.clone());
        copy
    }

    /// Copies a file, and returns its path among the uploads, or the reason for the failure.
    fn copied(&self, url: &str) -> Result<String, String> {
        let failed = |error: &dyn std::fmt::Display| error.to_string();
        let mut file = self
            .tools
            .uploads
            .incoming()
            .map_err(|error| failed(&error))?;
        let (client, bytes_max) = (Arc::clone(&self.tools.client), self.tools.bytes_max);
        let mut out = File::options()
            .write(true)
            .open(file.path())
            .map_err(|error| failed(&error))?;
        let owned_url = url.to_owned();
        // On a separate thread: a blocking request cannot be interrupted, only abandoned.
        let results = Interruption::default().start("media download", 1, move |sender| {
            // Sending fails only if the process is stopping and does not need the result.
            let _ = sender.send(client.get(&owned_url, bytes_max, &mut out));
        });
        let results = results.map_err(|error| failed(&error))?;
        let check = || {
            if self.stop.is_given() {
                Err(Ended::Interrupted)
            } else {
                Ok(())
            }
        };
        let kind: Result<String, MediaError> = results
            .next(DOWNLOAD_TIMEOUT, check)
            .map_err(|error: Ended| failed(&error))?;
        let kind = kind.map_err(|error| failed(&error))?;
        let name = name_of(url, &kind, file.path())?;
        self.stored(&name, &mut file)
            .map_err(|error| error.message().to_string())
    }

    /// Stores a file as an upload of its kind.
    fn stored(
        &self,
        name: &MediaName,
        file: &mut crate::atomic_file::AtomicFile,
    ) -> Result<String> {
        let tools = self.tools;
        let folders = Folders {
            uploads: &tools.uploads,
            content: tools.content.as_deref(),
        };
        let declared = DeclaredUpload {
            name: &name.name,
            kind: name.media_type,
        };
        match name.folder {
            MediaFolder::Images => {
                let content = fs::read(file.path()).map_err(Error::internal)?;
                let (site, memory) = (&tools.site, &tools.memory);
                images::upload(site, folders, memory, declared, &content, Purpose::Image)
            }
            MediaFolder::Media => {
                let (site, memory) = (&tools.site, &tools.memory);
                let stored = media::upload(site, folders, memory, declared, file, None)?;
                Ok(stored.path)
            }
            MediaFolder::Files => files::upload(&tools.site, folders, declared, file),
        }
    }
}
