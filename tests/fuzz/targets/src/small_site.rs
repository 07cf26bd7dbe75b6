//! A site in memory that serves API requests.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{Read, Write},
    net::{IpAddr, Ipv4Addr},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use bytes::Bytes;
use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use galley::{
    api::{
        Api, LiveOptions, Options,
        files::FileRoots,
        request::{Request, RequestHead},
        response::{Body, Response},
    },
    clock::ManualClock,
    domain::{actor::Actor, integration::Integration},
    error::Result,
    import,
    import::{ImportSource, Report},
    progress::NoProgress,
    site::Site,
    site_urls::{SiteUrlSources, SiteUrls},
    store::{Keys, Store, Table, memory::MemoryStore},
    uploads::Uploads,
};
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, HeaderName, HeaderValue, Method, uri::PathAndQuery};
use serde_json::json;
use sha2::Sha256;
use walkdir::WalkDir;

/// The URL of the site.
pub const URL: &str = "https://harbour.example";

/// The time on the site's clock, in seconds since 1970: the beginning of 2026.
pub const NOW: i64 = 1_767_225_600;

/// The path of the data folder of a site in memory. The folder does not exist.
pub const NO_DATA: &str = "no-data-folder";

/// A new site with an additional integration.
pub struct SmallSite {
    pub site: Arc<Site>,
    pub integration: Integration,
    store: Arc<MemoryStore>,
    data: PathBuf,
}

/// All data of a site: the records of the store with their revisions, and the files of the data folder.
pub struct Everything {
    records: BTreeMap<(Table, Vec<u8>), (u64, Vec<u8>)>,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Everything {
    /// Panics unless both are the same. The message shows the first different record, or the different files.
    pub fn assert_same_as(&self, other: &Everything) {
        let Everything { records, files } = self;
        if let Some(key) = differing(records, &other.records).next() {
            let shown = |everything: &Everything| {
                let (revision, value) = everything.records.get(key)?;
                Some(format!("revision {revision}: {}", value.escape_ascii()))
            };
            let (table, name) = (key.0, key.1.escape_ascii());
            panic!("{table:?} {name}: {:?} {:?}", shown(self), shown(other));
        }
        let files: Vec<_> = differing(files, &other.files).collect();
        assert!(files.is_empty(), "{files:?}");
    }
}

/// Returns the keys whose values differ between the two maps.
fn differing<'m, K: Ord, V: PartialEq>(
    one: &'m BTreeMap<K, V>,
    other: &'m BTreeMap<K, V>,
) -> impl Iterator<Item = &'m K> {
    let keys: BTreeSet<&K> = one.keys().chain(other.keys()).collect();
    let differs = |key: &&K| one.get(key) != other.get(key);
    keys.into_iter().filter(differs)
}

impl SmallSite {
    /// Creates a new site with this data folder.
    pub fn new(data: &Path) -> Self {
        let store = Arc::new(MemoryStore::new());
        let now = jiff::Timestamp::from_second(NOW).unwrap();
        let clock = Arc::new(ManualClock::new(now));
        let site = Site::open(Box::new(Arc::clone(&store)), clock).unwrap();
        let integration = site
            .write(|transaction| transaction.add_integration("Fuzz", None))
            .unwrap();
        Self {
            site: Arc::new(site),
            integration,
            store,
            data: data.to_owned(),
        }
    }

    /// Creates a site with some posts, tags, authors and members, and without files.
    pub fn with_content() -> Self {
        let site = Self::new(Path::new(NO_DATA));
        let export = include_bytes!("../../../it/import/exports/ghost-5.json");
        site.import(export).unwrap();
        site
    }

    /// Returns the API of the site.
    pub fn api(&self) -> Api {
        self.api_with(|_| {})
    }

    /// Returns the API of the site, with changed options.
    pub fn api_with(&self, change: impl FnOnce(&mut Options)) -> Api {
        let mut options = Options {
            site_urls: SiteUrlSources::of_operator(SiteUrls::new(URL).unwrap()),
            files: FileRoots::in_data(&self.data),
            cache_bytes_max: 1 << 20,
            live: LiveOptions {
                upload_bytes_max: 1 << 20,
                ..LiveOptions::default()
            },
            image_memory_bytes: 16 << 20,
            ..Options::default()
        };
        change(&mut options);
        Api::new(Arc::clone(&self.site), options)
    }

    /// Returns a token of the Admin API with this header and these claims, signed with the key of the site's
    /// integration.
    pub fn signed(&self, header: &str, claims: &str) -> String {
        let secret = self.integration.admin_key.secret.as_bytes();
        let encode = |text: &str| BASE64URL_NOPAD.encode(text.as_bytes());
        let text = format!("{}.{}", encode(header), encode(claims));
        let mut code = Hmac::<Sha256>::new_from_slice(&HEXLOWER.decode(secret).unwrap()).unwrap();
        code.update(text.as_bytes());
        let signature = BASE64URL_NOPAD.encode(&code.finalize().into_bytes());
        format!("{text}.{signature}")
    }

    /// Returns the credentials of the site's integration for the Admin API.
    pub fn credentials(&self) -> String {
        let header = json!({"alg": "HS256", "kid": self.integration.admin_key.id.to_string()});
        let claims = json!({"iat": NOW, "exp": NOW + 300, "aud": "/admin/"});
        format!(
            "Ghost {}",
            self.signed(&header.to_string(), &claims.to_string())
        )
    }

    /// Imports a file with this content.
    pub fn import(&self, content: &[u8]) -> Result<Report> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        let options = import::Options {
            site: URL.parse().unwrap(),
            uploads: Uploads::in_data(&self.data),
            dry_run: false,
            actor: Actor::Operator,
            history: false,
            content_files: Default::default(),
            email_auth_secret: None,
            announces_records: true,
        };
        let given = ImportSource::in_file(file, Path::new("given"))?;
        import::import(&self.site, &given, &options, &NoProgress)
    }

    /// Returns all data of the site.
    pub fn everything(&self) -> Everything {
        let mut records = BTreeMap::new();
        let snapshot = self.store.snapshot().unwrap();
        for table in Table::ALL {
            let mut keep = |key: &[u8], revision: u64, value: &[u8]| {
                records.insert((table, key.to_vec()), (revision, value.to_vec()));
                ControlFlow::Continue(())
            };
            snapshot.scan(table, &Keys::all(), &mut keep).unwrap();
        }
        let folders = self.data.exists().then(|| WalkDir::new(&self.data));
        let entries = folders.into_iter().flatten().map(|entry| {
            let path = entry.unwrap().into_path();
            let content = fs::read(&path).unwrap_or_default();
            (path, content)
        });
        Everything {
            records,
            files: entries.collect(),
        }
    }
}

/// Returns the API's response to a request from `peer` without a body; `None` if the target or a header field is not
/// possible in a request.
pub fn ask(
    api: &Api,
    peer: Ipv4Addr,
    method: Method,
    target: &str,
    header: Option<(HeaderName, &[u8])>,
) -> Option<Response> {
    send(api, peer, method, target, header.as_slice(), &[])
}

/// Returns the API's response to a request from `peer`; `None` if the target or a header field is not possible in a
/// request.
pub fn send(
    api: &Api,
    peer: Ipv4Addr,
    method: Method,
    target: &str,
    fields: &[(HeaderName, &[u8])],
    body: &[u8],
) -> Option<Response> {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.append(name, HeaderValue::from_bytes(value).ok()?);
    }
    let head = RequestHead {
        method,
        target: PathAndQuery::try_from(target).ok()?,
        headers,
        peer: IpAddr::V4(peer),
    };
    let body = Bytes::copy_from_slice(body);
    Some(api.respond_alone(&Request { head, body }))
}

/// Returns a client address that has not sent a request yet, so that no rate limit applies to it.
pub fn new_client() -> Ipv4Addr {
    static NEXT_CLIENT: AtomicU32 = AtomicU32::new(0);
    Ipv4Addr::from_bits(0x0800_0000 + NEXT_CLIENT.fetch_add(1, Ordering::Relaxed) % (1 << 28))
}

/// Returns the body of a response.
pub fn body(response: Response) -> Bytes {
    match response.body {
        Body::Bytes(bytes) | Body::Sendfile { bytes, .. } => bytes,
        Body::Empty => Bytes::new(),
        Body::File { mut file, range } => {
            let mut content = Vec::new();
            file.read_to_end(&mut content).unwrap();
            assert_eq!(range, 0..content.len() as u64);
            content.into()
        }
        body => panic!("{body:?} has no end"),
    }
}
