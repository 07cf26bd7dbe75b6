//! The destination of an import: a site in the test's process.

use std::{
    collections::BTreeMap,
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
};

use galley::{
    api::{Options as ApiOptions, files::FileRoots},
    bucket::{Bucket, BucketOptions},
    clock::{Clock, ManualClock},
    error::Error,
    import,
    import::{ImportSource, Options, Report},
    progress::{NoProgress, Progress},
    site::Site,
    site_urls::{SiteUrlSources, SiteUrls},
    store::{Keys, Store, Table, memory::MemoryStore},
    uploads::{BucketUploads, Uploads},
};
use galley_tests::{
    api_reader::{ApiReader, bytes_of},
    bucket_server::BucketServer,
};
use serde_json::Value;
use tempfile::TempDir;

/// The URL of the site.
pub const URL: &str = "https://harbour.example";

/// The time of the destination's clock.
pub const NOW: &str = "2026-01-01T00:00:00Z";

/// Returns uploads in a bucket, with local copies in the data folder `data`.
pub fn uploads_in(bucket: &BucketServer, data: &Path) -> Uploads {
    let options = BucketOptions {
        table: "uploads",
        endpoint: Some(bucket.url().parse().unwrap()),
        region: "eu-west-1".to_owned(),
        access_key: "name".to_owned(),
        secret_key: "secret".to_owned(),
    };
    let objects = Bucket::new("bucket/site", &options).unwrap();
    let uploads = Uploads::in_bucket(data, Arc::new(BucketUploads::new(objects, 1 << 20)));
    uploads.check().unwrap();
    uploads
}

/// A site in memory with a data folder.
pub struct Destination {
    pub site: Arc<Site>,
    /// The site's store, for tests that compare stored records.
    store: Arc<MemoryStore>,
    reader: ApiReader,
    folder: TempDir,
}

impl Destination {
    /// Creates an empty site.
    pub fn new() -> Self {
        let store = Arc::new(MemoryStore::new());
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(NOW.parse().unwrap()));
        let site = Arc::new(Site::open(Box::new(Arc::clone(&store)), clock).unwrap());
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        let options = ApiOptions {
            site_urls: SiteUrlSources::of_operator(SiteUrls::new(URL).unwrap()),
            files: FileRoots::in_data(&folder.path().join("data")),
            cache_bytes_max: 0,
            ..ApiOptions::default()
        };
        Self {
            reader: ApiReader::new(&site, options),
            site,
            store,
            folder,
        }
    }

    /// Imports the export `export` of `exports/` into a new site.
    pub fn with(export: &str) -> (Self, Report) {
        let destination = Self::new();
        let report = destination.import(&export_path(export));
        (destination, report)
    }

    /// Returns the path of the data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Imports the export at `path`.
    pub fn import(&self, path: &Path) -> Report {
        self.try_import(path).unwrap()
    }

    pub fn try_import(&self, path: &Path) -> Result<Report, Error> {
        self.import_with(path, false, &NoProgress)
    }

    /// Returns the report of a dry run.
    pub fn dry_run(&self, path: &Path) -> Report {
        self.import_with(path, true, &NoProgress).unwrap()
    }

    pub fn import_with(
        &self,
        path: &Path,
        dry_run: bool,
        progress: &dyn Progress,
    ) -> Result<Report, Error> {
        let uploads = Uploads::in_data(&self.data());
        self.import_to(uploads, path, dry_run, progress)
    }

    /// Imports the export at `path`, with its files as `uploads`.
    pub fn import_to(
        &self,
        uploads: Uploads,
        path: &Path,
        dry_run: bool,
        progress: &dyn Progress,
    ) -> Result<Report, Error> {
        let options = Options {
            site: URL.parse().unwrap(),
            uploads,
            dry_run,
            actor: galley::domain::actor::Actor::Operator,
            history: false,
            content_files: Default::default(),
            email_auth_secret: None,
            announces_records: true,
        };
        import::import(&self.site, &ImportSource::at(path)?, &options, progress)
    }

    /// Writes `text` to a file and imports it.
    pub fn try_import_text(&self, text: impl AsRef<[u8]>) -> Result<Report, Error> {
        let file = self.folder.path().join("export.json");
        fs::write(&file, text).unwrap();
        self.try_import(&file)
    }

    /// Imports this export.
    pub fn import_json(&self, export: &Value) -> Report {
        self.try_import_text(export.to_string()).unwrap()
    }

    /// Returns the response of the Content API to a request for a path below its root.
    pub fn get(&self, target: &str) -> Value {
        self.reader.json(target)
    }

    /// Returns a published post with its tags, authors, tiers, HTML and plain text.
    pub fn post(&self, slug: &str) -> Value {
        let reply = self.get(&format!(
            "posts/slug/{slug}/?include=tags,authors,tiers&formats=html,plaintext"
        ));
        match reply["posts"].get(0) {
            Some(post) => post.clone(),
            None => panic!("there is no post {slug}: {reply}"),
        }
    }

    /// Returns a published page.
    pub fn page(&self, slug: &str) -> Value {
        self.get(&format!("pages/slug/{slug}/"))["pages"][0].clone()
    }

    /// Returns all responses of the Content API as one text.
    pub fn content_responses(&self) -> String {
        galley_tests::content_responses::all(|target| self.get(target).to_string())
    }

    /// Returns the body of the response for a path of the site.
    pub fn served(&self, path: &str) -> Vec<u8> {
        bytes_of(self.reader.get(path))
    }

    /// Returns the complete stored state: all records with their revisions, and the files of the data folder.
    pub fn everything(&self) -> Everything {
        let mut records = BTreeMap::new();
        let snapshot = self.store.snapshot().unwrap();
        for table in Table::ALL {
            let mut collect = |key: &[u8], revision: u64, value: &[u8]| {
                records.insert((table, key.to_vec()), (revision, value.to_vec()));
                ControlFlow::Continue(())
            };
            snapshot.scan(table, &Keys::all(), &mut collect).unwrap();
        }
        let files = walkdir::WalkDir::new(self.data())
            .into_iter()
            .map(Result::unwrap);
        Everything {
            records,
            files: files
                .map(|entry| {
                    let bytes = fs::read(entry.path()).unwrap_or_default();
                    (entry.into_path(), bytes)
                })
                .collect(),
        }
    }
}

/// The complete stored state of a site.
#[derive(Debug, PartialEq)]
pub struct Everything {
    records: BTreeMap<(Table, Vec<u8>), (u64, Vec<u8>)>,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

/// Returns the path of an export that these tests import.
pub fn export_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/import/exports")
        .join(name)
}

/// Returns the parsed export `name`, for tests that change it before the import.
pub fn export(name: &str) -> Value {
    serde_json::from_slice(&fs::read(export_path(name)).unwrap()).unwrap()
}

/// All exports in `exports/`.
pub const EXPORTS: [&str; 4] = [
    "ghost-4.json",
    "ghost-5.json",
    "ghost-6.json",
    "by-hand.json",
];

/// Returns the notes about subjects that contain `subject`, first about changed records, then about skipped ones.
pub fn notes_about(report: &Report, subject: &str) -> Vec<String> {
    report
        .changed
        .notes
        .iter()
        .chain(&report.left_out.notes)
        .filter(|note| note.subject.contains(subject))
        .map(|note| note.text.clone())
        .collect()
}

/// Returns the slugs of a list of records, in its order.
pub fn slugs(list: &Value) -> Vec<&str> {
    let records = list.as_array().unwrap().iter();
    records
        .map(|record| record["slug"].as_str().unwrap())
        .collect()
}
