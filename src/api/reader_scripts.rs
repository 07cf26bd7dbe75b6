//! Ghost's scripts for readers below `/public/reader-scripts/`, if they are installed.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use arc_swap::ArcSwap;

use super::{Api, installed_files, request::RequestHead, response::Response};
use crate::{
    front_end::{SCRIPTS_PATH, ScriptUrls},
    npm_packages::FolderVersion,
    reader_scripts::{Manifest, ReaderScripts},
};

/// Interval between checks whether scripts were installed or removed, in milliseconds.
const CHECK_INTERVAL_MS: u64 = 1000;

/// Returns the response to a request for `path`, which is relative to the site; `None` if no installed file has it.
pub fn respond(api: &Api, head: &RequestHead, path: &str) -> Option<Response> {
    let path = path.strip_prefix(SCRIPTS_PATH)?;
    let scripts = &api.options.reader_scripts;
    let open = |path: &str, ending: &str| scripts.file(path, ending);
    installed_files::immutable(path, open, head)
}

/// The installed scripts that pages name.
pub(super) struct ActiveScripts {
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
    /// Returns whether scripts were installed or removed since the last call. Asks the file system once a second at most, as it is
    /// called for each request.
    pub(super) fn have_changed(&self, scripts: &ReaderScripts) -> bool {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let due = self.next_check_ms.load(Ordering::Relaxed);
        let next = now.saturating_add(CHECK_INTERVAL_MS);
        let order = Ordering::Relaxed;
        // One of several requests checks.
        let checks = now >= due
            && self
                .next_check_ms
                .compare_exchange(due, next, order, order)
                .is_ok();
        if !checks {
            return false;
        }
        let version = scripts.version();
        if self.installed.load().version == version {
            return false;
        }
        let manifest = scripts.manifest();
        self.installed
            .store(Arc::new(Installed { version, manifest }));
        true
    }

    /// Returns the URLs of the scripts for pages of a site in this subdirectory: on the site if they are installed, or else on
    /// Ghost's CDN.
    pub(super) fn urls(&self, subdirectory: &str) -> ScriptUrls {
        match &self.installed.load().manifest {
            Some(manifest) => ScriptUrls::on_site(subdirectory, manifest),
            None => ScriptUrls::default(),
        }
    }
}
