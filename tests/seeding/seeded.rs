//! A site in this process that is reconciled with a content folder, one run at a time.

use std::{
    collections::BTreeSet,
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use bytes::Bytes;
use galley::{
    admin_app::AdminApp,
    api::{
        Api, Options,
        admin::members::avatar::MemberAvatars,
        files::FileRoots,
        request::{Request, RequestHead},
        response::Body,
        site_urls::{SiteUrlSources, SiteUrls},
    },
    clock::{Clock, SystemClock},
    site::Site,
    sources::{Diagnostic, Reconciler, SilentProgress},
    store::{Store, redb::RedbStore},
    uploads::Uploads,
};
use http::{HeaderMap, Method};
use serde_json::Value;

use crate::{folder::Folder, replies};

const CACHE_BYTES: usize = 8 << 20;

/// A site and its reconciler.
pub struct Seeded {
    pub site: Arc<Site>,
    pub reconciler: Reconciler,
    api: Api,
    key: String,
}

impl Seeded {
    /// Opens the site of `folder` and reads all files, which must be valid.
    pub fn from(folder: &Folder) -> Self {
        let mut seeded = Self::open(folder);
        assert_eq!(seeded.run(), Vec::<String>::new());
        seeded
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
        let known = site.current().catalog.integrations().next().cloned();
        let integration = known.map_or_else(
            || site.write(|transaction| transaction.add_integration("Test", None)),
            |known| Ok(known.as_ref().clone()),
        );
        let secret = integration.expect("there is a key").content_key.secret;
        Self {
            reconciler: Reconciler::new(Arc::clone(&site), folder.content()).expect("a reconciler"),
            api: Api::new(Arc::clone(&site), options(folder)),
            key: secret.to_string(),
            site,
        }
    }

    /// Reconciles the whole folder, and returns new diagnostics.
    pub fn run(&mut self) -> Vec<String> {
        texts(
            self.reconciler
                .run(None, &SilentProgress)
                .expect("the store works"),
        )
    }

    /// Reconciles only these files, as after a notification of the system.
    pub fn run_hinted(&mut self, paths: &[&str]) -> Vec<String> {
        let hints: BTreeSet<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let news = self.reconciler.run(Some(&hints), &SilentProgress);
        texts(news.expect("the store works"))
    }

    /// Returns all diagnostics of the folder.
    pub fn problems(&self) -> Vec<String> {
        texts(self.reconciler.report().problems)
    }

    pub fn revision(&self) -> u64 {
        self.site.current().catalog.revision
    }

    /// Returns the body of the response to a path below `/ghost/api/content/`.
    pub fn get_text(&self, target: &str) -> String {
        let mark = if target.contains('?') { '&' } else { '?' };
        let target = format!("/ghost/api/content/{target}{mark}key={}", self.key);
        let head = RequestHead {
            method: Method::GET,
            target: target.parse().expect("a path"),
            headers: HeaderMap::new(),
            peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
        };
        let body = Bytes::new();
        match self.api.respond_alone(&Request { head, body }).body {
            Body::Bytes(bytes) => String::from_utf8(bytes.to_vec()).expect("replies are UTF-8"),
            other => panic!("{target} gets {other:?}"),
        }
    }

    /// Returns the response as JSON.
    pub fn get(&self, target: &str) -> Value {
        serde_json::from_str(&self.get_text(target)).expect("replies are JSON")
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
    pub fn replies(&self) -> String {
        replies::all(|target| self.get_text(target))
    }
}

/// Opens the store in the data folder of `folder`.
pub fn store_of(folder: &Folder) -> Box<dyn Store> {
    std::fs::create_dir_all(folder.data()).expect("a data folder");
    let store = RedbStore::open(folder.data().join("galley.redb"), CACHE_BYTES);
    Box::new(store.expect("the store opens"))
}

fn options(folder: &Folder) -> Options {
    let addresses = || SiteUrls::new("https://example.com").expect("an address");
    Options {
        site_urls: SiteUrlSources {
            operator: Some(addresses()),
            listen: addresses(),
        },
        admin_origin: None,
        member_origins: Vec::new(),
        front_end: None,
        admin_app: AdminApp::at("admin-app".into()),
        path_prefix: "ghost".to_owned(),
        files: FileRoots {
            content: Some(folder.content()),
            data: folder.data(),
            uploads: Uploads::in_data(&folder.data()),
        },
        cache_bytes_max: 0,
        integration_scope: Default::default(),
        search: Default::default(),
        list_limit_max: 100,
        body_bytes_max: 1 << 20,
        upload_bytes_max: 1 << 20,
        image_memory_bytes: 256 << 20,
        device_verification: true,
        member_avatars: MemberAvatars::None,
        has_mail_server: false,
        content: Arc::default(),
        pulls: None,
        outside: None,
        media_reach: galley::outbound::Reach::Public,
    }
}

fn texts(diagnostics: Vec<Diagnostic>) -> Vec<String> {
    diagnostics.iter().map(ToString::to_string).collect()
}
