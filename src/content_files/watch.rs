//! Watches a content folder: events of the operating system, reduced to paths.
//!
//! This is the only module that uses `notify`. It reads no files and makes no decisions. It ignores reads.

use std::{
    collections::BTreeSet,
    fs::Metadata,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode, ModifyKind},
};

use crate::content_files::folder_files::is_ignored_path;

/// The change of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Changes at these paths, and nowhere else: files written, created, removed or replaced.
    At(BTreeSet<String>),
    /// Any changes.
    Any,
}

impl Change {
    /// Merges both changes.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::At(mut paths), Self::At(others)) => {
                paths.extend(others);
                Self::At(paths)
            }
            _ => Self::Any,
        }
    }
}

/// Watches a folder until it is dropped.
pub struct Watch {
    root: PathBuf,
    report: Arc<dyn Fn(Change) + Send + Sync>,
    watched: Option<WatchedFolder>,
}

/// The watched folder, which another folder may replace at the same path.
struct WatchedFolder {
    path: PathBuf,
    identity: (u64, u64),
    /// `None` if the system does not permit it.
    watcher: Option<RecommendedWatcher>,
}

impl Watch {
    /// Starts watching `root`, and calls `report` for every change. A failure is logged.
    pub fn start(root: &Path, report: impl Fn(Change) + Send + Sync + 'static) -> Self {
        let mut watch = Self {
            root: root.to_owned(),
            report: Arc::new(report),
            watched: None,
        };
        watch.renew();
        watch
    }

    /// Returns whether changes are not reported.
    pub fn is_blind(&self) -> bool {
        let watcher = self.watched.as_ref().map(|watched| &watched.watcher);
        watcher.is_none_or(Option::is_none)
    }

    /// Watches again if the path now refers to another folder, because a folder was moved there or a link has a
    /// new target.
    pub fn renew(&mut self) {
        // Links are resolved, so that the paths of events begin with the watched path.
        // The folder may be missing for a moment, for example while another one replaces it; a
        // later scan renews the watch.
        let Ok(path) = self.root.canonicalize() else {
            return;
        };
        let Ok(identity) = path.metadata().as_ref().map(identity) else {
            return;
        };
        let is_same =
            |watched: &WatchedFolder| watched.path == path && watched.identity == identity;
        if self.watched.as_ref().is_some_and(is_same) {
            return;
        }
        let watcher = watch(&path, Arc::clone(&self.report)).inspect_err(|error| {
            tracing::warn!(%error, "the system does not report changes of the content folder; it is scanned every two seconds");
        });
        self.watched = Some(WatchedFolder {
            path,
            identity,
            watcher: watcher.ok(),
        });
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

fn watch(
    root: &Path,
    report: Arc<dyn Fn(Change) + Send + Sync>,
) -> notify::Result<RecommendedWatcher> {
    let below = root.to_owned();
    let mut watcher = notify::recommended_watcher(move |outcome: notify::Result<Event>| {
        let change = match outcome {
            Ok(event) => change(&below, &event),
            // Events may have been lost.
            Err(_) => Some(Change::Any),
        };
        if let Some(change) = change {
            report(change);
        }
    })?;
    watcher.watch(root, RecursiveMode::Recursive)?;
    Ok(watcher)
}

/// Converts an event to a change; `None` if nothing changed.
fn change(root: &Path, event: &Event) -> Option<Change> {
    // The queue of the system has overflowed.
    if event.need_rescan() {
        return Some(Change::Any);
    }
    let is_about_its_paths = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write))
        | EventKind::Create(_)
        | EventKind::Remove(_)
        | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_) | ModifyKind::Name(_)) => {
            true
        }
        // Otherwise the reads of a run would cause the next run.
        EventKind::Access(_) => return None,
        _ => false,
    };
    let paths: Vec<Option<&str>> = event
        .paths
        .iter()
        .map(|path| path.strip_prefix(root).ok()?.to_str())
        // Temporary files of editors cause no run.
        .filter(|path| !path.is_some_and(is_ignored_path))
        .collect();
    // If one path is not UTF-8 or outside of the folder, the change may be anywhere.
    let known: Option<BTreeSet<String>> =
        paths.iter().map(|path| path.map(str::to_owned)).collect();
    match known {
        Some(paths) if paths.is_empty() && !event.paths.is_empty() => None,
        // An event of the folder itself may mean that it was replaced.
        Some(paths) if is_about_its_paths && !paths.contains("") => Some(Change::At(paths)),
        _ => Some(Change::Any),
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, DataChange, RenameMode};

    use super::*;

    fn change_of(kind: EventKind, path: &str) -> Option<Change> {
        change(Path::new("/site"), &Event::new(kind).add_path(path.into()))
    }

    fn at(path: &str) -> Option<Change> {
        Some(Change::At(BTreeSet::from([path.to_owned()])))
    }

    #[test]
    fn write_reports_the_path_of_the_file() {
        let wrote = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        assert_eq!(change_of(wrote, "/site/posts/a.md"), at("posts/a.md"));
        let closed = EventKind::Access(AccessKind::Close(AccessMode::Write));
        assert_eq!(change_of(closed, "/site/posts/a.md"), at("posts/a.md"));
    }

    #[test]
    fn created_or_replaced_file_is_reported() {
        let created = EventKind::Create(CreateKind::File);
        assert_eq!(change_of(created, "/site/posts/a.md"), at("posts/a.md"));
        let moved = Event::new(EventKind::Modify(ModifyKind::Name(RenameMode::Both)))
            .add_path("/site/posts/.a.md.new".into())
            .add_path("/site/posts/a.md".into());
        assert_eq!(change(Path::new("/site"), &moved), at("posts/a.md"));
    }

    #[test]
    fn moved_folder_causes_a_full_scan() {
        let moved = EventKind::Modify(ModifyKind::Name(RenameMode::From));
        assert_eq!(change_of(moved, "/site"), Some(Change::Any));
    }

    #[test]
    fn reads_and_temporary_files_of_editors_are_ignored() {
        let read = EventKind::Access(AccessKind::Open(AccessMode::Any));
        assert_eq!(change_of(read, "/site/posts/a.md"), None);
        let created = EventKind::Create(CreateKind::File);
        assert_eq!(change_of(created, "/site/posts/.a.md.swp"), None);
        assert_eq!(change_of(created, "/site/.git/index.lock"), None);
    }

    #[test]
    fn lost_event_causes_a_full_scan() {
        let lost = Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan);
        assert_eq!(change(Path::new("/site"), &lost), Some(Change::Any));
    }

    #[test]
    fn changes_are_merged() {
        let one = Change::At(BTreeSet::from(["a".to_owned()]));
        let other = Change::At(BTreeSet::from(["b".to_owned()]));
        let both = Change::At(BTreeSet::from(["a".to_owned(), "b".to_owned()]));
        assert_eq!(one.clone().and(other), both);
        assert_eq!(one.and(Change::Any), Change::Any);
    }
}
