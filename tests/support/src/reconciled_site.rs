//! A site in this process that is reconciled with a content folder, one run at a time.

use std::{collections::BTreeSet, sync::Arc};

use galley::{
    api::{Options, files::FileRoots},
    clock::{Clock, SystemClock},
    content_files::Reconciler,
    content_text::Diagnostic,
    progress::NoProgress,
    site::Site,
    site_urls::{SiteUrlSources, SiteUrls},
    store::{Store, redb::RedbStore},
};
use serde_json::Value;

use crate::{api_reader::ApiReader, content_responses, folder::Folder};

const CACHE_BYTES: usize = 8 << 20;

/// A site and its reconciler.
pub struct ReconciledSite {
    /// The site.
    pub site: Arc<Site>,
    /// The reconciler of its content folder.
    pub reconciler: Reconciler,
    reader: ApiReader,
}

impl ReconciledSite {
    /// Opens the site of `folder` and reads all files. Fails unless all of them are valid.
    pub fn from(folder: &Folder) -> Self {
        let mut site = Self::open(folder);
        assert_eq!(site.run(), Vec::<String>::new());
        site
    }

    /// Opens the site of `folder` without reading a file.
    pub fn open(folder: &Folder) -> Self {
        Self::open_at(folder, Arc::new(SystemClock))
    }

    /// Opens the site of `folder` with `clock`, without reading a file.
    pub fn open_at(folder: &Folder, clock: Arc<dyn Clock>) -> Self {
        Self::on(store_of(folder), clock, folder)
    }

    /// Opens the site in `store` with `clock`.
    pub fn on(store: Box<dyn Store>, clock: Arc<dyn Clock>, folder: &Folder) -> Self {
        let site = Arc::new(Site::open(store, clock).expect("the site opens"));
        Self {
            reconciler: Reconciler::new(Arc::clone(&site), folder.content()).expect("a reconciler"),
            reader: ApiReader::new(&site, options(folder)),
            site,
        }
    }

    /// Reconciles the whole folder, and returns the new diagnostics.
    pub fn run(&mut self) -> Vec<String> {
        texts(
            self.reconciler
                .run(None, &NoProgress)
                .expect("the store works"),
        )
    }

    /// Reconciles only these files, as after a notification of the operating system.
    pub fn run_hinted(&mut self, paths: &[&str]) -> Vec<String> {
        let hints: BTreeSet<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let diagnostics = self.reconciler.run(Some(&hints), &NoProgress);
        texts(diagnostics.expect("the store works"))
    }

    /// Returns all diagnostics of the folder.
    pub fn problems(&self) -> Vec<String> {
        texts(self.reconciler.report().problems)
    }

    /// Returns the revision of the site.
    pub fn revision(&self) -> u64 {
        self.site.current().catalog.revision
    }

    /// Returns the body of the response to a path below `/ghost/api/content/`.
    pub fn get_text(&self, target: &str) -> String {
        self.reader.text(target)
    }

    /// Returns the response to a path below `/ghost/api/content/` as JSON.
    pub fn get(&self, target: &str) -> Value {
        self.reader.json(target)
    }

    /// Returns the post with this slug, with tags and authors; null if it is not public.
    pub fn post(&self, slug: &str) -> Value {
        self.get(&format!(
            "posts/slug/{slug}/?include=tags,authors,tiers&formats=html,plaintext"
        ))["posts"][0]
            .clone()
    }

    /// Returns the HTML of a post.
    pub fn html(&self, slug: &str) -> String {
        self.post(slug)["html"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Returns one field of each record of a list, in order.
    pub fn list(&self, resource: &str, field: &str) -> Vec<String> {
        let reply = self.get(&format!("{resource}/?limit=100"));
        let records = reply[resource].as_array().expect("a list").iter();
        records
            .map(|record| record[field].as_str().expect("a text").to_owned())
            .collect()
    }

    /// Returns all responses of the Content API.
    pub fn responses(&self) -> String {
        content_responses::all(|target| self.get_text(target))
    }
}

/// Opens the store in the data folder of `folder`.
pub fn store_of(folder: &Folder) -> Box<dyn Store> {
    std::fs::create_dir_all(folder.data()).expect("a data folder");
    let store = RedbStore::open(folder.data().join("galley.redb"), CACHE_BYTES);
    Box::new(store.expect("the store opens"))
}

fn options(folder: &Folder) -> Options {
    let site_urls = SiteUrls::new("https://example.com").expect("a URL");
    Options {
        site_urls: SiteUrlSources::of_operator(site_urls),
        files: FileRoots {
            content: Some(folder.content()),
            ..FileRoots::in_data(&folder.data())
        },
        cache_bytes_max: 0,
        ..Options::default()
    }
}

fn texts(diagnostics: Vec<Diagnostic>) -> Vec<String> {
    diagnostics.iter().map(ToString::to_string).collect()
}
