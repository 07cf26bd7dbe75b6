//! Opens a site: the data folder, the store, and the announcements of changes.

use std::sync::Arc;

use super::{AppError, upload_records::RecordedUploads, url_sources};
use crate::{
    api::webhook_payloads::Announcements,
    atomic_file, backup,
    body_memory::BodyMemory,
    clock::SystemClock,
    config::Config,
    data_folder::{DataFolder, UnfinishedWork},
    import,
    site::Site,
    site_urls::SiteUrlSources,
    store::{
        MeasuredStore, Store, StoreError, StoreMetrics, memory::MemoryStore, redb, redb::RedbStore,
    },
    themes,
};

#[cfg(feature = "postgres")]
use crate::store::postgres::PostgresStore;

/// The storage of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreMode {
    /// In the data folder, durably, or in the configured database.
    OnDisk,
    /// Like [`OnDisk`](Self::OnDisk), but the site is readable from the replica in the data folder
    /// if the database cannot be reached.
    OnDiskOrReplica,
    /// In the data folder, which is not changed: changes are in memory only, and lost when the
    /// program exits.
    ReadOnly,
    /// In memory, and lost when the program exits. Uploads and resized images are still stored in
    /// the data folder.
    InMemory,
}

/// A site whose data folder this process owns.
pub struct OpenSite {
    /// Dropped first, because it records the last uploads in the site.
    _recorded_uploads: Option<RecordedUploads>,
    /// The site, closed before the folder is unlocked.
    pub site: Arc<Site>,
    /// The lock on the data folder.
    pub folder: DataFolder,
    /// Memory budget that request bodies, their processing and webhook payloads share.
    pub(super) memory: Arc<BodyMemory>,
    /// Metrics of the commits of the store.
    pub(super) store_metrics: Arc<StoreMetrics>,
}

impl OpenSite {
    /// Locks the data folder and opens the site in it, creating one if necessary.
    ///
    /// # Errors
    ///
    /// If another process has locked the folder; if uploads cannot be stored or shared; if the
    /// store is damaged, not a Galley store, or from a newer version; or if the site's URL is
    /// invalid.
    pub fn open(config: &Config) -> Result<Self, AppError> {
        let memory = BodyMemory::new(config.limits.bodies_bytes_max);
        Self::open_at(config, url_sources(config)?, StoreMode::OnDisk, memory)
    }

    /// Opens the last commit of the site on a disk that cannot be written to. Changes are in memory only.
    ///
    /// # Errors
    ///
    /// If another process has locked the folder; or if the store is damaged, not a Galley store,
    /// from a newer version, or in a database, which requires a replica in the folder.
    pub fn open_read_only(config: &Config) -> Result<Self, AppError> {
        refuse_replica(config)?;
        let folder = DataFolder::open_read_only(&config.data)?;
        let memory = BodyMemory::new(config.limits.bodies_bytes_max);
        let site_urls = url_sources(config)?;
        Self::open_in(folder, config, site_urls, StoreMode::ReadOnly, memory)
    }

    /// Like [`open`](Self::open), for a command that creates the site. Other commands can open the
    /// site only after its `work` has been marked as finished ([`DataFolder::begin`]).
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn begin(config: &Config, work: &UnfinishedWork) -> Result<Self, AppError> {
        refuse_replica(config)?;
        let folder = DataFolder::begin(&config.data, work)?;
        let memory = BodyMemory::new(config.limits.bodies_bytes_max);
        let site_urls = url_sources(config)?;
        Self::open_in(folder, config, site_urls, StoreMode::OnDisk, memory)
    }

    /// Like [`open`](Self::open), with the URLs in webhook payloads from `site_urls`, and with
    /// `memory` as the budget for payloads, request bodies and their processing.
    pub(super) fn open_at(
        config: &Config,
        site_urls: SiteUrlSources,
        store_mode: StoreMode,
        memory: Arc<BodyMemory>,
    ) -> Result<Self, AppError> {
        if store_mode != StoreMode::InMemory && config.has_unshared_uploads() {
            return Err(AppError::UploadsOfOneProcess(config.data.clone()));
        }
        let has_replica = store_mode != StoreMode::InMemory && config.store_url.is_some();
        if has_replica && DataFolder::is_on_read_only_disk(&config.data) {
            return Err(AppError::ReadOnlyReplica(config.data.clone()));
        }
        if store_mode != StoreMode::InMemory {
            refuse_replica(config)?;
        }
        let folder = DataFolder::open(&config.data)?;
        Self::open_in(folder, config, site_urls, store_mode, memory)
    }

    fn open_in(
        folder: DataFolder,
        config: &Config,
        site_urls: SiteUrlSources,
        store_mode: StoreMode,
        memory: Arc<BodyMemory>,
    ) -> Result<Self, AppError> {
        // Checked before anything is removed, because the next restore needs the files that a
        // killed restore has left.
        backup::refuse_unfinished(folder.path())?;
        if store_mode != StoreMode::ReadOnly {
            clear_abandoned(&folder, config)?;
        }
        let store_metrics = Arc::<StoreMetrics>::default();
        let store: Box<dyn Store> = match store_mode {
            StoreMode::InMemory => Box::new(MemoryStore::new()),
            StoreMode::ReadOnly if config.store_url.is_some() => {
                return Err(AppError::ReadOnlyReplica(config.data.clone()));
            }
            StoreMode::ReadOnly => Box::new(RedbStore::open_read_only(
                folder.store(),
                config.store_cache_bytes,
            )?),
            StoreMode::OnDisk | StoreMode::OnDiskOrReplica => {
                let store = open_store(config, &folder, store_mode)?;
                Box::new(MeasuredStore::new(store, Arc::clone(&store_metrics)))
            }
        };
        let site = Site::open(store, Arc::new(SystemClock))?;
        // Before the site is shared with other threads, so that no change is committed without its
        // webhook deliveries.
        site.announce_with(Arc::new(Announcements::new(
            site_urls,
            config.member_avatars,
            Arc::clone(&memory),
        )));
        site.check_settings_with(Arc::new(config.themes()));
        let site = Arc::new(site);
        let bucket = config.uploads_bucket.as_ref();
        let recorded_uploads = bucket
            .filter(|_| store_mode != StoreMode::ReadOnly)
            .map(|bucket| RecordedUploads::start(Arc::clone(bucket), Arc::clone(&site)));
        Ok(Self {
            _recorded_uploads: recorded_uploads.transpose()?,
            folder,
            site,
            memory,
            store_metrics,
        })
    }
}

/// Rejects a data folder that belongs to a site in a database if no database is configured.
fn refuse_replica(config: &Config) -> Result<(), AppError> {
    match config.store_url {
        None => Ok(DataFolder::refuse_replica(&config.data)?),
        Some(_) => Ok(()),
    }
}

/// Removes temporary files of killed processes from the data folder and next to the uploads.
fn clear_abandoned(folder: &DataFolder, config: &Config) -> Result<(), AppError> {
    backup::clear_abandoned(folder.path())?;
    atomic_file::clear_abandoned(folder.path(), |_| true)?;
    let uploads = config.uploads();
    // The uploads may be on a disk that is not mounted; nothing is removed from or written to a
    // folder that is not theirs.
    uploads.check()?;
    import::clear_abandoned(&uploads)?;
    themes::clear_abandoned(&uploads)?;
    uploads.clear_abandoned()?;
    redb::clear_abandoned(&folder.store())?;
    Ok(())
}

/// Opens the store of a site: a database, or the file in the data folder.
fn open_store(
    config: &Config,
    folder: &DataFolder,
    store_mode: StoreMode,
) -> Result<Box<dyn Store>, StoreError> {
    match &config.store_url {
        None => {
            let store = RedbStore::open(folder.store(), config.store_cache_bytes)?;
            Ok(Box::new(store))
        }
        #[cfg(feature = "postgres")]
        Some(url) => {
            if folder.store().exists() {
                tracing::info!(
                    file = %folder.store().display(),
                    "the site is in the database; this file is not used"
                );
            }
            let (replica, cache_bytes) = (folder.replica(), config.store_cache_bytes);
            let store = match store_mode {
                StoreMode::OnDiskOrReplica => {
                    PostgresStore::open_or_replica(url, replica, cache_bytes)
                }
                StoreMode::OnDisk | StoreMode::ReadOnly | StoreMode::InMemory => {
                    PostgresStore::open(url, replica, cache_bytes)
                }
            };
            Ok(Box::new(store?))
        }
        #[cfg(not(feature = "postgres"))]
        // Without the feature, the type of the URL has no values, so this arm is never reached.
        Some(url) => match (*url, store_mode) {},
    }
}
