//! Opening a site: the data folder, the store in it, and what is told of its changes.

use std::sync::Arc;

use super::{AppError, address_sources};
use crate::{
    api::{addresses::AddressSources, announcements::Announcements},
    backup,
    body_memory::BodyMemory,
    clock::SystemClock,
    config::Config,
    data_folder::DataFolder,
    import,
    site::Site,
    store::{
        MeasuredStore, Store, StoreFigures,
        memory::MemoryStore,
        redb::{self, RedbStore},
    },
    themes, whole_file,
};

/// Where what a site keeps lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// In the data folder: it is there at the next start.
    OnDisk,
    /// In memory: it is gone when the program ends. Uploads and copies of pictures lie in the data folder nevertheless.
    InMemory,
}

/// A site whose data folder this process owns.
pub struct OpenSite {
    /// The site; it is closed before the folder is let go of.
    pub site: Arc<Site>,
    /// The lock on the data folder.
    pub folder: DataFolder,
    /// Memory that requests, what comes of them and what webhooks are sent share.
    pub(super) memory: Arc<BodyMemory>,
    /// What is counted of its commits.
    pub(super) figures: Arc<StoreFigures>,
}

impl OpenSite {
    /// Takes the data folder and opens the site in it; a new one if there is none.
    ///
    /// # Errors
    ///
    /// When another process has the folder, the store is damaged, foreign or of a newer version, or the site's address is
    /// none.
    pub fn open(config: &Config) -> Result<Self, AppError> {
        Self::open_at(config, address_sources(config)?, Keeping::OnDisk)
    }

    /// The same, of a site whose webhooks are told that it is where `addresses` say.
    pub(super) fn open_at(
        config: &Config,
        addresses: AddressSources,
        keeping: Keeping,
    ) -> Result<Self, AppError> {
        let folder = DataFolder::open(&config.data)?;
        backup::clear_abandoned(folder.path())?;
        import::clear_abandoned(folder.path())?;
        themes::clear_abandoned(folder.path())?;
        whole_file::clear_abandoned(folder.path())?;
        redb::clear_abandoned(&folder.store())?;
        let figures = Arc::<StoreFigures>::default();
        let store: Box<dyn Store> = match keeping {
            Keeping::OnDisk => {
                let store = RedbStore::open(folder.store(), config.store_cache_bytes)?;
                Box::new(MeasuredStore::new(store, Arc::clone(&figures)))
            }
            Keeping::InMemory => Box::new(MemoryStore::new()),
        };
        let site = Site::open(store, Arc::new(SystemClock))?;
        let memory = BodyMemory::new(config.limits.bodies_bytes_max);
        site.announce_with(Arc::new(Announcements::new(
            addresses,
            config.member_pictures,
            Arc::clone(&memory),
        )));
        Ok(Self {
            folder,
            site: Arc::new(site),
            memory,
            figures,
        })
    }
}
