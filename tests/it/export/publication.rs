//! A site in this process that has content files or an import, serves requests, and can be exported.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use galley::{
    api::{Options, files::FileRoots, response::Response},
    clock::{Clock, ManualClock},
    content_files::Reconciler,
    content_text::Diagnostic,
    export,
    export::{ExportContext, ExportError, Report, folder::Folders},
    import,
    progress::NoProgress,
    site::Site,
    site_urls::{SiteUrlSources, SiteUrls},
    store::memory::MemoryStore,
    uploads::Uploads,
};
use galley_tests::api_reader::ApiReader;
use tempfile::TempDir;
use url::Url;

/// The URL of every site of these tests.
pub const URL: &str = "https://harbour.example/";

/// The current time of every site of these tests.
pub const NOW: &str = "2026-01-01T00:00:00Z";

/// A site with its folders, which are deleted when it is dropped.
pub struct Publication {
    pub site: Arc<Site>,
    reader: ApiReader,
    folder: TempDir,
    content: PathBuf,
}

impl Publication {
    /// Returns a site without content.
    pub fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let content = folder.path().join("content");
        fs::create_dir(&content).unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        Self::in_folder(folder, content)
    }

    fn in_folder(folder: TempDir, content: PathBuf) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(NOW.parse().unwrap()));
        let site = Arc::new(Site::open(Box::new(MemoryStore::new()), clock).unwrap());
        let options = Options {
            site_urls: SiteUrlSources::of_operator(SiteUrls::new(URL).unwrap()),
            files: FileRoots {
                content: Some(content.clone()),
                ..FileRoots::in_data(&folder.path().join("data"))
            },
            cache_bytes_max: 0,
            ..Options::default()
        };
        Self {
            reader: ApiReader::new(&site, options),
            site,
            folder,
            content,
        }
    }

    /// Returns a site with these content files.
    pub fn of_files(files: &[(&str, &str)]) -> Self {
        let publication = Self::empty();
        for (path, text) in files {
            write(&publication.content.join(path), text);
        }
        publication.read_content();
        publication
    }

    /// Returns the site with the content files in `content`.
    pub fn served_from(content: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        let publication = Self::in_folder(folder, content.to_owned());
        publication.read_content();
        publication
    }

    /// Returns a site into which this export was imported.
    pub fn imported(export: &Path) -> Self {
        let publication = Self::empty();
        publication.import(export);
        publication
    }

    /// Imports an export.
    pub fn import(&self, export: &Path) -> import::Report {
        let options = import::Options {
            site: url(),
            uploads: Uploads::in_data(&self.data()),
            dry_run: false,
            actor: galley::domain::actor::Actor::Operator,
            history: false,
            content_files: Default::default(),
            email_auth_secret: None,
            announces_records: true,
        };
        let given = import::ImportSource::at(export).unwrap();
        import::import(&self.site, &given, &options, &NoProgress).unwrap()
    }

    /// Reads the content folder, and asserts that it has no errors.
    pub fn read_content(&self) {
        let problems = self.problems();
        let mut errors = problems.iter().filter(|problem| problem.is_error());
        assert_eq!(errors.next().map(ToString::to_string), None);
    }

    /// Reads the content folder again, and returns the diagnostics.
    pub fn problems(&self) -> Vec<Diagnostic> {
        let mut reconciler = Reconciler::new(Arc::clone(&self.site), self.content.clone()).unwrap();
        reconciler.run(None, &NoProgress).unwrap();
        reconciler.report().problems
    }

    /// Writes a file below the data folder, as if it had been uploaded.
    pub fn upload(&self, path: &str, content: &str) {
        write(&self.data().join(path), content);
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns a path for an export.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes the site in Ghost's format, without passwords.
    pub fn to_json(&self, name: &str) -> PathBuf {
        let path = self.path_of(name);
        self.write_json(&path, false).unwrap();
        path
    }

    /// Writes the site in Ghost's format to any path, with passwords.
    pub fn write_json(&self, path: &Path, overwrites: bool) -> Result<Report, ExportError> {
        let options = export::ghost::Options {
            with_passwords: true,
            include: &[],
        };
        let (url, uploads) = (url(), self.uploads());
        let circumstances = self.circumstances(&url, &uploads);
        export::ghost::write_file(
            &self.site.current(),
            circumstances,
            options,
            path,
            overwrites,
        )
    }

    /// Writes the site as a content folder, without any remarks.
    pub fn to_folder(&self, name: &str) -> PathBuf {
        let path = self.path_of(name);
        let report = self.write_folder(&path, false).unwrap();
        assert_eq!(report.remarks, Vec::<String>::new());
        path
    }

    /// Writes the site as a content folder to any path.
    pub fn write_folder(&self, path: &Path, overwrites: bool) -> Result<Report, ExportError> {
        let (url, uploads) = (url(), self.uploads());
        let circumstances = self.circumstances(&url, &uploads);
        export::folder::write(&self.site.current(), circumstances, path, overwrites)
    }

    /// Returns the folder of its uploads.
    pub fn uploads(&self) -> Uploads {
        Uploads::in_data(&self.data())
    }

    /// Returns the context of an export of this site.
    pub fn circumstances<'a>(&'a self, site: &'a Url, uploads: &'a Uploads) -> ExportContext<'a> {
        ExportContext {
            site,
            now: self.site.now(),
            folders: Folders {
                content: Some(&self.content),
                uploads,
            },
            theme_settings: None,
            progress: &NoProgress,
        }
    }

    /// Returns the body of the response for a path below `/ghost/api/content/`.
    pub fn get(&self, target: &str) -> String {
        self.reader.text(target)
    }

    /// Returns the response for any path.
    pub fn response(&self, target: &str) -> Response {
        self.reader.get(target)
    }

    /// Returns the responses of the Content API for all content.
    pub fn replies(&self) -> String {
        let filtered = [
            "posts/?filter=meta_title:-'x'&limit=100&fields=slug",
            "posts/?filter=tags.visibility:internal&limit=100&fields=slug",
            "posts/?order=updated_at%20desc&limit=100&fields=slug,created_at,updated_at",
        ];
        let mut all = galley_tests::content_responses::all(|target| self.get(target));
        for target in filtered {
            all += &format!("{target}\n{}\n", self.get(target));
        }
        all
    }
}

/// Panics at the first line that differs, with the text around the difference.
pub fn assert_same(replies: &str, expected: &str) {
    for (line, expected) in replies.lines().zip(expected.lines()) {
        if line != expected {
            let same = line
                .bytes()
                .zip(expected.bytes())
                .take_while(|(one, other)| one == other)
                .count();
            let around = |text: &str| {
                let start = text.floor_char_boundary(same.saturating_sub(300));
                let end = text.floor_char_boundary(same + 300);
                text[start..end].to_owned()
            };
            panic!("found\n{}\nexpected\n{}", around(line), around(expected));
        }
    }
    assert_eq!(replies.len(), expected.len());
}

/// Returns all files below a folder, by path.
pub fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(folder).unwrap();
            let bytes = fs::read(entry.path()).unwrap();
            (path.to_str().unwrap().to_owned(), bytes)
        })
        .collect()
}

/// Returns the URL of every site of these tests.
pub fn url() -> Url {
    URL.parse().unwrap()
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}
