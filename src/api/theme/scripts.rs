//! The scripts for readers to which pages refer.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use arc_swap::ArcSwap;

use crate::{
    front_end::{ScriptChoice, ScriptUrls, Theme},
    npm_packages::FolderVersion,
    reader_scripts::{Manifest, ReaderScripts},
};

/// Interval between checks whether scripts were installed or removed, in milliseconds.
const CHECK_INTERVAL_MS: u64 = 1000;

/// The installed scripts, reloaded after scripts were installed or removed.
pub struct ActiveScripts {
    started: Instant,
    next_check_ms: AtomicU64,
    installed: ArcSwap<Installed>,
}

#[derive(Default)]
struct Installed {
    version: Option<FolderVersion>,
    manifest: Option<Manifest>,
}

impl Default for ActiveScripts {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            next_check_ms: AtomicU64::new(0),
            installed: ArcSwap::default(),
        }
    }
}

impl ActiveScripts {
    /// Returns whether scripts were installed or removed since the last call. It is called for each request, so it accesses the
    /// file system at most once a second.
    pub(in crate::api) fn have_changed(&self, scripts: &ReaderScripts) -> bool {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        // `Relaxed` suffices: the time guards no other memory, and `installed` is published by
        // `ArcSwap`.
        let due = self.next_check_ms.load(Ordering::Relaxed);
        if now < due {
            return false;
        }
        let next = now.saturating_add(CHECK_INTERVAL_MS);
        // Only one of several concurrent requests checks.
        if self.next_check_ms.fetch_max(next, Ordering::Relaxed) != due {
            return false;
        }
        let version = scripts.version();
        if self.installed.load().version == version {
            return false;
        }
        let manifest = scripts.manifest();
        // Stored before the caller drops the cached pages, so that new pages refer to the new
        // scripts.
        self.installed
            .store(Arc::new(Installed { version, manifest }));
        true
    }

    /// Returns the scripts for pages with this theme, on a site in this subdirectory.
    pub(super) fn of_pages(
        &self,
        choice: ScriptChoice,
        theme: &Theme,
        subdirectory: &str,
    ) -> ScriptUrls {
        let installed = self.installed.load();
        choice.scripts(theme, subdirectory, installed.manifest.as_ref())
    }
}
