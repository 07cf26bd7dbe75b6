//! Tests of imports of Markdown folders: the layout of each generator, and the imported records.

mod counts;
mod front_matter;
mod generators;
mod odd_documents;
mod repeated;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use galley::{
    clock::ManualClock,
    content_files::ContentFiles,
    domain::{
        post::{Post, PostKind, Status},
        tag::Tag,
    },
    error::{Error, Kind},
    id::Id,
    import::{Count, ImportSource, Notes, Options, Report, import},
    progress::NoProgress,
    site::Site,
    store::memory::MemoryStore,
    uploads::Uploads,
};
use jiff::Timestamp;
use tempfile::TempDir;
use url::Url;

const NOW: &str = "2025-06-01T12:00:00Z";

/// A generator's project and the site that it is imported into.
struct Migration {
    folder: TempDir,
    site: Site,
    clock: Arc<ManualClock>,
    set: ContentFiles,
}

impl Migration {
    /// Creates a project with these files, each with its path and content.
    fn of(files: &[(&str, &str)]) -> Self {
        let clock = Arc::new(ManualClock::new(NOW.parse().unwrap()));
        let migration = Self {
            site: Site::open(Box::new(MemoryStore::new()), clock.clone()).unwrap(),
            folder: tempfile::tempdir().unwrap(),
            clock,
            set: ContentFiles::default(),
        };
        fs::create_dir(migration.project()).unwrap();
        fs::create_dir(migration.data()).unwrap();
        for (path, content) in files {
            migration.write(path, content);
        }
        migration
    }

    /// Creates a project with these files, in which every document is a post.
    fn of_posts(files: &[(&str, &str)]) -> Self {
        Self {
            set: ContentFiles {
                generator: Some("plain".to_owned()),
                posts: vec!["**".to_owned()],
                ..ContentFiles::default()
            },
            ..Self::of(files)
        }
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn write(&self, path: &str, content: &str) {
        write(&self.project().join(path), content);
    }

    fn try_import(&self, folder: &Path) -> Result<Report, Error> {
        let source = ImportSource::at(folder)?;
        import(&self.site, &source, &self.options(false), &NoProgress)
    }

    fn options(&self, dry_run: bool) -> Options {
        Options {
            site: Url::parse("https://harbour.example/").unwrap(),
            uploads: Uploads::in_data(&self.data()),
            dry_run,
            actor: galley::domain::actor::Actor::Operator,
            history: false,
            content_files: self.set.clone(),
            email_auth_secret: None,
            announces_records: true,
        }
    }

    fn import(&self) -> Report {
        self.try_import(&self.project()).unwrap()
    }

    fn import_part(&self, path: &str) -> Report {
        self.try_import(&self.project().join(path)).unwrap()
    }

    fn post(&self, slug: &str) -> Post {
        let snapshot = self.site.current();
        let found = snapshot.catalog.posts.by_slug(slug);
        let found = found.unwrap_or_else(|| panic!("there is no post \"{slug}\""));
        Post::clone(found)
    }

    fn html(&self, slug: &str) -> String {
        let snapshot = self.site.current();
        let id = self.post(slug).id;
        snapshot.html(id).unwrap().unwrap_or_default()
    }

    /// Returns the slugs of all posts or pages, in alphabetical order.
    fn slugs(&self, kind: PostKind) -> Vec<String> {
        let snapshot = self.site.current();
        let posts = snapshot.catalog.posts.iter();
        let mut slugs: Vec<String> = posts
            .filter(|post| post.kind == kind)
            .map(|post| post.slug.to_string())
            .collect();
        slugs.sort();
        slugs
    }

    fn tags(&self, slug: &str) -> Vec<String> {
        let snapshot = self.site.current();
        let name = |id: &Id| snapshot.catalog.tags.get(*id).unwrap().name.to_string();
        self.post(slug).tags.iter().map(name).collect()
    }

    fn authors(&self, slug: &str) -> Vec<String> {
        let snapshot = self.site.current();
        let name = |id: &Id| snapshot.catalog.users.get(*id).unwrap().name.to_string();
        self.post(slug).authors.iter().map(name).collect()
    }

    fn revision(&self) -> u64 {
        self.site.current().catalog.revision
    }

    /// Returns the content of a file that was copied to the uploads.
    fn uploaded(&self, path: &str) -> String {
        fs::read_to_string(self.data().join(path))
            .unwrap_or_else(|_| panic!("{path} was not copied"))
    }
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Returns the notes as `subject: text`, except those about sample images and files that contain only text.
fn lines(notes: &Notes) -> Vec<String> {
    let line = |note: &galley::import::Note| format!("{}: {}", note.subject, note.whole());
    let lines = notes.notes.iter().map(line);
    lines
        .filter(|line| !line.contains(": it is imported, but"))
        .collect()
}

fn count(report: &Report, kind: &str) -> (usize, usize, usize) {
    let Count {
        added,
        updated,
        unchanged,
    } = report.counts.get(kind).copied().unwrap_or_default();
    (added, updated, unchanged)
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn is_clean(report: &Report) -> bool {
    lines(&report.changed).is_empty() && report.left_out.is_empty()
}

/// Creates a plain folder with two posts.
fn two_posts() -> Migration {
    Migration::of_posts(&[
        (
            "ferry.md",
            "---\ntitle: Ferry\ndate: 2024-01-01\ntags: [Sea]\n---\n![Deck](deck.jpg)\n",
        ),
        ("knots.md", "---\ntitle: Knots\n---\nRope.\n"),
        ("deck.jpg", "deck"),
    ])
}
